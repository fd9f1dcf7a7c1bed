"""A layer imports only those below it: read from the imports of every file, wherever in the file they stand."""

import ast
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

import picklecheck

PACKAGE = Path(picklecheck.__file__).parent

GROUND = {"errors", "extensions", "guarded", "model", "paths", "safe", "source", "source_index", "standins"}
KNOWLEDGE = {"kinds"}
SIBLINGS = {"fixes", "hazards", "probe", "receiver", "transports"}
EDGES = {"api", "arrivals", "crossing", "findings", "live", "lost", "mending", "render", "spots", "told_there"}
FACES = {"__main__", "cli", "ipython", "pytest_plugin"}
ROOT = "__init__"
"""The package itself, `import picklecheck`: what its `__init__` offers."""

BELOW_SIBLINGS = GROUND | KNOWLEDGE
BELOW_EDGES = BELOW_SIBLINGS | SIBLINGS

# room -> the rooms that it may import, beside itself; a room is a module or a subpackage of picklecheck
MAY_IMPORT = {
    **dict.fromkeys(GROUND, GROUND),
    **dict.fromkeys(KNOWLEDGE, GROUND),
    **dict.fromkeys(SIBLINGS, BELOW_SIBLINGS),
    "render": GROUND,
    "findings": BELOW_EDGES,
    "crossing": BELOW_EDGES,
    "lost": BELOW_EDGES,
    "told_there": BELOW_EDGES | {"findings", "lost"},
    "arrivals": BELOW_EDGES | {"lost", "told_there"},
    "spots": BELOW_EDGES | {"told_there"},
    "mending": BELOW_EDGES | {"spots", "told_there"},
    "api": BELOW_EDGES | {"arrivals", "crossing", "findings", "mending", "render", "told_there"},
    "live": BELOW_EDGES | {"api", "render"},
    ROOT: BELOW_EDGES | EDGES,
    **dict.fromkeys(FACES, BELOW_EDGES | EDGES | {ROOT}),
    "__main__": {"cli"},
}

# third-party package -> the rooms that may import it; a package that is not named here is imported by none
THIRD_PARTY = {
    "dill": SIBLINGS,
    "executing": {"api", "live", "source"},
    "libcst": {"fixes"},
    "IPython": {"ipython"},
    "pytest": {"pytest_plugin"},
    "rich": {"cli", "render"},
    "typer": {"cli"},
}
# changes other code when it is imported (dill adds to the dispatch of pickle._Pickler): imported only inside a function
ONLY_INSIDE_FUNCTIONS = {"dill"}


class Import(NamedTuple):
    name: str
    line: int
    inside_function: bool


def rooms():
    return {path.stem if path.suffix == ".py" else path.name for path in PACKAGE.iterdir() if _is_code(path)}


def _is_code(path):
    return path.suffix == ".py" or (path.is_dir() and any(path.rglob("*.py")))


def imports(tree, package):
    """Yield the absolute name of everything that is imported, also by `import_module("name")`."""
    inside = {
        id(node)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for node in ast.walk(function)
    }
    for node in ast.walk(tree):
        for name in _names(node, package):
            yield Import(name, node.lineno, id(node) in inside)


def _names(node, package):
    match node:
        case ast.Import(names):
            return [alias.name for alias in names]
        case ast.ImportFrom(module, names, level):
            parts = package.split(".")
            base = ".".join([*parts[: len(parts) - level + 1], *filter(None, [module])]) if level else module
            return [f"{base}.{alias.name}" for alias in names]
        case ast.Call(func, [ast.Constant(str(name)), *_]) if _called(func) in ("import_module", "__import__"):
            return [name]
    return []


def _called(function):
    return getattr(function, "attr", getattr(function, "id", None))


def violation(room, imported):
    """Say what is wrong with an import in a file of `room`; None where nothing is."""
    top, *rest = imported.name.split(".")
    if top == "picklecheck":
        return _inner_violation(room, rest[0] if rest and rest[0] in MAY_IMPORT else ROOT)
    if top in sys.stdlib_module_names:
        return None
    if room not in THIRD_PARTY.get(top, ()):
        return f"{room} may not import the package {top}"
    if top in ONLY_INSIDE_FUNCTIONS and not imported.inside_function:
        return f"{top} is imported inside functions only"
    return None


def _inner_violation(room, target):
    if target == room or target in MAY_IMPORT[room]:
        return None
    return f"{room} may not import {'picklecheck itself' if target == ROOT else target}"


def violations(text, room, package):
    tree = ast.parse(text)
    found = [(imported.line, violation(room, imported)) for imported in imports(tree, package)]
    return [f"line {line}: {what}" for line, what in sorted(found, key=str) if what]


def parts(path):
    return path.relative_to(PACKAGE).with_suffix("").parts


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: "/".join(parts(path)))
def test_file_imports_only_layers_below(path):
    package = ".".join(["picklecheck", *parts(path)[:-1]])
    assert violations(path.read_text(encoding="utf-8"), parts(path)[0], package) == []


def test_every_room_stands_in_a_layer():
    assert rooms() <= set(MAY_IMPORT)


@pytest.mark.parametrize(
    ("room", "text", "expected"),
    [
        # up
        ("paths", "from picklecheck.kinds import TABLE", "paths may not import kinds"),
        ("kinds", "import picklecheck.probe.walk", "kinds may not import probe"),
        ("probe", "from picklecheck import api", "probe may not import api"),
        ("probe", "from picklecheck import explain", "probe may not import picklecheck itself"),
        ("transports", "import picklecheck", "transports may not import picklecheck itself"),
        ("api", "from picklecheck.cli import main", "api may not import cli"),
        ("__init__", "from picklecheck.pytest_plugin import assert_picklable", "__init__ may not import pytest_plugin"),
        ("api", "from picklecheck.live import watch", "api may not import live"),
        # sideways
        ("probe", "from picklecheck.transports import Transport", "probe may not import transports"),
        ("render", "from picklecheck.api import explain", "render may not import api"),
        ("render", "from picklecheck.kinds import find", "render may not import kinds"),
        ("findings", "from picklecheck import render", "findings may not import render"),
        ("cli", "from picklecheck import pytest_plugin", "cli may not import pytest_plugin"),
        ("pytest_plugin", "from picklecheck import cli", "pytest_plugin may not import cli"),
        # by whatever way
        ("probe", "from ..transports import Transport", "probe may not import transports"),
        ("probe", "from .. import api", "probe may not import api"),
        ("model", "def f():\n    import picklecheck.render.text", "model may not import render"),
        ("model", "if TYPE_CHECKING:\n    from picklecheck.api import Options", "model may not import api"),
        ("model", "importlib.import_module('picklecheck.api')", "model may not import api"),
        ("model", "__import__('rich')", "model may not import the package rich"),
        # third-party packages
        ("paths", "import numpy", "paths may not import the package numpy"),
        ("probe", "def f():\n    from torch import Tensor", "probe may not import the package torch"),
        ("api", "import rich.console", "api may not import the package rich"),
        ("render", "import typer", "render may not import the package typer"),
        ("transports", "import dill", "dill is imported inside functions only"),
        ("paths", "def f():\n    import dill", "paths may not import the package dill"),
    ],
)
def test_checker_sees(room, text, expected):
    [found] = violations(text, room, f"picklecheck.{room}")
    assert found.endswith(expected)


@pytest.mark.parametrize(
    ("room", "text"),
    [
        ("model", "from picklecheck.paths import Step"),
        ("probe", "from .walk import walk\nfrom . import walk\nfrom picklecheck.probe import walk"),
        (
            "probe",
            "from picklecheck import safe\nimport picklecheck.kinds.table\nimport pickle, copyreg",
        ),
        ("api", "from picklecheck.probe import probe\nfrom picklecheck.render import text\nimport executing"),
        ("render", "from rich.text import Text\nfrom picklecheck.model import Report"),
        ("cli", "import typer\nfrom picklecheck import api, kinds, register_kind"),
        ("__main__", "from picklecheck.cli import main"),
        ("transports", "def dumps():\n    import dill\n    importlib.import_module(name)"),
    ],
)
def test_checker_lets_pass(room, text):
    assert violations(text, room, f"picklecheck.{room}") == []

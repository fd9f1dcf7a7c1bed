"""Importing the first half of a target, by a module's name or from a file, and saying what is wrong with it.

A file is loaded as `python file.py` would find it: its folder comes first on `sys.path`, and it stands in `sys.modules`
under its own name, so that its classes and functions can be pickled by name. If it belongs to a package, the package is
loaded first and the file as its member. Where another module already has that name (a `types.py` of the user's), the
file is loaded all the same, under the name with an underscore behind it: the other module stays what it is.
"""

from __future__ import annotations

import ast
import difflib
import importlib
import importlib.util
import itertools
import os
import pkgutil
import sys
from collections.abc import Iterable, Iterator
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import TypeGuard

from picklecheck.cli import blame
from picklecheck.errors import TargetError

__all__ = ["exists", "guarded_line", "load", "no_location", "only_inside", "shadowed", "top_names", "unloaded_sources"]

_MAX_SHOWN = 6
_MAX_SOURCE = 4_000_000


def load(location: str) -> ModuleType:
    """Import a module by its name, or a file by its path.

    Raises:
        TargetError: it is not there, or importing it failed.
    """
    return _load_file(location) if _is_path(location) else _load_module(location)


def exists(name: str) -> bool:
    """Tell whether a module of that name could be imported, without importing anything."""
    return name in sys.modules or _spec(name) is not None


def no_location(location: str) -> str | None:
    """Say what is wrong with a path or module name that leads nowhere; None where it leads somewhere."""
    if _is_path(location):
        return _no_file(location)
    return None if exists(location) else f"there is no module {location!r}{_like_module(location)}"


def unloaded_sources(location: str) -> list[str]:
    """Give the Python files that loading a location would run, its packages' first, as a person here would write them.

    Left out are those of modules that are loaded already or belong to a library, and those that are not found without
    importing anything.
    """
    if _is_path(location):
        found: list[str | None] = [*_package_files(location), location]
    else:
        names = itertools.accumulate(location.split("."), "{}.{}".format)
        found = [_source_of(name) for name in names if name not in sys.modules]
    files = [file for file in found if file and file.endswith(".py") and os.path.isfile(file)]
    own = (file for file in files if not blame.is_library(os.path.abspath(file)))
    return list(dict.fromkeys(_joined(*os.path.split(file)) for file in own))


def _package_files(location: str) -> list[str]:
    """Give the `__init__.py` of each package that a file belongs to, the outermost first."""
    folder = os.path.dirname(os.path.abspath(location))
    files: list[str] = []
    while os.path.isfile(os.path.join(folder, "__init__.py")) and os.path.basename(folder).isidentifier():
        files.insert(0, os.path.join(folder, "__init__.py"))
        folder = os.path.dirname(folder)
    return files


def top_names(location: str) -> list[str]:
    """Give the public names that the source defines at its top level, without running it."""
    tree = _tree(_source_of(location))
    names = [name for node in (tree.body if tree else ()) for name in _defined(node)]
    return [name for name in dict.fromkeys(names) if not name.startswith("_")]


def only_inside(module: ModuleType, name: str) -> str | None:
    """Say where a module sets a name that it does not have at its top level: under its main guard, or in a function."""
    tree = _tree(getattr(module, "__file__", None))
    for node in tree.body if tree else ():
        line = _line_of(node, name)
        if line is not None:
            return _inside(node, name, line)
    return None


def guarded_line(module: ModuleType, name: str) -> int | None:
    """Give the line where a module sets a name under its main guard; None where it does not."""
    tree = _tree(getattr(module, "__file__", None))
    guards = (node for node in (tree.body if tree else ()) if isinstance(node, ast.If) and _is_guard(node.test))
    return next((line for guard in guards if (line := _line_of(guard, name)) is not None), None)


def _is_guard(test: ast.expr) -> bool:
    return any(isinstance(node, ast.Name) and node.id == "__name__" for node in ast.walk(test))


def _line_of(node: ast.stmt, name: str) -> int | None:
    """Give the first line inside a statement where a name is set or defined."""
    inside = (inner for inner in ast.walk(node) if inner is not node)
    return min((inner.lineno for inner in inside if _makes(inner, name)), default=None)


def _inside(node: ast.stmt, name: str, line: int) -> str:
    if isinstance(node, ast.ClassDef):
        return f"in the class (line {line}): write {node.name}.{name}"
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return f"in {node.name}() (line {line}): name a function that returns it, as make_{name}()"
    return f"under a condition that does not hold here (line {line}): name a function that returns it, as make_{name}()"


def shadowed(module: ModuleType, location: str) -> str:
    """Say that a file of that name in this folder is not what was imported; empty where that is not so."""
    here, file = f"{location}.py", getattr(module, "__file__", None)
    if not os.path.isfile(here) or (file and _same(file, here)):
        return ""
    return f"; this is {file or 'a built-in module'}: for the file in this folder write ./{here}"


# -- by name ---------------------------------------------------------------------------------------------------------


def _load_module(name: str) -> ModuleType:
    if not all(name.split(".")):
        raise TargetError(f"{name!r} is neither the name of a module nor the path of a .py file")
    _put_first(os.getcwd())
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if not blame.user_frames(error) and error.name and f"{name}.".startswith(f"{error.name}."):
            raise TargetError(_no_module(name, error.name)) from None
        raise TargetError(f"importing {name} {blame.told(error)}") from None
    except BaseException as error:
        raise _import_error(name, error) from None
    if getattr(module, "__file__", None) is None and hasattr(module, "__path__"):
        folder = next(iter(module.__path__), name)
        raise TargetError(f"{name} is a folder{_python_files(folder)}")
    return module


def _no_module(name: str, missing: str) -> str:
    """Say how far a dotted name leads, and what is there instead."""
    parent, _, _ = missing.rpartition(".")
    spec = _spec(parent) if parent else None
    if parent and spec is not None and spec.submodule_search_locations is None:
        last = name.removeprefix(f"{parent}.")
        return f"{parent} is a module and not a package: write {parent}:{last}"
    behind = f" (in {name})" if missing != name else ""
    return f"there is no module {missing!r}{behind}{_like_module(missing)}"


def _like_module(name: str) -> str:
    parent, _, last = name.rpartition(".")
    spec = _spec(parent) if parent else None
    places = list(spec.submodule_search_locations or ()) if spec else [os.getcwd()]
    here = [found.name for found in pkgutil.iter_modules(places)]
    alike = difflib.get_close_matches(last, here, 3)
    if not alike and not parent:
        alike = difflib.get_close_matches(last, {found.name for found in pkgutil.iter_modules()}, 2, 0.75)
    if alike:
        full = [f"{parent}.{other}" if parent else other for other in alike]
        return f"; did you mean {' or '.join(full)}?"
    return _listing(f"; {parent} holds " if parent else "; this folder holds ", here)


def _spec(name: str) -> ModuleSpec | None:
    """Find a module without importing the packages that it is in."""
    if name in sys.builtin_module_names:
        return importlib.util.find_spec(name)
    found: ModuleSpec | None = None
    path: Iterable[str] = [os.getcwd(), *sys.path]
    parts = name.split(".")
    for number in range(len(parts)):
        found = PathFinder.find_spec(".".join(parts[: number + 1]), list(path))
        if found is None:
            return None
        path = found.submodule_search_locations or ()
    return found


# -- by path ---------------------------------------------------------------------------------------------------------


def _is_path(location: str) -> bool:
    return (
        location.endswith((".py", ".pyw", ".ipynb")) or "/" in location or "\\" in location or location in (".", "..")
    )


def _load_file(location: str) -> ModuleType:
    problem = _no_file(location)
    if problem:
        raise TargetError(problem)
    path = os.path.abspath(location)
    folder, parts = os.path.dirname(path), [os.path.basename(path).removesuffix(".py")]
    while os.path.isfile(os.path.join(folder, "__init__.py")) and os.path.basename(folder).isidentifier():
        folder, package = os.path.split(folder)
        parts.insert(0, package)
    _put_first(folder)
    try:
        if len(parts) > 1:
            return _load_member(os.path.join(folder, parts[0]), parts)
        # a dot in a module's name would make it a member of a package
        return sys.modules[_loaded(parts[0].replace(".", "_"), path)]
    except BaseException as error:
        raise _import_error(location, error) from None


def _load_member(package: str, parts: list[str]) -> ModuleType:
    """Load a package from this folder and no other, and then the member."""
    name = _loaded(parts[0], os.path.join(package, "__init__.py"), [package])
    return importlib.import_module(".".join([name, *(part for part in parts[1:] if part != "__init__")]))


def _loaded(name: str, path: str, inside: list[str] | None = None) -> str:
    """Make sure that a file is loaded, and give the name that it is loaded under."""
    while name in sys.modules and not _same(getattr(sys.modules[name], "__file__", None), path):
        name += "_"
    if name not in sys.modules:
        _execute(name, path, inside)
    return name


def _execute(name: str, path: str, inside: list[str] | None) -> None:
    spec = importlib.util.spec_from_file_location(name, path, submodule_search_locations=inside)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise


def _no_file(location: str) -> str | None:
    folder = os.path.dirname(location) or "."
    if os.path.isdir(location):
        return f"{location} is a folder{_python_files(location)}"
    if os.path.isfile(location):
        return None if location.endswith(".py") else f"{location} is not a Python file: its name does not end in .py"
    if os.path.isfile(f"{location}.py"):
        return f"there is no file {location}: did you mean {location}.py?"
    if not os.path.isdir(folder):
        return f"there is no file {location}: the folder {folder} does not exist"
    alike = difflib.get_close_matches(os.path.basename(location), _names_in(folder), 3)
    if alike:
        return f"there is no file {location}; did you mean {' or '.join(_joined(folder, name) for name in alike)}?"
    where = "this folder" if folder == "." else folder
    return f"there is no file {location}" + _listing(f"; {where} holds ", _names_in(folder))


def _joined(folder: str, name: str) -> str:
    """Give a path as a person in this folder would write it."""
    path = os.path.normpath(os.path.join(folder, name))
    inside = os.path.relpath(path) if os.path.isabs(folder) else path
    return path if inside.startswith("..") else inside


def _python_files(folder: str) -> str:
    return ": name a .py file" + _listing(" in it, such as ", [_joined(folder, name) for name in _names_in(folder)])


def _names_in(folder: str) -> list[str]:
    try:
        return sorted(name for name in os.listdir(folder) if name.endswith(".py"))
    except OSError:
        return []


# -- what both need --------------------------------------------------------------------------------------------------


def _import_error(location: str, error: BaseException) -> TargetError:
    blame.reraise_interrupt(error)
    advice = ""
    if isinstance(error, SystemExit):
        advice = "; put what runs the program under: if __name__ == '__main__':"
    return TargetError(f"importing {location} {blame.told(error)}{advice}")


def _put_first(folder: str) -> None:
    if sys.path[:1] != [folder]:
        sys.path.insert(0, folder)


def _same(one: object, other: str) -> bool:
    try:
        return type(one) is str and os.path.samefile(one, other)
    except OSError:
        return False


def _listing(lead: str, names: list[str]) -> str:
    shown = ", ".join(names[:_MAX_SHOWN]) + (", ..." if len(names) > _MAX_SHOWN else "")
    return lead + shown if names else ""


def _source_of(location: str) -> str | None:
    if _is_path(location):
        return location
    spec = _spec(location)
    return spec.origin if spec is not None else None


def _tree(file: object) -> ast.Module | None:
    try:
        if type(file) is not str or not file.endswith(".py") or os.path.getsize(file) > _MAX_SOURCE:
            return None
        with open(file, "rb") as source:
            return ast.parse(source.read())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _defined(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            yield from (
                inner.id for inner in ast.walk(target) if isinstance(inner, ast.Name) and _sets(inner, inner.id)
            )


def _makes(node: ast.AST, name: str) -> TypeGuard[ast.stmt | ast.expr | ast.alias]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return node.name == name
    if isinstance(node, ast.alias):
        return (node.asname or node.name.partition(".")[0]) == name
    return isinstance(node, ast.Name) and _sets(node, name)


def _sets(node: ast.Name, name: str) -> bool:
    return node.id == name and isinstance(node.ctx, ast.Store)

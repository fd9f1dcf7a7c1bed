"""The statements of a class's source, and of its bases', that set one attribute of an instance."""

from __future__ import annotations

import ast
import functools
import os
import tokenize
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from picklecheck import safe
from picklecheck.fixes.setting_forms import sets
from picklecheck.source import where_defined

__all__ = [
    "ClassSource",
    "Function",
    "Parsed",
    "Setting",
    "class_sources",
    "functions_of",
    "in_setup",
    "inside",
    "settings",
    "setup_names",
]

_SETS_NOTHING = ("builtins", "typing", "abc")
_MAKES_INIT = ("__dataclass_fields__", "__attrs_attrs__")
_FACTORIES = ("default_factory", "factory")
_MAX_BYTES = 4_000_000
_SETUP = ("__init__", "__new__", "__post_init__", "__attrs_post_init__", "__attrs_init__", "__setstate__")

Function = ast.FunctionDef | ast.AsyncFunctionDef
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, slots=True, eq=False)
class Parsed:
    """A file, its bytes as UTF-8 with the offset of each line, and its tree (which nobody changes)."""

    file: str
    data: bytes
    starts: tuple[int, ...]
    tree: ast.Module

    def span(self, node: Any) -> tuple[int, int]:
        """Give where the text of a node begins and ends."""
        return self.starts[node.lineno - 1] + node.col_offset, self.starts[node.end_lineno - 1] + node.end_col_offset


@dataclass(frozen=True, slots=True, eq=False)
class ClassSource:
    """A class and its statement."""

    cls: type
    parsed: Parsed
    node: ast.ClassDef


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Setting:
    """A statement that sets an attribute of an instance.

    Attributes:
        source: the class whose source it stands in.
        attribute: as the instance stores it.
        line: its line.
        statement: its node.
        value: what is set; None where that is no expression of its own (an item of what is unpacked).
        function: the method that it stands in; None in the body of the class.
        receiver: the name for the instance there; "" in the body of the class.
        called: whether the value is a factory, which is called for each instance.
        targets: how many targets are given the value.
    """

    source: ClassSource
    attribute: str
    line: int
    statement: ast.stmt
    value: ast.expr | None
    function: Function | None = None
    receiver: str = ""
    called: bool = False
    targets: int = 1

    @property
    def order(self) -> int:
        """A number that is greater for what is set later in the file."""
        return self.line * 1000 + min(self.statement.col_offset, 999)

    @property
    def certain(self) -> bool:
        """Whether no condition stands before it in its method."""
        return self.function is None or _is_certain(self.function.body, self.statement)


def in_setup(setting: Setting, names: frozenset[str]) -> bool:
    """Tell whether every new instance goes through a statement: a field of the class, or a method that sets it up.

    Args:
        setting: the statement.
        names: of the methods that `setup_names` gives.
    """
    if setting.function is None:
        return setting.called or any(name in safe.class_dict(setting.source.cls) for name in _MAKES_INIT)
    return setting.function.name in names


def setup_names(cls: type) -> frozenset[str]:
    """Give the names of ``__init__`` and its like, and of the methods that they call."""
    names: set[str] = set(_SETUP)
    methods = [function for source in class_sources(cls) for function in functions_of(source.node)]
    for _ in range(3):
        names |= {name for function in methods if function.name in names for name in _calls_on(function)}
    return frozenset(names)


def _calls_on(function: Function) -> set[str]:
    """Give the names of the methods that a method calls on its instance."""
    receivers = _receivers(function)
    called = [part.func for part in inside(function) if isinstance(part, ast.Call)]
    return {
        one.attr
        for one in called
        if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name) and one.value.id in receivers
    }


def _is_certain(body: list[ast.stmt], statement: ast.stmt) -> bool:
    return statement in body or any(isinstance(one, ast.With) and _is_certain(one.body, statement) for one in body)


def settings(cls: type, attribute: str) -> list[Setting]:
    """Give the statements that set an attribute of a class's instances, those of the class before those of its bases.

    Args:
        cls: the real type of the instance.
        attribute: as the instance stores it.
    """
    return [found for source in class_sources(cls) for found in _in_class(source, attribute)]


def class_sources(cls: type) -> list[ClassSource]:
    """Give the class statements of a class and its bases, as far as there is source."""
    return [found for base in safe.mro(cls) if (found := _source_of(base))]


def _source_of(cls: type) -> ClassSource | None:
    if safe.module_of(cls) in _SETS_NOTHING:
        return None
    place = where_defined(cls)
    parsed = _parsed(place.file) if place else None
    if parsed is None or place is None:
        return None
    for node in ast.walk(parsed.tree):
        if isinstance(node, ast.ClassDef) and node.lineno == place.line:
            return ClassSource(cls, parsed, node)
    return None


def _parsed(file: str) -> Parsed | None:
    try:
        found = os.stat(file)
    except (OSError, ValueError):
        return None
    return _parsed_as_of(file, found.st_mtime_ns, found.st_size)


@functools.lru_cache(maxsize=32)
def _parsed_as_of(file: str, time: int, size: int) -> Parsed | None:
    if not 0 < size <= _MAX_BYTES:
        return None
    try:
        with tokenize.open(file) as stream:
            text = stream.read()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    data, starts = text.encode(), [0]
    for line in data.split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    return Parsed(file, data, tuple(starts), tree)


# -- in one class


def functions_of(node: Any) -> Iterator[Function]:
    """Yield the methods of a class statement."""
    for statement in node.body:
        if isinstance(statement, _FUNCTIONS):
            yield statement
        elif isinstance(statement, (ast.If, ast.Try)):
            yield from functions_of(statement)


def inside(node: ast.AST) -> Iterator[Any]:
    """Yield a node and all that is in it, but for the insides of classes."""
    stack: list[ast.AST] = [node]
    while stack:
        part = stack.pop()
        yield part
        stack += [child for child in ast.iter_child_nodes(part) if not isinstance(child, ast.ClassDef)][::-1]


def _in_class(source: ClassSource, attribute: str) -> Iterator[Setting]:
    name = safe.qualname_of(source.cls).rpartition(".")[2].lstrip("_")
    for function in functions_of(source.node):
        receivers = _receivers(function)
        for statement in inside(function):
            if not isinstance(statement, ast.stmt):
                continue
            for receiver, stored, value, targets in sets(statement):
                if receiver in receivers and _mangled(stored, name) == attribute:
                    yield Setting(
                        source=source, attribute=attribute, line=statement.lineno, statement=statement, value=value,
                        function=function, receiver=receiver, targets=targets,
                    )  # fmt: skip
    yield from _in_body(source, attribute, name)


def _in_body(source: ClassSource, attribute: str, name: str) -> Iterator[Setting]:
    for statement in source.node.body:
        if isinstance(statement, ast.AnnAssign):
            target: Any = statement.target
        elif isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target = statement.targets[0]
        else:
            continue
        if isinstance(target, ast.Name) and statement.value and _mangled(target.id, name) == attribute:
            factory = _factory(statement.value)
            yield Setting(
                source=source, attribute=attribute, line=statement.lineno, statement=statement,
                value=factory or statement.value, called=factory is not None,
            )  # fmt: skip


def _factory(value: ast.expr) -> ast.expr | None:
    """Give the factory in ``field(default_factory=...)``, ``attr.ib(factory=...)`` and ``Factory(...)``."""
    if not isinstance(value, ast.Call):
        return None
    for keyword in value.keywords:
        if keyword.arg in _FACTORIES:
            return keyword.value
        if keyword.arg == "default" and isinstance(keyword.value, ast.Call):
            called = keyword.value.func
            last = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            if last == "Factory" and len(keyword.value.args) == 1 and not keyword.value.keywords:
                return keyword.value.args[0]
    return None


def _receivers(function: Function) -> set[str]:
    """Give the names for the instance in a method: its first parameter, or what ``__new__`` makes."""
    arguments = [*function.args.posonlyargs, *function.args.args]
    decorators = {getattr(decorator, "id", "") for decorator in function.decorator_list}
    if not arguments or "staticmethod" in decorators:
        return set()
    first = arguments[0].arg
    if function.name != "__new__" and "classmethod" not in decorators:
        return {first}
    made = set()
    for part in inside(function):
        if isinstance(part, ast.Assign) and len(part.targets) == 1 and isinstance(part.value, ast.Call):
            uses = any(isinstance(name, ast.Name) and name.id == first for name in ast.walk(part.value))
            if uses and isinstance(part.targets[0], ast.Name):
                made.add(part.targets[0].id)
    return made


def _mangled(name: str, owner: str) -> str:
    return f"_{owner}{name}" if owner and name.startswith("__") and not name.endswith("__") else name

"""The names that a method has of its own, and what they are set to."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from picklecheck import safe
from picklecheck.fixes.class_source import Function, Setting, inside

__all__ = [
    "COMPREHENSIONS",
    "STAYS",
    "is_parameter",
    "is_plain",
    "keeps",
    "locals_of",
    "names_around",
    "rebuilt",
    "simple_values",
    "stores_of",
    "uses",
]

STAYS = (ast.Yield, ast.YieldFrom, ast.Await, ast.NamedExpr)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_NAMED = (*FUNCTIONS, ast.ClassDef)
# What is kept of a parameter is as good as the parameter: `self.path = Path(path)`.
_SAME_FOR_USE = ("str", "Path", "fspath", "abspath", "realpath", "expanduser", "normpath", "absolute", "resolve")
_PLAIN_CALLS = (*_SAME_FOR_USE, "join", "dirname", "basename", "int", "float", "len", "format", "encode", "with_suffix")


def simple_values(function: Function, name: str) -> list[ast.expr]:
    """Give what a local is set to, where each time it is by a plain assignment; none where it is otherwise."""
    values, stores = [], 0
    for part in inside(function):
        if isinstance(part, ast.Name) and part.id == name and not isinstance(part.ctx, ast.Load):
            stores += 1
        if isinstance(part, ast.Assign) and len(part.targets) == 1:
            target: Any = part.targets[0]
        elif isinstance(part, ast.AnnAssign) and part.value:
            target = part.target
        else:
            continue
        if isinstance(target, ast.Name) and target.id == name and part.value:
            values.append(part.value)
    return values if len(values) == stores else []


def keeps(value: Any, name: str) -> bool:
    """Tell whether a value is a name, or a path made of it."""
    while isinstance(value, ast.Call) and not value.keywords:
        called = value.func
        last = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
        if last not in _SAME_FOR_USE:
            return False
        if len(value.args) == 1:
            value = value.args[0]
        elif not value.args and isinstance(called, ast.Attribute):
            value = called.value
        else:
            return False
    return isinstance(value, ast.Name) and value.id == name


def is_plain(value: ast.expr) -> bool:
    """Tell whether making it twice is the same as making it once: a text, a number, a path."""
    for part in ast.walk(value):
        if isinstance(part, (ast.List, ast.Dict, ast.Set, *COMPREHENSIONS, ast.Lambda, *STAYS)):
            return False
        if isinstance(part, ast.Call):
            called = part.func
            if (called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")) not in _PLAIN_CALLS:
                return False
    return True


def uses(function: Function, name: str) -> int:
    """Tell how often a method reads a name."""
    loads = [part for part in inside(function) if isinstance(part, ast.Name) and part.id == name]
    return sum(isinstance(part.ctx, ast.Load) for part in loads)


def stores_of(function: Function, name: str) -> int:
    """Tell how often a method binds a name."""
    found = [part for part in inside(function) if isinstance(part, ast.Name) and part.id == name]
    return sum(not isinstance(part.ctx, ast.Load) for part in found)


def is_parameter(function: Function, name: str) -> bool:
    """Tell whether a name is one of the method's parameters."""
    return any(argument.arg == name for argument in _arguments(function))


def _arguments(function: Function) -> list[ast.arg]:
    found = function.args
    return [*found.posonlyargs, *found.args, *found.kwonlyargs, *filter(None, [found.vararg, found.kwarg])]


def locals_of(function: Function | None) -> dict[str, Any]:
    """Give the names that a method has of its own, each with what binds it."""
    if function is None:
        return {}
    found: dict[str, Any] = {argument.arg: argument for argument in _arguments(function)}
    for part in inside(function):
        if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load):
            found[part.id] = part
        elif isinstance(part, (ast.Import, ast.ImportFrom)):
            found.update({alias.asname or alias.name.partition(".")[0]: part for alias in part.names})
        elif isinstance(part, (*_NAMED, ast.ExceptHandler)) and part is not function and part.name:
            found[part.name] = part
    for part in inside(function):
        if isinstance(part, ast.Global):
            for name in part.names:
                found.pop(name, None)
    return found


def names_around(found: Setting) -> frozenset[str]:
    """Give the names of the functions that the class is made in."""
    node, names = found.source.node, set()
    if "<locals>" in safe.qualname_of(found.source.cls):
        for part in ast.walk(found.source.parsed.tree):
            if isinstance(part, FUNCTIONS) and part.lineno < node.lineno <= (part.end_lineno or 0):
                names |= set(locals_of(part))
    if found.function is None:  # the body of a class sees its own names, and a method does not
        names |= {name.id for name in ast.walk(node) if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)}
        names |= {part.name for part in node.body if isinstance(part, (ast.FunctionDef, ast.ClassDef))}
    return frozenset(names)


def rebuilt(node: Any, changes: dict[int, tuple[Any, str]]) -> Any:
    """Give a copy of a tree with other text for some nodes."""
    if id(node) in changes:
        return ast.parse(changes[id(node)][1], mode="eval").body
    if isinstance(node, list):
        return [rebuilt(part, changes) for part in node]
    if not isinstance(node, ast.AST):
        return node
    fields: Iterable[tuple[str, Any]] = ast.iter_fields(node)
    return type(node)(**{name: rebuilt(value, changes) for name, value in fields})

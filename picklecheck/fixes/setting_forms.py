"""The forms in which a statement sets an attribute."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

__all__ = ["sets"]


def sets(statement: ast.stmt) -> Iterator[tuple[str, str, ast.expr | None, int]]:
    """Yield receiver, attribute, value and number of targets for what a statement sets."""
    if isinstance(statement, ast.Assign):
        for target in statement.targets:
            for part, value in _pairs(target, statement.value):
                yield from _set(part, value, len(statement.targets))
    elif isinstance(statement, ast.AnnAssign) and statement.value:
        yield from _set(statement.target, statement.value, 1)
    elif isinstance(statement, (ast.With, ast.AsyncWith)):
        for item in statement.items:
            if item.optional_vars:
                yield from _set(item.optional_vars, None, 1)
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        yield from _set_by_call(statement.value)


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr | None]]:
    if not isinstance(target, (ast.Tuple, ast.List)):
        yield target, value
        return
    parts: list[Any] = [None] * len(target.elts)
    if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(parts):
        starred = any(isinstance(part, ast.Starred) for part in [*target.elts, *value.elts])
        parts = parts if starred else value.elts
    yield from zip(target.elts, parts, strict=True)


def _set(target: ast.expr, value: ast.expr | None, targets: int) -> Iterator[tuple[str, str, ast.expr | None, int]]:
    if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
        yield target.value.id, target.attr, value, targets
    elif (
        isinstance(target, ast.Subscript)
        and isinstance(target.value, ast.Attribute)
        and target.value.attr == "__dict__"
        and isinstance(target.value.value, ast.Name)
        and isinstance(target.slice, ast.Constant)
    ):
        yield target.value.value.id, str(target.slice.value), value, targets


def _set_by_call(call: ast.Call) -> Iterator[tuple[str, str, ast.expr | None, int]]:
    """Yield what ``setattr(self, "x", value)`` and ``object.__setattr__(self, "x", value)`` set."""
    function, arguments = call.func, call.args
    last = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    if last in ("setattr", "__setattr__") and len(arguments) == 3:
        first, name, value = arguments
        if isinstance(first, ast.Name) and isinstance(name, ast.Constant):
            yield first.id, str(name.value), value, 1

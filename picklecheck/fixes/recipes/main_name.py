"""A class or function that stands under the main guard, where no child defines it: it is moved out."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator
from typing import Any

from picklecheck.fixes.base import Edit, Insert, Remedy, Replace, Spot
from picklecheck.fixes.editable import is_editable
from picklecheck.fixes.files import read
from picklecheck.source import where_defined

__all__ = ["main_name"]

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_SCOPES = (*_DEFINITIONS, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def main_name(spot: Spot) -> Remedy | None:
    """Move a definition, and the definitions and imports of the guard that it uses, to before the main guard.

    Source: docs, multiprocessing, "Safe importing of main module".
    """
    place = where_defined(spot.obj)
    if place is None or not is_editable(place.file):
        return None
    text = read(place.file)
    tree = ast.parse(text)
    for guard in tree.body:
        if isinstance(guard, ast.If) and _is_guard(guard.test):
            wanted = [node for node in guard.body if isinstance(node, _DEFINITIONS) and node.lineno == place.line]
            moved = _moved(guard, wanted[0]) if wanted else None
            found = [_edits(node, guard, text) for node in moved or ()]
            if found and None not in found:
                return Remedy(edits=tuple((place.file, edit) for edits in found for edit in edits or ()))
    return None


def _is_guard(test: ast.expr) -> bool:
    return ast.unparse(test) in ("__name__ == '__main__'", "'__main__' == __name__")


def _moved(guard: ast.If, wanted: _Definition) -> list[ast.stmt] | None:
    """Give the statements to move, in their order; None where one uses what only the guard makes."""
    makers: dict[str, list[ast.stmt]] = {}
    for statement in guard.body:
        for name in set(_bound(statement)):
            makers.setdefault(name, []).append(statement)
    moved: list[ast.stmt] = []
    waiting: list[ast.stmt] = [wanted]
    while waiting:
        statement = waiting.pop()
        if statement in moved:
            continue
        if not isinstance(statement, (*_DEFINITIONS, ast.Import, ast.ImportFrom)) or _spans_lines(statement):
            return None
        if any(makers[name] != [statement] for name in _bound(statement)):
            return None  # it is bound twice
        moved.append(statement)
        used = {part.id for part in ast.walk(statement) if isinstance(part, ast.Name)}
        used |= {name for part in ast.walk(statement) if isinstance(part, ast.Global) for name in part.names}
        waiting += [maker for name in used - _own(statement) for maker in makers.get(name, ())]
    return sorted(moved, key=lambda statement: statement.lineno)


def _own(statement: ast.stmt) -> set[str]:
    """Give the names that a function has of its own: its parameters and what it assigns to."""
    if not isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return set()
    if any(isinstance(part, (*_SCOPES, ast.Global)) for inner in statement.body for part in ast.walk(inner)):
        return set()
    arguments = statement.args
    given = {part.arg for part in ast.walk(arguments) if isinstance(part, ast.arg)}
    outside = {
        part.id
        for node in [*statement.decorator_list, arguments]
        for part in ast.walk(node)
        if isinstance(part, ast.Name)
    }
    stored = {
        part.id
        for inner in statement.body
        for part in ast.walk(inner)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }
    return (given | stored) - outside


def _bound(statement: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement of the guard binds."""
    stack: list[Any] = [statement]
    while stack:
        part = stack.pop()
        if isinstance(part, _DEFINITIONS):
            yield part.name
            continue
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            yield part.id
        elif isinstance(part, ast.alias):
            yield part.asname or part.name.partition(".")[0]
        if not isinstance(part, ast.Lambda):
            stack += ast.iter_child_nodes(part)


def _spans_lines(statement: ast.stmt) -> bool:
    """Tell whether a string holds line ends and the indentation of the guard with them; docstrings apart."""
    documented = {
        id(part.body[0].value)
        for part in ast.walk(statement)
        if isinstance(part, _DEFINITIONS) and isinstance(part.body[0], ast.Expr)
    }
    return any(
        isinstance(part, (ast.Constant, ast.JoinedStr))
        and id(part) not in documented
        and part.end_lineno != part.lineno
        for part in ast.walk(statement)
    )


def _edits(statement: ast.stmt, guard: ast.If, text: str) -> list[Edit] | None:
    """Give the edits that move one statement; None where it shares a line with another."""
    lines = text.split("\n")
    decorators = statement.decorator_list if isinstance(statement, _DEFINITIONS) else []
    first = min([statement.lineno, *(part.lineno for part in decorators)])
    last = statement.end_lineno or statement.lineno
    before = lines[first - 1].encode()[: statement.col_offset].decode()
    end = len(lines[last - 1].encode()[: statement.end_col_offset].decode())
    behind = lines[last - 1][end:].strip()
    if before.strip(" \t") or (behind and not behind.startswith("#")):
        return None
    source = textwrap.dedent("\n".join([*lines[first - 1 : last - 1], lines[last - 1][:end]]))
    return [
        Insert(line=guard.lineno, text=source),
        Replace(line=first, column=len(before), end_line=last, end_column=end, text=""),
    ]

"""The lines of a source text, told apart by the function that they stand in.

What is compared is then an edit as a person sees it: a line that a new method repeats is that method's.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

__all__ = ["Line", "new_lines", "source_lines"]

_Block = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


class Line(str):
    """A line with its end, equal to another only in the same class or function."""

    __slots__ = ("scope",)
    scope: str

    def __eq__(self, other: object) -> bool:
        return type(other) is Line and str.__eq__(self, other) and self.scope == other.scope

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((str(self), self.scope))


def source_lines(text: str) -> list[Line]:
    r"""Give the lines as ``patch`` and the parser count them: only ``\n`` ends one."""
    pieces = text.split("\n")
    scopes = _scopes(text)
    found = []
    for number, piece in enumerate(pieces, 1):
        line = Line(piece if number == len(pieces) else f"{piece}\n")
        line.scope = scopes.get(number, "")
        found.append(line)
    return found if found[-1] else found[:-1]


def _scopes(text: str) -> dict[int, str]:
    """Give for each line inside a class or function the qualified name of the innermost one."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    found: dict[int, str] = {}
    waiting: list[tuple[ast.AST, str]] = [(tree, "")]
    while waiting:  # what lies inside comes after what is around it
        node, name = waiting.pop(0)
        if isinstance(node, _Block):
            name = f"{name}.{node.name}"
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            found.update(dict.fromkeys(range(first, (node.end_lineno or first) + 1), name))
        waiting += [(child, name) for child in ast.iter_child_nodes(node) if not isinstance(child, ast.expr)]
    return found


def new_lines(before: str, after: str) -> Iterator[int]:
    """Yield the numbers of the lines of an edited text that are new, counted from 1."""
    import difflib

    old, new = source_lines(before), source_lines(after)
    for tag, _, _, start, end in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag in ("replace", "insert"):
            yield from range(start + 1, end + 1)

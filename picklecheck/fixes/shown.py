"""What a person pastes of an edit: the new lines, under the headers of the class and function that they stand in."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from picklecheck.fixes.lines import new_lines, source_lines

__all__ = ["first_line", "pasted"]

_Block = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def first_line(before: str, after: str) -> int:
    """Give the first line of a text that an edit changes, counted from 1."""
    lines = source_lines(after)
    return next((at for at in new_lines(before, after) if lines[at - 1].strip()), 1)


def pasted(before: str, after: str) -> str:
    """Give the new lines of an edited text, each under the headers that say where it belongs.

    Args:
        before: the text of a file.
        after: the same, edited.
    """
    lines = [line.rstrip("\r\n") for line in source_lines(after)]
    around, goes_on = _headers(ast.parse(after))
    shown: list[str] = []
    last, seen = 0, set[int]()
    new = {at: lines[at - 1] for at in new_lines(before, after)}
    for at, line in new.items():
        for header in around.get(at, ()):
            if header not in seen and header != at:
                shown += [""] if shown and not lines[header - 1].startswith(" ") else []
                shown.append(lines[header - 1])
                seen.add(header)
                last = header
        if last and at > last + 1 and line.startswith(" "):
            skipped = any(text.strip() for text in lines[last : at - 1]) and shown[-1].strip() != "..."
            shown += [line[: len(line) - len(line.lstrip())] + "..."] if skipped and not _is_def(line) else []
        elif shown and last and at > last + 1 and line.strip():
            shown.append("")
        shown.append(line)
        seen.add(at)
        last = at
        header = around.get(at, (0,))[-1]
        if at + 1 not in new and at in goes_on and (header not in new or line.lstrip().startswith("def ")):
            shown.append(" " * goes_on[at] + "...")
    return "\n".join(_squeezed(shown)).strip("\n")


def _is_def(line: str) -> bool:
    return line.lstrip().startswith(("def ", "async def ", "class ", "@"))


def _headers(tree: ast.AST) -> tuple[dict[int, tuple[int, ...]], dict[int, int]]:
    """Give, for each line inside a class or function, the lines of the headers around it, the outermost first.

    And, for each line behind which a function goes on, how far its body is indented.
    """
    found: dict[int, tuple[int, ...]] = {}
    goes_on: dict[int, int] = {}
    waiting: list[tuple[ast.AST, tuple[int, ...]]] = [(tree, ())]
    while waiting:
        node, around = waiting.pop()
        if isinstance(node, _Block):
            around = (*around, node.lineno)
            if not isinstance(node, ast.ClassDef):
                lines = range(node.lineno, node.end_lineno or node.lineno)
                goes_on.update(dict.fromkeys(lines, node.body[0].col_offset))
            for line in range(node.lineno + 1, (node.end_lineno or node.lineno) + 1):
                if len(found.get(line, ())) < len(around):
                    found[line] = around
        waiting += [(child, around) for child in ast.iter_child_nodes(node) if not isinstance(child, ast.expr)]
    return found, goes_on


def _squeezed(lines: list[str]) -> Iterator[str]:
    """Yield the lines without two empty ones behind each other."""
    was_empty = False
    for line in lines:
        empty = not line.strip()
        if not (empty and was_empty):
            yield line
        was_empty = empty or line.lstrip().startswith("class ")

"""Long new lines are broken as a formatter would break them, so that a formatted file stays one."""

from __future__ import annotations

import ast
import functools
import os
import re

from picklecheck.fixes.lines import new_lines, source_lines

__all__ = ["laid_out", "width_for"]

_USUAL = 88  # of black and ruff
_CONFIGURED = re.compile(r"^\s*line-length\s*=\s*(\d+)", re.MULTILINE)
_CONFIGURATIONS = ("pyproject.toml", "ruff.toml", ".ruff.toml")
_MOST_FOLDERS = 30
_Listed = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp


def width_for(file: str) -> int:
    """Give the longest line that a formatter would leave in a file, from the nearest configuration."""
    return _width_in(os.path.dirname(os.path.abspath(file)))


@functools.lru_cache(maxsize=32)
def _width_in(folder: str) -> int:
    for _ in range(_MOST_FOLDERS):
        for name in _CONFIGURATIONS:
            try:
                with open(os.path.join(folder, name), encoding="utf-8") as stream:
                    found = _CONFIGURED.search(stream.read())
            except (OSError, UnicodeDecodeError):
                continue
            if found is not None:
                return int(found[1])
        above = os.path.dirname(folder)
        if above == folder:
            break
        folder = above
    return _USUAL


def laid_out(before: str, after: str, width: int) -> str:
    """Break the lines of a text that are new and too long.

    Args:
        before: the text of a file.
        after: the same, edited.
        width: the longest line that is left as it is.
    """
    lines = [str(line) for line in source_lines(after)]
    for at in new_lines(before, after):
        if len(lines[at - 1].rstrip("\r\n")) > width:
            lines[at - 1] = _broken(lines[at - 1], width)
    laid = "".join(lines)
    return laid if _same(after, laid) else after


def _same(text: str, other: str) -> bool:
    try:
        return ast.dump(ast.parse(text)) == ast.dump(ast.parse(other))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def _broken(line: str, width: int) -> str:
    text = line.rstrip("\r\n")
    end = line[len(text) :]
    indent = text[: len(text) - len(text.lstrip())]
    source = text.strip()
    try:
        statement = ast.parse(source).body[0] if source.isascii() and "\t" not in indent else None
    except SyntaxError:  # a part of a statement, or the header of one
        return line
    if not isinstance(statement, ast.Assign | ast.Return | ast.Expr) or statement.value is None or "#" in source:
        return line
    value = statement.value
    head, tail = source[: value.col_offset], source[value.end_col_offset :]
    if tail:
        return line
    return end.join(_fitted(head, source, value, "", indent, width)) + end


def _fitted(head: str, source: str, value: ast.expr, tail: str, indent: str, width: int) -> list[str]:
    """Give an expression in lines, what stands before it in the first one and what stands behind it in the last."""
    text = source[value.col_offset : value.end_col_offset]
    deeper = indent + "    "
    if len(indent + head + text + tail) <= width:
        return [indent + head + text + tail]
    if isinstance(value, ast.Call) and (value.args or value.keywords):
        opening = source[value.col_offset : _end(value.func)] + "("
        parts = [*value.args, *(keyword.value for keyword in value.keywords)]
        starts = [arg.col_offset for arg in value.args] + [keyword.col_offset for keyword in value.keywords]
        written = [source[start : _end(part)] for start, part in zip(starts, parts, strict=True)]
        joined = ", ".join(written)
        if len(deeper + joined) <= width or (len(parts) == 1 and isinstance(parts[0], ast.GeneratorExp)):
            inside = [deeper + joined]
        else:
            inside = [
                line
                for start, part in zip(starts, parts, strict=True)
                for line in _fitted(source[start : part.col_offset], source, part, ",", deeper, width)
            ]
        return [indent + head + opening, *inside, indent + ")" + tail]
    if isinstance(value, ast.IfExp):
        lines = _clauses(source, [("", value.body), ("if ", value.test), ("else ", value.orelse)], deeper)
        bracketed = bool(head)
        return [indent + head + "(", *lines, indent + ")" + tail] if bracketed else lines
    if isinstance(value, _Listed) and text[0] in "[{(":
        inner = text[1:-1]
        lines = [deeper + inner] if len(deeper + inner) <= width else _parts(source, value, deeper)
        return [indent + head + text[0], *lines, indent + text[-1] + tail]
    return [indent + head + text + tail]


def _end(node: ast.expr) -> int:
    return node.end_col_offset or 0


def _clauses(source: str, clauses: list[tuple[str, ast.expr]], indent: str) -> list[str]:
    return [f"{indent}{word}{source[node.col_offset : _end(node)]}" for word, node in clauses]


def _parts(source: str, value: _Listed, indent: str) -> list[str]:
    """Give a comprehension's element, and each of its ``for`` and ``if`` on a line of its own."""
    if isinstance(value, ast.DictComp):
        lines = [indent + source[value.key.col_offset : _end(value.value)]]
    else:
        lines = _clauses(source, [("", value.elt)], indent)
    for loop in value.generators:
        lines.append(f"{indent}for {source[loop.target.col_offset : _end(loop.iter)]}")
        lines += _clauses(source, [("if ", test) for test in loop.ifs], indent)
    return lines

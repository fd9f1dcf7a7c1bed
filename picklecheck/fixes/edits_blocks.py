"""Statements at the end and at the start of blocks, and blocks without some of their statements."""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

from picklecheck.fixes.edits_text import Draft, Piece
from picklecheck.fixes.edits_tree import Block, Statement, Tree, is_definition, is_docstring

__all__ = ["append", "is_empty", "put_before", "remove", "unfold"]


def append(tree: Tree, draft: Draft, block: Block, text: str, *, blanks: int = 0) -> None:
    """Put whole lines at the end of a block, below so many blank lines; a lone ``pass`` goes."""
    if block.inline:
        unfold(tree, draft, block, after=text, blanks=blanks)
        return
    last = block.statements[-1]
    below = tree.text.below_block(last.end, block.indent)
    placeholder = _placeholder(block)
    above = max(blanks, 1 if is_definition(last.node) else 0)
    if placeholder:
        commented = tree.text.is_comment(placeholder.line - 1) or below > placeholder.end + 1
        commented |= not _remove_placeholder(tree, draft, placeholder)
        above = blanks if len(block.statements) > 1 or commented else 0
    draft.put(below, Piece(text=text, indent=block.indent, above=above))


def put_before(tree: Tree, draft: Draft, statement: Statement, text: str, *, below: int = 0) -> None:
    """Put whole lines before a statement and the comments at it."""
    block = statement.block
    if block.inline:
        unfold(tree, draft, block, before=text)
        return
    before = block.statements[statement.index - 1] if statement.index else None
    blanks = 1 if before and is_definition(before.node) else 0
    piece = Piece(text=text, indent=block.indent, above=blanks, below=below)
    draft.put(tree.text.with_comments(statement.first), piece)


def is_empty(block: Block) -> bool:
    """Tell whether a block has nothing but a ``pass`` and perhaps a docstring."""
    return _placeholder(block) is not None


def _placeholder(block: Block) -> Statement | None:
    """Give the ``pass`` or ``...`` that is all of a block but for its docstring."""
    last = block.statements[-1]
    others = block.statements[:-1]
    if len(last.smalls) != 1 or not _says_nothing(last.smalls[0]) or len(others) > 1:
        return None
    return last if all(is_docstring(other) for other in others) else None


def _says_nothing(small: cst.BaseSmallStatement) -> bool:
    return isinstance(small, cst.Pass) or (isinstance(small, cst.Expr) and isinstance(small.value, cst.Ellipsis))


def _remove_placeholder(tree: Tree, draft: Draft, statement: Statement) -> bool:
    """Take a ``pass`` away, but for a comment behind it; tell whether the line is gone."""
    text = tree.text
    line = text.line(statement.end)
    rest = line[statement.stop - text.start(statement.end) :].lstrip(" \t;")
    if rest:
        draft.splice(statement.start, text.start(statement.end) + len(line) - len(rest), "")
        return False
    draft.remove(text.above_blanks(statement.line), statement.end + 1)
    return True


def unfold(tree: Tree, draft: Draft, block: Block, *, before: str = "", after: str = "", blanks: int = 0) -> None:
    """Give a block that stands in its owner's line lines of its own; `before` and `after` are whole lines."""
    text, newline = tree.text, tree.text.newline
    statement = block.statements[0]
    colon = len(text.text[: statement.start].rstrip(" \t"))
    if is_empty(block) and not before:
        line_end = text.start(statement.end) + len(text.line(statement.end))
        comment = text.text[statement.stop : line_end].lstrip(" \t;")
        draft.splice(colon, line_end, f"  {comment}" if comment else "")
        blanks = 0
    else:
        draft.splice(colon, statement.start, f"{newline}{before}{block.indent}")
    if after:
        draft.put(statement.end + 1, Piece(text=after, indent=block.indent, above=blanks))


def remove(tree: Tree, draft: Draft, gone: Iterable[Statement]) -> None:
    """Take statements of one block away, with the comments at them; an empty block gets a ``pass``."""
    rest = sorted(set(gone), key=lambda statement: statement.index)
    block = rest[0].block
    indexes = {statement.index for statement in rest}
    if block.owner and len(rest) == len(block.statements):
        draft.splice(rest[0].start, rest[0].stop, "pass")
        rest, indexes = rest[1:], indexes - {0}
    for statement in rest:
        _remove_lines(tree, draft, statement, indexes)


def _remove_lines(tree: Tree, draft: Draft, statement: Statement, gone: set[int]) -> None:
    """Take the lines of a statement away, and what would be too many blank lines."""
    text, count = tree.text, len(statement.block.statements)
    first = text.with_own_comments(statement.first)
    above, end = text.above_blanks(first), tree.below(statement)
    below = text.blanks_from(end)
    if gone.issuperset(range(statement.index)):  # nothing stands above it
        draft.remove(first, end + below)
        return
    draft.remove(above, end)
    if not gone.issuperset(range(statement.index + 1, count)):
        draft.space(end, max(first - above, below))

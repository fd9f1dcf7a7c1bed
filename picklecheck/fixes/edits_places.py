"""Edits of places: what spans one is replaced, and statements are inserted beside others."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from itertools import takewhile

from picklecheck.fixes.base import Insert, Replace
from picklecheck.fixes.edits_blocks import remove
from picklecheck.fixes.edits_text import CannotEdit, Draft, Piece, indented
from picklecheck.fixes.edits_tree import Block, Statement, Tree, is_definition, is_docstring, is_import

__all__ = ["insert", "replace"]

_Removals = dict[Block, list[Statement]]


def replace(tree: Tree, draft: Draft, edits: Sequence[Replace]) -> None:
    """Put other texts in the place of expressions and statements."""
    statements = list(tree.statements())
    removed: _Removals = {}
    for edit in edits:
        start = tree.text.offset(edit.line, edit.column)
        end = tree.text.offset(edit.end_line, edit.end_column)
        statement = _spanned(statements, start, end)
        if statement and not edit.text.strip():
            removed.setdefault(statement.block, []).append(statement)
        elif statement:
            _replace_statement(tree, draft, statement, edit.text)
        elif not _replace_small(tree, draft, statements, start, end, edit.text):
            draft.splice(start, end, edit.text)
    for gone in removed.values():
        remove(tree, draft, gone)


def _spanned(statements: Sequence[Statement], start: int, end: int) -> Statement | None:
    """Give the statement that spans these offsets; its decorators may be left out, or their first at sign."""
    for statement in statements:
        if statement.stop == end and start in (statement.start, statement.start + 1, statement.keyword):
            if start == statement.start + 1 and statement.start == statement.keyword:
                continue
            return statement
    return None


def _replace_statement(tree: Tree, draft: Draft, statement: Statement, source: str) -> None:
    block, text = statement.block, tree.text
    new = indented(source, block.indent, block.unit if block.owner else tree.unit, text.newline)
    new = new.rstrip("\r\n")[len(block.indent) :]
    if block.inline and "\n" in source.strip():
        raise CannotEdit(f"The statement in line {statement.line} stands behind a colon.")
    draft.splice(statement.start, statement.stop, new)
    if _defines(source) and not block.inline:
        _space_around(tree, draft, statement)


def _space_around(tree: Tree, draft: Draft, statement: Statement) -> None:
    """Have the blank lines that a function or a class wants around it."""
    block, text = statement.block, tree.text
    blanks = 1 if block.owner else 2
    above = text.with_comments(statement.first)
    if statement.index or (block.owner and not is_definition(block.owner.node) and above == statement.first):
        draft.space(above, blanks)
    outer = statement
    while outer.block.owner and outer is outer.block.statements[-1]:
        if outer.block is not outer.block.owner.blocks[-1]:
            return  # else, except, ...: no blank line above it
        outer = outer.block.owner
    if outer is not outer.block.statements[-1]:
        below = statement.end + 1 if outer is statement else text.below_block(statement.end, block.indent)
        draft.space(below, 1 if outer.block.owner else 2)


def _defines(source: str) -> bool:
    """Tell whether a source text is a function or a class."""
    try:
        body = ast.parse(source).body
    except SyntaxError:
        return False
    return any(isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) for node in body)


def _replace_small(
    tree: Tree, draft: Draft, statements: Sequence[Statement], start: int, end: int, source: str
) -> bool:
    """Take away one of several statements in a line; tell whether there was one to take away."""
    if source.strip():
        return False
    for statement in statements:
        if statement.start <= start and end <= statement.stop and len(statement.smalls) > 1:
            spans = [tree.span(small) for small in statement.smalls]
            if (start, end) in spans:
                index = spans.index((start, end))
                if index + 1 < len(spans):
                    draft.splice(start, spans[index + 1][0], "")
                else:
                    draft.splice(spans[index - 1][1], end, "")
                return True
    return False


def insert(tree: Tree, draft: Draft, edit: Insert) -> None:
    """Put a statement beside a top-level one, with two blank lines around functions and classes."""
    statements, text = tree.module.statements, tree.text
    index, after = _around(tree, edit.line), edit.after
    head = sum(1 for _ in takewhile(_stays_first, statements))
    if index is not None and index < head:
        index, after = head - 1, True
    own = 2 if _defines(edit.text) else 0
    source = indented(edit.text, "", tree.unit, text.newline)
    if index is None:
        draft.put(text.count + 1, Piece(text=source, above=own if text.count else 0))
        return
    last = index if after else index - 1
    above = max(own, _wanted(statements[last])) if last >= 0 else 0
    below = max(own, _wanted(statements[last + 1])) if last + 1 < len(statements) else 0
    line = tree.below(statements[last]) if after else text.with_comments(statements[index].first)
    draft.put(line, Piece(text=source, above=above, below=below))


def _around(tree: Tree, line: int) -> int | None:
    """Give the index of the top-level statement that a line is part of, or that follows it."""
    statements = tree.module.statements
    for index, statement in enumerate(statements):
        if line <= statement.end:
            return index
    return len(statements) - 1 if statements else None


def _wanted(statement: Statement) -> int:
    """Give the number of blank lines that a top-level statement wants around it."""
    return 2 if is_definition(statement.node) else 1 if is_import(statement) else 0


def _stays_first(statement: Statement) -> bool:
    return is_import(statement) or (statement.index == 0 and is_docstring(statement))

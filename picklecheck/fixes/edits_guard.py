"""Statements are moved from the top level of a file under its main guard."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

import libcst as cst

from picklecheck.fixes.edits_blocks import append, is_empty, put_before, remove
from picklecheck.fixes.edits_text import CannotEdit, Draft, Piece, lines_inside_strings
from picklecheck.fixes.edits_tree import Statement, Tree, is_definition, is_docstring, is_import

__all__ = ["move"]

_GUARD = 'if __name__ == "__main__":'
_NAME, _MAIN = "__name__", "'__main__'"
_DEFINES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_BINDS = (cst.Assign, cst.AnnAssign, cst.Import, cst.ImportFrom, cst.Pass, cst.Raise)


def move(tree: Tree, draft: Draft, ranges: Sequence[tuple[int, int]]) -> None:
    """Move the top-level statements in these lines, those that import or define something apart."""
    guard, statements = _guard(tree), tree.module.statements
    moved = [found for found in statements if found is not guard and _moves(found, ranges)]
    if not moved:
        raise CannotEdit("There is no statement to move in these lines.")
    left = [found for found in statements if found not in moved]
    _check_needed(tree, moved, left)
    before = [found for found in moved if guard and found.index < guard.index]
    behind = [found for found in moved if found not in before]
    remove(tree, draft, moved)
    if guard and before and not behind:
        _put_first(tree, draft, guard, _lines(tree, before, guard))
    elif guard and left[-1] is guard:
        _put_around(tree, draft, guard, before, behind)
    else:
        if guard and before:
            _put_first(tree, draft, guard, _lines(tree, before, guard))
        text = _GUARD + tree.text.newline + _lines(tree, behind, None)
        draft.put(tree.text.count + 1, Piece(text=text, above=2 if left else 0))


def _put_first(tree: Tree, draft: Draft, guard: Statement, text: str) -> None:
    """Put lines at the start of the guard's block."""
    block = guard.blocks[0]
    if is_empty(block):
        append(tree, draft, block, text)
    else:
        put_before(tree, draft, block.statements[0], text, below=1 if is_definition(block.statements[0].node) else 0)


def _put_around(
    tree: Tree, draft: Draft, guard: Statement, before: Sequence[Statement], behind: Sequence[Statement]
) -> None:
    """Put what stood before the guard at the start of its block, and what stood behind it at the end."""
    block = guard.blocks[0]
    if block.inline and before:
        raise CannotEdit("The main guard's block stands behind its colon.")
    if is_empty(block):
        append(tree, draft, block, _lines(tree, [*before, *behind], guard))
        return
    if before:
        _put_first(tree, draft, guard, _lines(tree, before, guard))
    append(tree, draft, block, _lines(tree, behind, guard))


def _guard(tree: Tree) -> Statement | None:
    """Give the file's last main guard."""
    found = [statement for statement in tree.module.statements if _is_guard(tree, statement)]
    return found[-1] if found else None


def _is_guard(tree: Tree, statement: Statement) -> bool:
    node = statement.node
    if not isinstance(node, cst.If) or node.orelse is not None:
        return False
    start, end = tree.span(node.test)
    try:
        test = ast.unparse(ast.parse(tree.text.text[start:end], mode="eval"))
    except SyntaxError:  # brackets around it are not part of the span
        return False
    return test in (f"{_NAME} == {_MAIN}", f"{_MAIN} == {_NAME}")


def _moves(statement: Statement, ranges: Sequence[tuple[int, int]]) -> bool:
    """Tell whether a statement lies in the lines, and does more than to import and define."""
    if not any(first <= statement.end and statement.first <= last for first, last in ranges):
        return False
    if is_definition(statement.node) or is_import(statement) or (statement.index == 0 and is_docstring(statement)):
        return False
    return not _sets_up(statement)


def _sets_up(statement: Statement) -> bool:
    """Tell whether an ``if`` or ``try`` is there for imports and definitions."""
    if not isinstance(statement.node, cst.If | cst.Try):
        return False
    inner = list(_inner(statement))
    leaves = [found for found in inner if not found.blocks or is_definition(found.node)]
    return any(is_definition(found.node) or is_import(found) for found in leaves) and all(
        is_definition(found.node) or all(isinstance(small, _BINDS) for small in found.smalls) for found in leaves
    )


def _inner(statement: Statement) -> Iterator[Statement]:
    """Yield the statements in a compound statement, without those in functions and classes."""
    stack = [found for block in statement.blocks for found in block.statements]
    while stack:
        found = stack.pop()
        yield found
        if not is_definition(found.node):
            stack += [inner for block in found.blocks for inner in block.statements]


def _lines(tree: Tree, statements: Sequence[Statement], guard: Statement | None) -> str:
    """Give statements as lines of the guard's block, with no more than one blank line between them."""
    text = tree.text
    unit = guard.blocks[0].indent if guard and not guard.blocks[0].inline else tree.unit
    inside = lines_inside_strings(text.text)
    found = ""
    for statement in statements:
        first = text.with_own_comments(statement.first)
        if found and text.is_blank(first - 1):
            found += text.newline
        for line in range(first, tree.below(statement)):
            keeps = line in inside or text.is_blank(line)
            found += ("" if keeps else unit) + text.text[text.start(line) : text.start(line + 1)]
    return found


def _check_needed(tree: Tree, moved: Sequence[Statement], left: Sequence[Statement]) -> None:
    """Refuse to move what binds a name that the rest of the file reads while it is imported."""
    bound = {name for found in moved for name, binds in _names(tree, found) if binds}
    for statement in left:
        if statement.index < moved[0].index or _is_guard(tree, statement):
            continue
        for name, binds in _names(tree, statement):
            if name in bound and not binds:
                raise CannotEdit(f"{name} is needed in line {statement.line} when the file is imported.")


def _names(tree: Tree, statement: Statement) -> Iterator[tuple[str, bool]]:
    """Yield the names that a statement reads or binds when it is reached, and whether it binds."""
    parsed = ast.parse(tree.text.text[statement.start : statement.stop])
    stack: list[tuple[ast.AST, frozenset[str]]] = [(parsed, frozenset())]
    while stack:
        node, hidden = stack.pop()
        if isinstance(node, ast.Name) and node.id not in hidden:
            yield node.id, not isinstance(node.ctx, ast.Load)
        elif isinstance(node, ast.alias):
            yield (node.asname or node.name).partition(".")[0], True
        elif isinstance(node, _DEFINES):
            yield node.name, True
        elif isinstance(node, _COMPREHENSIONS):  # its variables are its own
            targets = [found for each in node.generators for found in ast.walk(each.target)]
            hidden |= {found.id for found in targets if isinstance(found, ast.Name)}
        stack += [(inner, hidden) for inner in _reached(node)]


def _reached(node: ast.AST) -> list[ast.AST]:
    """Give the parts that are run with a node; the body of a function runs later, and an annotation may never."""
    if not isinstance(node, _FUNCTIONS):
        return list(ast.iter_child_nodes(node))
    defaults = [*node.args.defaults, *(found for found in node.args.kw_defaults if found)]
    return [*defaults, *getattr(node, "decorator_list", ())]

"""Edits of classes: methods that are added, and methods that are extended."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace

import libcst as cst

from picklecheck.fixes.base import AddDecorator, AddMethods, BeginMethod, ExtendMethod
from picklecheck.fixes.edits_blocks import append, put_before, unfold
from picklecheck.fixes.edits_text import CannotEdit, Draft, Piece, indented
from picklecheck.fixes.edits_tree import Block, Statement, Tree, is_definition, is_docstring

__all__ = ["add_decorator", "add_methods", "begin_method", "extend_methods"]


def add_methods(tree: Tree, draft: Draft, edits: Sequence[AddMethods]) -> None:
    """Put methods at the end of classes."""
    found: dict[Statement, list[str]] = {}
    for edit in edits:
        found.setdefault(tree.find_class(edit.qualname, edit.line), []).extend(edit.methods)
    for statement, methods in found.items():
        _check_names(statement, methods)
        append(tree, draft, statement.blocks[0], _joined(tree, statement.blocks[0], methods, blanks=1), blanks=1)


def _joined(tree: Tree, block: Block, sources: Sequence[str], *, blanks: int) -> str:
    """Give statements as lines of a block."""
    newline = tree.text.newline
    return (newline * blanks).join(indented(source, block.indent, block.unit, newline) for source in sources)


def _check_names(statement: Statement, methods: Sequence[str]) -> None:
    """Refuse what would replace something that the class has already."""
    bound = set(_bound(statement.blocks[0]))
    for method in methods:
        for name in _names_of(method):
            if name in bound:
                raise CannotEdit(f"The class {_name(statement.node)} has {name} already.")
            bound.add(name)


def _names_of(source: str) -> list[str]:
    try:
        body = ast.parse(source).body
    except SyntaxError:
        raise CannotEdit("A method that was to be added cannot be parsed.") from None
    return [node.name for node in body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def _name(node: cst.CSTNode) -> str:
    return node.name.value if isinstance(node, cst.FunctionDef | cst.ClassDef) else ""


def _bound(block: Block) -> Iterator[str]:
    """Yield the names that are bound in a block and those nested in it, functions and classes apart."""
    stack = list(block.statements)
    while stack:
        statement = stack.pop()
        if is_definition(statement.node):
            yield _name(statement.node)
            continue
        for inner in statement.blocks:
            stack += inner.statements
        for small in statement.smalls:
            yield from (target.value for target in _targets(small) if isinstance(target, cst.Name))


def _targets(small: cst.BaseSmallStatement) -> list[cst.BaseExpression]:
    if isinstance(small, cst.Assign):
        return [target.target for target in small.targets]
    return [small.target] if isinstance(small, cst.AnnAssign) and small.value else []


def extend_methods(tree: Tree, draft: Draft, edits: Sequence[ExtendMethod]) -> None:
    """Put statements at the end of methods, those for one method together."""
    found: dict[ExtendMethod, tuple[str, ...]] = {}
    for edit in edits:
        key = replace(edit, body=())
        found[key] = found.get(key, ()) + edit.body
    for key, body in found.items():
        _extend(tree, draft, replace(key, body=body))


def _extend(tree: Tree, draft: Draft, edit: ExtendMethod) -> None:
    """Put statements at the end of a method."""
    owner = tree.find_class(edit.qualname, edit.line)
    method = _method(owner, edit.method)
    block = method.blocks[0]
    exits = _Exits(method.node)
    name = f"{edit.qualname}.{edit.method}"
    if exits.yields:
        raise CannotEdit(f"{name} is a generator.")
    if any(isinstance(small, cst.Raise) for small in block.statements[-1].smalls):
        raise CannotEdit(f"{name} ends by raising an exception.")
    if edit.result:
        _extend_result(tree, draft, block, edit, exits, name)
    elif exits.returns:
        raise CannotEdit(f"{name} has a return statement.")
    else:
        append(tree, draft, block, _joined(tree, block, edit.body, blanks=0))


def begin_method(tree: Tree, draft: Draft, edit: BeginMethod) -> None:
    """Put statements at the start of a method, below its docstring."""
    block = _method(tree.find_class(edit.qualname, edit.line), edit.method).blocks[0]
    text = _joined(tree, block, edit.body, blanks=0)
    if not is_docstring(block.statements[0]):
        put_before(tree, draft, block.statements[0], text)
    elif len(block.statements) > 1:
        put_before(tree, draft, block.statements[1], text)
    else:
        append(tree, draft, block, text)


def _method(owner: Statement, name: str) -> Statement:
    """Give the function of that name in a class's body."""
    found = [statement for statement in owner.blocks[0].statements if _name(statement.node) == name]
    node = found[-1].node if found else None
    if not isinstance(node, cst.FunctionDef):
        raise CannotEdit(f"The class {_name(owner.node)} has no method {name} that is written in its body.")
    if len(found) > 1:
        raise CannotEdit(f"The class {_name(owner.node)} defines {name} several times.")
    if node.asynchronous:
        raise CannotEdit(f"{_name(owner.node)}.{name} is a coroutine function.")
    return found[0]


class _Exits:
    """The ``return`` and ``yield`` of a function, without those of functions and classes in it."""

    def __init__(self, function: cst.CSTNode) -> None:
        self.returns: list[cst.Return] = []
        self.yields = False
        stack: list[cst.CSTNode] = [function]
        while stack:
            node = stack.pop()
            if isinstance(node, cst.Return):
                self.returns.append(node)
            self.yields = self.yields or isinstance(node, cst.Yield)
            if node is function or not isinstance(node, cst.FunctionDef | cst.ClassDef | cst.Lambda):
                stack += node.children


def _extend_result(tree: Tree, draft: Draft, block: Block, edit: ExtendMethod, exits: _Exits, name: str) -> None:
    """Put statements between the value that a method returns and its return."""
    last = block.statements[-1]
    if not exits.returns:
        raise CannotEdit(f"{name} returns nothing.")
    if len(exits.returns) > 1 or last.smalls != (exits.returns[0],):
        raise CannotEdit(f"{name} does not return at its end only.")
    value = exits.returns[0].value
    if value is None:
        raise CannotEdit(f"{name} returns nothing.")
    newline = tree.text.newline
    body = _joined(tree, block, edit.body, blanks=0)
    if isinstance(value, cst.Name) and value.value == edit.result and not value.lpar:
        put_before(tree, draft, last, body)
        return
    back = f"{block.indent}return {edit.result}{newline}"
    draft.splice(last.keyword, last.keyword + len("return"), f"{edit.result} =")
    if block.inline:
        unfold(tree, draft, block, after=body + back)
    else:
        draft.put(last.end + 1, Piece(text=body + back, indent=block.indent))


def add_decorator(tree: Tree, draft: Draft, edit: AddDecorator) -> None:
    """Put a decorator right above a function."""
    for statement in tree.statements():
        if isinstance(statement.node, cst.FunctionDef) and statement.line == edit.line:
            text = edit.text if edit.text.startswith("@") else f"@{edit.text}"
            text = indented(text, statement.block.indent, tree.unit, tree.text.newline)
            draft.splice(tree.text.start(statement.line), tree.text.start(statement.line), text, 3)
            return
    raise CannotEdit(f"No function starts in line {edit.line}.")

"""The statements of a file with their places, read with libcst."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider

from picklecheck.fixes.edits_text import CannotEdit, Text

__all__ = ["Block", "Statement", "Tree", "is_definition", "is_docstring", "is_import"]

_PARTS = (cst.If, cst.Else, cst.ExceptHandler, cst.ExceptStarHandler, cst.Finally, cst.MatchCase)


@dataclass(slots=True, eq=False)
class Block:
    """A list of statements.

    Attributes:
        owner: the statement that it belongs to; None for the module.
        indent: what its lines start with; for a block that stands in its owner's line, what they would start with.
        start: the offset of its first statement.
        inline: whether it stands in its owner's line.
        scope: what the qualified names of the functions and classes in it start with.
    """

    owner: Statement | None
    indent: str
    start: int = 0
    inline: bool = False
    scope: str = ""
    statements: list[Statement] = field(default_factory=list)

    @property
    def unit(self) -> str:
        """One step of indentation, as used here."""
        outer = self.owner.block.indent if self.owner else ""
        return self.indent[len(outer) :] or "    "


@dataclass(slots=True, eq=False)
class Statement:
    """A statement with its place.

    Attributes:
        first: the line of its first decorator, or its own.
        line, end: the lines that it starts and ends in.
        start, keyword, stop: the offsets of its first decorator, of itself, and of its end.
    """

    node: cst.CSTNode
    block: Block
    index: int
    first: int
    line: int
    end: int
    start: int
    keyword: int
    stop: int
    blocks: list[Block] = field(default_factory=list)

    @property
    def smalls(self) -> tuple[cst.BaseSmallStatement, ...]:
        """The statements of the line, where it is one of simple statements."""
        found = self.node
        return tuple(found.body) if isinstance(found, cst.SimpleStatementLine | cst.SimpleStatementSuite) else ()


class Tree:
    """A parsed file.

    Raises:
        CannotEdit: the text cannot be parsed.
    """

    def __init__(self, text: Text) -> None:
        self.text = text
        try:
            module = cst.parse_module(text.text)
        except cst.ParserSyntaxError as error:
            raise CannotEdit(f"The file cannot be parsed: line {error.raw_line}.") from None
        self.unit = module.default_indent
        # the parser has made each node once, so that no copy is needed
        try:
            self.positions = MetadataWrapper(module, unsafe_skip_copy=True).resolve(PositionProvider)
        except (RecursionError, KeyError):  # a place that was not noted, since there the limit was reached
            raise CannotEdit("The file is nested too deeply.") from None
        self.module = Block(None, "")
        self._fill(self.module, module.body)

    def span(self, node: cst.CSTNode) -> tuple[int, int]:
        """Give the offsets of a node's start and end."""
        place = self.positions[node]
        return (
            self.text.offset(place.start.line, place.start.column),
            self.text.offset(place.end.line, place.end.column),
        )

    def below(self, statement: Statement) -> int:
        """Give the line below a statement, and below the comments at the end of its block."""
        if not statement.blocks:
            return statement.end + 1
        return self.text.below_block(statement.end, statement.block.indent, deeper=True)

    def statements(self) -> Iterator[Statement]:
        """Yield every statement, those outside before those inside."""
        stack = [self.module]
        while stack:
            for statement in stack.pop().statements:
                yield statement
                stack += statement.blocks

    def find_class(self, qualname: str, line: int) -> Statement:
        """Give the class of that qualified name whose line is the nearest."""
        found = [statement for statement in self.statements() if self._is_class(statement, qualname)]
        if not found:
            raise CannotEdit(f"There is no class {qualname} in the file.")
        return min(found, key=lambda statement: abs(statement.line - line))

    def _is_class(self, statement: Statement, qualname: str) -> bool:
        node = statement.node
        return isinstance(node, cst.ClassDef) and statement.block.scope + node.name.value == qualname

    def _fill(self, block: Block, nodes: object) -> None:
        """Give a block its statements, and these their blocks."""
        stack: list[tuple[Block, object]] = [(block, nodes)]
        while stack:
            block, nodes = stack.pop()
            for node in nodes:  # type: ignore[attr-defined]
                statement = self._statement(node, block)
                block.statements.append(statement)
                for suite in _suites(node):
                    inner = self._block(suite, statement)
                    statement.blocks.append(inner)
                    stack.append((inner, [suite] if inner.inline else suite.body))

    def _statement(self, node: cst.CSTNode, block: Block) -> Statement:
        place = self.positions[node]
        keyword, stop = self.span(node)
        decorators = getattr(node, "decorators", ())
        first = self.positions[decorators[0]].start.line if decorators else place.start.line
        start = self.span(decorators[0])[0] if decorators else keyword
        return Statement(
            node, block, len(block.statements), first, place.start.line, place.end.line, start, keyword, stop
        )

    def _block(self, suite: cst.BaseSuite, owner: Statement) -> Block:
        scope = owner.block.scope
        if isinstance(owner.node, cst.ClassDef):
            scope += f"{owner.node.name.value}."
        elif isinstance(owner.node, cst.FunctionDef):
            scope += f"{owner.node.name.value}.<locals>."
        start = self.span(suite)[0]
        if isinstance(suite, cst.SimpleStatementSuite):
            return Block(owner, owner.block.indent + self.unit, start, inline=True, scope=scope)
        return Block(owner, self.text.indent(self.text.line_at(start)), start, scope=scope)


def is_definition(node: cst.CSTNode) -> bool:
    """Tell whether a statement is a function or a class."""
    return isinstance(node, cst.FunctionDef | cst.ClassDef)


def is_docstring(statement: Statement) -> bool:
    """Tell whether a statement is a string."""
    smalls = statement.smalls
    return (
        len(smalls) == 1
        and isinstance(smalls[0], cst.Expr)
        and isinstance(smalls[0].value, cst.SimpleString | cst.ConcatenatedString)
    )


def is_import(statement: Statement) -> bool:
    """Tell whether a statement does nothing but import."""
    smalls = statement.smalls
    return bool(smalls) and all(isinstance(small, cst.Import | cst.ImportFrom) for small in smalls)


def _suites(node: cst.CSTNode) -> Iterator[cst.BaseSuite]:
    """Yield the blocks of a compound statement, in order."""
    stack = [node]
    while stack:
        children = list(stack.pop().children)
        parts = [child for child in children if isinstance(child, _PARTS)]
        yield from (child for child in children if isinstance(child, cst.BaseSuite))
        stack += reversed(parts)

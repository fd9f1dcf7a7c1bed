"""Finding the node of a function or class in the source file that it came from, and what that file has besides."""

from __future__ import annotations

import ast
import copy
import functools
import itertools
import os
import tokenize
import types
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from picklecheck.fixes.editable import is_editable

__all__ = [
    "Function",
    "Source",
    "file_of",
    "find_function",
    "first_line",
    "source_of",
    "source_of_module",
    "source_of_path",
]

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_MAX_BYTES = 2_000_000
_MARK = 10_000_000  # a line that no file has


class Source:
    """A file as text and as a tree, in which each node knows its parent.

    Attributes:
        file: its path.
        tree: the parsed module.
        bound: every name that the file binds anywhere, and every name that it reads.
    """

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.lines = text.split("\n")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.tree = ast.parse(text)
        self.parents: dict[ast.AST, ast.AST] = {}
        for node in ast.walk(self.tree):
            for child in ast.iter_child_nodes(node):
                self.parents[child] = node
        self.bound = {name for node in ast.walk(self.tree) for name, _ in names_bound_by(node)}
        self.names = self.bound | {node.id for node in ast.walk(self.tree) if isinstance(node, ast.Name)}

    def above(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield the nodes around a node, the nearest first."""
        while node in self.parents:
            node = self.parents[node]
            yield node

    def top(self, node: ast.AST) -> ast.stmt:
        """Give the top-level statement that a node is in."""
        for around in self.above(node):
            if isinstance(around, ast.Module):
                break
            node = around
        assert isinstance(node, ast.stmt)
        return node

    def statement(self, node: ast.AST) -> ast.stmt:
        """Give the nearest statement around a node."""
        return next(around for around in self.above(node) if isinstance(around, ast.stmt))

    def column(self, line: int, offset: int) -> int:
        """Give a column in characters, where the tree counts bytes."""
        return len(self.lines[line - 1].encode()[:offset].decode(errors="replace"))

    def span(self, node: Any) -> tuple[int, int, int, int]:
        """Give first line, column, last line and end column, the decorators left out; columns in characters."""
        start = self.column(node.lineno, node.col_offset)
        return node.lineno, start, node.end_lineno, self.column(node.end_lineno, node.end_col_offset)

    def text(self, node: Any) -> str:
        """Give the source of a node."""
        line, column, end_line, end_column = self.span(node)
        taken = self.lines[line - 1 : end_line]
        taken[-1] = taken[-1][:end_column]
        taken[0] = taken[0][column:]
        return "\n".join(taken)


def names_bound_by(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Yield the names that a node by itself binds, each with the node that says where."""
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id, node
    elif isinstance(node, ast.arg):
        yield node.arg, node
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name, node
    elif isinstance(node, ast.alias):
        yield (node.asname or node.name.partition(".")[0]), node
    elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
        yield node.name, node
    elif isinstance(node, ast.MatchMapping) and node.rest:
        yield node.rest, node


def file_of(file: str, namespace: dict[str, Any]) -> str | None:
    """Give the user's file that code comes from and whose names are those of a namespace; None for other code."""
    known = dict.get(namespace, "__file__")
    if type(known) is not str or type(file) is not str:
        return None
    if file.startswith("<") or os.path.basename(file) != os.path.basename(known):
        return None
    if os.path.realpath(file) != os.path.realpath(known) and os.path.isabs(file):
        return None
    return known if is_editable(known) else None


def source_of(function: types.FunctionType) -> Source | None:
    """Give the file of a function; None where there is none that can be edited."""
    file = file_of(function.__code__.co_filename, function.__globals__)
    return _load(file) if file else None


def source_of_module(namespace: dict[str, Any]) -> Source | None:
    """Give the file of a module by its names; None where there is none that can be edited."""
    file = dict.get(namespace, "__file__")
    return _load(file) if type(file) is str and is_editable(file) else None


def source_of_path(file: str) -> Source | None:
    """Give a file by its path; None where it cannot be edited."""
    return _load(file) if is_editable(file) else None


def _load(file: str) -> Source | None:
    try:
        found = os.stat(file)
        return _read(file, (found.st_mtime_ns, found.st_size)) if found.st_size < _MAX_BYTES else None
    except (OSError, SyntaxError, ValueError, RecursionError):
        return None


@functools.lru_cache(maxsize=32)
def _read(file: str, stamp: tuple[int, int]) -> Source:
    with tokenize.open(file) as stream:  # minds the encoding that the file declares
        return Source(file, stream.read())


def find_function(source: Source, code: types.CodeType) -> Function | None:
    """Find the function or lambda that a code object was compiled from; None where it cannot be told for certain."""
    found = [node for node in ast.walk(source.tree) if isinstance(node, _FUNCTIONS) and _may_be(node, code)]
    if len(found) > 1:
        found = [node for node in found if _same_code(_compiled(source, node), code)]
    if len(found) > 1:
        found = _inner_around(found, code)
    return found[0] if len(found) == 1 else None


def _may_be(node: Function, code: types.CodeType) -> bool:
    name = "<lambda>" if isinstance(node, ast.Lambda) else node.name
    args = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    count = code.co_argcount + code.co_kwonlyargcount
    if name != code.co_name or first_line(node) != code.co_firstlineno or len(args) != count:
        return False
    # a name with two underscores was mangled
    return all(arg.arg == known or arg.arg.startswith("__") for arg, known in zip(args, code.co_varnames, strict=False))


def first_line(node: Function | ast.ClassDef) -> int:
    """Give the line of the first decorator, or of the statement itself where there is none."""
    decorators = [] if isinstance(node, ast.Lambda) else node.decorator_list
    return decorators[0].lineno if decorators else node.lineno


def _compiled(source: Source, node: Function) -> types.CodeType | None:
    """Compile the file, with the node moved to a line where nothing else is, which tells its code from others."""
    trail = [node, *source.above(node)]
    tree: Any = _with_line(trail)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            code = compile(tree, source.file, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError):
        return None
    stack = [code]
    while stack:
        part = stack.pop()
        if part.co_firstlineno == _MARK:
            return part
        stack += [const for const in part.co_consts if type(const) is types.CodeType]
    return None


def _with_line(trail: list[Any]) -> ast.AST:
    """Give the outermost node of a trail with the innermost one further down; only what changes is copied."""
    new = copy.copy(trail[0])
    shift = _MARK - first_line(new)
    # the body as well: code differs by whether it starts in the line of its head
    parts = [new.body] if isinstance(new, ast.Lambda) else new.body
    parts = [ast.increment_lineno(copy.deepcopy(part), shift) for part in parts]
    new.body = parts[0] if isinstance(new, ast.Lambda) else parts
    new.lineno, new.end_lineno = new.lineno + shift, new.end_lineno + shift
    if getattr(new, "decorator_list", None):
        first = copy.copy(new.decorator_list[0])
        first.lineno, first.end_lineno = first.lineno + shift, first.end_lineno + shift
        new.decorator_list = [first, *new.decorator_list[1:]]
    for old, around in itertools.pairwise(trail):
        copied = copy.copy(around)
        for field, value in ast.iter_fields(around):
            if value is old:
                setattr(copied, field, new)
            elif isinstance(value, list) and any(part is old for part in value):
                setattr(copied, field, [new if part is old else part for part in value])
        new = copied
    return new  # type: ignore[no-any-return]  # a module


def _same_code(compiled: types.CodeType | None, code: types.CodeType) -> bool:
    if compiled is None:
        return False
    parts: tuple[Callable[[types.CodeType], Any], ...] = (
        lambda one: one.co_code,
        _constants,
        lambda one: (one.co_names, one.co_varnames, one.co_freevars, one.co_cellvars, one.co_flags),
    )
    return all(part(compiled) == part(code) for part in parts)


def _constants(code: types.CodeType) -> list[Any]:
    """Give the constants with their types, as 0, 0.0 and False are equal; of inner code just what tells it apart."""
    return [
        (const.co_name, const.co_code, _constants(const))
        if type(const) is types.CodeType
        else (type(const), repr(const))
        for const in code.co_consts
    ]


def _inner_around(nodes: list[Function], code: types.CodeType) -> list[Function]:
    """Keep the innermost node that all instructions lie in; all of them where no columns are known (Python 3.10)."""
    positions = getattr(code, "co_positions", None)
    if positions is None:
        return nodes
    known = [(line, column) for line, _, column, _ in positions() if line and column is not None]
    places = [place for place in known if place != (code.co_firstlineno, 0)]  # the start of the code itself
    around = [node for node in nodes if places and all(_holds(node, place) for place in places)]
    return sorted(around, key=lambda node: (node.lineno, node.col_offset))[-1:]


def _holds(node: Function, place: tuple[int, int]) -> bool:
    body: Any = node.body if isinstance(node, ast.Lambda) else node
    return (body.lineno, body.col_offset) <= place <= (body.end_lineno, body.end_col_offset)

"""Where a class of the user's stands, so that methods can be added to it."""

from __future__ import annotations

import ast
import functools
import os
import tokenize
import warnings
from dataclasses import dataclass

from picklecheck.fixes.editable import is_editable
from picklecheck.safe import qualname_of
from picklecheck.source import where_defined

__all__ = ["ClassFile", "class_file"]

_MAX_BYTES = 4_000_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ClassFile:
    """A class statement.

    Attributes:
        file: the path as the interpreter knows it.
        qualname: the class's name in the file ("Outer.Inner").
        line: the line of the ``class`` keyword.
        node: the statement.
        text: the whole file.
    """

    file: str
    qualname: str
    line: int
    node: ast.ClassDef
    text: str

    def method(self, name: str) -> ast.FunctionDef | None:
        """Give the method that stands under a name in the class's body; None for several, and for none."""
        found = [part for part in self.node.body if isinstance(part, ast.FunctionDef) and part.name == name]
        return found[0] if len(found) == 1 else None

    def has(self, name: str) -> bool:
        """Tell whether the class's body mentions a name as what it defines or assigns."""
        return any(name in _bound(part) for part in self.node.body)


def class_file(cls: type) -> ClassFile | None:
    """Find the statement of a class in a file that the user can edit.

    Args:
        cls: any class.

    Returns:
        None for a class of the standard library or an installed package, and for one without such a statement.
    """
    place = where_defined(cls)
    if place is None or not is_editable(place.file):
        return None
    try:
        found = os.stat(place.file)
        text, classes = _classes(place.file, found.st_mtime_ns, found.st_size)
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    node = classes.get(place.line)
    if node is None:
        return None
    return ClassFile(file=place.file, qualname=qualname_of(cls), line=place.line, node=node, text=text)


@functools.lru_cache(maxsize=16)
def _classes(file: str, time: int, size: int) -> tuple[str, dict[int, ast.ClassDef]]:
    """Give the text of a file as of that time, and its class statements by line."""
    if size > _MAX_BYTES:
        return "", {}
    with tokenize.open(file) as stream:
        text = stream.read()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(text)
    return text, {node.lineno: node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}


def _bound(statement: ast.stmt) -> set[str]:
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {statement.name}
    parts = list(ast.walk(statement))
    stored = {part.id for part in parts if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
    return stored | {part.asname or part.name for part in parts if isinstance(part, ast.alias)}

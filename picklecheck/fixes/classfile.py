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

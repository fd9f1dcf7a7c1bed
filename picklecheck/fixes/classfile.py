"""Where the class statement of a class stands that the user can edit."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from picklecheck.fixes.editable import is_editable
from picklecheck.source import class_definition

__all__ = ["ClassFile", "class_file"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassFile:
    """A class statement.

    Attributes:
        file: the file as the module names it.
        qualname: the class's name in the file ("Outer.Inner", "make.<locals>.Local").
        line: the line of the ``class`` keyword.
        node: the statement; its lines and byte columns are those of `text`.
        text: the whole file.
    """

    file: str
    qualname: str
    line: int
    node: ast.ClassDef = field(repr=False)
    text: str = field(repr=False)

    def method(self, name: str) -> ast.FunctionDef | None:
        """Give the method that stands under a name in the class's body; None for several, and for none."""
        found = [part for part in self.node.body if isinstance(part, ast.FunctionDef) and part.name == name]
        return found[0] if len(found) == 1 else None

    def has(self, name: str) -> bool:
        """Tell whether the class's body mentions a name as what it defines or assigns."""
        return any(name in _bound(part) for part in self.node.body)


def class_file(cls: type) -> ClassFile | None:
    """Find the class statement; None where there is none in a file of the user's. Nothing is raised."""
    found = class_definition(cls)
    if found is None or not is_editable(found[0]):
        return None
    file, qualname, line, text = found
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and node.lineno == line and node.name == qualname.rpartition(".")[2]:
            return ClassFile(file=file, qualname=qualname, line=line, node=node, text=text)
    return None


def _bound(statement: ast.stmt) -> set[str]:
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {statement.name}
    return {
        part.id for part in ast.walk(statement) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    } | {alias.asname or alias.name for part in ast.walk(statement) if isinstance(part, ast.alias) for alias in [part]}

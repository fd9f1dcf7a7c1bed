"""What a child would miss once statements stand under the main guard: names that only the guarded block has."""

from __future__ import annotations

import ast
import symtable
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from picklecheck.receiver.guard import conditions
from picklecheck.receiver.guard.sources import Source

__all__ = ["Missed", "missed"]

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True, slots=True)
class Missed:
    """A name that a child does not have.

    Attributes:
        name: it is set or defined in the guarded block, and nowhere else.
        reader: the function or class that reads it later; empty where the name itself is that of one.
    """

    name: str
    reader: str = ""

    def __str__(self) -> str:
        """Say it in a sentence, and what to do."""
        if not self.reader:
            return f"{self.name} is defined under the guard, where a child does not find it: define it above"
        return f"{self.reader} reads {self.name}, which a child does not have under the guard: set it above"


def missed(source: Source) -> tuple[Missed, ...]:
    """Give the names of the guarded block that functions and classes need which the block hands on.

    What the block only calls runs in the program itself, and has them; what it hands on, as a target, a task or an
    instance of a class, may come to a child.
    """
    body = source.tree.body
    guarded = [inner for node in body if conditions.is_guard(node) for inner in node.body]
    top = [node for node in body if not conditions.is_guard(node)]
    only_there = conditions.bound_names(guarded) - conditions.bound_names(top)
    if not only_there:
        return ()
    try:
        table = symtable.symtable(source.data, source.path, "exec")  # type: ignore[arg-type]  # bytes too, as compile
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # it has a tree, and cannot be compiled
        return ()
    only_there -= {name for child in table.get_children() for name in _set_by(child)}
    reads: dict[str, set[str]] = {}
    for child in table.get_children():
        reads.setdefault(child.get_name(), set()).update(_read_by(child))
    handed = _handed_on(guarded, {node.name for node in conditions.own_nodes(body) if isinstance(node, ast.ClassDef)})
    defined = {node.name for node in conditions.own_nodes(guarded) if isinstance(node, _DEFINITIONS)}
    found = [Missed(name) for name in sorted(only_there & defined & handed)]
    readers = sorted(_with_what_they_use(handed, reads) - only_there)
    return (*found, *(Missed(name, reader) for reader in readers for name in sorted(reads[reader] & only_there)))


def _handed_on(guarded: list[ast.stmt], classes: set[str]) -> set[str]:
    """Give the names that statements read other than to call them; a class also where it is called."""
    nodes = [node for statement in guarded for node in ast.walk(statement)]
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    read = [node for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)]
    return {node.id for node in read if id(node) not in called or node.id in classes}


def _with_what_they_use(names: set[str], reads: Mapping[str, set[str]]) -> set[str]:
    """Give those names that are functions or classes, and the ones that these use in turn."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name in reads and name not in found:
            found.add(name)
            waiting += reads[name]
    return found


def _scopes(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    yield table
    for child in table.get_children():
        yield from _scopes(child)


def _read_by(table: symtable.SymbolTable) -> set[str]:
    """Give the names of the module that a function reads, or a class in its methods."""
    symbols = (symbol for scope in _scopes(table) if scope.get_type() == "function" for symbol in scope.get_symbols())
    return {symbol.get_name() for symbol in symbols if symbol.is_global() and symbol.is_referenced()}


def _set_by(table: symtable.SymbolTable) -> set[str]:
    """Give the names that a function sets by ``global``, as an initializer in a child does."""
    symbols = (symbol for scope in _scopes(table) for symbol in scope.get_symbols())
    return {symbol.get_name() for symbol in symbols if symbol.is_declared_global() and symbol.is_assigned()}

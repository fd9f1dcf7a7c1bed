"""What is known while a file is read, and the attributes of values."""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from picklecheck.receiver.guard import knowledge
from picklecheck.receiver.guard.events import Anchor, Event
from picklecheck.receiver.guard.sources import Source
from picklecheck.receiver.guard.values import (
    UNKNOWN,
    Arguments,
    Bound,
    Class,
    Function,
    Known,
    Made,
    Module,
    Object,
    Scope,
    Value,
)
from picklecheck.receiver.guard.world import World

__all__ = ["MAX_STEPS", "Base", "Frame", "TooLong"]

MAX_STEPS = 10_000  # of one statement at import level


class TooLong(Exception):
    """The reading of a statement has taken more steps than any sensible program needs."""


class Frame:
    """A call that is being read."""

    __slots__ = ("function", "line", "returned", "uncertain")

    def __init__(self, function: Function, uncertain: int) -> None:
        self.function = function
        self.returned: list[Value] = []
        self.line = 0
        self.uncertain = uncertain  # how many conditions were open when it began


class Base:
    """The state of the reading of one file. What is abstract here stands in the classes that follow."""

    def __init__(self, world: World, source: Source) -> None:
        self.world, self.source = world, source
        self.events: list[Event] = []
        self.frames: list[Frame] = []
        self.anchor: Anchor | None = None
        self.uncertain = 0
        self.caught: list[frozenset[str]] = []
        self.guarded: dict[str, int] = {}  # names that only a guarded block binds, and its line
        self.steps = 0
        self.quiet: dict[tuple[object, ...] | None, Value] = {}  # answers of calls that bring nothing about
        self.start_method: str | None = None

    @abstractmethod
    def call(self, function: Value, arguments: Arguments, node: ast.AST) -> Value:
        """Read a call."""

    @abstractmethod
    def iterate(self, value: Value, node: ast.AST) -> Value:
        """Read an iteration, and give what it yields."""

    @abstractmethod
    def load(self, name: str, source: Source) -> Module | None:
        """Give a module that has a source to be read."""

    @contextmanager
    def perhaps(self, doubt: bool = True) -> Iterator[None]:
        """Read what happens only under a condition that a run would decide."""
        self.uncertain += doubt
        try:
            yield
        finally:
            self.uncertain -= doubt

    @abstractmethod
    def assign(self, target: ast.expr, value: Value, scope: Scope) -> None:
        """Read an assignment."""

    @abstractmethod
    def emit(self, sort: str, what: str, **more: Any) -> None:
        """Note an event, unless the code around catches it or belongs to a library that might not do it."""

    def attribute(self, owner: Value, name: str, node: ast.AST) -> Value:
        """Give an attribute of a value."""
        if isinstance(owner, Known):
            full = knowledge.canonical(Known(f"{owner.name}.{name}", owner.method))
            return knowledge.constant(full.name) or full
        if isinstance(owner, Module):
            return self._of_module(owner, name)
        if isinstance(owner, Object):
            return self._of_object(owner, name, node)
        if isinstance(owner, Class):
            found = owner.find(name)
            return self.taken(found[0], owner, found[1]) if found else Bound(owner, name)
        if isinstance(owner, Made):
            if name in owner.extras:
                return owner.extras[name]
            return knowledge.constant(f"{owner.known.name}().{name}") or Bound(owner, name)
        if name == "__module__" and isinstance(owner, Function):
            return owner.scope.module.names.get("__name__", UNKNOWN)
        return Bound(owner, name)

    def _of_module(self, owner: Module, name: str) -> Value:
        if name in owner.scope.names:
            return owner.scope.names[name]
        inner = self.load(f"{owner.name}.{name}", owner.source) if owner.source.is_package else None
        return inner or UNKNOWN

    def _of_object(self, owner: Object, name: str, node: ast.AST) -> Value:
        if name in owner.attributes and owner.seen_from is None:
            return owner.attributes[name]
        found = (owner.seen_from or owner.cls).find(name, above=owner.seen_from is not None)
        if not found:
            return Bound(owner, name)
        taken = self.taken(found[0], owner, found[1])
        if isinstance(taken, Function) and taken.role == "property":
            return self.call(taken, Arguments(), node)
        return taken

    def taken(self, value: Value, owner: Value, cls: Class) -> Value:
        """Give what a function of a class becomes when it is taken from the class or an instance."""
        if not isinstance(value, Function) or value.role == "staticmethod":
            return value
        receiver = owner
        if value.role == "classmethod":
            receiver = owner.cls if isinstance(owner, Object) else owner
        elif isinstance(owner, Class):
            return value
        bound = Arguments([receiver, *value.bound.positional], dict(value.bound.keywords))
        return Function(value.node, value.scope, value.source, value.defaults, bound, value.launches, cls, value.role)

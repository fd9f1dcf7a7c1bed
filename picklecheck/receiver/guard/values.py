"""What the reading knows of the values of names: abstract, so that nothing of the user's is ever run."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from picklecheck.receiver.guard.sources import Source

__all__ = [
    "POSITIVE", "UNKNOWN", "Arguments", "Bound", "Class", "Const", "Default", "Either", "Function", "Known", "Made",
    "Mixed", "Module", "Object", "Pending", "Scope", "Sequence", "Value", "either", "options", "truth",
]  # fmt: skip

_MAX_OPTIONS = 6
_MAX_ITEMS = 12


class Value:
    """Something that a name may stand for; by itself, something unknown."""

    __slots__ = ()


UNKNOWN = Value()


@dataclass(frozen=True, slots=True)
class Const(Value):
    """A string, number, None or the like."""

    value: object


class _Positive(Value):
    __slots__ = ()


POSITIVE = _Positive()
"""A number that is above zero wherever the program runs, such as the count of processors."""


@dataclass(frozen=True, slots=True)
class Default(Value):
    """What an option of the command line is where nothing else is asked for; a condition on it stays open."""

    value: object


@dataclass(frozen=True, slots=True)
class Known(Value):
    """A module, class or function of a library, by its full name.

    Attributes:
        name: such as "multiprocessing.Process".
        method: the start method of the context that it was taken from; None for the default one.
    """

    name: str
    method: str | None = None


@dataclass(slots=True)
class Arguments:
    """What a call was given."""

    positional: list[Value] = field(default_factory=list)
    keywords: dict[str, Value] = field(default_factory=dict)
    open: bool = False  # `*args` or `**options` that cannot be seen through

    def get(self, position: int | None, keyword: str) -> Value | None:
        """Give an argument by its place or name; None where it was left out."""
        if keyword in self.keywords:
            return self.keywords[keyword]
        if position is not None and position < len(self.positional):
            return self.positional[position]
        return UNKNOWN if self.open else None

    def all(self) -> Iterator[Value]:
        """Yield every argument."""
        yield from self.positional
        yield from self.keywords.values()


@dataclass(slots=True, eq=False)
class Made(Value):
    """What a call of a library's class or function gave; `extras` are attributes that are known of it."""

    known: Known
    arguments: Arguments
    extras: dict[str, Value] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Bound(Value):
    """An attribute of a value, most often a method that is about to be called."""

    owner: Value
    name: str


@dataclass(slots=True, eq=False)
class Sequence(Value):
    """A list, tuple, set or dictionary; `keys` are those of a dictionary."""

    items: list[Value] = field(default_factory=list)
    keys: list[object] | None = None

    def add(self, value: Value) -> None:
        """Remember one more item, up to a number that no program needs to be understood."""
        if len(self.items) < _MAX_ITEMS:
            self.items.append(value)

    def at(self, index: object) -> Value:
        """Give the item at an index or key; any of them where it is not known which."""
        if self.keys is not None:
            if index in self.keys:
                return self.items[self.keys.index(index)]
        elif type(index) is int and -len(self.items) <= index < len(self.items):
            return self.items[index]
        return either(self.items)


@dataclass(slots=True, eq=False)
class Mixed(Value):
    """Something made of other values: an f-string, a path joined of parts."""

    parts: list[Value]


@dataclass(slots=True, eq=False)
class Either(Value):
    """One of some values; which of them depends on what only a run would show."""

    values: tuple[Value, ...]


@dataclass(slots=True, eq=False)
class Function(Value):
    """A function whose source is there.

    Attributes:
        node: its definition.
        scope: the names around it.
        source: the file that it stands in.
        defaults: the values of its parameters' defaults.
        bound: what comes before the arguments of a call: self, or the arguments of a partial.
        launches: why calling it starts processes (it was wrapped by a launcher).
        owner: the class that it was taken from.
    """

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    scope: Scope
    source: Source
    defaults: dict[str, Value] = field(default_factory=dict)
    bound: Arguments = field(default_factory=Arguments)
    launches: Known | None = None
    owner: Class | None = None
    role: str = ""  # "property", "classmethod", "staticmethod"

    @property
    def name(self) -> str:
        """The name it was defined with."""
        return getattr(self.node, "name", "<lambda>")


@dataclass(slots=True, eq=False)
class Class(Value):
    """A class whose source is there."""

    node: ast.ClassDef
    scope: Scope
    source: Source
    bases: list[Value] = field(default_factory=list)

    def mro(self, seen: tuple[Class, ...] = ()) -> Iterator[Value]:
        """Yield the class and its bases, the depth first: close enough to find a method."""
        yield self
        for base in self.bases:
            if isinstance(base, Class) and base not in seen and len(seen) < 10:
                yield from base.mro((*seen, self))
            elif isinstance(base, Known):
                yield base

    def find(self, name: str, *, above: bool = False) -> tuple[Value, Class] | None:
        """Give an attribute of the class and who has it; `above` leaves out the class itself, as `super()` does."""
        for base in self.mro():
            if isinstance(base, Class) and name in base.scope.names and not (above and base is self):
                return base.scope.names[name], base
        return None

    def known_bases(self) -> list[Known]:
        """Give the library classes among its bases."""
        return [base for base in self.mro() if isinstance(base, Known)]


@dataclass(slots=True, eq=False)
class Object(Value):
    """An instance of a class whose source is there; `base_arguments` is what its library base was made with."""

    cls: Class
    attributes: dict[str, Value] = field(default_factory=dict)
    base_arguments: Arguments | None = None
    seen_from: Class | None = None  # for what `super()` gives: the class above which to look, and the instance itself
    real: Object | None = None


@dataclass(slots=True, eq=False)
class Module(Value):
    """A module whose source is there."""

    source: Source
    scope: Scope
    name: str


@dataclass(slots=True, eq=False)
class Pending(Value):
    """A coroutine or generator: a call whose body runs when it is awaited or iterated."""

    function: Function
    arguments: Arguments


class Scope:
    """The names of a module, a class body or a function."""

    __slots__ = ("globals", "names", "parent", "sort", "source", "stars")

    def __init__(self, source: Source, parent: Scope | None = None, sort: str = "function") -> None:
        self.names: dict[str, Value] = {}
        self.parent = parent
        self.source = source
        self.sort = sort
        self.stars: list[str] = []  # modules without source that everything was imported from
        self.globals: set[str] = set()

    def find(self, name: str) -> Value | None:
        """Give what a name stands for, here or around; None where it was not bound."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names and (scope is self or scope.sort != "class"):
                return scope.names[name]
            scope = scope.parent
        return None

    @property
    def module(self) -> Scope:
        """The scope of the module around."""
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope

    def bind(self, name: str, value: Value) -> None:
        """Let a name stand for a value."""
        scope = self.module if name in self.globals else self
        scope.names[name] = value


def options(value: Value) -> tuple[Value, ...]:
    """Give the values that a value may be."""
    return value.values if isinstance(value, Either) else (value,)


def either(values: Iterable[Value]) -> Value:
    """Give a value that stands for any of some."""
    found: list[Value] = []
    for value in values:
        found += [option for option in options(value) if option not in found]
    if not found:
        return UNKNOWN
    return found[0] if len(found) == 1 else Either(tuple(found[:_MAX_OPTIONS]))


def truth(value: Value) -> bool | None:
    """Tell whether a value is true; None where only a run would show."""
    if isinstance(value, Const):
        return bool(value.value)
    if isinstance(value, Either):
        answers = {truth(option) for option in value.values}
        return answers.pop() if len(answers) == 1 else None
    if value is POSITIVE or isinstance(value, (Function, Class, Module)):
        return True
    return None

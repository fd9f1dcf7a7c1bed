"""What a recipe is given, and what it gives: a spot, and a remedy made of edits to source files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from picklecheck.paths import Step

__all__ = [
    "AddDecorator", "AddImports", "AddMethods", "BeginMethod", "Change", "Check", "Edit", "ExtendMethod", "Insert",
    "Made", "Named", "Recipe", "Remedy", "Replace", "Spot",
]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Spot:
    """A culprit, and the nearest object on the way to it whose class the user can edit.

    Attributes:
        obj: the culprit.
        kind: its slug.
        stage: "pickle" or "unpickle".
        error: what was raised for it, as "TypeError: ..."; None where that is not known.
        owner: an instance of a class of the user's, one of whose attributes leads to the culprit; None without one.
        attribute: the name of that attribute as the instance stores it (``_Cls__x`` for ``self.__x``); else "".
        value: what that attribute holds.
        rest: the steps from there to the culprit; none where the value is the culprit.
        arrivals: what each of them arrives at; the last one is the culprit.
        travels: tells whether an object is part of what is sent.
    """

    obj: Any
    kind: str
    stage: str = "pickle"
    error: str | None = None
    owner: Any = None
    attribute: str = ""
    value: Any = None
    rest: tuple[Step, ...] = ()
    arrivals: tuple[Any, ...] = ()
    travels: Callable[[Any], bool] = lambda obj: False

    @property
    def cls(self) -> type | None:
        """The class of the owner."""
        return type(self.owner) if self.attribute else None


# -- edits to the text of one file: lines count from 1, columns from 0 in characters, both of the text as it is


@dataclass(frozen=True, slots=True, kw_only=True)
class AddMethods:
    """New methods at the end of a class.

    Attributes:
        qualname: the class's name in the file ("Outer.Inner", "make.<locals>.Local").
        line: the line of its ``class`` statement, which tells it from others of that name.
        methods: the source of each, without indentation; decorators included.
    """

    qualname: str
    line: int
    methods: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtendMethod:
    """Statements for a method that is there.

    Attributes:
        qualname, line: the class, as for `AddMethods`.
        method: its name.
        body: statements that see what the method returns as `result` (where that is given) and its other names.
        result: the name that the statements know the returned value by; the method's only ``return`` is at its end.
            Empty: the statements stand at the end of a method that returns nothing.
    """

    qualname: str
    line: int
    method: str
    body: tuple[str, ...]
    result: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BeginMethod:
    """Statements at the start of a method that is there, below its docstring.

    Attributes:
        qualname, line: the class, as for `AddMethods`.
        method: its name.
        body: the statements.
    """

    qualname: str
    line: int
    method: str
    body: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AddImports:
    """Import statements at the top of the file, each once: what is imported there already is left out."""

    statements: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Replace:
    """Other text for the expression or the statement (its decorators included) that spans these places.

    A statement that is replaced by an empty text is taken away; the text of a statement has no indentation.
    """

    line: int
    column: int
    end_line: int
    end_column: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Insert:
    """A statement of its own at module level (a function, a class), before or after the one around a line.

    Attributes:
        line: a line of the top-level statement beside which it goes.
        text: its source.
        after: whether it goes behind.
    """

    line: int
    text: str
    after: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AddDecorator:
    """A decorator, the innermost one, for the function whose ``def`` stands in this line."""

    line: int
    text: str


Edit = AddMethods | ExtendMethod | BeginMethod | AddImports | Replace | Insert | AddDecorator


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What `__getstate__` and `__setstate__` of a class do for one attribute; all changes of a class become one pair.

    Attributes:
        cls: the class that the methods are for.
        attribute: as the instance stores it.
        out: statements of ``__getstate__``, which see ``self`` and ``state``, a dict of the attributes to change.
        back: statements of ``__setstate__``, which see ``self`` with its other attributes set, and ``state``.
        lazy: the source of an expression that makes the attribute anew when it is first read; empty: it is not.
        imports: import statements that the others need.
        note: what is different over there, for the report ("``.pool`` is made anew when it is first used").
        order: changes of a class are made in this order (the line where the source sets the attribute).
        width: of several changes for one attribute the widest is taken, which does for what the others are for too.
    """

    cls: type
    attribute: str
    out: tuple[str, ...]
    back: tuple[str, ...] = ()
    lazy: str = ""
    imports: tuple[str, ...] = ()
    note: str = ""
    order: int = 0
    width: int = 0


@dataclass(frozen=True, slots=True)
class Made:
    """Stands for what the call ``func(*args)`` makes; the arguments may hold `Named`, `Made` and live objects."""

    func: Any
    args: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Named:
    """Stands for what the edited file has at the top level under a name, and this process does not have."""

    module: str
    qualname: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """What is looked at over there, once the object has arrived.

    Attributes:
        path: steps from the owner to what is looked at: ``.lock``.
        type: the full name of the type that it must have; None: it only has to be there.
        calls: whether it is called first, as a weak reference is.
        same: an object that travels, whose counterpart it must be (compared by `is`); None: none.
    """

    path: tuple[Step, ...]
    type: str | None = None
    calls: bool = False
    same: Any = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Remedy:
    """A way to make a culprit cross.

    Attributes:
        changes: what the state methods of classes of the user's do.
        edits: file -> edits, besides those that come of the changes.
        replaces: pairs of an object as it is now, and what is pickled for it once the files are edited: any object,
            which may be or hold `Named` and `Made`; so that the trial needs no new objects.
        methods: class -> names of methods among the edits that take part in pickling its instances; the trial asks
            them in place of the class's.
        checks: what is looked at over there, for the spot's owner.
        note: what is different over there, in a sentence; empty where nothing is.
    """

    changes: tuple[Change, ...] = ()
    edits: tuple[tuple[str, Edit], ...] = ()
    replaces: tuple[tuple[Any, Any], ...] = ()
    methods: tuple[tuple[type, tuple[str, ...]], ...] = ()
    checks: tuple[Check, ...] = ()
    note: str = ""


Recipe = Callable[[Spot], Remedy | None]

"""What describes a transport, and what crosses for an object that one recognises."""

from __future__ import annotations

import contextlib
import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from picklecheck.paths import Step, attribute
from picklecheck.safe import instance_dict

__all__ = ["Call", "Crossing", "Part", "Reducer", "Refusal", "Transport", "argument", "part_of"]

Reducer = Callable[[Any], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One object that crosses, and the way by which the user reaches it from what was given.

    Attributes:
        obj: the object.
        steps: the steps to it.
        arrivals: what each step arrives at; the last one is the object.
    """

    obj: Any
    steps: tuple[Step, ...]
    arrivals: tuple[Any, ...]

    @classmethod
    def at(cls, way: Sequence[tuple[Step, Any]]) -> Part:
        """Give the part at the end of a way of steps, each with what it arrives at."""
        return cls(obj=way[-1][1], steps=tuple(step for step, _ in way), arrivals=tuple(held for _, held in way))


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why nothing can be started with an object, whatever it holds: the error that Python gives, why, and a way out."""

    error: str
    reason: str
    advice: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Crossing:
    """What crosses for one object that a transport recognised.

    Attributes:
        title: what it is, for the first line ("torch DataLoader, 4 workers").
        parts: what crosses of it; None where it crosses as a whole.
        start_method: the one that the object brings along; None where it takes multiprocessing's.
        notes: sentences about this crossing.
        refusal: why it cannot start at all.
    """

    title: str
    parts: tuple[Part, ...] | None = None
    start_method: str | None = None
    notes: tuple[str, ...] = ()
    refusal: Refusal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A function with its arguments, as `explain_call` gets them."""

    target: Any
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]

    def parts(self, *, inside: str = "") -> tuple[Part, ...]:
        """Give target, args and kwargs as parts; the first step of each names the argument of `explain_call`.

        Args:
            inside: the attribute of the target that crosses in place of it.
        """
        given = {"target": self.target, "args": self.args, "kwargs": dict(self.kwargs)}
        found = []
        for name, obj in given.items():
            way: list[tuple[Step, Any]] = [(argument(name), obj)]
            if inside and name == "target":
                way.append((attribute(inside), (instance_dict(obj) or {}).get(inside)))
            found.append(Part.at(way))
        return tuple(found)


def argument(name: str) -> Step:
    """Give the first step of a path in a call, which names the argument of `explain_call`."""
    return Step("item", f"[{name!r}]")


def part_of(obj: Any, *names: str) -> tuple[Part, ...]:
    """Give the parts that lie in an object's own attributes of these names; one that is not there is left out."""
    own = instance_dict(obj) or {}
    return tuple(Part.at([(attribute(name), own[name])]) for name in names if name in own)


def _no_stand_in(reducer: Reducer) -> Reducer | None:
    return None


def _whole(obj: Any) -> Crossing:
    return Crossing(title="")


def _whole_call(call: Call) -> Crossing:
    return Crossing(title="", parts=call.parts())


def _no_remarks(objects: Sequence[Any]) -> tuple[str, ...]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Transport:
    """A way for an object to cross.

    Attributes:
        name: what `via` calls it.
        pickler: gives the C pickler class that the transport pickles with (called late: importing it may be slow).
        during: a context manager that is entered while pickling, for what the transport sets up around it.
        stand_in: for a reducer of the dispatch table that changes something outside the object (a descriptor
            duplicated, a storage moved), one that refuses the same objects and changes nothing; None for all others.
        starts_process: whether a process is started with the object, so that the start method matters.
        by_a_thread: whether a thread that the library started pickles, and not the one that hands the object over.
        start_method: the one that the transport always uses unless asked for another; None: multiprocessing's.
        opens: say, each for the types that it knows, what crosses for an object, without running it; None for others.
        known_only: whether only objects that `opens` knows can cross by it.
        opens_named: whether `opens` holds where `via` names the transport; else the object is an argument then.
        argument: says what crosses for an object that `opens` does not know.
        call: says what crosses for a call; raises UsageError where the transport takes none.
        when_refused: a sentence for reports with failures: how one gets to know.
        notes: says what is to know about one object that crosses by it, without running it.
        remarks: the same from all the objects that were pickled.
    """

    name: str
    pickler: Callable[[], type[pickle.Pickler]]
    during: Callable[[], contextlib.AbstractContextManager[object]] = contextlib.nullcontext
    stand_in: Callable[[Reducer], Reducer | None] = _no_stand_in
    starts_process: bool = False
    by_a_thread: bool = False
    start_method: str | None = None
    opens: tuple[Callable[[Any], Crossing | None], ...] = ()
    known_only: bool = False
    opens_named: bool = True
    argument: Callable[[Any], Crossing] = _whole
    call: Callable[[Call], Crossing] = _whole_call
    when_refused: str = ""
    notes: Callable[[Any], tuple[str, ...]] = lambda obj: ()
    remarks: Callable[[Sequence[Any]], tuple[str, ...]] = _no_remarks

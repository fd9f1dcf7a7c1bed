"""The data stream once more, from the reduce values that a walk has kept: as it was, or written for explaining.

For explaining every reduce value is written as a call of `picklecheck.guarded.made` with the object's number, so that
the child can say which object failed and go on. Functions and classes are numbered too: one may be missing there.
"""

from __future__ import annotations

import copyreg
import pickle
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from picklecheck.guarded import made, set_all, set_state
from picklecheck.probe.walk import Sink, Walk, hook_up, start_trace, unhook, with_iterators
from picklecheck.safe import is_class
from picklecheck.standins import Zeros

__all__ = ["Changed", "Replay", "replay"]

_OURS = frozenset(map(id, (made, set_state, set_all)))
_NOTHING = (bytes, ())  # in place of what was refused
_SETTERS = frozenset(map(id, (set_state, set_all)))
_DEEPER = 3  # a guarded reduce value lies that many times as deep


class Changed(Exception):
    """Something is met that the walk has not met."""


@dataclass(frozen=True, slots=True)
class Replay:
    """A walk's data stream, written again.

    Attributes:
        walk: the sequence, with functions and classes among the objects.
        named: the places in it of what travels by name.
        stream: the pieces of the data stream.
    """

    walk: Walk
    named: tuple[int, ...]
    stream: list[bytes]


def replay(walk: Walk, make: Callable[[Sink], pickle.Pickler], *, guarded: bool) -> Replay:
    """Write a walk's data stream again.

    Args:
        walk: a walk; what it has refused is left out.
        make: gives a pickler of the transport's class for a sink.
        guarded: whether it is written for explaining.

    Raises:
        RecursionError: it is too deep for C.
        Changed: what is sent is no longer what it was.
    """
    sink = Sink(keep=True)
    writer = _Writer(walk, make(sink), guarded)
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(limit * _DEEPER)
    try:
        writer.write()
    finally:
        sys.setrecursionlimit(limit)
    return Replay(writer.seen, tuple(writer.named), sink.chunks)


class _Writer:
    def __init__(self, walk: Walk, pickler: pickle.Pickler, guarded: bool) -> None:
        self._walk, self._pickler, self._guarded = walk, pickler, guarded
        self._refused = {id(walk.objects[culprit.index]) for culprit in walk.culprits}
        self._index_of = {id(obj): index for index, obj in enumerate(walk.objects)}
        self.seen = Walk(walk.root, walk.protocol, table=walk.table)
        self.named: list[int] = []

    def write(self) -> None:
        hook_up(self._pickler, self._hook)
        if self._guarded:
            start_trace(self._pickler, _without_setters(self.seen.trace))
        try:
            self._pickler.dump(self._walk.root)
        finally:
            unhook(self._pickler)

    def _hook(self, obj: Any) -> Any:
        if type(obj) is Zeros:
            return obj.reduced()
        if id(obj) in _OURS:
            return NotImplemented
        seen, number = self.seen, len(self.seen.objects)
        index = self._index_of.get(id(obj))
        seen.marks.append(len(seen.trace))
        seen.objects.append(obj)
        if id(obj) in self._refused:
            return _NOTHING
        if index is None:
            if type(obj) is not types.FunctionType and not is_class(obj):
                raise Changed
            self.named.append(number)
            return NotImplemented
        value = self._walk.value(index)
        if not isinstance(value, tuple):
            self.named.append(number)
            return with_iterators(value)
        seen.values[number] = value
        return self._guard(number, value) if self._guarded else with_iterators(value)

    def _guard(self, number: int, value: tuple[Any, ...]) -> tuple[Any, ...]:
        func, args, state, items, pairs, setter = value + (None,) * (6 - len(value))
        if self._walk.protocol >= 2:
            func = _meant(func)
        call = made, (number, func, *args)
        if items is not None or pairs is not None or (state is not None and setter is not None):
            return (*call, (items, pairs, state, setter), None, None, set_all)
        return call if state is None else (*call, state, None, None, set_state)


def _without_setters(trace: list[Any]) -> Callable[[Any], None]:
    """Give what appends to a trace all but the object behind a setter of ours: that is no reference of the sender's."""
    behind = False

    def append(obj: Any) -> None:
        nonlocal behind
        if behind and type(obj) is not str:  # the setter's own name is saved between
            behind = False
        elif id(obj) in _SETTERS:
            behind = True
        else:
            trace.append(obj)

    return append


def _meant(func: Any) -> Any:
    """Give what C does for a function of that name, which it never calls: it writes an opcode."""
    name = getattr(func, "__name__", None)
    known = {"__newobj__": copyreg.__newobj__, "__newobj_ex__": copyreg.__newobj_ex__}  # type: ignore[attr-defined]
    return known.get(name, func) if type(name) is str else func

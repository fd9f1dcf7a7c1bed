"""A dump in which some objects are pickled otherwise: as they would be once the user's source is edited."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from picklecheck.probe.deadline import NoAnswer, Watchdog
from picklecheck.probe.reducing import BY_NAME, PLAIN, Reducer
from picklecheck.probe.walk import Sink, hook_up, unhook, was_inside_a_call, with_iterators
from picklecheck.standins import Zeros, absent

__all__ = ["Rehearsal", "rehearse"]

ABSENT = absent, ()


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """What a dump gave.

    Attributes:
        stream: the pieces of the data stream; None where the pickler did not reach the end.
        refused: the objects that were refused all the same, each with the error; `standins.absent` stands for them.
    """

    stream: list[bytes] | None
    refused: list[tuple[object, BaseException]]


def rehearse(
    root: object,
    make: Callable[[Sink], pickle.Pickler],
    protocol: int,
    *,
    instead: Callable[[Any], Any],
    stand_in: Callable[[Any], Any] = lambda reducer: None,
    seconds: float = 30.0,
) -> Rehearsal:
    """Pickle an object, with other reduce values for some of what it holds.

    Args:
        root: any object.
        make: gives a pickler of the transport's class for a sink.
        protocol: the protocol's number.
        instead: asked for each object that is no plain container: the reduce value that it would have, or
            NotImplemented.
        stand_in: for a reducer of the dispatch table with effects outside the object, one without; else None.
        seconds: how long a reduce call may take.
    """
    run = _Run(make, protocol, instead, stand_in)
    limit = sys.getrecursionlimit()
    try:
        with Watchdog(run.progress, seconds):
            return run.dump(root)
    finally:
        sys.setrecursionlimit(limit)


class _Run:
    def __init__(
        self,
        make: Callable[[Sink], pickle.Pickler],
        protocol: int,
        instead: Callable[[Any], Any],
        stand_in: Callable[[Any], Any],
    ) -> None:
        self._sink = Sink(keep=True)
        self._pickler = make(self._sink)
        self._reducer = Reducer(self._pickler, protocol, stand_in)
        self._instead = instead
        self._kept: list[Any] = []  # what exists only in a reduce value must not give its id to something else
        self._refused: list[tuple[object, BaseException]] = []

    def progress(self) -> tuple[int, int]:
        return len(self._kept), self._sink.bytes

    def dump(self, root: object) -> Rehearsal:
        hook_up(self._pickler, self._hook)
        try:
            self._pickler.dump(root)
        except (Exception, NoAnswer) as error:
            return Rehearsal(None, [*self._refused, (root, error)])
        finally:
            unhook(self._pickler)
        return Rehearsal(self._sink.chunks, self._refused)

    def _hook(self, obj: Any) -> Any:
        if obj is absent:
            return NotImplemented
        if type(obj) is Zeros:
            return obj.reduced()
        self._kept.append(obj)
        try:
            value = self._instead(obj)
            if value is NotImplemented:
                value = self._usual(obj)
        except (RecursionError, KeyboardInterrupt):
            raise
        except BaseException as error:
            if isinstance(error, NoAnswer) and not was_inside_a_call(error):
                raise
            self._refused.append((obj, error))
            return ABSENT
        self._kept.append(value)
        return value

    def _usual(self, obj: Any) -> Any:
        plan = self._reducer.plans.get(type(obj)) or self._reducer.learn(type(obj))
        if plan is PLAIN:
            return NotImplemented
        if plan is BY_NAME:
            error = self._reducer.judge.refuses(obj)
            if error is not None:
                raise error
            return NotImplemented
        return with_iterators(self._reducer.value(obj, plan))

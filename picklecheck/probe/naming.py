"""The steps from an object to something in its reduce value: by attribute, item or member where one leads there."""

from __future__ import annotations

import copyreg
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from picklecheck import paths
from picklecheck.paths import Step
from picklecheck.probe.members import cells, listing, step_inside
from picklecheck.safe import instance_dict, plain_access

if TYPE_CHECKING:
    from picklecheck.probe.contents import Place
    from picklecheck.probe.walk import Walk

__all__ = ["Hop", "Namer"]

_ROOT = -1


@dataclass(frozen=True, slots=True)
class Hop:
    """From one object to one that it holds: the steps between them, and what each step arrives at."""

    holder: Any
    steps: tuple[Step, ...]
    arrivals: tuple[Any, ...]


class Namer:
    """Names hops of one walk."""

    def __init__(self, walk: Walk) -> None:
        self._walk = walk
        self._listings: dict[int, dict[int, tuple[tuple[Step, ...], Any]]] = {}
        self._last: tuple[type, str] | None = None

    def name(self, holder: int, place: Place, child: int) -> Hop:
        """Give the hop to a child that lies in `place` of its holder's box."""
        arrivals = [*(box for box, _ in place[1:]), self._walk.objects[child]]
        if holder == _ROOT:
            return Hop(self._walk.root, tuple(step_inside(*spot) for spot in place[1:]), tuple(arrivals[1:]))
        obj = self._walk.objects[holder]
        known = self._listing(holder)
        for number, arrival in enumerate(arrivals):
            steps, held = known.get(id(arrival), ((), None))
            if steps and held is arrival:
                rest = tuple(step_inside(*spot) for spot in place[number + 1 :])
                self._remember(obj, steps + rest)
                return Hop(obj, steps + rest, (*_same(len(steps), arrival), *arrivals[number + 1 :]))
        return self._through_the_call(holder, place, arrivals)

    def lost(self, holder: int, child: int) -> Hop:
        """Give a hop to a child that its holder's reduce value no longer has: through a call made anew."""
        obj = self._walk.root if holder == _ROOT else self._walk.objects[holder]
        if holder == _ROOT:
            return Hop(obj, (), ())
        steps, held = self._listing(holder).get(id(self._walk.objects[child]), ((), None))
        if steps and held is self._walk.objects[child]:
            return Hop(obj, steps, _same(len(steps), held))
        return Hop(obj, (self._call_step(obj),), (self._walk.objects[child],))

    def quick_hop(self, holder: int, child: int) -> Hop | None:
        """Give the hop by the same attribute as the last hop from this type; None where that does not lead there."""
        if holder == _ROOT or self._last is None:
            return None
        obj = self._walk.objects[holder]
        cls, name = self._last
        if type(obj) is not cls:
            return None
        arrival = (instance_dict(obj) or {}).get(name)
        if arrival is not self._walk.objects[child] or arrival is None:
            return None
        return Hop(obj, (paths.attribute(name),), (arrival,))

    def _remember(self, obj: Any, steps: tuple[Step, ...]) -> None:
        only = steps[0] if len(steps) == 1 and steps[0].kind == "attribute" else None
        name = only.after[1:] if only and not only.before else ""
        self._last = (type(obj), name) if name.isidentifier() and plain_access(type(obj)) else None

    def _listing(self, holder: int) -> dict[int, tuple[tuple[Step, ...], Any]]:
        if holder not in self._listings:
            obj = self._walk.objects[holder]
            known: dict[int, tuple[tuple[Step, ...], Any]] = {}
            for source in (cells, listing):
                for steps, held in source(obj):
                    known.setdefault(id(held), (steps, held))
            self._listings[holder] = known
        return self._listings[holder]

    def _through_the_call(self, holder: int, place: Place, arrivals: list[Any]) -> Hop:
        obj = self._walk.objects[holder]
        value = self._walk.value(holder)
        numbers = [number for number, part in enumerate(value) if part is not None]
        part = numbers[place[0][1]]
        call = self._call_step(obj)
        first = Step("call", f"{call.after}[{part}]", call.before)
        rest = [step_inside(*spot) for spot in place[1:]]
        if part in (3, 4) and rest:  # an iterator there, and a list of its items here
            first = Step("call", f"{first.after})[{place[1][1]}]", f"list({first.before}")
            return Hop(obj, (first, *rest[1:]), tuple(arrivals[1:]))
        return Hop(obj, (first, *rest), tuple(arrivals))

    def _call_step(self, obj: Any) -> Step:
        cls = type(obj)
        if cls in copyreg.dispatch_table:
            return paths.call(")", "(lambda o: __import__('copyreg').dispatch_table[type(o)](o))(")
        reduction = sys.modules.get("multiprocessing.reduction")
        if reduction is not None and cls in reduction.ForkingPickler._extra_reducers:
            table = "__import__('multiprocessing.reduction').reduction.ForkingPickler._extra_reducers"
            return paths.call(")", f"(lambda o: {table}[type(o)](o))(")
        return paths.call(f".__reduce_ex__({self._walk.protocol})")


def _same(count: int, arrival: Any) -> tuple[Any, ...]:
    return (*(None for _ in range(count - 1)), arrival)

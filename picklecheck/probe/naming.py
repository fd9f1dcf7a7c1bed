"""The steps from an object to something in its reduce value: by attribute, item or member where one leads there."""

from __future__ import annotations

import copyreg
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from picklecheck import paths
from picklecheck.paths import Step
from picklecheck.probe.members import cells, listing, step_inside
from picklecheck.safe import dict_getter, find_in_class, plain_access

if TYPE_CHECKING:
    from picklecheck.probe.contents import Place
    from picklecheck.probe.walk import Walk

__all__ = ["Hop", "Namer"]

_ROOT = -1
_SHORT_RUN = 40


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

    def run_of(self, chain: list[int], start: int) -> Hop | None:
        """Give one hop for links that follow each other by one and the same attribute; None where too few do.

        Args:
            chain: places in the sequence, from the root down.
            start: where in the chain the first holder stands.
        """
        objects = self._walk.objects
        first, cls = objects[chain[start]], type(objects[chain[start]])
        own = dict_getter(cls)
        if own is None or not plain_access(cls) or start + _SHORT_RUN >= len(chain):
            return None
        second = objects[chain[start + 1]]
        name = next((name for name, held in (own(first) or {}).items() if held is second), None)
        if type(name) is not str or not name.isidentifier() or find_in_class(cls, name) is not None:
            return None
        end = start
        while end + 1 < len(chain):
            link = objects[chain[end]]
            if type(link) is not cls or own(link).get(name) is not objects[chain[end + 1]]:
                break
            end += 1
        if end - start < _SHORT_RUN:
            return None
        return Hop(first, (paths.repeat([paths.attribute(name)], end - start),), (objects[chain[end]],))

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

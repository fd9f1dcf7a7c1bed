"""The steps from an object to something in its reduce value: by attribute, item or member where one leads there."""

from __future__ import annotations

import copyreg
from typing import TYPE_CHECKING, Any, NamedTuple

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


class Hop(NamedTuple):
    """From one object to one that it holds: the steps between them, and what each step arrives at."""

    holder: Any
    steps: tuple[Step, ...]
    arrivals: tuple[Any, ...]


class Namer:
    """Names hops of one walk."""

    def __init__(self, walk: Walk) -> None:
        self._walk = walk
        self._listings: dict[int, dict[int, list[tuple[tuple[Step, ...], Any]]]] = {}
        self._tables: dict[int, dict[int, tuple[tuple[Step, ...], Any]]] = {}

    def name(self, holder: int, place: Place, child: int) -> list[Hop]:
        """Give the hops to a child that lies in `place` of its holder's box: one for each name that it has there."""
        arrivals = [*[box for box, _ in place[1:]], self._walk.objects[child]]
        if holder == _ROOT:
            steps = tuple([step_inside(box, spot) for box, spot in place[1:]])
            return [Hop(self._walk.root, steps, tuple(arrivals[1:]))]
        obj = self._walk.objects[holder]
        for number, arrival in enumerate(arrivals):
            rest = tuple(step_inside(*spot) for spot in place[number + 1 :])
            names = self._names(holder, arrival)
            if names:
                behind = tuple(arrivals[number + 1 :])
                return [Hop(obj, steps + rest, (*_same(len(steps), arrival), *behind)) for steps in names]
        return [self._through_a_copy(holder, place, arrivals) or self._through_the_call(holder, place, arrivals)]

    def lost(self, holder: int, child: int) -> Hop:
        """Give a hop to a child that its holder's reduce value no longer has: through a call made anew."""
        if holder == _ROOT:
            return Hop(self._walk.root, (), ())
        obj, arrival = self._walk.objects[holder], self._walk.objects[child]
        steps = next(iter(self._names(holder, arrival)), (self._call_step(obj),))
        return Hop(obj, steps, _same(len(steps), arrival))

    def by_cells(self, way: tuple[Hop, ...]) -> tuple[Hop, ...]:
        """Say what lies in a cell of a table by row and column, in place of the way through the table's own parts."""
        for at, hop in enumerate(way):
            known = self._cells(hop.holder)
            for end in range(len(way) - 1, at - 1, -1) if known else ():
                below = way[end]
                for number in range(len(below.steps) - 1, -1, -1):
                    steps, held = known.get(id(below.arrivals[number]), ((), None))
                    if steps and held is below.arrivals[number]:
                        arrivals = (*_same(len(steps), held), *below.arrivals[number + 1 :])
                        cell = Hop(hop.holder, steps + below.steps[number + 1 :], arrivals)
                        return (*way[:at], cell, *way[end + 1 :])
        return way

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

    def _names(self, holder: int, held: Any) -> list[tuple[Step, ...]]:
        if holder not in self._listings:
            known: dict[int, list[tuple[tuple[Step, ...], Any]]] = {}
            for steps, thing in listing(self._walk.objects[holder]):
                known.setdefault(id(thing), []).append((steps, thing))
            self._listings[holder] = known
        found = self._listings[holder].get(id(held), ())
        return [steps for steps, thing in found if thing is held]

    def _cells(self, holder: Any) -> dict[int, tuple[tuple[Step, ...], Any]]:
        if id(holder) not in self._tables:
            self._tables[id(holder)] = {id(held): (steps, held) for steps, held in cells(holder)}
        return self._tables[id(holder)]

    def _through_a_copy(self, holder: int, place: Place, arrivals: list[Any]) -> Hop | None:
        """Give the hop by the attribute that the state has a copy of, where the original holds the same object."""
        for number, (box, spot) in enumerate(place):
            if type(box) is not dict or spot[2] or type(spot[1]) is not str:
                continue
            wanted, rest = paths.attribute(spot[1]), place[number + 1 :]
            for steps, held in listing(self._walk.objects[holder]):
                if steps == (wanted,) and rest and _follow(held, rest) is arrivals[-1]:
                    names = (wanted, *(step_inside(*inner) for inner in rest))
                    return Hop(self._walk.objects[holder], names, (held, *arrivals[number + 1 :]))
        return None

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
        if cls in self._walk.table:
            table = "__import__('multiprocessing.reduction').reduction.ForkingPickler._extra_reducers"
            return paths.call(")", f"(lambda o: {table}[type(o)](o))(")
        return paths.call(f".__reduce_ex__({self._walk.protocol})")


def _same(count: int, arrival: Any) -> tuple[Any, ...]:
    return (*(None for _ in range(count - 1)), arrival)


def _follow(held: Any, place: Place) -> Any:
    """Give what lies in another container of the same shape, in the same place; None where the shapes differ."""
    for box, spot in place:
        if type(held) is not type(box):
            return None
        if type(box) is dict and type(spot[1]) is str and not spot[2]:
            held = held.get(spot[1])
        elif type(box) in (list, tuple) and spot < len(held):
            held = held[spot]
        else:
            return None
    return held

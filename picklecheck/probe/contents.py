"""Which reduced objects lie in a box through plain containers only, and where exactly.

A box is the list of the parts of a reduce value, or a plain container that is asked about. Small ones are read by a
loop. A large one is dumped again by C in slices: first those about as far along as the object was in the pass, then one
after the other until it has been met. Only the slice that it lies in is looked into: a loop over a million containers
costs four passes, this at most one.
"""

from __future__ import annotations

import bisect
import heapq
import itertools
import math
import pickle
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from picklecheck.probe.members import CONTAINER_IDS
from picklecheck.probe.walk import STUB, Sink, start_trace, stub

__all__ = ["Contents", "Place", "contents"]

# A place is the way from the box to an object in it: each container on the way, with the spot of `members.inside`.
Place = tuple[tuple[Any, Any], ...]
_LOOP_AT_MOST = 2_000
_SLICES = 64
_NEAR = 5
_SKEWED = 0.6
_SKEWED_AT_MOST = 6
_MOST_COUNTED = 500


class Contents:
    """The reduced objects in one box.

    Attributes:
        children: their places in the walk's sequence, ascending; all of them up to where `reach` was called for.
    """

    children: Sequence[int] = ()

    def reach(self, index: float) -> None:
        """See to it that `children` has what was met in this box up to that place in the sequence."""

    def find(self, index: int) -> bool:
        """Tell whether an object is seen to lie in the box without much of a search; it may lie there all the same."""
        return False

    def places(self, child: int, most: int = 16) -> list[Place]:
        """Give up to `most` places in which a child lies."""
        raise NotImplementedError


def _at_the_start(index: int) -> float:
    return 0.0


def contents(
    box: Any,
    index_of: Mapping[int, int],
    along: Callable[[int], float] = _at_the_start,
    skewed: int = 0,
    weight: float = math.inf,
) -> Contents:
    """Find the reduced objects in a box.

    Args:
        box: a list, tuple, dict, set or frozenset.
        index_of: id -> place in the walk's sequence.
        along: place in the sequence -> about which part of the pass was over when it was met, 0 to 1.
        skewed: how often slicing has left most of the box in one slice; where it does not help, a loop reads the box.
        weight: the bytes of the box, where they are known.
    """
    try:
        return _ReadContents(box, index_of, math.inf if skewed > _SKEWED_AT_MOST else _LOOP_AT_MOST)
    except _TooMany:
        return _SlicedContents(box, index_of, along, skewed, weight)


class _TooMany(Exception):
    """There are more containers in a box than a loop should read."""


class _ReadContents(Contents):
    def __init__(self, box: Any, index_of: Mapping[int, int], most: float) -> None:
        self._index_of, self._most = index_of, most
        self._boxes: dict[int, tuple[Any, ...]] = {}  # index -> the containers that it lies in
        self._spots: dict[int, dict[int, list[Any]]] = {}  # a container's id -> index -> spots, once it is asked about
        self._holders: dict[int, list[tuple[Any, Any]]] = {id(box): []}
        self._ways: dict[int, Place | None] = {}
        waiting = [box]
        for container in waiting:  # a list that grows while it is read: breadth first, so that near spots come first
            waiting += self._read(container)
            if len(self._holders) > most:
                raise _TooMany
        self._holders[id(box)] = []  # a box that holds itself starts there all the same
        self.children = sorted(self._boxes)

    def _read(self, box: Any) -> list[Any]:
        """Note what lies in one container, at C's speed; give the containers among it that are new."""
        boxes, holders, things = self._boxes, self._holders, _things_in(box)
        if len(things) > self._most and sum(map(CONTAINER_IDS.__contains__, map(id, map(type, things)))) > self._most:
            raise _TooMany
        here = {index for index in set(map(self._index_of.get, map(id, things))) if index is not None}
        again = here & boxes.keys()
        boxes.update(dict.fromkeys(here - again, (box,)))
        for index in again:
            boxes[index] += (box,)
        new = []
        for number, thing in [pair for pair in enumerate(things) if id(type(pair[1])) in CONTAINER_IDS]:
            if id(thing) not in holders:
                holders[id(thing)] = []
                new.append(thing)
            holders[id(thing)].append((box, _spot(box, things, number)))
        return new

    def places(self, child: int, most: int = 16) -> list[Place]:
        boxes = self._boxes.get(child, ())
        spots = [(box, spot) for box in boxes for spot in self._spots_in(box)[child]]
        if len(spots) == 1:
            only = self._only_way(spots[0][0])
            if only is not None:
                return [(*only, spots[0])]
        return list(itertools.islice(self._climb(spots), most))

    def _only_way(self, box: Any) -> Place | None:
        """Give the way to a container; None where there is more than one."""
        if id(box) not in self._ways:
            place = []
            above = self._holders[id(box)]
            while len(above) == 1:
                place.append(above[0])
                above = self._holders[id(above[0][0])]
            self._ways[id(box)] = None if above else tuple(reversed(place))
        return self._ways[id(box)]

    def _spots_in(self, box: Any) -> dict[int, list[Any]]:
        if id(box) not in self._spots:
            spots = self._spots[id(box)] = {}
            things = _things_in(box)
            for number, index in enumerate(map(self._index_of.get, map(id, things))):
                if index is not None:
                    spots.setdefault(index, []).append(_spot(box, things, number))
        return self._spots[id(box)]

    def _climb(self, spots: Sequence[tuple[Any, Any]]) -> Iterator[Place]:
        """Yield the places of a child, those with the fewest containers on the way first."""
        order = itertools.count()
        # linked cells, because a way may be very long
        waiting: list[tuple[int, int, Any]] = [(1, next(order), (spot, None)) for spot in spots]
        while waiting:
            length, _, cell = heapq.heappop(waiting)
            above = self._holders[id(cell[0][0])]
            while len(above) == 1:
                cell, length = (above[0], cell), length + 1
                above = self._holders[id(cell[0][0])]
            place = tuple(_linked(cell))
            if not above:
                yield place
                continue
            around = {id(box) for box, _ in place}  # a container that holds itself is no way out
            for spot in above:
                if id(spot[0]) not in around:
                    heapq.heappush(waiting, (length + 1, next(order), (spot, cell)))


def _linked(cell: Any) -> Iterator[tuple[Any, Any]]:
    while cell is not None:
        yield cell[0]
        cell = cell[1]


def _things_in(box: Any) -> list[Any]:
    """Give what lies in a plain container; of a dict each key, and its value behind it."""
    return list(itertools.chain.from_iterable(box.items()) if type(box) is dict else box)


def _spot(box: Any, things: list[Any], number: int) -> Any:
    """Give the spot (see `members.inside`) for a number in the list of `_things_in`."""
    return (number // 2, things[number - number % 2], number % 2 == 0) if type(box) is dict else number


class _Run(NamedTuple):
    """Things that lie side by side in one container, which itself lies at `place`."""

    place: Place
    box: Any
    things: list[Any]
    numbers: range

    def place_of(self, number: int) -> Place:
        return (*self.place, (self.box, _spot(self.box, self.things, number)))

    def deeper(self) -> Iterator[_Run]:
        """Put in place of each container among them what lies in it."""
        for number in self.numbers:
            thing = self.things[number]
            if id(type(thing)) in CONTAINER_IDS:
                things = _things_in(thing)
                yield _Run(self.place_of(number), thing, things, range(len(things)))
            else:
                yield self._replace(numbers=range(number, number + 1))


class _SlicedContents(Contents):
    def __init__(
        self, box: Any, index_of: Mapping[int, int], along: Callable[[int], float], skewed: int, weight: float
    ) -> None:
        self._box, self._index_of, self._along, self._skewed, self._weight = box, index_of, along, skewed, weight
        self._runs = _spread_out(box)
        self._ends = list(itertools.accumulate(len(run.numbers) for run in self._runs))
        things = [thing for run in self._runs for thing in run.things[run.numbers.start : run.numbers.stop]]
        self._size = -(-len(things) // _SLICES)
        self._slices = [things[at : at + self._size] for at in range(0, len(things), self._size)]
        self._slicer = _Slicer(index_of)
        self._next, self._reached = 0, -1  # the slices before that one are dumped, and what was met last in those
        self._opened: dict[int, Contents] = {}
        self._whole: Contents | None = None

    def find(self, index: int) -> bool:
        known = self._slicer.slices_of
        if index not in known and self._whole is None:
            middle = self._along(index) * len(self._slices) - 0.5
            for number in sorted(range(len(self._slices)), key=lambda number: abs(number - middle))[:_NEAR]:
                self._dump([number])
                if index in known or self._whole is not None:
                    break
        return index in known

    def reach(self, index: float) -> None:
        """Dump slices until something is met that lies behind."""
        self._dump(self._ahead(index))

    def _ahead(self, index: float) -> Iterator[int]:
        while self._next < len(self._slices) and self._reached < index:
            yield self._next
            self._reached = max(self._reached, self._slicer.last[self._next])
            self._next += 1

    def _dump(self, numbers: Iterable[int]) -> None:
        slicer, before = self._slicer, len(self._slicer.last)
        try:
            for number in numbers:
                if number not in slicer.last:
                    slicer.dump_slice(number, self._slices[number])
        except RecursionError:  # a graph too deep for C
            self._whole = _ReadContents(self._box, self._index_of, math.inf)
            self.children, self._slices = self._whole.children, []
            return
        if len(slicer.last) > before:
            self.children = sorted(slicer.slices_of)

    def places(self, child: int, most: int = 16) -> list[Place]:
        if self._whole is None and child not in self._slicer.slices_of:
            self.reach(math.inf)
        if self._whole is not None:
            return self._whole.places(child, most)
        found = (self._places_in(number, child, most) for number in self._slicer.slices_of.get(child, ()))
        return list(itertools.islice(itertools.chain.from_iterable(found), most))

    def _places_in(self, number: int, child: int, most: int) -> list[Place]:
        if number not in self._opened:
            self._opened[number] = self._open_slice(number)
        # the first pair of each place is the slice's own list, which stands for the way to the entry
        return [
            (*self._entry(number * self._size + place[0][1]), *place[1:])
            for place in self._opened[number].places(child, most)
        ]

    def _open_slice(self, number: int) -> Contents:
        weight = self._slicer.weights[number]
        skewed = self._skewed + (weight > _SKEWED * self._weight)
        return contents(self._slices[number], self._index_of, self._along, skewed, weight)

    def _entry(self, position: int) -> Place:
        at = bisect.bisect_right(self._ends, position)
        run = self._runs[at]
        return run.place_of(run.numbers.stop - (self._ends[at] - position))


def _spread_out(box: Any) -> list[_Run]:
    """Give what lies in a box, level by level until there is enough for the slices."""
    things = _things_in(box)
    runs = [_Run((), box, things, range(len(things)))]
    for _ in range(_SKEWED_AT_MOST):
        if sum(len(run.numbers) for run in runs) >= _SLICES:
            break
        runs = [deeper for run in runs for deeper in run.deeper()]
    return runs


class _Slicer(pickle.Pickler):
    """Dumps slices with a stub for whatever is reduced, and notes in which slices each object lies.

    C calls the hook for an object once. That it lies in another slice too is seen from its references, which the trace
    of that slice adds to; that is done for a few objects only.

    Attributes:
        slices_of: place in the walk's sequence -> numbers of the slices.
        weights: slice -> its bytes.
        last: slice -> the greatest place of what was met there for the first time; -1 where that is nothing.
    """

    def __init__(self, index_of: Mapping[int, int]) -> None:
        self._sink = Sink()
        super().__init__(self._sink, pickle.HIGHEST_PROTOCOL)
        self._index_of = index_of
        self._met: dict[int, Any] = {}
        self._trace: list[Any] = []
        start_trace(self, self._trace.append)
        self.slices_of: dict[int, list[int]] = {}
        self.weights: dict[int, int] = {}
        self.last: dict[int, int] = {}
        self._now: list[int] = []  # what is met in the slice that is being dumped

    def dump_slice(self, number: int, things: list[Any]) -> None:
        """Dump one."""
        written = self._sink.bytes
        known = dict(self._met) if len(self._met) <= _MOST_COUNTED else {}
        before = list(map(sys.getrefcount, known.values()))
        self._now = []
        super().dump(things)
        self.slices_of.update((index, [number]) for index in self._now)
        for index, count, now in zip(known, before, map(sys.getrefcount, known.values()), strict=True):
            if now != count:
                self.slices_of[index].append(number)
        self._trace.clear()
        self.weights[number] = self._sink.bytes - written
        self.last[number] = max(self._now, default=-1)

    def reducer_override(self, obj: Any) -> Any:
        if obj is stub:
            return NotImplemented
        index = self._index_of.get(id(obj))
        if index is not None and index not in self._met:
            self._met[index] = obj
            self._now.append(index)
        return STUB

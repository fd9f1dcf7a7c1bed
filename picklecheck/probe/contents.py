"""Which reduced objects lie in a box through plain containers only, and where exactly.

A box is the list of the parts of a reduce value, or a plain container that is asked about. Small ones are read by a
loop. A large one is dumped again by C in slices, with a hook that notes in which slice each object lies, and only the
slice that matters is looked into: a loop over a million containers costs four passes, this costs one.
"""

from __future__ import annotations

import functools
import itertools
import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from picklecheck.probe.members import inside

__all__ = ["Contents", "Place", "contents"]

# A place is the way from the box to an object in it: each container on the way, with the spot of `members.inside`.
Place = tuple[tuple[Any, Any], ...]
Spots = dict[int, list[tuple[Any, Any]]]
_LOOP_AT_MOST = 30_000
_SLICES = 64
_SKEWED = 0.6
_SKEWED_AT_MOST = 6
_ATOMS = frozenset({type(None), bool, int, float, str, bytes})
_CONTAINERS = frozenset({list, tuple, dict, set, frozenset})


class Contents:
    """The reduced objects in one box.

    Attributes:
        children: their places in the walk's sequence, ascending.
    """

    def __init__(self, found: Spots, holders: Spots) -> None:
        self.children = sorted(found)
        self._found = found
        self._holders = holders

    def places(self, child: int, most: int = 16) -> list[Place]:
        """Give up to `most` places in which a child lies."""
        return list(itertools.islice(self._climb(self._found.get(child, [])), most))

    def _climb(self, spots: Sequence[tuple[Any, Any]]) -> Iterator[Place]:
        waiting: list[Any] = [(spot, None) for spot in reversed(spots)]  # linked: a way may be very long
        while waiting:
            cell = waiting.pop()
            above = self._holders.get(id(cell[0][0]))
            while above and len(above) == 1:
                cell = (above[0], cell)
                above = self._holders.get(id(cell[0][0]))
            place = tuple(_linked(cell))
            if not above:
                yield place
                continue
            around = {id(box) for box, _ in place}  # a container that holds itself is no way out
            waiting.extend((spot, cell) for spot in reversed(above) if id(spot[0]) not in around)


def _linked(cell: Any) -> Iterator[tuple[Any, Any]]:
    while cell is not None:
        yield cell[0]
        cell = cell[1]


class _SlicedContents(Contents):
    """The reduced objects in a large box, by slice; a slice is opened when it is asked about."""

    def __init__(
        self, slices: list[list[tuple[Place, Any]]], slice_of: dict[int, int], open_slice: Callable[[int], Contents]
    ) -> None:
        super().__init__({}, {})
        self.children = sorted(slice_of)
        self._slices, self._slice_of = slices, slice_of
        self._open = functools.lru_cache(maxsize=None)(open_slice)

    def places(self, child: int, most: int = 16) -> list[Place]:
        if child not in self._slice_of:
            return []
        number = self._slice_of[child]
        found = self._open(number).places(child, most)
        # the first pair of each place is the slice's own list, which stands for the way to the entry
        return [(*self._slices[number][place[0][1]][0], *place[1:]) for place in found]


def contents(box: Any, index_of: Mapping[int, int], skewed: int = 0) -> Contents:
    """Find the reduced objects in a box.

    Args:
        box: a list, tuple, dict, set or frozenset.
        index_of: id -> place in the walk's sequence.
        skewed: how often slicing has left most of the box in one slice; where it does not help, a loop reads the box.
    """
    found = _by_loop(box, index_of, None if skewed > _SKEWED_AT_MOST else _LOOP_AT_MOST)
    return found or _by_slices(box, index_of, skewed)


def _by_loop(box: Any, index_of: Mapping[int, int], most: int | None) -> Contents | None:
    found: Spots = {}
    holders: Spots = {id(box): []}
    waiting, count = [box], 0
    lookup = index_of.get
    while waiting:
        outer = waiting.pop()
        for spot, thing in inside(outer):
            cls = type(thing)
            if cls in _ATOMS:
                continue
            if cls not in _CONTAINERS:
                index = lookup(id(thing))
                if index is not None:
                    found.setdefault(index, []).append((outer, spot))
            elif id(thing) in holders:
                holders[id(thing)].append((outer, spot))
            else:
                holders[id(thing)] = [(outer, spot)]
                waiting.append(thing)
                count += 1
        if most is not None and count > most:
            return None
    holders[id(box)] = []  # a box that holds itself starts there all the same
    return Contents(found, holders)


def _by_slices(box: Any, index_of: Mapping[int, int], skewed: int) -> Contents:
    entries = _spread_out(box)
    size = -(-len(entries) // _SLICES)
    slices = [entries[at : at + size] for at in range(0, len(entries), size)]
    slice_of: dict[int, int] = {}
    try:
        weights = _dump_slices(slices, index_of, slice_of)
    except RecursionError:  # a graph too deep for C
        return contents(box, index_of, _SKEWED_AT_MOST + 1)
    total = sum(weights)

    def open_slice(number: int) -> Contents:
        things = [thing for _, thing in slices[number]]
        return contents(things, index_of, skewed + (weights[number] > _SKEWED * total))

    return _SlicedContents(slices, slice_of, open_slice)


def _spread_out(box: Any) -> list[tuple[Place, Any]]:
    """Give what lies in a box with its places, level by level until there is enough for the slices."""
    entries: list[tuple[Place, Any]] = [(((box, spot),), thing) for spot, thing in inside(box)]
    for _ in range(_SKEWED_AT_MOST):
        if len(entries) >= _SLICES:
            break
        entries = [deeper for place, thing in entries for deeper in _deeper(place, thing)]
    return entries


def _deeper(place: Place, thing: Any) -> list[tuple[Place, Any]]:
    if type(thing) not in _CONTAINERS:
        return [(place, thing)]
    return [((*place, (thing, spot)), held) for spot, held in inside(thing)]


def _dump_slices(
    slices: list[list[tuple[Place, Any]]], index_of: Mapping[int, int], slice_of: dict[int, int]
) -> list[int]:
    from picklecheck.probe.walk import STUB, Sink, stub

    sink, current = Sink(), 0

    def hook(obj: Any) -> Any:
        if obj is stub:
            return NotImplemented
        index = index_of.get(id(obj))
        if index is not None:
            slice_of[index] = current
        return STUB

    pickler = _HookedPickler(sink, pickle.HIGHEST_PROTOCOL)
    pickler.reducer_override = hook
    weights = []
    for current, part in enumerate(slices):  # noqa: B007  # read by the hook
        before = sink.bytes
        pickler.dump([thing for _, thing in part])
        weights.append(sink.bytes - before)
    del pickler.reducer_override
    return weights


class _HookedPickler(pickle.Pickler):
    """Has a dictionary, so that a hook can be set on the instance."""

    reducer_override: Callable[[Any], Any]

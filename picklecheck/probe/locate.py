"""From the sequence of the pass to the paths of its culprits.

The sequence is in pre-order, so what lies below an object is a run of it: from the root down, the child that leads to a
culprit is the one with the greatest place not above the culprit's that leads there at all. Only objects on the way are
opened. The other paths come from the trace: where a culprit, or something on its way, was saved again.
"""

from __future__ import annotations

import bisect
import heapq
import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from picklecheck.probe.contents import Contents, contents
from picklecheck.probe.naming import Hop, Namer
from picklecheck.probe.reducing import parts_of
from picklecheck.probe.walk import Culprit, Walk

__all__ = ["Located", "Locator", "Way"]

ROOT = -1
_MOST_WAYS = 16
_MOST_REPEATS = 400
_MOST_SEARCHED = 2_000
_LONG_CHAIN = 2_000
_CONTAINERS = (list, tuple, dict, set, frozenset)


Way = Sequence[Hop]


@dataclass(frozen=True, slots=True)
class Located:
    """A culprit with its ways from the root, the shortest first, and the number of references to it that were seen."""

    culprit: Culprit
    ways: tuple[Way, ...]
    references: int


class Locator:
    """Finds the ways to objects of one walk."""

    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        self.namer = Namer(walk)
        # the first place of an object that C met again below itself, before it was in the memo (a cycle through
        # arguments)
        self.index_of = dict(zip(map(id, reversed(walk.objects)), range(len(walk.objects) - 1, -1, -1), strict=True))
        self.opened: dict[int, Contents] = {}
        self.refused = {culprit.index for culprit in walk.culprits}
        self.hops: dict[tuple[int, int], list[Hop]] = {}
        self.chains: dict[int, list[int]] = {}
        self.ways: dict[int, Way] = {}

    def culprits(self) -> list[Located]:
        """Find the ways to every culprit."""
        culprits = self.walk.culprits
        self._find_chains(culprit.index for culprit in culprits)
        chains = dict(self.chains)
        too_long = any(len(chain) > _LONG_CHAIN for chain in chains.values())
        references = {} if too_long else self._open_holders(chains)
        holders = {} if too_long else self._holders_of(chains)
        found = []
        for culprit in culprits:
            ways = self._all_ways(culprit.index, chains[culprit.index], holders)
            ways = tuple(self.namer.by_cells(tuple(way)) for way in ways)
            seen = max(references.get(culprit.index, 1), len(holders.get(culprit.index, ())))
            found.append(Located(culprit, ways, seen))
        return found

    def deepest(self) -> Way:
        """Give the way to the object that lies deepest, for a walk in units."""
        depths: list[int] = []
        for parent in self.walk.parents or ():
            depths.append(0 if parent == ROOT else depths[parent] + 1)
        return self._tree_way(max(range(len(depths)), key=depths.__getitem__)) if depths else ()

    def way_to(self, obj: object) -> Way | None:
        """Give the way by which the pass came to an object; None where it did not."""
        if obj is self.walk.root:
            return ()
        index = self.index_of.get(id(obj))
        return None if index is None else self._tree_way(index)

    # the tree of the pass

    def _box(self, index: int) -> list[Any] | None:
        """Give what the saving of an object goes through: its reduce value's parts; for the root, the root itself."""
        if index == ROOT:
            return [self.walk.root]
        hidden = index in self.refused and index not in self.walk.values  # one refused for a cycle has shown its parts
        return None if hidden else parts_of(self.walk.value(index))

    def _open(self, index: int) -> Contents:
        if index not in self.opened:
            self.opened[index] = contents(self._box(index) or [], self.index_of)
        return self.opened[index]

    def _chain(self, index: int) -> list[int]:
        """Give the places from the first object under the root down to `index`."""
        if index not in self.chains:
            self._find_chains([index])
        return self.chains[index]

    def _find_chains(self, indexes: Iterable[int]) -> None:
        descent = None if self.walk.parents is not None else Descent(self._open)
        for index in sorted(set(indexes) - set(self.chains)):
            self.chains[index] = self._climb(index) if descent is None else descent.to(index)

    def _climb(self, index: int) -> list[int]:
        up, parents = [], self.walk.parents or []
        while index != ROOT:
            up.append(index)
            index = parents[index]
        return up[::-1]

    def _tree_way(self, index: int) -> Way:
        """Give the one way by which the pass came to an object."""
        if index not in self.ways:
            chain = [ROOT, *self._chain(index)]
            hops, at = [], 0
            while at < len(chain) - 1:
                run = self.namer.run_of(chain, at) if at and len(chain) > _LONG_CHAIN else None
                hops.append(run or self._hops_between(chain[at], chain[at + 1])[0])
                at += run.steps[0].count if run else 1
            self.ways[index] = tuple(hops)
        return self.ways[index]

    def _hops_between(self, holder: int, child: int) -> list[Hop]:
        key = holder, child
        if key not in self.hops:
            places = self._open(holder).places(child, _MOST_WAYS)
            hops = [hop for place in places for hop in self.namer.name(holder, place, child)]
            by_steps = {hop.steps: hop for hop in hops}
            self.hops[key] = list(by_steps.values()) or [self.namer.lost(holder, child)]
        return self.hops[key]

    # everything else that holds a culprit, or an object on its way

    def _open_holders(self, chains: dict[int, list[int]]) -> dict[int, int]:
        """Open what saved again a culprit or something on its way; give the numbers of references to the culprits."""
        walk = self.walk
        wanted = self._wanted_ids(chains)
        flags = map(wanted.__contains__, map(id, walk.trace))
        positions = list(itertools.compress(itertools.count(), flags))
        firsts = {mark - 1 for mark in walk.marks}
        repeats = [position for position in positions if position not in firsts]
        kept = self._spread(repeats)
        saving = {self._saved_in(position) for position in kept}
        if walk.parents is None:  # a repeated object may be a child of something above the holder that it was met under
            again = (self.index_of.get(id(walk.trace[position]), ROOT) for position in kept)
            saving.update(index - 1 for index in again if index != ROOT)
        self._find_chains(index for index in saving if index != ROOT)
        for index in saving:
            for holder in [ROOT, *(self._chain(index) if index != ROOT else ())]:
                self._open(holder)
        counted = Counter(id(walk.trace[position]) for position in repeats)
        return {index: 1 + counted[id(walk.objects[index])] for index in chains}

    def _wanted_ids(self, chains: dict[int, list[int]]) -> set[int]:
        wanted = set()
        for chain in chains.values():
            at = ROOT
            for child in chain:
                wanted.add(id(self.walk.objects[child]))
                for place in self._open(at).places(child, 2):
                    wanted.update(id(box) for box, _ in place[1:])
                at = child
        return wanted

    def _spread(self, positions: list[int]) -> list[int]:
        """Give the first repeats of each object, at most so many in all."""
        seen: Counter[int] = Counter()
        kept = []
        for position in positions:
            key = id(self.walk.trace[position])
            seen[key] += 1
            if seen[key] <= _MOST_WAYS:
                kept.append(position)
            if len(kept) >= _MOST_REPEATS:
                break
        return kept

    def _saved_in(self, position: int) -> int:
        """Give the object that was met last before a position of the trace: what holds it is that or lies above."""
        walk = self.walk
        if walk.parents is not None:
            return walk.units[bisect.bisect_right(walk.units, (position, len(walk.objects))) - 1][1]
        return walk.first_mark + bisect.bisect_right(walk.marks, position) - 1

    def _holders_of(self, chains: dict[int, list[int]]) -> dict[int, list[int]]:
        """Give, for each object that matters, the places of all opened objects that hold it."""
        matter = {index for chain in chains.values() for index in chain} | set(self.opened) - {ROOT}
        holders: dict[int, list[int]] = {}
        for holder, box in self.opened.items():
            for child in box.children if len(box.children) < len(matter) else matter:
                if child in matter and box.places(child, 1):
                    holders.setdefault(child, []).append(holder)
        for chain in chains.values():  # what was met and is not seen again still has the holder that it was met under
            for above, child in zip([ROOT, *chain], chain, strict=False):
                known = holders.setdefault(child, [])
                if above not in known:
                    known.append(above)
        return holders

    def _all_ways(self, index: int, chain: list[int], holders: dict[int, list[int]]) -> tuple[Way, ...]:
        if not holders:
            return (self._tree_way(index),)
        if all(len(holders[at]) == 1 for at in chain):
            hops_by_step = [self._hops_between(at, child) for at, child in zip([ROOT, *chain], chain, strict=False)]
            if all(len(hops) == 1 for hops in hops_by_step):
                return (tuple(hops[0] for hops in hops_by_step),)
            return tuple(sorted(itertools.islice(itertools.product(*hops_by_step), _MOST_WAYS), key=_length))
        return tuple(itertools.islice(self._search(index, holders), _MOST_WAYS)) or (self._tree_way(index),)

    def _search(self, index: int, holders: dict[int, list[int]]) -> Iterator[Way]:
        """Yield the ways up from an object to the root, the shortest first."""
        order = itertools.count()
        heap: list[tuple[int, int, int, tuple[Hop, ...], frozenset[int]]] = [(0, 0, index, (), frozenset({index}))]
        for _ in range(_MOST_SEARCHED):
            if not heap:
                return
            length, _, at, hops, passed = heapq.heappop(heap)
            if at == ROOT:
                yield hops
                continue
            for holder in holders.get(at, ()):
                if holder in passed:
                    continue
                for hop in self._hops_between(holder, at):
                    entry = length + len(hop.steps), next(order), holder, (hop, *hops), passed | {holder}
                    heapq.heappush(heap, entry)


def _length(way: Way) -> int:
    return sum(len(hop.steps) for hop in way)


class Descent:
    """Finds the way down to places of the sequence, asked in ascending order.

    An object is below another when it was met after it and before the other's end. Ends are not recorded, so a child
    with a greater place may itself have been met elsewhere; then nothing below it leads on, and the next one is tried.
    What ended before one place has ended before all greater ones, so that no object is tried in vain twice.
    """

    def __init__(self, open_: Callable[[int], Contents]) -> None:
        self._open = open_
        self._ended: set[int] = set()
        self._met: dict[int, list[int]] = {}
        self._next: dict[int, int] = {}

    def to(self, index: int) -> list[int]:
        """Give the places on the way down to `index`, itself included."""
        way = [ROOT]
        tried = {ROOT}
        while way:
            child = self._candidate(way[-1], index, tried)
            if child is None:
                gone = way.pop()
                if gone != ROOT:
                    self._ended.add(gone)
                continue
            way.append(child)
            tried.add(child)
            if child == index:
                return way[1:]
        return [index]

    def _candidate(self, holder: int, index: int, tried: set[int]) -> int | None:
        children = self._open(holder).children
        met = self._met.setdefault(holder, [])
        at = self._next.get(holder, 0)
        while at < len(children) and children[at] <= index:
            if children[at] > holder:
                met.append(children[at])
            at += 1
        self._next[holder] = at
        while met and met[-1] in self._ended:
            met.pop()
        return next((child for child in reversed(met) if child not in tried and child not in self._ended), None)

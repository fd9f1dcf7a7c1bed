"""From the sequence of the pass to the paths of its culprits.

The sequence is in pre-order, so what lies below an object is a run of it: from the root down, the child that leads to a
culprit is the one with the greatest place not above the culprit's that leads there at all. Only objects on the way are
opened. The other paths come from the trace: where a culprit, or something on its way, was saved again.
"""

from __future__ import annotations

import bisect
import heapq
import itertools
import math
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from picklecheck.probe.contents import Contents, contents
from picklecheck.probe.naming import Hop, Namer
from picklecheck.probe.reducing import parts_of
from picklecheck.probe.walk import Culprit, Walk

__all__ = ["Located", "Locator", "Way"]

ROOT = -1
_MOST_WAYS = 16
_MOST_REPEATS = 400
_MOST_SEARCHED = 2_000
_MOST_ROUNDS = 5
_SMALL = 2_000
_LONG_CHAIN = 2_000
_PART = 8_192
_MOST_COUNTED = 500
_CONTAINERS = (list, tuple, dict, set, frozenset)


Way = tuple[Hop, ...]


class Located(NamedTuple):
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
        holders = self._holders_of(chains) if references else {}
        found = []
        for culprit in culprits:
            ways = tuple(map(self.namer.by_cells, self._all_ways(culprit.index, chains[culprit.index], holders)))
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
            self.opened[index] = contents(self._box(index) or [], self.index_of, self.walk.along)
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
        hops = self.hops.get(key)
        if hops is None:
            places = self._open(holder).places(child, _MOST_WAYS)
            hops = [hop for place in places for hop in self.namer.name(holder, place, child)]
            if len(hops) > 1:
                hops = list({hop.steps: hop for hop in hops}.values())
            self.hops[key] = hops = hops or [self.namer.lost(holder, child)]
        return hops

    # everything else that holds a culprit, or an object on its way

    def _open_holders(self, chains: dict[int, list[int]]) -> dict[int, int]:
        """Open what saved again a culprit or something on a way to one; give the numbers of references to the culprits.

        What is found to hold a culprit may itself be held twice, so this goes on until there is nothing new.
        """
        walk, counted, asked = self.walk, Counter[int](), set[int]()
        ways = list(chains.values())
        for _ in range(_MOST_ROUNDS):
            wanted = {key: thing for key, thing in self._wanted(ways).items() if key not in asked}
            asked |= wanted.keys()
            positions = _positions(walk.trace, wanted)
            repeats = [position for position in positions if not _is_in(walk.marks, position + 1)]
            counted.update(id(walk.trace[position]) for position in repeats)
            before = set(self.opened)
            self._open_what_saved(self._spread(repeats), chains)
            matter = {index for way in ways for index in way}
            ways = [
                [*self._chain(new), child] for new in set(self.opened) - before for child in self._held(new, matter)
            ]
            if not ways:
                break
        return {index: 1 + counted[id(walk.objects[index])] for index in chains} if counted else {}

    def _open_what_saved(self, positions: list[int], chains: dict[int, list[int]]) -> None:
        """Open the objects that were being saved at positions of the trace."""
        saving = {self._saved_in(position) for position in positions}
        if positions and self.walk.parents is None:
            # what is a child of something above the holder that it was met under: that holder was met just before it
            again = (self.index_of.get(id(self.walk.trace[position]), ROOT) for position in positions)
            saving.update(index - 1 for index in (*again, *itertools.islice(chains, _MOST_REPEATS)) if index > 0)
        if positions and len(self.walk.objects) <= _SMALL:
            saving.update(range(len(self.walk.objects)))  # cheap there, and then no holder can be missed
        self._find_chains(index for index in saving if index != ROOT)
        for index in saving:
            for holder in [ROOT, *(self._chain(index) if index != ROOT else ())]:
                self._open(holder)

    def _held(self, holder: int, matter: set[int]) -> list[int]:
        box = self._open(holder)
        box.reach(math.inf)
        some = box.children if len(box.children) < len(matter) else matter
        return [child for child in some if child in matter and box.places(child, 1)] if holder != ROOT else []

    def _wanted(self, ways: list[list[int]]) -> dict[int, Any]:
        """Give what lies on ways down from the root, by id."""
        steps = {step for way in ways for step in zip([ROOT, *way], way, strict=False)}
        wanted = {id(self.walk.objects[child]): self.walk.objects[child] for _, child in steps}
        for holder, child in steps:
            box = self._open(holder)
            for place in box.places(child, 2):
                wanted.update((id(inner), inner) for inner, _ in place[1:])
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
            box.reach(math.inf)
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
        if len(chain) > _LONG_CHAIN:
            return (self._tree_way(index),)
        if not holders and len(chain) == 1:
            return tuple(sorted([(hop,) for hop in self._hops_between(ROOT, index)], key=_length))
        if not holders or all(len(holders.get(at, ())) <= 1 for at in chain):
            hops_by_step = list(map(self._hops_between, [ROOT, *chain], chain))
            if max(map(len, hops_by_step)) == 1:
                return (tuple([hops[0] for hops in hops_by_step]),)
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


def _positions(trace: list[Any], wanted: dict[int, Any]) -> list[int]:
    """Give the positions in a trace of what is wanted.

    To look at each entry takes as long as the pass did. But a copy of a part is made quickly, and raises the reference
    counts of what lies in it: only parts in which something that is wanted lies are looked into.
    """
    things = list(wanted.values())
    some = len(things) <= _MOST_COUNTED and all(map(_counts_references, things))
    found = []
    for start in range(0, len(trace), _PART):
        before = list(map(sys.getrefcount, things)) if some else []
        part = trace[start : start + _PART]
        if not some or list(map(sys.getrefcount, things)) != before:
            found += [start + number for number, thing in enumerate(part) if id(thing) in wanted]
        del part
    return found


def _counts_references(thing: object) -> bool:
    """Tell whether the object is not one of the immortal ones of Python 3.12."""
    before = sys.getrefcount(thing)
    another = [thing]
    return sys.getrefcount(thing) == before + len(another)


def _is_in(ascending: list[int], number: int) -> bool:
    at = bisect.bisect_left(ascending, number)
    return at < len(ascending) and ascending[at] == number


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
        self._asked: dict[int, int] = {}

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
        box = self._open(holder)
        if box.find(index):
            return index
        box.reach(index)
        met = self._met.setdefault(holder, [])
        after = bisect.bisect_right(box.children, self._asked.get(holder, holder))
        met += box.children[after : bisect.bisect_right(box.children, index)]
        self._asked[holder] = index
        while met and met[-1] in self._ended:
            met.pop()
        if met and met[-1] not in tried:
            return met[-1]
        return next((child for child in reversed(met) if child not in tried and child not in self._ended), None)

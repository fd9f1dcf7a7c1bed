"""The pass in units: for graphs too deep for C, and for errors that no hook saw.

Each reduced object is stubbed where it is met and its reduce value dumped later, by a call of its own with the memo
kept: depth no longer recurses, each unit knows its parent, and an exception costs one unit.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from picklecheck.probe.deadline import NoAnswer
from picklecheck.probe.members import ATOM_IDS, CONTAINER_IDS, inside
from picklecheck.probe.reducing import BY_NAME, Invalid, parts_of
from picklecheck.probe.walk import (
    STUB,
    Culprit,
    Sink,
    Walk,
    hook_up,
    start_trace,
    stub,
    unhook,
    was_inside_a_call,
    with_iterators,
)
from picklecheck.standins import Zeros

if TYPE_CHECKING:
    from picklecheck.probe.walk import Walker

__all__ = ["UnitWalk"]

_ROOT = -1
_CHECK_ENDLESS_EVERY = 10_000
_FRESH_IN_A_ROW = 16


class UnitWalk:
    """One pass in units, after one dump ended with `error`.

    Args:
        walker: the walker whose dump failed; its reducer and sink are used on.
        error: what the dump ended with.
    """

    def __init__(self, walker: Walker, error: BaseException) -> None:
        self._walker = walker
        self._error = error
        self._reducer = walker.reducer
        self._reducer.measured = walker.sink.bytes = 0
        self._pickler = walker.make(walker.sink)
        self._walk = Walk(walker.walk.root, walker.walk.protocol, parents=[])
        walker.walk, self._before = self._walk, walker.walk
        self._depths: list[int] = []
        self._stack: list[int] = []
        self._heights: dict[int, int] = {}
        self._unhooked: set[int] = set()  # ids of what C refuses without a hook, kept alive by the walk
        self._unit = _ROOT
        self._limit = sys.getrecursionlimit()

    def run(self) -> Walk:
        """Do the pass."""
        hook_up(self._pickler, self._hook)
        start_trace(self._pickler, self._walk.trace.append)
        try:
            self._dump([self._walk.root])
            while self._stack:
                self._one(self._stack.pop())
        finally:
            unhook(self._pickler)
        self._judge_the_whole()
        self._put_in_order()
        return self._walk

    def _put_in_order(self) -> None:
        """Put the culprits in the order in which one dump would meet them: what is refused by name is noted early."""
        culprits, parents = self._walk.culprits, self._walk.parents or []
        if len(culprits) < 2:
            return
        below: dict[int, list[int]] = {}
        for index, parent in enumerate(parents):
            below.setdefault(parent, []).append(index)
        ranks: dict[int, int] = {}
        waiting = [_ROOT]
        while waiting:
            index = waiting.pop()
            ranks[index] = len(ranks)
            waiting.extend(reversed(below.get(index, ())))
        culprits.sort(key=lambda culprit: ranks[culprit.index])

    def _judge_the_whole(self) -> None:
        """Say why the one dump failed, where no culprit tells it."""
        walk, error = self._walk, self._error
        if isinstance(error, RecursionError):
            self._refuse_cycles_through_arguments()
            if self._really_too_deep():
                walk.too_deep = error
        elif not walk.culprits and not isinstance(error, NoAnswer):
            # the nearest object is the one that was met last before the error
            nearest = self._before.objects[-1] if self._before.objects else walk.root
            index = next((i for i, obj in enumerate(walk.objects) if obj is nearest), None)
            if index is None:
                index = self._met(nearest)
            walk.culprits.append(Culprit(index, error, nearest=True))

    def _refuse_cycles_through_arguments(self) -> None:
        """Refuse an object whose reduce value's arguments lead back to it: C remembers it only after its arguments.

        In one dump it is then met again and again, where any other object is met once.
        """
        index_of = {id(obj): index for index, obj in enumerate(self._walk.objects)}
        met: set[int] = set()
        for obj in self._before.objects:
            if id(obj) in met and id(obj) in index_of:
                self._walk.culprits.append(
                    Culprit(index_of[id(obj)], Invalid("the arguments of its reduce value lead back to it"))
                )
                return
            met.add(id(obj))

    def _really_too_deep(self) -> bool:
        """Dump in one go what the units were, the culprits stubbed: an object's own RecursionError is no depth."""
        walk = self._walk
        refused = {culprit.index for culprit in walk.culprits}
        index_of = {id(obj): index for index, obj in enumerate(walk.objects)}

        def hook(obj: Any) -> Any:
            index = index_of.get(id(obj))
            if index is None:
                return obj.reduced() if type(obj) is Zeros else NotImplemented
            return STUB if index in refused else with_iterators(walk.values[index])

        pickler = self._walker.make(Sink())
        hook_up(pickler, hook)
        try:
            pickler.dump(walk.root)
        except RecursionError:
            return True
        except Exception:
            return False
        finally:
            unhook(pickler)
        return False

    def _hook(self, obj: Any) -> Any:
        if obj is stub:
            return NotImplemented
        if type(obj) is Zeros:
            return obj.reduced()
        try:
            plan = self._plan(obj)
        except RecursionError:
            raise
        except Exception as refusal:
            self._refuse(self._met(obj), refusal)
            return STUB
        if plan is BY_NAME:
            error = self._reducer.judge.refuses(obj)
            if error is None:
                return NotImplemented
            self._refuse(self._met(obj), error)
        else:
            self._stack.append(self._met(obj))
        return STUB

    def _plan(self, obj: Any) -> Any:
        cls = type(obj)
        return self._reducer.plans.get(cls) or self._reducer.learn(cls)

    def _met(self, obj: Any) -> int:
        walk, unit = self._walk, self._unit
        assert walk.parents is not None
        walk.objects.append(obj)
        walk.parents.append(unit)
        self._depths.append(0 if unit == _ROOT else self._depths[unit] + 1)
        walk.marks.append(len(walk.trace))
        return len(walk.objects) - 1

    def _refuse(self, index: int, error: BaseException, *, nearest: bool = False, endless: bool = False) -> None:
        self._walk.culprits.append(Culprit(index, error, nearest, endless))

    def _one(self, index: int) -> None:
        """Dump the reduce value of the object in that place."""
        obj = self._walk.objects[index]
        self._unit = index
        sys.setrecursionlimit(self._limit)  # a reduce method may have changed it
        self._heights[index] = len(self._stack)
        depth = self._depths[index]
        if depth and depth % _CHECK_ENDLESS_EVERY == 0 and self._endless(index):
            return
        try:
            value = self._reducer.value(obj, self._plan(obj))
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            if isinstance(error, NoAnswer) and not was_inside_a_call(error):
                raise
            self._refuse(index, error)
            return
        self._walk.values[index] = value
        self._dump(parts_of(value))

    def _dump(self, parts: list[Any]) -> None:
        self._walk.units.append((len(self._walk.trace), self._unit))
        before = len(self._stack)
        try:
            self._pickler.dump(parts)
        except Exception as error:
            self._split(parts, error)
        self._stack[before:] = reversed(self._stack[before:])  # the first one met comes first

    def _split(self, parts: list[Any], error: Exception) -> None:
        """Go through the plain containers of a unit that failed, and dump each thing in them by itself."""
        leaves, depth = _leaves_and_depth(parts)
        explained = isinstance(error, RecursionError)
        if explained:
            self._walk.nested = max(self._walk.nested, depth)
        for leaf in leaves:
            if id(leaf) in self._unhooked:
                explained = True
                continue
            try:
                self._pickler.dump(leaf)
            except Exception as refusal:
                explained = True
                self._unhooked.add(id(leaf))
                self._refuse(self._met(leaf), refusal)
        if not explained and self._unit != _ROOT:
            self._refuse(self._unit, error, nearest=True)

    def _endless(self, index: int) -> bool:
        """Note the start of a chain in which every object is made anew by each reduce call; tell whether it is one."""
        chain = self._fresh_chain(index)
        if chain is None:
            return False
        self._refuse(chain, RecursionError("each reduce value brings an object made for it, without end"), endless=True)
        del self._stack[self._heights[chain] :]
        return True

    def _fresh_chain(self, index: int) -> int | None:
        walk = self._walk
        assert walk.parents is not None
        for steps in range(_CHECK_ENDLESS_EVERY):
            parent = walk.parents[index]
            if parent == _ROOT or not self._made_anew(parent, walk.objects[index]):
                return index if steps >= _FRESH_IN_A_ROW else None
            index = parent
        return index

    def _made_anew(self, parent: int, child: Any) -> bool:
        obj = self._walk.objects[parent]
        try:
            value = self._reducer.value(obj, self._plan(obj))
        except Exception:
            return False
        return all(leaf is not child for leaf in _leaves(parts_of(value)))


def _leaves(parts: list[Any]) -> list[Any]:
    """List what lies in plain containers, at any depth, once each; numbers and strings left out."""
    return _leaves_and_depth(parts)[0]


def _leaves_and_depth(parts: list[Any]) -> tuple[list[Any], int]:
    found, deepest = [], 0
    seen, boxes = {id(parts)}, [(parts, 0)]
    while boxes:
        box, depth = boxes.pop()
        deepest = max(deepest, depth)
        for _, thing in inside(box):
            kind = id(type(thing))
            if kind in ATOM_IDS or id(thing) in seen:
                continue
            seen.add(id(thing))
            if kind in CONTAINER_IDS:
                boxes.append((thing, depth + 1))
            else:
                found.append(thing)
    return found, deepest

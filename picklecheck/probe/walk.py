"""The pass: one dump with the transport's own C pickler class, in which every refusal is noted and stubbed.

`reducer_override` is called by C once for every object that is not a plain container, string or number, in pre-order.
It does what C would do next, and where that raises it notes a culprit and hands C a harmless stub, so that C goes on.
The objects are kept in sequence: the paths are read off it afterwards, and only when there are culprits (`locate`).

What no hook sees (a graph too deep for C, a container changed meanwhile) is left to `units`.
"""

from __future__ import annotations

import gc
import pickle
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from picklecheck.probe.deadline import NoAnswer, Watchdog
from picklecheck.probe.reducing import BY_NAME, PLAIN, Reducer
from picklecheck.standins import Zeros

__all__ = ["STUB", "Culprit", "Sink", "Walk", "Walker", "collector_off", "stub", "walk", "words_for"]


def stub() -> None:
    """Stand in the data stream for an object that was refused; never called."""


STUB = (stub, ())
# C looks `persistent_id` up for each object until 3.12, so that the trace can begin with the first culprit; since 3.13
# once for a dump.
TRACE_FROM_THE_START = sys.version_info >= (3, 13)


class Sink:
    """Counts the bytes, and drops them unless they are to be kept.

    Args:
        keep: whether they are wanted.
    """

    def __init__(self, *, keep: bool = False) -> None:
        self.bytes = 0
        self.chunks: list[bytes] = []
        self._keep = keep

    def write(self, data: Any) -> int:
        """Count, and keep."""
        size = memoryview(data).nbytes  # bytes, or the PickleBuffer of large ones
        self.bytes += size
        if self._keep:
            self.chunks.append(data if type(data) is bytes else bytes(data))
        return size

    def drop(self) -> None:
        """Keep nothing, and no more."""
        self._keep = False
        self.chunks.clear()


@dataclass(frozen=True, slots=True)
class Culprit:
    """An object that the pickler refuses.

    Attributes:
        index: its place in the sequence.
        error: what was raised for it.
        nearest: whether it is only the nearest object to an error that no object could be found for.
        endless: whether its reduce values bring new objects for ever.
    """

    index: int
    error: BaseException
    nearest: bool = False
    endless: bool = False


@dataclass(slots=True)
class Walk:
    """What the pass saw. Keeps every object alive, because their ids are keys while paths are looked for.

    Attributes:
        root: the object asked about.
        protocol: the protocol's number.
        objects: every object that was reduced, and every culprit, in the order in which the pickler met them.
        values: place in `objects` -> reduce value, with lists for iterators; for types left to C, none is kept.
        culprits: the refused ones.
        parents: for each object the place of the one that it was met under, -1 for the root; None after one dump, where
            the order of `objects` tells it.
        trace: every object saved after the first culprit, repeats included.
        marks: for each object from place `first_mark` on, how long the trace was when it was met.
        first_share: which part of the data stream was written when the first culprit was met, 0 to 1.
        units: places in the trace where the saving of an object's reduce value began, with its place in `objects`.
        too_deep: whether the real pickler gives up for depth.
        nested: how deep plain containers lie inside each other, where that was too deep for C.
        table: the dispatch table that the pickler used.
        bytes: the length of the data stream, buffers included.
        measured: the bytes of the large buffers whose contents are left out of the stream.
        stream: the pieces of the data stream where they were to be kept, and one dump brought it to its end.
    """

    root: object
    protocol: int
    objects: list[Any] = field(default_factory=list)
    values: dict[int, Any] = field(default_factory=dict)
    culprits: list[Culprit] = field(default_factory=list)
    parents: list[int] | None = None
    trace: list[Any] = field(default_factory=list)
    marks: list[int] = field(default_factory=list)
    first_mark: int = 0
    first_share: float = 0.0
    units: list[tuple[int, int]] = field(default_factory=list)
    too_deep: RecursionError | None = None
    nested: int = 0
    measured: int = 0
    stream: list[bytes] | None = None
    bytes: int = 0
    table: Mapping[type, Any] = field(default_factory=dict)
    ask_again: Callable[[Any], Any] = lambda obj: None

    def value(self, index: int) -> Any:
        """Give the reduce value of the object in that place, with lists in place of iterators; not for a culprit."""
        if index not in self.values:
            self.values[index] = self.ask_again(self.objects[index])
        return self.values[index]

    def along(self, index: int) -> float:
        """Give about which part of the pass was over when the object in that place was met, 0 to 1; 0 if unknown."""
        at = index - self.first_mark
        if not 0 <= at < len(self.marks) or not self.trace:
            return 0.0
        return self.first_share + (1 - self.first_share) * self.marks[at] / len(self.trace)


class Walker:
    """Runs the pass for one transport, once.

    Args:
        make: gives a pickler of the transport's class for a sink.
        protocol: the protocol's number.
        stand_in: the transport's stand-ins.
        seconds: how long one reduce call may take without an answer.
        keep: whether the data stream is wanted.
    """

    def __init__(
        self,
        root: object,
        make: Callable[[Sink], pickle.Pickler],
        protocol: int,
        stand_in: Callable[[Any], Any],
        seconds: float,
        keep: bool = False,
    ) -> None:
        self.sink = Sink(keep=keep)
        self._keep = keep
        self.make = make
        self.pickler = make(self.sink)
        self.reducer = Reducer(self.pickler, protocol, stand_in)
        self.walk = Walk(root, protocol)
        self.seconds = seconds

    def progress(self) -> tuple[int, int]:
        """Give numbers that change as long as the pass goes on."""
        return len(self.walk.objects), self.sink.bytes

    def run(self) -> Walk:
        """Do the pass; in units where one dump does not reach the end."""
        from picklecheck.probe.units import UnitWalk  # it builds on this module

        limit = sys.getrecursionlimit()
        try:
            with Watchdog(self.progress, self.seconds):
                error = self._dump()
                sys.setrecursionlimit(limit)  # a reduce method may have changed it
                if error is not None:
                    self.sink.drop()
                    self.walk = UnitWalk(self, error).run()
                elif self._keep and not self.walk.culprits:
                    self.walk.stream = self.sink.chunks
        finally:
            sys.setrecursionlimit(limit)
        self.walk.first_share /= self.sink.bytes or 1
        self.walk.measured = self.reducer.measured
        self.walk.bytes = self.sink.bytes + self.reducer.measured
        self.walk.table = self.reducer.table
        self.walk.ask_again = lambda obj: self.reducer.value(obj, PLAIN)
        return self.walk

    def _dump(self) -> BaseException | None:
        hook_up(self.pickler, self._hook())
        if TRACE_FROM_THE_START:
            start_trace(self.pickler, self.walk.trace.append)
        try:
            self.pickler.dump(self.walk.root)
        except (Exception, NoAnswer) as error:
            return error
        finally:
            unhook(self.pickler)
        return None

    def _hook(self) -> Callable[[Any], Any]:
        plan_of, slow, culprits = self.reducer.plans.get, self._slow, self.walk.culprits
        append, mark, trace = self.walk.objects.append, self.walk.marks.append, self.walk.trace

        def hook(obj: Any) -> Any:
            cls = type(obj)
            try:
                plan = plan_of(cls)
            except RecursionError:
                raise
            except Exception:  # a metaclass may define __hash__ and __eq__; C asks them too, and is told by `learn`
                plan = None
            if plan is PLAIN:
                if culprits or TRACE_FROM_THE_START:
                    mark(len(trace))
                append(obj)
                return NotImplemented
            return obj.reduced() if cls is Zeros else slow(obj, cls, plan)

        return hook

    def _slow(self, obj: Any, cls: type, plan: Any) -> Any:
        walk = self.walk
        if obj is stub:
            return NotImplemented
        if plan is None:
            try:
                plan = self.reducer.learn(cls)
            except RecursionError:
                raise
            except Exception as refusal:
                return self._refuse(self._met(obj), refusal)
        if plan is BY_NAME:
            error = self.reducer.judge.refuses(obj)
            if error is None:
                return NotImplemented
            if isinstance(error, RecursionError):
                raise error
            return self._refuse(self._met(obj), error)
        index = self._met(obj)
        try:
            value = self.reducer.value(obj, plan)
        except RecursionError:  # by itself: at the end of the stack 3.14 matches no tuple of exceptions
            raise
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            if isinstance(error, NoAnswer) and not was_inside_a_call(error):
                raise
            return self._refuse(index, error)
        walk.values[index] = value
        return with_iterators(value)

    def _met(self, obj: Any) -> int:
        walk = self.walk
        if walk.culprits or TRACE_FROM_THE_START:
            walk.marks.append(len(walk.trace))
        walk.objects.append(obj)
        return len(walk.objects) - 1

    def _refuse(self, index: int, error: BaseException) -> Any:
        walk = self.walk
        if not walk.culprits and not TRACE_FROM_THE_START:
            walk.first_mark = index
            walk.marks[:] = [0]
            walk.first_share = self.sink.bytes  # a share once the whole is known
            start_trace(self.pickler, walk.trace.append)
        self.sink.drop()
        walk.culprits.append(Culprit(index, error))
        return STUB


def words_for(make: Callable[[Sink], pickle.Pickler], obj: object, value: object) -> str | None:
    """Give the C pickler's own words for a reduce value that it refuses; None where it accepts it.

    Everything else is stubbed, so that neither the object's code nor that of others runs again.
    """
    pickler = make(Sink())
    hook_up(pickler, lambda other: value if other is obj else NotImplemented if other is stub else STUB)
    try:
        pickler.dump(obj)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    finally:
        unhook(pickler)
    return None


def was_inside_a_call(error: BaseException) -> bool:
    """Tell whether an exception came from deeper than the frame that caught it (and so from a reduce call)."""
    traceback = error.__traceback__
    return traceback is not None and traceback.tb_next is not None and traceback.tb_next.tb_next is not None


def with_iterators(value: Any) -> Any:
    """Give a reduce value with lists the iterators that C wants; for None, what leaves the object to C."""
    if type(value) is not tuple or len(value) < 4:
        return NotImplemented if value is None else value
    items = (part if part is None else iter(part) for part in value[3:5])
    return (*value[:3], *items, *value[5:])


def hook_up(pickler: pickle.Pickler, hook: Callable[[Any], Any]) -> None:
    """Let C call `hook`, and skip the dispatch table that the hook has looked into already."""
    pickler.reducer_override = hook  # type: ignore[method-assign]  # as good on the instance, and faster
    try:
        pickle.Pickler.dispatch_table.__delete__(pickler)  # type: ignore[attr-defined]  # a member descriptor
    except AttributeError:
        return  # it has none: copyreg's is used


def unhook(pickler: pickle.Pickler) -> None:
    """Break the cycle between the pickler and the hook."""
    del pickler.reducer_override


def start_trace(pickler: pickle.Pickler, append: Callable[[Any], None]) -> None:
    """Have C hand over every object that it saves from now on, repeats included.

    `persistent_id` is asked first for each object, and `list.append` answers None, which means: pickle it as usual. A
    pickler class with a `persistent_id` of its own keeps it, and no repeats are seen.
    """
    if getattr(type(pickler), "persistent_id", None) is not getattr(pickle.Pickler, "persistent_id", None):
        return
    pickler.persistent_id = append  # type: ignore[method-assign]  # C accepts any callable


@contextmanager
def collector_off() -> Iterator[None]:
    """Keep the cyclic collector off for a pass, of which its runs cost 30 to 50%; and back on, whatever happens."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def walk(
    root: object,
    make: Callable[[Sink], pickle.Pickler],
    protocol: int,
    *,
    stand_in: Callable[[Any], Any] = lambda reducer: None,
    seconds: float = 30.0,
    watch: Callable[[Callable[[], int]], Any] | None = None,
    keep: bool = False,
) -> Walk:
    """Find every object under `root` that the pickler refuses.

    Args:
        root: any object.
        make: gives a pickler of the transport's class (a Python subclass of a C pickler) for a sink.
        protocol: the protocol's number.
        stand_in: for a reducer of the dispatch table with effects outside the object, one without; else None.
        seconds: how long the pass may stand still before a reduce call is broken off.
        watch: called with a function that counts the objects so far; gives a context manager for the time of the pass.
        keep: whether the data stream is wanted; then `stream` holds it.

    Returns:
        The walk; `culprits` is empty, `too_deep` None, exactly when the pickler accepts the object.
    """
    walker = Walker(root, make, protocol, stand_in, seconds, keep)
    if watch is None:
        return walker.run()
    with watch(lambda: len(walker.walk.objects)):
        return walker.run()

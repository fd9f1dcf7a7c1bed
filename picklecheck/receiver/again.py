"""The second trip: what has arrived is pickled once more, and loaded in the same process."""

from __future__ import annotations

import contextlib
import io
import os
import pickle
import sys
from collections import ChainMap
from collections.abc import Iterator
from typing import Any

from picklecheck import standins
from picklecheck.receiver.guards import Lost

__all__ = ["Duplicate", "Pickled", "pickled", "spawning"]


class Pickled:
    """What a second trip carries.

    Args:
        data: the data stream.
        large: the large buffers, which are not copied: what is loaded has the very same.
    """

    def __init__(self, data: bytes, large: list[Any]) -> None:
        self.data = data
        self.large = large


def pickled(obj: Any, request: dict[str, Any]) -> Pickled:
    """Pickle an object as the transport does; whatever is raised then is the object's.

    Args:
        obj: the object.
        request: `pickler`: "pickle", or "forking" for multiprocessing's; `protocol`: None for the default.
    """
    sink, large = io.BytesIO(), _Large()
    pickler = _class_of(request)(sink, request.get("protocol"))
    pickler.large = large
    pickler.dispatch_table = _table(pickler)
    pickler.dump(obj)
    return Pickled(sink.getvalue(), large.kept)


def _class_of(request: dict[str, Any]) -> Any:
    if request.get("pickler") != "forking":
        return _Plain
    from multiprocessing.reduction import ForkingPickler  # where torch is loaded, its reducers are registered here

    return type("_Forking", (_Keeping, ForkingPickler), {})


class _Keeping:
    """Keeps large buffers out of the data stream."""

    large: _Large

    def persistent_id(self, obj: Any) -> int | None:
        return self.large.number_of(obj)


class _Plain(_Keeping, pickle.Pickler):
    pass


class _Large:
    def __init__(self) -> None:
        self.kept: list[Any] = []
        self._numbers: dict[int, int] = {}
        self._array: Any = getattr(sys.modules.get("numpy"), "ndarray", bytes)

    def number_of(self, obj: Any) -> int | None:
        if not self._is_large(obj):
            return None
        number = self._numbers.setdefault(id(obj), len(self.kept))
        if number == len(self.kept):
            self.kept.append(obj)
        return number

    def _is_large(self, obj: Any) -> bool:
        kind = type(obj)
        if kind is bytes or kind is bytearray:
            return len(obj) >= standins.LARGE
        return kind is self._array and obj.nbytes >= standins.LARGE and not obj.dtype.hasobject


def _table(pickler: Any) -> Any:
    """Give the reducers of a pickler, with those for what only stands in; storages of torch's stay where they are."""
    import copyreg

    table = getattr(pickler, "dispatch_table", copyreg.dispatch_table)
    own: dict[type, Any] = {Lost: lambda obj: (standins.absent, ())}
    reductions = sys.modules.get("torch.multiprocessing.reductions")
    moves = getattr(reductions, "reduce_storage", None)
    if moves is not None:
        own.update((cls, standins.storage_of) for cls, reducer in list(table.items()) if reducer is moves)
    return ChainMap(own, table)


class Duplicate:
    """Stands for a duplicated descriptor, as the objects of multiprocessing carry one (`reduction.DupFd`).

    Args:
        fd: the descriptor.
    """

    def __init__(self, fd: int) -> None:
        self.fd = fd

    def detach(self) -> int:
        """Give the descriptor, which belongs to whoever has asked."""
        return self.fd


class _StandInPopen:
    """What a child that is being spawned looks like; it is this process itself."""

    def DupFd(self, fd: int) -> Duplicate:  # noqa: N802  # multiprocessing's own name
        return Duplicate(fd)

    def duplicate_for_child(self, handle: int) -> int:
        return handle if sys.platform == "win32" else os.dup(handle)


@contextlib.contextmanager
def spawning(request: dict[str, Any]) -> Iterator[None]:
    """Let it look as if a child was being spawned, where the transport is one that spawns.

    Descriptors are duplicated for this process in any case: no thread is started that would hand them out.

    Args:
        request: `pickler`, and `spawning` where a transport with multiprocessing's pickler does not spawn.
    """
    from multiprocessing import context, reduction

    module: Any = reduction
    before, real = context.get_spawning_popen(), getattr(module, "DupFd", None)
    if request.get("spawning", request.get("pickler") == "forking"):
        context.set_spawning_popen(_StandInPopen())  # type: ignore[arg-type]  # as much of one as is used
    if real is not None:
        module.DupFd = lambda fd: Duplicate(os.dup(fd))
    try:
        yield
    finally:
        context.set_spawning_popen(before)
        if real is not None:
            module.DupFd = real

"""The standard library's processes: what a Process is started with, and what a task sends to one that runs.

Both pickle with `multiprocessing.reduction.ForkingPickler`. The difference is the moment: locks, queues, and shared
values pickle only while a child is being spawned (docs, "Programming guidelines", "Explicitly pass resources to child
processes").
"""

from __future__ import annotations

import contextlib
import os
import pickle
import sys
from collections.abc import Iterator
from typing import Any

from picklecheck.transports.base import Reducer, Transport
from picklecheck.transports.torch import stand_in as torch_stand_in

__all__ = ["POOL", "PROCESS"]

# These duplicate a file descriptor for whoever will ask for it, and start a thread that serves it, when no child is
# being spawned (multiprocessing.resource_sharer); they refuse nothing for that.
_DUPLICATING = frozenset({"_reduce_socket", "reduce_connection", "reduce_pipe_connection", "reduce_arena"})


class _StandInPopen:
    """What a child that is being spawned looks like to the objects that are pickled for it; nothing is duplicated."""

    def DupFd(self, fd: int) -> Any:  # noqa: N802  # multiprocessing's own name
        if sys.platform == "win32":
            return fd
        from multiprocessing.popen_spawn_posix import _DupFd

        return _DupFd(fd)

    def duplicate_for_child(self, handle: int) -> int:
        return handle


class _DuplicatingPopen(_StandInPopen):
    """Duplicates as a task's pickling does, to see whether it can be done, and closes the duplicate at once."""

    def DupFd(self, fd: int) -> Any:  # noqa: N802  # multiprocessing's own name
        if sys.platform != "win32":
            os.close(os.dup(fd))
        return super().DupFd(fd)


@contextlib.contextmanager
def _spawning(popen: type[_StandInPopen] = _StandInPopen) -> Iterator[None]:
    from multiprocessing import context

    before = context.get_spawning_popen()
    context.set_spawning_popen(popen())  # type: ignore[arg-type]  # as much of one as is used
    try:
        yield
    finally:
        context.set_spawning_popen(before)


def _pickler() -> type[pickle.Pickler]:
    from multiprocessing.reduction import ForkingPickler

    return ForkingPickler


def _stand_in(reducer: Reducer) -> Reducer | None:
    module, name = getattr(reducer, "__module__", ""), getattr(reducer, "__name__", "")
    if name in _DUPLICATING and str(module).startswith("multiprocessing."):

        def without_duplicating(obj: Any) -> Any:
            with _spawning(_DuplicatingPopen):
                return reducer(obj)

        return without_duplicating
    return torch_stand_in(reducer)


PROCESS = Transport(name="process", pickler=_pickler, during=_spawning, stand_in=torch_stand_in, starts_process=True)
POOL = Transport(name="pool", pickler=_pickler, stand_in=_stand_in)

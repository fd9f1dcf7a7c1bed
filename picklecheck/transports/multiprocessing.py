"""The standard library's processes: what a Process is started with, and what is sent to or by one that runs.

All pickle with `multiprocessing.reduction.ForkingPickler`. The difference is the moment: locks, queues, and shared
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

from picklecheck.errors import UsageError
from picklecheck.safe import mro
from picklecheck.transports.base import Call, Crossing, Reducer, Transport
from picklecheck.transports.pool import open_executor, open_pool
from picklecheck.transports.process import open_process
from picklecheck.transports.torch import remarks as torch_remarks
from picklecheck.transports.torch import stand_in as torch_stand_in

__all__ = ["EXECUTOR", "POOL", "PROCESS", "QUEUE", "RESULT", "forking_pickler", "spawning"]
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
def spawning(popen: type[_StandInPopen] = _StandInPopen) -> Iterator[None]:
    """Let it look as if a child was being spawned: then locks, queues and authentication keys can be pickled."""
    from multiprocessing import context

    before = context.get_spawning_popen()
    context.set_spawning_popen(popen())  # type: ignore[arg-type]  # as much of one as is used
    try:
        yield
    finally:
        context.set_spawning_popen(before)


def forking_pickler() -> type[pickle.Pickler]:
    """Give multiprocessing's pickler class."""
    from multiprocessing.reduction import ForkingPickler

    return ForkingPickler


def _stand_in(reducer: Reducer) -> Reducer | None:
    module, name = getattr(reducer, "__module__", ""), getattr(reducer, "__name__", "")
    if name in _DUPLICATING and str(module).startswith("multiprocessing."):

        def without_duplicating(obj: Any) -> Any:
            with spawning(_DuplicatingPopen):
                return reducer(obj)

        return without_duplicating
    return torch_stand_in(reducer)


def _no_call(call: Call) -> Crossing:
    raise UsageError("a call does not cross this way: ask about the object, with explain")


def _told_of_exceptions(obj: Any) -> tuple[str, ...]:
    # ExceptionWithTraceback in multiprocessing/pool.py, _ExceptionWithTraceback in concurrent/futures/process.py
    if not any(cls is BaseException for cls in mro(type(obj))):
        return ()
    return (
        "Of an exception its class, `args` and `__dict__` cross; a pool or executor adds the traceback as text. "
        "`__cause__` and `__context__` stay behind.",
    )


PROCESS = Transport(
    name="process",
    pickler=forking_pickler,
    during=spawning,
    stand_in=torch_stand_in,
    starts_process=True,
    opens=(open_process, open_pool, open_executor),
    opens_named=False,
    remarks=torch_remarks,
)
POOL = Transport(
    name="pool",
    pickler=forking_pickler,
    stand_in=_stand_in,
    remarks=torch_remarks,
    by_a_thread=True,
)
EXECUTOR = Transport(
    name="executor",
    pickler=forking_pickler,
    stand_in=_stand_in,
    remarks=torch_remarks,
    by_a_thread=True,
    when_refused="submit() returns all the same: a thread pickles the task, and the future gets the error.",
)
QUEUE = Transport(
    name="queue",
    pickler=forking_pickler,
    stand_in=_stand_in,
    call=_no_call,
    remarks=torch_remarks,
    by_a_thread=True,
    when_refused=(
        "Connection.send and SimpleQueue.put raise this error. Queue.put does not: its feeder thread prints it to "
        "stderr and drops the object, and whoever waits in get() waits on."
    ),
)
RESULT = Transport(
    name="result",
    pickler=forking_pickler,
    stand_in=_stand_in,
    call=_no_call,
    notes=_told_of_exceptions,
    remarks=torch_remarks,
    when_refused="A Pool raises MaybeEncodingError where the result is asked for; an executor's future gets the error.",
)

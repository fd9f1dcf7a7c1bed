"""Pools and executors of processes: what their workers are started with. Tasks cross later, as "pool" or "executor".

Sources: `Pool._repopulate_pool_static` in multiprocessing/pool.py, `ProcessPoolExecutor._spawn_process` in
concurrent/futures/process.py. Besides initializer and initargs the workers get queues and numbers, which always cross.
"""

from __future__ import annotations

from typing import Any

from picklecheck.safe import instance_dict, type_name, under
from picklecheck.transports.base import Crossing, part_of
from picklecheck.transports.starting import method_of

__all__ = ["open_executor", "open_pool"]

_TASKS = "Tasks and results cross later, while the workers run: ask about one with via={!r}."
_THREADS = "Its workers are threads of this process: nothing crosses."


def open_pool(obj: Any) -> Crossing | None:
    """Say what crosses for a `multiprocessing.Pool`; None for anything else."""
    if not under(obj, "multiprocessing.pool.Pool"):
        return None
    if under(obj, "multiprocessing.pool.ThreadPool"):
        return Crossing(title=type_name(obj), parts=(), notes=(_THREADS,))
    return _workers(obj, "_processes", "_ctx", "pool")


def open_executor(obj: Any) -> Crossing | None:
    """Say what crosses for a `ProcessPoolExecutor`; None for anything else."""
    if not under(obj, "concurrent.futures.process.ProcessPoolExecutor"):
        return None
    return _workers(obj, "_max_workers", "_mp_context", "executor")


def _workers(obj: Any, count: str, context: str, via: str) -> Crossing:
    own = instance_dict(obj) or {}
    number = own.get(count)
    workers = f", {number} worker{'' if number == 1 else 's'}" if type(number) is int else ""
    return Crossing(
        title=f"{type_name(obj)}{workers}",
        parts=part_of(obj, "_initializer", "_initargs"),
        start_method=method_of(own.get(context)),
        notes=(_TASKS.format(via),),
    )

"""A `multiprocessing.Process` that is to be started: it is pickled as a whole, by its own context's start method.

Source: `Popen._launch` in multiprocessing/popen_spawn_posix.py dumps the process object, and `BaseProcess.start` drops
`_target`, `_args` and `_kwargs` once it has started.
"""

from __future__ import annotations

from typing import Any

from picklecheck.safe import instance_dict, type_name, under
from picklecheck.transports.base import Crossing, Refusal
from picklecheck.transports.starting import method_of

__all__ = ["open_process"]

# what stands for a process that runs, and cannot be started
_RUNNING = ("multiprocessing.process._MainProcess", "multiprocessing.process._ParentProcess")


def open_process(obj: Any) -> Crossing | None:
    """Say what crosses for a process object; None for anything else."""
    if not under(obj, "multiprocessing.process.BaseProcess") or under(obj, *_RUNNING):
        return None
    own = instance_dict(obj) or {}
    refusal = _refusal(own)
    return Crossing(title=type_name(obj), parts=() if refusal else None, start_method=method_of(obj), refusal=refusal)


def _refusal(own: dict[str, Any]) -> Refusal | None:
    if own.get("_closed") is True:
        error, what = "ValueError: process object is closed", "closed"
    elif own.get("_popen") is not None:
        error, what = "AssertionError: cannot start a process twice", "started already"
    else:
        return None
    return Refusal(
        error=error,
        reason=f"A process starts once, and this one was {what}. It no longer holds what it was started with.",
        advice="Ask about a new process before it is started, or with `explain_call(target, args, kwargs)`.",
    )

"""Ending the process although code of the user's goes on: a target may have started threads and processes."""

from __future__ import annotations

import os
import sys
import threading
import time

__all__ = ["soon"]

_PATIENCE = 3.0


def soon(code: int) -> None:
    """Make sure that the process ends: where something of the user's runs on, a few seconds after it was done.

    The interpreter waits for such threads and processes at its exit, and some never end.
    """
    if _runs_on():
        threading.Thread(target=_end, args=(code,), daemon=True).start()


def _runs_on() -> bool:
    others = (thread for thread in threading.enumerate() if thread is not threading.main_thread())
    return any(not thread.daemon for thread in others) or bool(_children())


def _children() -> list[object]:
    processes = sys.modules.get("multiprocessing.process")
    return [child for child in processes.active_children() if not child.daemon] if processes else []


def _end(code: int) -> None:
    time.sleep(_PATIENCE)
    for child in _children():
        child.terminate()  # type: ignore[attr-defined]  # a process
    os._exit(code)

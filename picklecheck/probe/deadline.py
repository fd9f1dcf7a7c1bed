"""Gets the pass out of a reduce call that never comes back."""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Callable
from types import TracebackType

__all__ = ["NoAnswer", "Watchdog"]


class NoAnswer(BaseException):
    """Raised in the walking thread when nothing moved for the whole time limit."""

    def __str__(self) -> str:
        """Say what happened, in place of an empty text."""
        return "no answer within the time limit"


class Watchdog:
    """Raises `NoAnswer` in the thread that made it when `progress()` stays the same for `seconds`.

    It can break into Python code only: a call that hangs in C, or that swallows every exception, stays where it is.
    """

    def __init__(self, progress: Callable[[], object], seconds: float) -> None:
        self._progress = progress
        self._seconds = seconds
        self._walker = threading.get_ident()
        self._done = threading.Event()
        self._raised = self._entered = False
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._watch, name="picklecheck-watchdog", daemon=True)

    def __enter__(self) -> Watchdog:
        """Start watching."""
        try:
            self._thread.start()
            self._entered = True
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        """Stop watching; afterwards no exception can come any more."""
        while self._thread.is_alive() or self._raised:
            try:
                with self._lock:
                    self._done.set()
                    raised, self._raised = self._raised, False
                if raised:
                    self._let_it_arrive()
                self._thread.join()
            except NoAnswer:  # one that was on its way before the thread was told
                continue

    def _let_it_arrive(self) -> None:
        """Take an exception that was set, whether it came or is still on its way.

        Taking it back (setting NULL) leaves the interpreter's eval breaker on for good until 3.12: everything is slower
        from then on, and on 3.11 tracing hangs.
        """
        try:
            self._raise()
            for _ in range(100):  # it is delivered at a jump back
                pass
        except NoAnswer:
            return

    def _watch(self) -> None:
        seen = self._progress()
        while not self._done.wait(self._seconds):
            now = self._progress()
            if now == seen and self._entered and self._is_in_a_stranger():
                with self._lock:
                    if not self._done.is_set():
                        self._raised = True
                        self._raise()
            seen = now

    def _is_in_a_stranger(self) -> bool:
        """Tell whether the walking thread runs a stranger's code: a long dump in C, or a loop of ours, is no hang."""
        frame = sys._current_frames().get(self._walker)
        module = None if frame is None else frame.f_globals.get("__name__")
        return type(module) is not str or module.partition(".")[0] != "picklecheck"

    def _raise(self) -> None:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._walker), ctypes.py_object(NoAnswer))

"""Starts children, keeps them for the next trials, and ends them: when they misbehave, and at exit."""

from __future__ import annotations

import atexit
import contextlib
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from picklecheck.receiver.answers import Answer, ask, how_it_ended, read
from picklecheck.receiver.preparation import NotPossible, Want, start, want_for
from picklecheck.receiver.trouble import Trouble
from picklecheck.receiver.wire import CHECK, KILL, PRELOAD, Gone, Late, Wire

__all__ = ["count_starts", "end_all", "send"]

_MOST_CHILDREN = 3
_GRACE = 5.0
_PRELOAD_SECONDS = 120.0
_FORKS = hasattr(os, "fork") and hasattr(socket, "send_fds") and sys.platform != "darwin"


def send(
    stream: Sequence[bytes],
    *,
    start_method: str,
    seconds: float,
    seed: str | None = None,
    edited: Mapping[str, str] | None = None,
    checks: Sequence[dict[str, Any]] = (),
    again: bool = False,
    **request: Any,
) -> Answer:
    """Have a child unpickle a data stream.

    Args:
        stream: its pieces.
        start_method: how the child would be started.
        seconds: how long starting and unpickling may each take.
        seed: the child's PYTHONHASHSEED; None for the one that it would have.
        edited: file -> text that the child imports in place of what lies on the disk. Nothing is written, and no
            other trial gets to see it.
        checks: what is looked at once the very bytes were loaded (`checks.missed`); the answer's `missed` tells.
        again: whether what was loaded is pickled over there a second time, with `pickler` ("pickle" or "forking") and
            `protocol` of the request, loaded there, and checked again; the answer's `again` tells what that raised.
        request: what else `trial.run` takes.

    Raises:
        NotPossible: no child can be started, or it has imported an edited file before anything can be done.
        Trouble: the child could not prepare itself.
    """
    asked = {**request, "checks": list(checks), "again": again}
    with _lock:
        want = want_for(start_method, seconds, seed, edited)
        answer = _by_the_kept(stream, want, asked) or _try(stream, want, asked)
        if answer.doubtful and not request["explain"]:
            sure = _Child(want, fork=False).check(stream, seconds, asked)
            if sure.ended is None:
                _kept.no_fork.add(want.plain)  # so that no other trial has to wait for this
                end_all()
                return sure
        return answer


def _by_the_kept(stream: Sequence[bytes], want: Want, request: dict[str, Any]) -> Answer | None:
    """Have a fork of the child without edited texts import them, as it has much of the rest; None where it cannot."""
    child = _kept.children.get(want.plain)
    if not want.edited or child is None or not child.serves() or want.key in _kept.children:
        return None
    try:
        answer = child.check(stream, want.seconds, {**request, "edited": want.edited})
    except _Stale:
        _end(child)
        return None
    except BaseException:
        _end(child)
        raise
    return None if answer.already else answer


def _try(stream: Sequence[bytes], want: Want, request: dict[str, Any]) -> Answer:
    child = _child_for(want)
    try:
        return child.check(stream, want.seconds, request)
    except _Stale:
        _end(child)
    except BaseException:
        _end(child)
        raise
    return _child_for(want).check(stream, want.seconds, request)


@dataclass(slots=True)
class _Kept:
    """The children that are there, of this process only."""

    children: dict[str, _Child] = field(default_factory=dict)
    starts: int = 0
    no_preload: set[str] = field(default_factory=set)
    no_fork: set[str] = field(default_factory=set)


_lock = threading.RLock()
_kept = _Kept()


def count_starts() -> int:
    """Give how many children were started in this process."""
    return _kept.starts


def end_all() -> None:
    """End all children."""
    for child in list(_kept.children.values()):
        _end(child)


def _forget_in_fork() -> None:
    """Leave the children to the process that started them."""
    global _lock, _kept
    for child in _kept.children.values():
        child.wire.close()
        child.process.returncode = 0  # not ours to wait for
    _lock, _kept = threading.RLock(), _Kept()


atexit.register(end_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_in_fork)


def _child_for(want: Want) -> _Child:
    child = _kept.children.pop(want.key, None)
    if child is not None and (child.used_up or child.process.poll() is not None):
        child.end()
        child = None
    if child is None:
        _make_room(want)
        child = _Child(want, fork=_FORKS and want.plain not in _kept.no_fork)
    _kept.children[want.key] = child  # the last one used is the last one to go
    return child


def _make_room(want: Want) -> None:
    if want.edited:  # hardly any texts are tried for long: they do not drive out what serves everything else
        for kept in [kept for kept in _kept.children.values() if kept.edited]:
            _end(kept)
    while len(_kept.children) >= _MOST_CHILDREN:
        _end(next(iter(_kept.children.values())))


def _end(child: _Child) -> None:
    for key, kept in list(_kept.children.items()):
        if kept is child:
            del _kept.children[key]
    child.end()


class _Stale(Exception):
    """The child has imported files that have changed since."""


class _Child:
    """One started interpreter."""

    def __init__(self, want: Want, *, fork: bool) -> None:
        self.used_up = False
        self.edited = bool(want.edited)
        self._preloading: list[str] = []
        self.process, sock = start(want.seed)
        _kept.starts += 1
        self.wire = Wire(sock)
        until = time.monotonic() + max(want.seconds, _GRACE)
        try:
            self.wire.send({"data": want.data, "fork": fork, "edited": want.edited}, until)
            hello = self.wire.receive(until)
        except (Gone, Late) as error:
            self.end()
            trouble = Trouble("it did not end in time" if isinstance(error, Late) else "the process ended")
            raise trouble from None
        except BaseException:
            self.end()
            raise
        if hello["trouble"] is not None:
            self.end()
            raise Trouble("it raised", hello["trouble"])
        if hello["already"]:
            self.end()
            raise NotPossible("an edited file is imported whenever the interpreter starts, before anything can be done")
        self.alone = bool(hello["alone"])

    def serves(self) -> bool:
        """Tell whether it can fork for another trial."""
        return not self.alone and not self.used_up and self.process.poll() is None

    def check(self, stream: Sequence[bytes], seconds: float, request: dict[str, Any]) -> Answer:
        self._finish_preloading()
        if self.alone:
            self.used_up = True
            return self._alone(stream, seconds, request)
        mine, theirs = socket.socketpair()
        with mine:
            with theirs:
                try:
                    socket.send_fds(self.wire.sock, [CHECK], [theirs.fileno()])
                except OSError:
                    raise _Stale from None
            return self._forked(Wire(mine, self.wire.sock), stream, seconds, request)

    def _forked(self, wire: Wire, stream: Sequence[bytes], seconds: float, request: dict[str, Any]) -> Answer:
        reply, late = None, False
        try:
            reply = ask(wire, stream, seconds, request)
        except Gone:
            pass
        except Late:
            late = True
            self._kill()
        try:
            until = time.monotonic() + _GRACE
            status = self._status(until)
        except (Gone, Late):
            self.used_up = True
            return Answer(ended="no answer" if late else "the process ended", late=late)
        if status.get("stale"):
            raise _Stale
        if reply is not None:
            self._preload(reply)
            return read(reply)
        number = status["number"] if status["number"] >= 0 else None
        ended = how_it_ended(status["status"], late, seconds)
        return Answer(ended=ended, number=number, late=late, doubtful=status["threads"] > 1)

    def _status(self, until: float) -> dict[str, Any]:
        try:
            return self.wire.receive(until)
        except Late:  # something of the user's keeps it from ending
            self._kill()
            return self.wire.receive(until + _GRACE)

    def _kill(self) -> None:
        with contextlib.suppress(OSError):
            self.wire.sock.settimeout(_GRACE)
            self.wire.sock.sendall(KILL)

    def _alone(self, stream: Sequence[bytes], seconds: float, request: dict[str, Any]) -> Answer:
        """Have the child itself do the trial; it cannot be used again."""
        try:
            return read(ask(self.wire, stream, seconds, request))
        except Late:
            return Answer(ended=how_it_ended(0, True, seconds), late=True)
        except Gone:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(_GRACE)
            return Answer(ended=how_it_ended(self.process.returncode or 0, False, seconds))
        finally:
            self.end()

    def _preload(self, reply: dict[str, Any]) -> None:
        """Have installed packages that the trial imported imported by the child itself, while we go on."""
        names = [name for name in reply.get("imported", ()) if name not in _kept.no_preload]
        if names:
            self._preloading = names
            self.wire.sock.settimeout(_GRACE)
            self.wire.sock.sendall(PRELOAD)
            self.wire.send({"names": names}, time.monotonic() + _GRACE)

    def _finish_preloading(self) -> None:
        names, self._preloading = self._preloading, []
        if not names:
            return
        try:
            threads = self.wire.receive(time.monotonic() + _PRELOAD_SECONDS)["alone"]
        except (Gone, Late):
            threads = True
        if threads:  # a process with threads is not forked: have a new one, without them
            _kept.no_preload.update(names)
            raise _Stale

    def end(self) -> None:
        """End the process, whatever it is doing; what it has started for a trial ends with it."""
        self.wire.close()
        if self.process.returncode is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(0 if self.used_up else 0.2)
        if self.process.returncode is None:
            self.process.kill()
            self.process.wait()

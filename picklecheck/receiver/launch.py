"""Starts children, keeps them for the next trials, and ends them: when they misbehave, and at exit."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from picklecheck.receiver.answers import Answer, ask, how_it_ended, read
from picklecheck.receiver.preparation import preparation, start
from picklecheck.receiver.trouble import Trouble
from picklecheck.receiver.wire import CHECK, KILL, PRELOAD, Gone, Late, Wire

__all__ = ["count_starts", "end_all", "send"]

_MOST_CHILDREN = 3
_GRACE = 5.0
_PRELOAD_SECONDS = 120.0
_FORKS = hasattr(os, "fork") and hasattr(socket, "send_fds") and sys.platform != "darwin"


def send(
    stream: Sequence[bytes], *, start_method: str, seconds: float, seed: str | None = None, **request: Any
) -> Answer:
    """Have a child unpickle a data stream.

    Args:
        stream: its pieces.
        start_method: how the child would be started.
        seconds: how long starting and unpickling may each take.
        seed: the child's PYTHONHASHSEED; None for the one that it would have.
        request: what `trial.run` takes.

    Raises:
        NotPossible: no child can be started.
        Trouble: the child could not prepare itself.
    """
    with _lock:
        answer = _try(stream, start_method, seconds, seed, request)
        if answer.doubtful and not request["explain"]:
            data = preparation(start_method)
            sure = _Child(data, seconds, seed, fork=False).check(stream, seconds, request)
            if sure.ended is None:
                _kept.no_fork.add(_key_of(data, seed))  # so that no other trial has to wait for this
                end_all()
                return sure
        return answer


def _try(
    stream: Sequence[bytes], start_method: str, seconds: float, seed: str | None, request: dict[str, Any]
) -> Answer:
    child = _child_for(start_method, seconds, seed)
    try:
        return child.check(stream, seconds, request)
    except _Stale:
        _end(child)
    except BaseException:
        _end(child)
        raise
    return _child_for(start_method, seconds, seed).check(stream, seconds, request)


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


def _child_for(start_method: str, seconds: float, seed: str | None) -> _Child:
    data = preparation(start_method)
    key = _key_of(data, seed)
    child = _kept.children.pop(key, None)
    if child is not None and (child.used_up or child.process.poll() is not None):
        child.end()
        child = None
    if child is None:
        while len(_kept.children) >= _MOST_CHILDREN:
            _end(next(iter(_kept.children.values())))
        child = _Child(data, seconds, seed, fork=_FORKS and key not in _kept.no_fork)
    _kept.children[key] = child  # the last one used is the last one to go
    return child


def _key_of(data: dict[str, Any], seed: str | None) -> str:
    main = data.get("init_main_from_path")
    stamp = None
    with contextlib.suppress(OSError):
        stamp = os.stat(main).st_mtime_ns if main else None
    return json.dumps([{name: data[name] for name in sorted(data) if name != "authkey"}, stamp, seed])


def _end(child: _Child) -> None:
    for key, kept in list(_kept.children.items()):
        if kept is child:
            del _kept.children[key]
    child.end()


class _Stale(Exception):
    """The child has imported files that have changed since."""


class _Child:
    """One started interpreter."""

    def __init__(self, data: dict[str, Any], seconds: float, seed: str | None, *, fork: bool) -> None:
        self.used_up = False
        self._preloading: list[str] = []
        self.process, sock = start(seed)
        _kept.starts += 1
        self.wire = Wire(sock)
        until = time.monotonic() + max(seconds, _GRACE)
        try:
            self.wire.send({"data": data, "fork": fork}, until)
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
        self.alone = bool(hello["alone"])

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

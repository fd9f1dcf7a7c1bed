"""The child: started as spawn starts one, it prepares itself as spawn does, and forks for each trial where it can.

It ends when the sender closes the connection or is gone, and when what it has imported has changed on disk.
"""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import os
import select
import signal
import socket
import sys
import threading
from typing import Any

from picklecheck.receiver.edited import install
from picklecheck.receiver.told import told
from picklecheck.receiver.trial import run
from picklecheck.receiver.wire import CHECK, PRELOAD, Gone, Wire

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

__all__ = ["main"]

_LOOK_AROUND = 5.0
_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG of Linux


def main(where: str) -> None:
    """Serve the sender.

    Args:
        where: the descriptor of the connection, or "port:token" of a listener on this machine.
    """
    wire = Wire(_connect(where))
    _silence()
    try:
        hello = wire.receive()
        already = not install(hello["edited"])
        trouble = None if already else _prepare(hello["data"])
        alone = not hello["fork"] or threading.active_count() > 1
        wire.send({"trouble": trouble, "alone": alone, "already": already})
        if trouble is None and not already:
            if alone:
                _work(wire, None)
            else:
                _Server(wire).serve()
    except Gone:
        pass
    finally:
        _leave()


def _leave() -> None:
    """End without waiting for what the user's code has started."""
    os._exit(0)


def _connect(where: str) -> socket.socket:
    port, _, token = where.partition(":")
    if not token:
        sock = socket.socket(fileno=int(port))
        sock.set_inheritable(False)
        return sock
    sock = socket.create_connection(("127.0.0.1", int(port)))
    sock.sendall(token.encode())
    return sock


def _silence() -> None:
    """Point the standard streams nowhere: what the user's code prints is not for us, and may be endless."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nowhere, number)
    if nowhere > 2:
        os.close(nowhere)


def _prepare(data: dict[str, Any]) -> dict[str, Any] | None:
    """Do what `multiprocessing.spawn._main` does before it unpickles; give what went wrong."""
    from multiprocessing import process, spawn

    _keep_no_track()
    if "authkey" in data:
        data["authkey"] = bytes.fromhex(data["authkey"])
    current: Any = process.current_process()
    # for good: what the user's code starts in here is refused, and a proxy does not count references over there
    current._inheriting = True
    try:
        spawn.prepare(data)
    except BaseException as error:
        return told(error)
    return None


def _keep_no_track() -> None:
    """Leave shared memory and semaphores to the sender: a tracker of our own would remove them when we end.

    A semaphore is registered only by who has made it: one that was made here loses its name at once, as nobody else
    uses it, and nobody would be there to remove it.
    """
    from multiprocessing import resource_tracker

    def nothing(*args: object) -> None:
        pass

    def register(name: Any, kind: str) -> None:
        if kind == "semaphore":
            with contextlib.suppress(Exception):
                import _multiprocessing  # type: ignore[import-not-found]

                _multiprocessing.sem_unlink(name)

    for name, stand_in in (("ensure_running", nothing), ("register", register), ("unregister", nothing)):
        setattr(resource_tracker, name, stand_in)
        setattr(resource_tracker._resource_tracker, name, stand_in)


class _Server:
    """Forks a worker process for each trial; the sender talks to that by a connection of its own."""

    def __init__(self, wire: Wire) -> None:
        self._wire, self._sock = wire, wire.sock
        self._parent = os.getppid()
        self._files = _stamps()
        self._woken, wake = os.pipe()
        os.set_blocking(self._woken, False)
        os.set_blocking(wake, False)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)

    def serve(self) -> None:
        while True:
            self._sock.settimeout(None)
            if not select.select([self._sock], [], [], _LOOK_AROUND)[0]:
                if os.getppid() != self._parent:
                    return
                continue
            word, descriptors, _, _ = socket.recv_fds(self._sock, 1, 1)
            if word == CHECK:
                if self._files != _stamps(self._files):
                    self._wire.send({"stale": True})
                    return
                self._check(descriptors[0])
            elif word == PRELOAD:
                self._preload(self._wire.receive()["names"])
            elif not word:
                return

    def _check(self, descriptor: int) -> None:
        reached = mmap.mmap(-1, 8)
        pid = os.fork()
        if not pid:
            self._be_worker(descriptor, reached)
        os.close(descriptor)
        with contextlib.suppress(OSError):
            os.setpgid(pid, pid)
        status, killed = self._wait(pid)
        with contextlib.suppress(OSError):
            os.killpg(pid, signal.SIGKILL)  # what it has started
        number = int.from_bytes(reached[:8], "little", signed=True) - 1
        ended = {"status": os.waitstatus_to_exitcode(status), "killed": killed, "number": number}
        self._wire.send({**ended, "threads": _count_threads()})

    def _be_worker(self, descriptor: int, reached: Any) -> None:
        try:
            os.setpgid(0, 0)
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for own in (self._woken, self._sock.fileno()):
                os.close(own)
            _be_expendable()
            _work(Wire(socket.socket(fileno=descriptor)), reached)
        finally:
            _leave()

    def _wait(self, pid: int) -> tuple[int, bool]:
        """Wait for the end of the worker, and bring it about where the sender wants it or has gone."""
        killed = False
        while True:
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                return status, killed
            ready = select.select([self._woken, *(() if killed else (self._sock,))], [], [], _LOOK_AROUND)[0]
            if self._woken in ready:
                with contextlib.suppress(BlockingIOError):
                    os.read(self._woken, 64)
            if self._sock in ready or os.getppid() != self._parent:
                killed = True
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
                if not self._sock.recv(1):
                    _leave()

    def _preload(self, names: list[str]) -> None:
        """Import installed packages here, so that not every trial pays for them."""
        for name in names:
            with contextlib.suppress(BaseException):
                __import__(name)
        self._files = _stamps()
        self._wire.send({"alone": threading.active_count() > 1})


def _count_threads() -> int:
    """Give the number of threads, those of C libraries included, which a fork loses; 1 where it cannot be told."""
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        return 1


def _be_expendable() -> None:
    """Leave no core file, go when the child goes, and be the first to go where memory ends."""
    with contextlib.suppress(Exception):
        assert resource is not None
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
        with open("/proc/self/oom_score_adj", "w") as score:
            score.write("1000")


def _work(wire: Wire, reached: Any) -> None:
    """Do one trial, and answer."""
    request = wire.receive()
    data = wire.receive_bytes(request["length"])
    os.environ.clear()
    os.environ.update(request["environ"])
    before = set(sys.modules)
    if not install(request.get("edited", {})):
        wire.send({"ok": False, "already": True})
        return
    answer = run(request, data, reached)
    answer["imported"] = sorted(_installed(set(sys.modules) - before))
    wire.send(answer)


def _installed(names: set[str]) -> set[str]:
    """Give the top-level packages among new modules that lie where packages are installed."""
    found = set()
    for name in {name.partition(".")[0] for name in names} & names:
        file = getattr(sys.modules.get(name), "__file__", None)
        if type(file) is str and ("site-packages" in file or "dist-packages" in file):
            found.add(name)
    return found


def _stamps(known: Any = None) -> dict[str, tuple[int, int] | None]:
    """Give when each file was changed that a module of the user's was imported from."""
    if known is None:
        files = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
        library = os.path.dirname(os.__file__)
        known = [
            file for file in files if type(file) is str and not file.startswith(library) and "-packages" not in file
        ]
    return {file: _stamp(file) for file in known}


def _stamp(file: str) -> tuple[int, int] | None:
    try:
        found = os.stat(file)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size

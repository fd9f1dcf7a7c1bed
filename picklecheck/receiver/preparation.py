"""How a child is started: the preparation data of multiprocessing, the command line, the connection."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import socket
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from picklecheck.receiver.edited import normalized

__all__ = ["NotPossible", "Want", "command", "preparation", "start", "want_for"]

_GRACE = 5.0


class NotPossible(Exception):
    """No child can be started from here; the text says why."""


def preparation(start_method: str) -> dict[str, Any]:
    """Give the preparation data of a child, as JSON types.

    Args:
        start_method: what the child will believe to have been started by.

    Raises:
        NotPossible: this process is itself being prepared as a child.
    """
    from multiprocessing import context, spawn

    default: Any = context._default_context  # asking must not set it
    before = default._actual_context
    try:
        data: dict[str, Any] = dict(spawn.get_preparation_data("picklecheck"))
    except RuntimeError:
        raise NotPossible("this process is itself a child that imports its main module") from None
    except Exception as error:  # the working directory is gone, or the main module is something made up
        raise NotPossible(f"{type(error).__name__}: {error}") from None
    finally:
        default._actual_context = before
    data["start_method"] = start_method
    data["authkey"] = bytes(data["authkey"]).hex()
    data["log_to_stderr"] = False
    data["sys_path"] = [os.fspath(entry) for entry in data["sys_path"] if isinstance(entry, (str, os.PathLike))]
    data["sys_argv"] = [word for word in data["sys_argv"] if isinstance(word, str)]
    data.pop("tracker_args", None)
    return data


@dataclass(frozen=True, slots=True)
class Want:
    """What child a trial needs.

    Attributes:
        data: its preparation data.
        seconds: how long it may take to start.
        seed: its PYTHONHASHSEED; None for the one that it would have.
        edited: file -> text that it imports in place of what lies on the disk.
        plain: what tells it from children with other data.
        key: what tells it from those with other texts too.
    """

    data: dict[str, Any]
    seconds: float
    seed: str | None
    edited: dict[str, str]
    plain: str
    key: str


def want_for(start_method: str, seconds: float, seed: str | None, edited: Mapping[str, str] | None = None) -> Want:
    """Tell what child a trial needs; what is given is told of under `launch.send`.

    Raises:
        NotPossible: this process is itself being prepared as a child.
    """
    data, texts = preparation(start_method), normalized(edited)
    plain = _key_of(data, seed)
    return Want(data, seconds, seed, texts, plain, plain + json.dumps(texts) if texts else plain)


def _key_of(data: dict[str, Any], seed: str | None) -> str:
    main = data.get("init_main_from_path")
    stamp = None
    with contextlib.suppress(OSError):
        stamp = os.stat(main).st_mtime_ns if main else None
    return json.dumps([{name: data[name] for name in sorted(data) if name != "authkey"}, stamp, seed])


def command(where: str) -> list[str]:
    """Give the command line of a child, with the flags of this interpreter (`multiprocessing.spawn.get_command_line`).

    Args:
        where: the connection, as the child's `main` takes it.

    Raises:
        NotPossible: this is a frozen program, or the interpreter is not known.
    """
    from multiprocessing import spawn, util

    executable = os.fsdecode(spawn.get_executable() or "")
    if getattr(sys, "frozen", False) or not executable:
        raise NotPossible("this program has no interpreter of its own that could be started")
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    # the current folder comes back with the preparation data; our own imports are not looked for there
    program = (
        f"import sys; sys.path[:] = [{root!r}, *(p for p in sys.path if p)]; "
        f"from picklecheck.receiver.child import main; main({where!r})"
    )
    flags: list[str] = util._args_from_interpreter_flags()  # type: ignore[attr-defined]  # as spawn does
    return [executable, *flags, "-c", program]


def start(seed: str | None = None) -> tuple[subprocess.Popen[bytes], socket.socket]:
    """Start an interpreter that is connected to us; out of reach of a Ctrl-C that is meant for us.

    Args:
        seed: its PYTHONHASHSEED; None for the one that it would have.

    Raises:
        NotPossible: it cannot be started.
    """
    quiet: Any = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    if seed is not None:
        quiet["env"] = {**os.environ, "PYTHONHASHSEED": seed}
    try:
        if os.name != "posix":
            return start_with_listener(quiet)
        mine, theirs = map(_above_the_streams, socket.socketpair())
        with theirs:
            try:
                number = theirs.fileno()
                process = subprocess.Popen(command(str(number)), pass_fds=[number], start_new_session=True, **quiet)
            except BaseException:
                mine.close()
                raise
        return process, mine
    except OSError as error:
        raise NotPossible(f"{type(error).__name__}: {error}") from None


def _above_the_streams(sock: socket.socket) -> socket.socket:
    """Give the socket a number above 2: where this process has closed its streams, a child's would take its place."""
    if sock.fileno() > 2:  # standard error's
        return sock
    import fcntl

    with sock:
        return socket.socket(fileno=fcntl.fcntl(sock, fcntl.F_DUPFD_CLOEXEC, 3))


def start_with_listener(quiet: dict[str, Any]) -> tuple[subprocess.Popen[bytes], socket.socket]:
    """Where descriptors are not inherited, the child comes back by a port of this machine, and says the word."""
    token = secrets.token_hex(16)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(_GRACE * 6)
        process = subprocess.Popen(command(f"{listener.getsockname()[1]}:{token}"), **quiet)
        try:
            while True:
                sock, _ = listener.accept()
                sock.settimeout(_GRACE)
                said = sock.recv(len(token), socket.MSG_WAITALL)
                if secrets.compare_digest(said, token.encode()):
                    return process, sock
                sock.close()
        except BaseException:
            process.kill()
            process.wait()
            raise

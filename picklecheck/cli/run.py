"""The command that runs a program and watches what crosses between its processes."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from typing import Any

from picklecheck.cli import output
from picklecheck.errors import TargetError, UsageError
from picklecheck.live import environment
from picklecheck.live.journal import Journal
from picklecheck.live.summary import run_of, summary
from picklecheck.model import Finding
from picklecheck.transports import resolve_start_method

__all__ = ["run"]

_FORWARDED = ("SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2")


def run(words: Sequence[str], *, start_method: str | None, report: str | None) -> int:
    """Run a program with its arguments, watched, and give its exit code.

    The program is run by this interpreter as `python script.py ARGS` would, so that its main module is its own.

    Args:
        words: the script and its arguments, or "-m", a module and its arguments, or "-c" and so on.
        start_method: the one to use where the program chooses none.
        report: the file that the report is written to.

    Raises:
        UsageError: an unknown start method, or no such script.
    """
    resolve_start_method(start_method)
    _check(words)
    folder = tempfile.mkdtemp(prefix="picklecheck-")
    try:
        code = _wait(words, {**os.environ, **environment.settings(folder, start_method, os.environ)})
        journal = Journal(folder)
        events = journal.events()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    found = run_of([event for event in events if event["event"] != "trouble"], _guard(words))
    if report is not None:
        _write(report, found)
    for event in events:
        if event["event"] == "trouble":
            output.write(sys.stderr, f"picklecheck: could not explain a failure:\n{event['text']}")
    output.write(sys.stderr, summary(found, start_method, whole=start_method is not None))
    return code


def _check(words: Sequence[str]) -> None:
    script = words[0]
    if not script.startswith("-") and not os.path.exists(script):
        raise UsageError(f"no file {script!r} to run")


def _wait(words: Sequence[str], environ: dict[str, str]) -> int:
    """Start the program, hand signals on to it, and give its exit code as a shell would."""
    with subprocess.Popen([sys.executable, *_flags(), *words], env=environ) as process, _forwarding(process):
        while True:
            try:
                code = process.wait()
                break
            except KeyboardInterrupt:  # the terminal sends it to the program too
                continue
    return code if code >= 0 else 128 - code


def _flags() -> list[str]:
    """Give the flags of this interpreter, such as -X and -W: what they ask for holds for the program."""
    found: list[str] = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]  # as multiprocessing does
    return found


@contextlib.contextmanager
def _forwarding(process: subprocess.Popen[bytes]) -> Iterator[None]:
    before: dict[int, Any] = {}
    for name in _FORWARDED:
        number = getattr(signal, name, None)
        if number is not None:
            before[number] = signal.signal(number, lambda number, frame: process.send_signal(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _guard(words: Sequence[str]) -> Sequence[Finding]:
    """Read the program's main file for what a child would run again."""
    if words[0].startswith("-") or not words[0].endswith((".py", ".pyw")) or not os.path.isfile(words[0]):
        return ()
    from picklecheck.receiver.guard import read_files

    return read_files([words[0]]).findings


def _write(file: str, found: dict[str, Any]) -> None:
    try:
        with open(file, "w", encoding="utf-8") as stream:
            json.dump(found, stream, indent=2)
            stream.write("\n")
    except OSError as error:
        raise TargetError(f"cannot write the report to {file}: {error.strerror}") from None

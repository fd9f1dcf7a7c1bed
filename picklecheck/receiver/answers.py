"""One trial asked for and answered, and how a child ended that gave no answer."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from picklecheck.receiver.wire import Wire

__all__ = ["Answer", "ask", "how_it_ended", "read"]


@dataclass(frozen=True, slots=True)
class Answer:
    """What one trial told.

    Attributes:
        ok: whether the bytes were loaded to their end.
        error: what was raised otherwise, as data of `told`.
        failures: with bytes for explaining: what was raised, by number or name.
        shapes: with bytes for explaining: what was wanted of single objects.
        ended: how the child ended without an answer, in words; None where it answered.
        number: the number that it had reached then.
        late: whether it was ended for the time limit.
        doubtful: whether it ended in a fork of a process with threads of C libraries, which may be the reason.
        absent: with bytes for explaining: whether something stood in for what cannot be made in a trial.
        missed: which checks were not passed, in sentences; those after a second trip say so.
        again: what the second trip raised, as data of `told`, with the `stage` ("pickle", "unpickle"); None where
            nothing was, or none was asked for.
        already: whether nothing was tried, as an edited file had been imported there before.
    """

    ok: bool = False
    error: dict[str, Any] | None = None
    failures: Sequence[dict[str, Any]] = ()
    shapes: Sequence[dict[str, Any]] = ()
    ended: str | None = None
    number: int | None = None
    late: bool = False
    doubtful: bool = False
    absent: bool = False
    missed: Sequence[str] = ()
    again: dict[str, Any] | None = None
    already: bool = False


def ask(wire: Wire, stream: Sequence[bytes], seconds: float, request: dict[str, Any]) -> dict[str, Any]:
    """Send a request with its data stream, and wait for the reply."""
    until = time.monotonic() + seconds
    length = sum(map(len, stream))
    wire.send({**request, "length": length, "environ": dict(os.environ)}, until)
    wire.send_bytes(stream, until)
    return wire.receive(until)


def read(reply: dict[str, Any]) -> Answer:
    """Read a reply."""
    try:
        return Answer(
            ok=reply["ok"] is True, error=reply.get("error"), failures=reply.get("failures", ()),
            shapes=reply.get("shapes", ()), absent=reply.get("absent") is True,
            missed=reply.get("missed", ()), again=reply.get("again"), already=reply.get("already") is True,
        )  # fmt: skip
    except KeyError:
        return Answer(ended="an answer that makes no sense")


def how_it_ended(status: int, late: bool, seconds: float) -> str:
    """Say how a process ended."""
    import signal

    if late:
        return f"no answer within {seconds:g} s"
    if status < 0:
        with contextlib.suppress(ValueError):
            return f"the process died by {signal.Signals(-status).name}"
    return f"the process ended with exit code {status}"

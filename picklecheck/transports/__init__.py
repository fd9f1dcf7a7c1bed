"""The ways to cross: for each, the pickler that it uses, and what it sets up while pickling.

A transport is a description; it pickles nothing itself. One file describes one transport or a few that belong together.
"""

from __future__ import annotations

from picklecheck.errors import UsageError
from picklecheck.transports.base import Transport
from picklecheck.transports.multiprocessing import POOL, PROCESS
from picklecheck.transports.plain import PICKLE

__all__ = ["START_METHODS", "Transport", "find", "resolve_start_method"]

_TABLE = {transport.name: transport for transport in (PICKLE, PROCESS, POOL)}
START_METHODS = ("fork", "spawn", "forkserver")


def find(name: str | None) -> Transport:
    """Give the transport of that name; left out, an object is taken as an argument of a Process.

    Raises:
        UsageError: there is no such transport.
    """
    if name is None:
        return PROCESS
    if name not in _TABLE:
        raise UsageError(f"no transport {name!r}: choose from {', '.join(_TABLE)}")
    return _TABLE[name]


def resolve_start_method(name: str | None) -> tuple[str, str | None]:
    """Give the start method to answer for, and a note where that is not the one in use.

    Under fork nothing is pickled for a Process, so a report that is asked about fork answers for spawn.

    Raises:
        UsageError: there is no such start method.
    """
    if name is not None and name not in START_METHODS:
        raise UsageError(f"no start method {name!r}: choose from {', '.join(START_METHODS)}")
    import multiprocessing

    # allow_none: asking must not fix the start method for the rest of the program
    asked = name or multiprocessing.get_start_method(allow_none=True) or multiprocessing.get_all_start_methods()[0]
    if asked != "fork":
        return asked, None
    return "spawn", (
        "Under fork nothing is pickled for a Process, so it starts; this report answers for spawn and forkserver "
        "(the default on macOS, Windows, and on Linux from Python 3.14)."
    )

"""Start methods: which one a report answers for, and what there is to say about each.

Source of the defaults: docs, multiprocessing, "Contexts and start methods" (forkserver on Linux since 3.14, spawn on
macOS since 3.8 and always on Windows).
"""

from __future__ import annotations

import difflib
from typing import Any

from picklecheck.errors import UsageError
from picklecheck.safe import find_in_class, mro, qualified_name

__all__ = ["ALL", "START_METHODS", "method_of", "resolve_start_method"]

ALL = "all"
START_METHODS = ("fork", "spawn", "forkserver")
_FORK = (
    "Under fork nothing is pickled for a Process, so it starts; this report answers for spawn and forkserver "
    "(the default on macOS, Windows, and on Linux from Python 3.14)."
)


def resolve_start_method(name: str | None, own: str | None = None) -> tuple[str, str | None]:
    """Give the start method to answer for, and a note where that is not the one in use.

    Under fork nothing is pickled for a Process, so a report that is asked about fork answers for spawn.

    Args:
        name: what was asked for: a start method, or None for the one that would be used.
        own: the one that the object brings along, by its context; it wins, whatever was asked.

    Raises:
        UsageError: there is no such start method.
    """
    if name is not None and name not in START_METHODS and name != ALL:
        there = (*START_METHODS, ALL)
        near = difflib.get_close_matches(str(name), there, n=1)
        meant = f"; did you mean {near[0]}?" if near else ""
        raise UsageError(f"no start method {name!r}: choose from {', '.join(there)}{meant}")
    if own is not None and own != "fork":
        return own, None if name in (None, own) else f"It brings its own start method, {own}, whatever is asked."
    if name == ALL:
        return "spawn", None
    asked = name or own or _usual()
    return (asked, None) if asked != "fork" else ("spawn", _FORK)


def _usual() -> str:
    import multiprocessing

    # allow_none: asking must not fix the start method for the rest of the program
    return multiprocessing.get_start_method(allow_none=True) or multiprocessing.get_all_start_methods()[0]


def method_of(context: Any) -> str | None:
    """Give the start method of a context, a name, a process, or None; None where it is multiprocessing's own.

    A context is anything with a `Process` class as multiprocessing's have; what it is is read from its class.
    """
    if type(context) is str:
        return context if context in START_METHODS else None
    names = [qualified_name(cls) for cls in mro(type(context))]
    if "multiprocessing.context.DefaultContext" in names:
        return None
    for held in ("_name", "_start_method"):  # of a context; of a process
        name = find_in_class(type(context), held)
        if type(name) is str and name in START_METHODS:
            return name
    return None

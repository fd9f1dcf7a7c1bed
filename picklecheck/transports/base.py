"""What describes a transport."""

from __future__ import annotations

import contextlib
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["Reducer", "Transport"]

Reducer = Callable[[Any], Any]


def _no_stand_in(reducer: Reducer) -> Reducer | None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Transport:
    """A way for an object to cross.

    Attributes:
        name: what `via` calls it.
        pickler: gives the C pickler class that the transport pickles with (called late: importing it may be slow).
        during: a context manager that is entered while pickling, for what the transport sets up around it.
        stand_in: for a reducer of the dispatch table that changes something outside the object (a descriptor
            duplicated, a storage moved), one that refuses the same objects and changes nothing; None for all others.
        starts_process: whether a process is started with the object, so that the start method matters.
    """

    name: str
    pickler: Callable[[], type[pickle.Pickler]]
    during: Callable[[], contextlib.AbstractContextManager[object]] = contextlib.nullcontext
    stand_in: Callable[[Reducer], Reducer | None] = _no_stand_in
    starts_process: bool = False

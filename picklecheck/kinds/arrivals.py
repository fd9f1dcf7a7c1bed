"""The table of the unpickle stage: what went wrong over there, most specific first; the last row fits everything."""

from __future__ import annotations

import copyreg
import enum
import types
from collections.abc import Callable

from picklecheck.kinds.subject import Arrival, Subject
from picklecheck.safe import find_in_class, mro

__all__ = ["ARRIVAL_ROWS"]

Test = Callable[[Subject, Arrival], bool]
_OF_PYTHON = (types.FunctionType, staticmethod)
_MAIN = ("__main__", "__mp_main__")
_HOOKS = frozenset({"__getattr__", "__getattribute__"})
_NEW = (copyreg.__newobj__, copyreg.__newobj_ex__, copyreg._reconstructor)  # type: ignore[attr-defined]


def _is_name(subject: Subject, arrival: Arrival) -> bool:
    return arrival.role == "name"


def _is_main_name(subject: Subject, arrival: Arrival) -> bool:
    return arrival.role == "name" and arrival.module in _MAIN


def _is_missing_module(subject: Subject, arrival: Arrival) -> bool:
    return arrival.role == "name" and "AttributeError" not in arrival.errors


def _is_enum(subject: Subject, arrival: Arrival) -> bool:
    return arrival.role == "call" and any(base is enum.Enum for base in mro(type(subject.obj)))


def _is_hashed_early(subject: Subject, arrival: Arrival) -> bool:
    return arrival.role == "hash"


def _is_hook(subject: Subject, arrival: Arrival) -> bool:
    first, last = arrival.functions[:1], arrival.functions[-1:]
    return bool(_HOOKS.intersection(first) or ("RecursionError" in arrival.errors and _HOOKS.intersection(last)))


def _is_new(subject: Subject, arrival: Arrival) -> bool:
    if arrival.role != "call":
        return False
    cls = type(subject.obj)
    made_by_new = [type(find_in_class(cls, name)) in _OF_PYTHON for name in ("__new__", "__init__")] == [True, False]
    return any(arrival.func is func for func in _NEW) or (arrival.func is cls and made_by_new)


def _is_init(subject: Subject, arrival: Arrival) -> bool:
    return arrival.role == "call" and arrival.func is type(subject.obj)


def _is_state(subject: Subject, arrival: Arrival) -> bool:
    return arrival.role == "state"


ARRIVAL_ROWS: tuple[tuple[str, Test], ...] = (
    ("main-name", _is_main_name),
    ("missing-module", _is_missing_module),
    ("missing-name", _is_name),
    ("enum-value", _is_enum),
    ("hash-too-early", _is_hashed_early),
    ("getattr-hook", _is_hook),
    ("new-arguments", _is_new),
    ("init-arguments", _is_init),
    ("setstate", _is_state),
    ("unpickle-error", lambda subject, arrival: True),
)
# what no failure of a single object's own tells
HAZARD_SLUGS = ("shared-storage", "identity", "lost-attribute", "changed-type")

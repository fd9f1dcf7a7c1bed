"""Calls in another interpreter of this process: `InterpreterPoolExecutor`, `concurrent.interpreters` (Python 3.14).

What crosses is shared where its type allows it, and pickled where not (docs, concurrent.interpreters, "Sharing
objects"). Tried with 3.14: the rule holds for each argument and inside tuples; keyword arguments are one dict, which is
pickled. A function of Python is shared by its code if that needs nothing around it (no globals but builtins, no
closure, no defaults), and pickled, by its name, if not.
"""

from __future__ import annotations

import pickle
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

from picklecheck.errors import UsageError
from picklecheck.paths import Step, attribute, index
from picklecheck.safe import instance_dict, under
from picklecheck.transports.base import Call, Crossing, Part, Transport, argument

__all__ = ["INTERPRETER", "pickled"]

# by id, because a class may have a metaclass that defines __hash__ or __eq__
_SHARED = frozenset(map(id, (type(None), bool, int, float, str, bytes, memoryview)))
_ALL_SHARED = "All of it is shared: nothing is pickled."
_OWN_QUEUE = "concurrent.interpreters._queues.Queue"
_Way = tuple[tuple[Step, Any], ...]


def _pickler() -> type[pickle.Pickler]:
    return pickle.Pickler


def pickled(obj: Any, way: _Way, shares: Callable[[Any], bool]) -> Iterator[Part]:
    """Yield what is pickled of an object that crosses to another interpreter: what is shared is left out.

    Args:
        obj: the object.
        way: the steps to it, each with what it arrives at.
        shares: tells whether a function can be shared by its code.
    """
    kind = type(obj)
    if kind is tuple:
        for number, held in enumerate(obj):
            yield from pickled(held, (*way, (index(number), held)), shares)
    elif id(kind) in _SHARED or under(obj, _OWN_QUEUE) or (kind is types.FunctionType and shares(obj)):
        return
    else:
        # the object as a whole has no step to it
        yield Part.at(way) if way else Part(obj=obj, steps=(), arrivals=())


def _shares(function: Any) -> bool:
    """Tell whether a function crosses, asking the interpreter itself: by its code, or by its name."""
    from concurrent import interpreters  # type: ignore[attr-defined,unused-ignore]  # since 3.14

    queue = interpreters.create_queue(1)
    try:
        queue.put_nowait(function)
    except interpreters.NotShareableError:
        return False
    return True


def _needs_314() -> None:
    if sys.version_info < (3, 14):
        version = ".".join(map(str, sys.version_info[:3]))
        raise UsageError(f"via 'interpreter' needs Python 3.14 (concurrent.interpreters), and this is {version}")


def _argument(obj: Any) -> Crossing:
    _needs_314()
    return _crossing(list(pickled(obj, (), _shares)))


def _open(obj: Any) -> Crossing | None:
    if not under(obj, "concurrent.futures.interpreter.InterpreterPoolExecutor"):
        return None
    # the executor keeps a function whose closure holds the worker's class and (initializer, initargs, {})
    made = (instance_dict(obj) or {}).get("_create_worker_context")
    cells = made.__closure__ or () if type(made) is types.FunctionType else ()
    for number, cell in enumerate(cells):
        task = cell.cell_contents
        if type(task) is tuple and len(task) == 3:
            steps = (attribute("_create_worker_context"), attribute("__closure__"), index(number))
            way = tuple(zip((*steps, attribute("cell_contents")), (made, cells, cell, task), strict=True))
            return Crossing(title="InterpreterPoolExecutor", parts=tuple(pickled(task, way, _shares)))
    return Crossing(title="InterpreterPoolExecutor", parts=())


def _call(call: Call) -> Crossing:
    _needs_314()
    found: list[Part] = []
    for name, obj in {"target": call.target, "args": call.args, "kwargs": dict(call.kwargs)}.items():
        found += pickled(obj, ((argument(name), obj),), _shares)
    return _crossing(found)


def _crossing(parts: list[Part]) -> Crossing:
    return Crossing(title="", parts=tuple(parts), notes=() if parts else (_ALL_SHARED,))


INTERPRETER = Transport(
    name="interpreter",
    pickler=_pickler,
    opens=(_open,),
    argument=_argument,
    call=_call,
    when_refused=(
        "Python says NotShareableError. Shared as they are: None, numbers, str, bytes, memoryview, queues of "
        "concurrent.interpreters, tuples of these, and functions that need no globals, closure or defaults."
    ),
)

"""What really crosses for what was asked about: by which transport and start method, which parts, and what to say.

This is the seam between a face's options and the pass. It knows no object of any library: the transports do.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from picklecheck import kinds, transports
from picklecheck.errors import UsageError
from picklecheck.model import Failure
from picklecheck.safe import qualified_name, short_repr, type_name
from picklecheck.transports import Call, Crossing, Part, Transport, argument

__all__ = ["Crossed", "of_call", "of_object", "of_parts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Crossed:
    """What is pickled, and how.

    Attributes:
        given: what the user holds.
        payload: what is pickled: the object itself, or a list of the parts' objects.
        parts: for each item of the payload, how the user reaches it; None where the payload is what was given.
        transport: how it crosses.
        start_method: how the process starts; None where none does.
        title: what was given, for the first line; empty where there is no more to say than its type.
        notes: sentences for the report.
        refusal: why nothing can be started with it, as a finding.
        methods: the start methods that a verdict was asked for.
    """

    given: object
    payload: object
    parts: tuple[Part, ...] | None
    transport: Transport
    start_method: str | None
    title: str = ""
    notes: tuple[str, ...] = ()
    refusal: Failure | None = None
    methods: tuple[str, ...] = ()

    def verdicts(self, ok: bool) -> Mapping[str, bool]:
        """Give the verdict for each start method that was asked for. Under fork nothing is pickled."""
        return {name: ok or (name == "fork" and self.refusal is None) for name in self.methods}

    @property
    def child(self) -> str:
        """The start method of a child that tries the other side; of one that would run already, the usual one."""
        return self.start_method or transports.resolve_start_method(None, None)[0]

    def notes_after(self, objects: Sequence[Any], ok: bool) -> tuple[str, ...]:
        """Give all notes, now that it is known what was pickled and whether it could be."""
        told = (self.transport.when_refused,) if self.transport.when_refused and not ok else ()
        return (*self.notes, *told, *self.transport.remarks(objects))


def of_object(obj: object, name: str, *, via: str | None, start_method: str | None) -> Crossed:
    """Say what crosses for an object.

    Args:
        obj: any object; what it is is asked of its real type, and none of its code runs.
        name: what its paths are rooted at.
        via: the transport's name; None: the object decides, and what is no loader, process or pool is an argument of
            a process.
        start_method: what was asked for.

    Raises:
        UsageError: an unknown transport or start method, or an object that this transport does not take.
    """
    transport = transports.find(via)
    found = None
    if via is None:
        found = transports.opened(obj, None)
    elif transport.opens_named:
        found = transports.opened(obj, transport)
    if found is not None:
        return _crossed(obj, *found, start_method=start_method, name=name)
    if transport.known_only:
        raise UsageError(f"via {via!r}: this is a {type_name(obj)}, and no loader that it knows")
    return _crossed(obj, transport, transport.argument(obj), start_method=start_method, name=name)


def of_call(call: Call, *, via: str, start_method: str | None) -> Crossed:
    """Say what crosses for a call.

    Raises:
        UsageError: an unknown transport or start method, or one that takes no such call.
    """
    transport = transports.find(via)
    return _crossed(call, transport, transport.call(call), start_method=start_method, name="call")


def of_parts(parts: Mapping[str, object], transport: Transport, *, start_method: str | None) -> Crossed:
    """Say what crosses for some objects, each under the name that its paths begin with.

    Raises:
        UsageError: an unknown start method.
    """
    crossing = Crossing(title="", parts=tuple(Part.at([(argument(name), obj)]) for name, obj in parts.items()))
    return _crossed(parts, transport, crossing, start_method=start_method, name="call")


def _crossed(
    given: object, transport: Transport, crossing: Crossing, *, start_method: str | None, name: str
) -> Crossed:
    method, note = transports.resolve_start_method(
        transport.start_method if start_method is None else start_method, crossing.start_method
    )
    own = crossing.start_method
    nothing = crossing.parts == ()
    starts = transport.starts_process and not nothing
    notes = [*crossing.notes, *transport.notes(given)]
    if starts and note:
        notes.append(note)
    if start_method in (transports.ALL, "fork") and not transport.starts_process:
        notes.append("No process is started with this, so that the start method changes nothing.")
    methods = _methods(own) if transport.starts_process and start_method == transports.ALL else ()
    return Crossed(
        given=given,
        payload=given if crossing.parts is None else [part.obj for part in crossing.parts],
        parts=crossing.parts,
        transport=transport,
        start_method=method if starts else None,
        title=crossing.title,
        notes=tuple(notes),
        refusal=_refusal(given, crossing, name),
        methods=methods,
    )


def _methods(own: str | None) -> tuple[str, ...]:
    """Give the start methods to answer for: the object's own where it brings one that pickles, else all there are."""
    if own not in (None, "fork"):
        return (str(own),)
    return tuple(name for name in transports.START_METHODS if name != "fork" or sys.platform != "win32")


def _refusal(given: object, crossing: Crossing, name: str) -> Failure | None:
    refusal = crossing.refusal
    if refusal is None:
        return None
    return Failure(
        path=name,
        paths=(name,),
        kind="process",
        title=kinds.get("process").title,
        type=qualified_name(type(given)),
        value=short_repr(given),
        reason=refusal.reason,
        advice=refusal.advice,
        error=refusal.error,
        box=[given],
    )

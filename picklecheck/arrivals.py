"""The other side of a trip: a child gets what was pickled, and what goes wrong there is told as findings.

The verdict is the child's, on the very bytes. Only when it fails are they written again for explaining.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from picklecheck import lost, receiver, transports
from picklecheck.model import Failure, Finding
from picklecheck.probe import Locator, Replay, fleeting, replay
from picklecheck.receiver import Answer
from picklecheck.told_there import Trip, tell, tell_hazards, tell_whole

__all__ = ["Arrived", "arrive"]

_MOST_ENDS = 10
_MOST_BESIDE = 100_000  # objects of which the rest is tried where some are refused
_LEAST_PATIENCE = 0.2
_SECONDS_FOR_EACH = 1e-4  # what the steps of explaining may cost besides, several times what they do
_WOULD_RUN = "The other side was not tried: to start a child would run this part of the program again."
_ANOTHER_SEED = "1"
_BY_ORDER = "With another hash seed it was loaded: whether it fails depends on the order of a set, and on chance."
_ON_A_DEVICE = "The other side could not be tried in full: what lies on a device is not made again for a trial."
_ZEROS = "Buffers of 1 MB and more were tried over there with zeros in place of their contents."


@dataclass(frozen=True, slots=True)
class Arrived:
    """What became of an object over there; `complete` when a child has unpickled it."""

    complete: bool = False
    failures: tuple[Failure, ...] = ()
    hazards: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()


def arrive(trip: Trip) -> Arrived:
    """Send an object to a child, and tell what becomes of it there."""
    found = receiver.findings_for_main(start_method=trip.start_method) if trip.spawning else ()
    failures = tuple(finding.as_failure() for finding in found if finding.severity == "error")
    hazards = tuple(finding for finding in found if finding.severity != "error")
    if not receiver.safe_to_start(found):
        return Arrived(failures=failures, hazards=hazards, notes=(_WOULD_RUN,))
    try:
        there = _Trial(trip).run()
    except receiver.NotPossible as error:
        there = Arrived(notes=(f"The other side was not tried: {error}.",))
    except receiver.Trouble as trouble:
        there = _not_started(trip, trouble, told=bool(failures))
    if there.complete:
        gone = _fleeting(trip)
        there = dataclasses.replace(there, complete=not gone, failures=there.failures + gone)
    return dataclasses.replace(there, failures=failures + there.failures, hazards=hazards + there.hazards)


def _fleeting(trip: Trip) -> tuple[Failure, ...]:
    """Tell of tensors that are made for pickling and whose storage is gone when the process comes to load them."""
    watch = transports.storage_watch() if trip.spawning else None
    places = fleeting(trip.walk, trip.make, watch, trip.stand_in) if watch else []
    if not places:
        return ()
    walk, locator = trip.walk, Locator(trip.walk)
    makers = [way[-1].holder if way else walk.root for way in (locator.way_to(walk.objects[at]) for at in places)]
    numbers = {locator.index_of[id(maker)] for maker in makers if id(maker) in locator.index_of}
    refusals = [{"number": number, "role": "fleeting", "error": None} for number in numbers]
    return tell(trip, Replay(walk, (), []), refusals) if refusals else ()


class _Trial:
    def __init__(self, trip: Trip) -> None:
        self._trip = trip
        self._seed: str | None = None
        self._excused = False
        self._patience = max(_LEAST_PATIENCE, trip.seconds / 4)

    def run(self) -> Arrived:
        walk = self._trip.walk
        if walk.culprits or walk.too_deep is not None:
            return self._without_refused()
        try:
            stream = walk.stream
            if stream is None:
                stream = replay(walk, self._trip.make, guarded=False).stream
        except Exception as error:
            why = "lies too deep" if isinstance(error, RecursionError) else "changes each time it is pickled"
            return Arrived(notes=(f"The other side was not tried: what is sent {why}.",))
        answer = self._send(stream, explain=False)
        walk.stream = None
        notes: tuple[str, ...] = (_ZEROS,) if walk.measured else ()
        if answer.ok and lost.may_depend_on_order(walk):
            self._seed = _ANOTHER_SEED
            answer = self._send(stream, explain=False)
            notes += () if answer.ok else (_BY_ORDER,)
        if answer.ok:
            return Arrived(complete=True, hazards=self._hazards(), notes=notes)
        failures = self._failures(answer)
        if self._excused:
            return Arrived(notes=(*notes, _ON_A_DEVICE))
        return Arrived(failures=failures, notes=notes)

    def _without_refused(self) -> Arrived:
        """Try the rest of what cannot be pickled; what holds something that is left out may fail for want of that."""
        walk, holders = self._trip.walk, self._trip.holders
        if holders is None or walk.parents is not None or len(walk.objects) > _MOST_BESIDE:
            return Arrived()
        if len(walk.culprits) == len(walk.objects):
            return Arrived()  # nothing is left
        try:
            again = replay(walk, self._trip.make, guarded=True)
        except Exception:  # too deep when it is written for explaining, or not the same the second time
            return Arrived()
        free = [
            refusal for refusal in self._refusals(again, None)
            if refusal["role"] == "name" or id(again.walk.objects[refusal["number"]]) not in holders
        ]  # fmt: skip
        return Arrived(failures=tell(self._trip, again, free) if free else ())

    def _send(self, stream: Sequence[bytes], **request: Any) -> Answer:
        asked = {"patience": self._patience, "wanted": [], "left_out": [], **request}
        trip = self._trip
        more = len(trip.walk.objects) * _SECONDS_FOR_EACH if request["explain"] else 0.0
        return receiver.send(
            stream, start_method=trip.start_method, seconds=trip.seconds + more, seed=self._seed, **asked
        )

    def _failures(self, truth: Answer) -> tuple[Failure, ...]:
        try:
            again = replay(self._trip.walk, self._trip.make, guarded=True)
        except Exception:  # too deep when it is written for explaining, or not the same the second time
            return (tell_whole(self._trip, truth),)
        refusals = self._refusals(again, truth)
        told = tell(self._trip, again, refusals) if refusals else ()
        return told or (tell_whole(self._trip, truth),)

    def _refusals(self, again: Replay, truth: Answer | None) -> list[dict[str, Any]]:
        """Try until the process lives to the end, each time without the object at which it ended before."""
        ends: dict[int, dict[str, Any]] = {}
        was_late = False
        for _ in range(_MOST_ENDS):
            answer = self._send(again.stream, explain=True, left_out=list(ends))
            if answer.ended is None:
                # what has failed was given a stand-in for something that cannot be made in a trial
                self._excused = answer.ok and answer.absent and not answer.failures and not ends
                return [*ends.values(), *answer.failures]
            known = answer.number is not None and answer.number < len(again.walk.objects)
            if not known or answer.number in ends or (answer.late and not (truth and truth.late)):
                break
            assert answer.number is not None
            if answer.late and was_late:
                return []  # many that are slow, and the one that was met when the time was up is not to blame
            was_late = answer.late
            ends[answer.number] = {"number": answer.number, "role": "end", "error": None, "ended": answer.ended}
        return list(ends.values())

    def _hazards(self) -> tuple[Finding, ...]:
        wanted = lost.candidates(self._trip.walk)
        if not wanted:
            return ()
        try:
            again = replay(self._trip.walk, self._trip.make, guarded=True)
        except Exception:  # nothing is said then: it did arrive
            return ()
        numbers = {id(obj): number for number, obj in enumerate(again.walk.objects)}
        asked = {numbers[id(each.obj)]: each for each in wanted if id(each.obj) in numbers}
        wish = [{"number": number, "module": each.module, "name": each.name} for number, each in asked.items()]
        answer = self._send(again.stream, explain=True, wanted=wish)
        found = {}
        for shape in answer.shapes:
            loss = lost.compare(asked[shape["number"]], shape)
            if loss is not None:
                found[shape["number"]] = loss
        return tuple(tell_hazards(self._trip, again, found)) if found else ()


def _not_started(trip: Trip, trouble: receiver.Trouble, *, told: bool) -> Arrived:
    """Tell that the child could not import the main module."""
    if told:  # the reading of the main module has said why
        return Arrived()
    if not trip.spawning:
        return Arrived(notes=(f"The other side was not tried: a child cannot import the main module ({trouble}).",))
    return Arrived(failures=(receiver.not_started(trouble),))

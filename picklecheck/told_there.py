"""What failed over there, in words: with the paths of this side, each as a finding."""

from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from picklecheck import kinds, lost
from picklecheck.findings import Given, Teller, Words
from picklecheck.model import Failure, Finding
from picklecheck.probe import Culprit, Replay, Walk
from picklecheck.receiver import Answer
from picklecheck.safe import is_class as is_a_class
from picklecheck.safe import module_of, name_of, plain_text, qualified_name, qualname_of, short_repr

__all__ = ["Trip", "tell", "tell_hazards", "tell_whole"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trip:
    """What is to be tried.

    Attributes:
        walk: what the pass saw.
        name: the root's name; None for the arguments of a call.
        make: gives a pickler of the transport's class for a sink.
        stand_in: the transport's stand-ins for reducers that change something.
        start_method: how the child would be started.
        seconds: how long the child may take to start, and to unpickle.
        spawning: whether the object crosses with the child's start.
        by_a_thread: whether a thread that the library started pickles it.
        given: what the user holds, and the parts of it that are sent; None for the latter where it is sent itself.
        holders: the ids of what holds something that was refused; None where they are not known.
    """

    walk: Walk
    name: str | None
    make: Callable[[Any], pickle.Pickler]
    stand_in: Callable[[Any], Any]
    start_method: str
    seconds: float
    spawning: bool
    by_a_thread: bool
    given: Given
    holders: frozenset[int] | None


class Refusal(Exception):
    """Stands for an exception of the child's, of which only data came back."""

    def __init__(self, said: dict[str, Any]) -> None:
        self.said = said


class _ArrivalTeller(Teller):
    """Tells what failed over there, with the paths of this side."""

    def __init__(self, trip: Trip, again: Replay) -> None:
        super().__init__(again.walk, trip.name, trip.spawning, trip.make, trip.given)
        self.locator.refused = set()  # what failed over there holds others all the same

    def _words(self, culprit: Culprit, obj: Any, holder: object) -> Words:
        return self._find_words(culprit, obj, holder)

    def _find_words(self, culprit: Culprit, obj: object, holder: object) -> Words:
        said = culprit.error.said if isinstance(culprit.error, Refusal) else {}
        value = self._walk.values.get(culprit.index)
        arrival = _arrival(said, value[0] if isinstance(value, tuple) else None)
        kind = kinds.find(kinds.Subject(obj, culprit.error, holder, self._spawning, arrival=arrival))
        note, place = kinds.arrival_words(obj, arrival, value, said)
        return Words(kind, qualified_name(type(obj)), short_repr(obj), place, note)

    def _said(self, error: BaseException, obj: object) -> str | None:
        return _text(error.said.get("error")) if isinstance(error, Refusal) else None


def _arrival(said: dict[str, Any], func: object) -> kinds.Arrival:
    error = said.get("error") or {}
    return kinds.Arrival(
        role=said.get("role", "load"),
        errors=frozenset(error.get("names", ())),
        text=error.get("text", ""),
        functions=tuple(frame["name"] for frame in error.get("frames", ())),
        func=func,
        module=said.get("module"),
    )


def tell(trip: Trip, again: Replay, refusals: Sequence[dict[str, Any]]) -> tuple[Failure, ...]:
    """Give a failure for each of what a child has told.

    Args:
        trip: what was tried.
        again: the sequence that the child's numbers count in.
        refusals: what it told of each failure (`receiver.told`).
    """
    names = {(refusal["module"], refusal["name"]): refusal for refusal in refusals if refusal["role"] == "name"}
    numbers = {refusal["number"]: refusal for refusal in refusals if refusal["role"] != "name"}
    for number, key in _find_named(again, names).items():
        numbers[number] = names.pop(key)
    again.walk.culprits[:] = [Culprit(number, Refusal(numbers[number])) for number in sorted(numbers)]
    teller = _ArrivalTeller(trip, again)
    found = [
        _finished(teller.failure(located), numbers[located.culprit.index]) for located in teller.locator.culprits()
    ]
    found += [_without_path(refusal) for refusal in names.values()]
    return tuple(found)


def _finished(failure: Failure, refusal: dict[str, Any]) -> Failure:
    name = f"{refusal['module']}.{refusal['name']}" if refusal["role"] == "name" else None
    return dataclasses.replace(failure, stage="unpickle", name=name, path_count=_count(failure))


def _count(failure: Failure) -> int:
    """Give the number of ways to it; what the pass counts are also the wrappers that the explaining run put around."""
    is_class = bool(failure.trail) and failure.trail[-1].step.kind == "class"  # then each has one to the instance too
    return max(1, len(failure.paths) // (1 + is_class))


def _find_named(again: Replay, wanted: dict[tuple[str, str], Any]) -> dict[int, tuple[str, str]]:
    """Give the number of what travels under each of these names."""
    found: dict[tuple[str, str], int] = {}
    for number in again.named if wanted else ():
        obj = again.walk.objects[number]
        if is_a_class(obj):
            module, name = module_of(obj), qualname_of(obj)
        else:
            module, name = plain_text(getattr(obj, "__module__", None)), name_of(obj)
        for key in ((module or "", name), (module or "", name.partition(".")[0])):
            if key in wanted:
                found.setdefault(key, number)
    return {number: key for key, number in found.items()}


def _without_path(refusal: dict[str, Any]) -> Failure:
    """Tell of a name that no object of the sender's answers to."""
    kind = kinds.find(kinds.Subject(None, Refusal(refusal), arrival=_arrival(refusal, None)))
    name = f"{refusal['module']}.{refusal['name']}"
    return Failure(
        path=None, kind=kind.slug, title=kind.title, stage="unpickle", name=name, reason=kind.reason,
        advice=kind.advice, error=_text(refusal["error"]),
    )  # fmt: skip


def tell_whole(trip: Trip, truth: Answer) -> Failure:
    """Tell a failure that no single object could be found for."""
    kind = kinds.get("unpickle-error")
    path = trip.name or "target"
    root = trip.given[0]
    note = f"Over there: {truth.ended}." if truth.ended else "No single object could be found that is to blame."
    if truth.late:
        note += " If it is only slow, give it longer: timeout=120, or --timeout 120."
    return Failure(
        path=path, paths=(path,), kind=kind.slug, title=kind.title, stage="unpickle", type=qualified_name(type(root)),
        value=short_repr(root), reason=kind.reason, advice=kind.advice, note=note, error=_text(truth.error), box=[root],
    )  # fmt: skip


def tell_hazards(trip: Trip, again: Replay, found: dict[int, lost.Loss]) -> list[Finding]:
    """Give a hazard for each object, by its number, that came back different."""
    again.walk.culprits[:] = [Culprit(number, Refusal({})) for number in sorted(found)]
    teller = _ArrivalTeller(trip, again)
    hazards: list[Finding] = []
    for located in teller.locator.culprits():
        loss = found[located.culprit.index]
        kind, failure = kinds.get(loss.kind), teller.failure(located)
        hazard = dataclasses.replace(
            failure.as_finding(), kind=kind.slug, title=kind.title, reason=kind.reason, advice=kind.advice,
            note=loss.note, error=None, stage="behaviour", severity="warning", path_count=_count(failure),
        )  # fmt: skip
        hazards.append(hazard)
    return hazards


def _text(error: dict[str, Any] | None) -> str | None:
    if error is None:
        return None
    return f"{error['type']}: {error['text']}" if error["text"] else str(error["type"])

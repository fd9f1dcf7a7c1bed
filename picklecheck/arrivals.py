"""The other side of a trip: a child gets what was pickled, and what goes wrong there is told as findings.

The verdict is the child's, on the very bytes. Only when it fails are they written again for explaining.
"""

from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from picklecheck import kinds, lost, receiver, transports
from picklecheck.findings import Given, Teller, Words
from picklecheck.model import Failure, Finding
from picklecheck.probe import Culprit, Locator, Replay, Walk, fleeting, replay
from picklecheck.receiver import Answer
from picklecheck.safe import is_class as is_a_class
from picklecheck.safe import module_of, name_of, plain_text, qualified_name, qualname_of, short_repr

__all__ = ["Arrived", "arrive"]

_MOST_ENDS = 10
_MOST_BESIDE = 100_000  # objects of which the rest is tried where some are refused
_LEAST_PATIENCE = 0.2
_SECONDS_FOR_EACH = 1e-4  # what the steps of explaining may cost besides, several times what they do
_WOULD_RUN = "The other side was not tried: to start a process would run the program again."
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Trip:
    """What is to be tried.

    Attributes:
        walk: what the pass saw.
        name: the root's name; None for the arguments of a call.
        make: gives a pickler of the transport's class for a sink.
        start_method: how the child would be started.
        seconds: how long the child may take to start, and to unpickle.
        spawning: whether the object crosses with the child's start.
        given: what the user holds, and the parts of it that are sent; None for the latter where it is sent itself.
        holders: the ids of what holds something that was refused; None where they are not known.
    """

    walk: Walk
    name: str | None
    make: Callable[[Any], pickle.Pickler]
    start_method: str
    seconds: float
    spawning: bool
    given: Given
    holders: frozenset[int] | None


def arrive(trip: Trip) -> Arrived:
    """Send an object to a child, and tell what becomes of it there."""
    found = receiver.findings_for_main(start_method=trip.start_method) if trip.spawning else ()
    failures = tuple(_as_failure(finding) for finding in found if finding.severity == "error")
    hazards = tuple(finding for finding in found if finding.severity != "error")
    if not receiver.safe_to_start(found):
        return Arrived(
            failures=failures, hazards=hazards, notes=("The other side was not tried: it would run the program again.",)
        )
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
    places = fleeting(trip.walk, trip.make, watch) if watch else []
    if not places:
        return ()
    walk, locator = trip.walk, Locator(trip.walk)
    makers = [way[-1].holder if way else walk.root for way in (locator.way_to(walk.objects[at]) for at in places)]
    numbers = {locator.index_of[id(maker)] for maker in makers if id(maker) in locator.index_of}
    told = _retold(trip, Replay(walk, (), []), dict.fromkeys(numbers, ("shared-storage", "")))
    return tuple(dataclasses.replace(failure, stage="unpickle") for failure in told)


def _as_failure(finding: Finding) -> Failure:
    fields = {field.name: getattr(finding, field.name) for field in dataclasses.fields(Finding)}
    return Failure(**fields)


class Refusal(Exception):
    """Stands for an exception of the child's, of which only data came back."""

    def __init__(self, said: dict[str, Any]) -> None:
        self.said = said


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
        try:
            again = replay(walk, self._trip.make, guarded=True)
            refusals = self._refusals(again, None)
        except (Exception, receiver.Trouble):
            return Arrived()
        named = {id(obj) for number in again.named for obj in (again.walk.objects[number],)}
        objects = again.walk.objects
        free = [
            refusal for refusal in refusals
            if refusal["role"] == "name" or not {id(objects[refusal["number"]])} & (holders | named)
        ]  # fmt: skip
        return Arrived(failures=_tell(self._trip, again, free) if free else ())

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
            return (_whole(self._trip, truth),)
        refusals = self._refusals(again, truth)
        told = _tell(self._trip, again, refusals) if refusals else ()
        return told or (_whole(self._trip, truth),)

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
        return tuple(_tell_hazards(self._trip, again, found)) if found else ()


# -- in words ----------------------------------------------------------------------------------------------------------


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


def _tell(trip: Trip, again: Replay, refusals: Sequence[dict[str, Any]]) -> tuple[Failure, ...]:
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


def _whole(trip: Trip, truth: Answer) -> Failure:
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


def _tell_hazards(trip: Trip, again: Replay, found: dict[int, lost.Loss]) -> list[Finding]:
    said = {number: (loss.kind, loss.note) for number, loss in found.items()}
    hazards: list[Finding] = []
    for failure in _retold(trip, again, said):
        fields = {field.name: getattr(failure, field.name) for field in dataclasses.fields(Finding)}
        hazards.append(Finding(**{**fields, "stage": "behaviour", "severity": "warning"}))
    return hazards


def _retold(trip: Trip, again: Replay, said: dict[int, tuple[str, str]]) -> list[Failure]:
    """Tell of objects in the words of a kind that is not asked of a failure of their own.

    Args:
        trip: what was tried.
        again: the sequence that the numbers count in.
        said: number -> the kind's slug, and a note.
    """
    again.walk.culprits[:] = [Culprit(number, Refusal({})) for number in sorted(said)]
    teller = _ArrivalTeller(trip, again)
    found = []
    for located in teller.locator.culprits():
        slug, note = said[located.culprit.index]
        kind, failure = kinds.get(slug), teller.failure(located)
        told = dataclasses.replace(
            failure, kind=kind.slug, title=kind.title, reason=kind.reason, advice=kind.advice, note=note, error=None,
            path_count=_count(failure),
        )  # fmt: skip
        found.append(told)
    return found


def _not_started(trip: Trip, trouble: receiver.Trouble, *, told: bool) -> Arrived:
    """Tell that the child could not import the main module."""
    if told:  # the reading of the main module has said why
        return Arrived()
    if not trip.spawning:
        return Arrived(notes=(f"The other side was not tried: a child cannot import the main module ({trouble}).",))
    return Arrived(failures=(receiver.not_started(trouble),))


def _text(error: dict[str, Any] | None) -> str | None:
    if error is None:
        return None
    return f"{error['type']}: {error['text']}" if error["text"] else str(error["type"])

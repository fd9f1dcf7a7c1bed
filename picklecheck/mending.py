"""From failures to fixes: recipes, the edits that they come to, and the trial of those in a child.

What is shown as verified was tried: the live object was pickled as the edited source would have it, a child that
imports the edited source loaded it, what was made anew had the right type there, and it went on a second trip.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from picklecheck import receiver
from picklecheck.fixes import (
    Made,
    Plan,
    Remedy,
    Sender,
    keys_of,
    plan,
    remedy_for,
)
from picklecheck.fixes.files import patch
from picklecheck.fixes.shown import first_line, pasted
from picklecheck.model import Failure, Fix
from picklecheck.probe import Located, Rehearsal, Sink, rehearse
from picklecheck.spots import Spots
from picklecheck.standins import absent
from picklecheck.told_there import Trip

__all__ = ["Mended", "mend"]

_MOST_FAILURES = 500
_MOST_TRIALS = 12
_MOST_CHECKS = 50
_ABSENT = Made(absent, ())


@dataclass(frozen=True, slots=True)
class Mended:
    """What became of the failures.

    Attributes:
        failures: the same, those with a fix that was tried carry it.
        edited: file -> its text as it is, and with all fixes.
        notes: sentences for the report.
    """

    failures: tuple[Failure, ...]
    edited: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Case:
    """A failure with its remedy.

    Attributes:
        number: its place among the failures.
        failure: the failure.
        remedy: what its spots come to.
        checks: what is looked at over there, as the child takes it.
    """

    number: int
    failure: Failure
    remedy: Remedy
    checks: tuple[dict[str, Any], ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Settled:
    """Cases whose remedies have passed a trial together.

    Attributes:
        cases: the cases.
        left: ids of the objects that were refused all the same.
    """

    cases: tuple[_Case, ...]
    left: frozenset[int]


def mend(failures: Sequence[Failure], located: Sequence[Located | None], trip: Trip) -> Mended:
    """Find fixes for failures, and try them.

    Args:
        failures: of the stages "pickle" and "unpickle"; others are left as they are.
        located: for each of them the ways to it; None where they are not known.
        trip: what was tried.
    """
    mender = _Mender(failures, trip)
    cases = [case for case in map(mender.case, range(len(failures)), failures, located) if case is not None]
    if not cases:
        return Mended(tuple(failures))
    try:
        settled = mender.settle(cases)
    except (receiver.NotPossible, receiver.Trouble):
        settled = None
    return mender.told(settled) if settled else Mended(tuple(failures))


class _Mender:
    def __init__(self, failures: Sequence[Failure], trip: Trip) -> None:
        self._failures, self._trip = failures, trip
        self._spots = Spots(trip)
        self._refused = {id(trip.walk.objects[culprit.index]) for culprit in trip.walk.culprits}
        self._forking = any(cls.__name__ == "ForkingPickler" for cls in type(trip.make(Sink())).__mro__)
        self._trials = 0

    # -- remedies ------------------------------------------------------------------------------------------------------

    def case(self, number: int, failure: Failure, located: Located | None) -> _Case | None:
        """Give a failure with its remedy; None where there is none for each way that leads to it."""
        if number >= _MOST_FAILURES or failure.severity != "error" or failure.stage not in ("pickle", "unpickle"):
            return None
        if failure.box and failure.kind != "recursion":
            spots = self._spots.of(failure, located)
            remedies = []
            for spot, _ in spots:
                remedy = remedy_for(spot)
                if remedy is None:
                    return None
                remedies.append(remedy)
                if not remedy.changes:
                    break  # what is edited is not the way but the culprit itself
            checks = [
                found
                for (_, way), remedy in zip(spots, remedies, strict=False)
                for check in remedy.checks
                if (found := self._spots.check(way, check)) is not None
            ]
            return _Case(number=number, failure=failure, remedy=_joined(remedies), checks=tuple(checks))
        return None

    # -- trials --------------------------------------------------------------------------------------------------------

    def settle(self, cases: Sequence[_Case]) -> _Settled | None:
        """Find the cases whose remedies pass the trial together; None where there are none."""
        whole = self._try(cases)
        if whole is not None:
            return whole
        groups = _groups(cases)
        if len(groups) == 1:
            groups = [[case] for case in cases]
        if len(groups) == 1:
            return None
        good = [settled for group in _some(groups) if (settled := self.settle(group)) is not None]
        together = [case for settled in good for case in settled.cases]
        if len(good) > 1 and len(together) < len(cases):
            found = self._try(together)
            if found is not None:
                return found
        return self._as_many_as_go_together(good)

    def _as_many_as_go_together(self, good: Sequence[_Settled]) -> _Settled | None:
        """Give what is left of cases that pass alone when those go that do not pass with the ones before."""
        kept = good[0] if good else None
        for one in good[1:]:
            kept = kept and (self._try([*kept.cases, *one.cases]) or kept)
        return kept

    def _try(self, cases: Sequence[_Case]) -> _Settled | None:
        """Try the remedies of cases together; None where they do not pass."""
        made = plan([case.remedy for case in cases]) if self._trials < _MOST_TRIALS else None
        if made is None:
            return None
        self._trials += 1
        treated = {id(case.failure.obj) for case in cases}
        done = self._rehearsed(made, treated)
        left = frozenset(id(obj) for obj, _ in done.refused)
        if done.stream is None or left & treated or not left <= self._refused:
            return None
        return _Settled(tuple(cases), left) if self._arrives(done.stream, made, cases) else None

    def _rehearsed(self, made: Plan, treated: set[int]) -> Rehearsal:
        trip = self._trip
        failed_there = [
            failure.obj for failure in self._failures
            if failure.stage == "unpickle" and failure.box and id(failure.obj) not in treated
        ]  # fmt: skip
        replaces = [*((obj, _ABSENT) for obj in failed_there), *made.replaces]
        sender = Sender(made.methods, replaces, trip.walk.protocol)
        rehearsed = functools.partial(
            rehearse, trip.walk.root, trip.make, trip.walk.protocol, instead=sender, stand_in=trip.stand_in,
            seconds=trip.seconds,
        )  # fmt: skip
        return _in_a_thread(rehearsed) if trip.by_a_thread else rehearsed()

    def _arrives(self, stream: Sequence[bytes], made: Plan, cases: Iterable[_Case]) -> bool:
        trip = self._trip
        answer = receiver.send(
            stream, start_method=trip.start_method, seconds=trip.seconds, explain=False, patience=trip.seconds,
            wanted=[], left_out=[], edited={file: after for file, (_, after) in made.texts.items()},
            checks=[check for case in cases for check in case.checks][:_MOST_CHECKS], again=True,
            pickler="forking" if self._forking else "pickle", protocol=trip.walk.protocol,
        )  # fmt: skip
        return answer.ok and not answer.missed and answer.again is None

    # -- words ---------------------------------------------------------------------------------------------------------

    def told(self, settled: _Settled) -> Mended:
        """Give the failures with their fixes."""
        failures = list(self._failures)
        for group in _groups(settled.cases):
            made = plan([case.remedy for case in group])
            if made is None:
                continue
            fix = _fix(made)
            for case in group:
                failures[case.number] = dataclasses.replace(case.failure, fix=fix)
        _spread(failures, settled.left)
        whole = plan([case.remedy for case in settled.cases])
        return Mended(tuple(failures), whole.texts if whole else {}, tuple(_after(failures)))


def _spread(failures: list[Failure], left: frozenset[int]) -> None:
    """Give the fix to the rest of very many that are alike: the trial has let them through as well."""
    known = {_kind_and_place(failure): failure.fix for failure in failures[:_MOST_FAILURES] if failure.fix}
    for number, failure in enumerate(failures[_MOST_FAILURES:], _MOST_FAILURES):
        if failure.box and id(failure.obj) not in left:
            failures[number] = dataclasses.replace(failure, fix=known.get(_kind_and_place(failure)))


def _kind_and_place(failure: Failure) -> tuple[object, ...]:
    return failure.stage, failure.kind, failure.owner, failure.assigned_at


def _in_a_thread(call: Callable[[], Rehearsal]) -> Rehearsal:
    """Call a function where code of the user's meets what it meets there: handles that belong to one thread."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(call).result()


def _after(failures: Sequence[Failure]) -> Iterable[str]:
    """Say what remains after all fixes."""
    errors = [failure for failure in failures if failure.severity == "error"]
    left = [failure for failure in errors if failure.fix is None]
    fixes = len({id(failure.fix) for failure in errors if failure.fix})
    these = "this fix" if fixes == 1 else "these fixes together"
    if not left:
        yield f"With {these} it crosses: that was tried."
        return
    paths = ", ".join(failure.path or failure.name or failure.kind for failure in left[:3])
    more = f" and {len(left) - 3:,} more" if len(left) > 3 else ""
    was = "was" if fixes == 1 else "were"
    yield f"With {these}, which {was} tried, there remains: {paths}{more}."


def _fix(made: Plan) -> Fix:
    file, (before, after) = next(iter(made.texts.items()))
    first = made.classes[0] if made.classes else None
    target = (
        (first.place.qualname, first.place.file, first.place.line) if first else ("", file, first_line(before, after))
    )
    return Fix(
        code="\n\n".join(pasted(*texts) for texts in made.texts.values()),
        target=target,
        verified=True,
        patch="".join(patch(name, *texts) for name, texts in made.texts.items()),
        note=" ".join(made.notes),
    )


def _groups(cases: Sequence[_Case]) -> list[list[_Case]]:
    """Put the cases together whose remedies touch the same class or statement."""
    groups: list[tuple[set[object], list[_Case]]] = []
    for case in cases:
        keys = set(keys_of(case.remedy))
        joined = [case]
        for group in [group for group in groups if group[0] & keys]:
            groups.remove(group)
            keys |= group[0]
            joined = [*group[1], *joined]
        groups.append((keys, joined))
    return [group for _, group in groups]


def _some(groups: list[list[_Case]]) -> list[list[_Case]]:
    """Give groups for a trial each; of many, two halves."""
    if len(groups) <= _MOST_TRIALS // 3:
        return groups
    half = len(groups) // 2
    return [[case for group in part for case in group] for part in (groups[:half], groups[half:])]


def _joined(remedies: Sequence[Remedy]) -> Remedy:
    """Give several remedies as one."""
    if len(remedies) == 1:
        return remedies[0]
    names = ("changes", "edits", "replaces", "methods")
    joined = {name: tuple(part for remedy in remedies for part in getattr(remedy, name)) for name in names}
    told = {"", *(change.note for change in joined["changes"])}
    return Remedy(**joined, note=" ".join(dict.fromkeys(one.note for one in remedies if one.note not in told)))

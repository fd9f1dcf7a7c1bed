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
    Check,
    Made,
    Plan,
    Remedy,
    Sender,
    Spot,
    class_file,
    is_librarys_own,
    keys_of,
    plan,
    remedy_for,
)
from picklecheck.fixes.files import patch
from picklecheck.fixes.shown import first_line, pasted
from picklecheck.model import Failure, Fix
from picklecheck.paths import Step, fold, join
from picklecheck.probe import Located, Locator, Rehearsal, Sink, Way, rehearse
from picklecheck.safe import instance_dict, members, mro
from picklecheck.standins import absent
from picklecheck.told_there import Trip

__all__ = ["Mended", "mend"]

_MOST_FAILURES = 500
_MOST_TRIALS = 12
_MOST_CHECKS = 50
_ROOT = "root"
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
        good = mender.settle(cases)
    except (receiver.NotPossible, receiver.Trouble):
        return Mended(tuple(failures))
    return mender.told(good)


class _Mender:
    def __init__(self, failures: Sequence[Failure], trip: Trip) -> None:
        self._failures, self._trip = failures, trip
        self._locator = Locator(trip.walk)
        self._refused = {id(trip.walk.objects[culprit.index]) for culprit in trip.walk.culprits}
        self._forking = any(cls.__name__ == "ForkingPickler" for cls in type(trip.make(Sink())).__mro__)
        self._trials = 0
        self._left: set[int] = set()

    # -- remedies ------------------------------------------------------------------------------------------------------

    def case(self, number: int, failure: Failure, located: Located | None) -> _Case | None:
        """Give a failure with its remedy; None where there is none for each way that leads to it."""
        if number >= _MOST_FAILURES or failure.severity != "error" or failure.stage not in ("pickle", "unpickle"):
            return None
        if failure.box and failure.kind != "recursion":
            spots = self._spots(failure, located)
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
                for (spot, way), remedy in zip(spots, remedies, strict=False)
                for check in remedy.checks
                if (found := self._check(spot, way, check)) is not None
            ]
            return _Case(number=number, failure=failure, remedy=_joined(remedies), checks=tuple(checks))
        return None

    def _spots(self, failure: Failure, located: Located | None) -> list[tuple[Spot, Sequence[Step] | None]]:
        """Give the spot of each way that leads to the culprit by another attribute, with the steps to its owner."""
        found: dict[object, tuple[Spot, Sequence[Step] | None]] = {}
        for way in located.ways if located else ((),):
            spot, steps = self._spot(failure, way)
            found.setdefault((id(type(spot.owner)), spot.attribute, tuple(map(_likeness, spot.rest))), (spot, steps))
        return list(found.values())

    def _spot(self, failure: Failure, way: Way) -> tuple[Spot, Sequence[Step] | None]:
        steps = [pair for hop in way for pair in zip(hop.steps, hop.arrivals, strict=True)]
        holders = [self._trip.walk.root, *(arrival for _, arrival in steps)]
        given: dict[str, Any] = {
            "obj": failure.obj, "kind": failure.kind, "stage": failure.stage, "error": failure.error,
            "travels": self._travels,
        }  # fmt: skip
        for at in range(len(steps) - 1, -1, -1):
            name = _attribute(steps[at][0])
            if name and _is_users(type(holders[at])) and _has(holders[at], name):
                if at and is_librarys_own(holders[at], name):
                    continue  # the thread or process as a whole is what a holder of it can leave out
                behind = steps[at + 1 :]
                spot = Spot(
                    **given, owner=holders[at], attribute=name, value=steps[at][1],
                    rest=tuple(step for step, _ in behind), arrivals=tuple(arrival for _, arrival in behind),
                )  # fmt: skip
                return spot, [step for step, _ in steps[:at]]
        return Spot(**given), None

    def _travels(self, obj: Any) -> bool:
        return obj is self._trip.walk.root or id(obj) in self._locator.index_of

    def _check(self, spot: Spot, way: Sequence[Step] | None, check: Check) -> dict[str, Any] | None:
        if way is None or any(step.kind in ("key", "call") for step in way):
            return None
        same = None
        if check.same is not None:
            to_same = self._locator.way_to(check.same)
            if to_same is None:
                return None
            same = _expression([step for hop in to_same for step in hop.steps])
        return {
            "path": _expression([*way, *check.path]), "type": check.type, "calls": check.calls, "same": same,
        }  # fmt: skip

    # -- trials --------------------------------------------------------------------------------------------------------

    def settle(self, cases: Sequence[_Case]) -> list[_Case]:
        """Give the cases whose remedies pass the trial together."""
        if self._passes(cases):
            return list(cases)
        groups = _groups(cases)
        if len(groups) == 1:
            groups = [[case] for case in cases]
        if len(groups) == 1:
            return []
        good = [settled for group in _some(groups) if (settled := self.settle(group))]
        together = [case for group in good for case in group]
        if len(together) < len(cases) and together and self._passes(together):
            return together
        return self._as_many_as_go_together(good)

    def _as_many_as_go_together(self, groups: Sequence[list[_Case]]) -> list[_Case]:
        """Give what is left of groups that pass alone when those go that do not pass with the ones before."""
        kept = groups[0] if groups else []
        for group in groups[1:]:
            if self._passes([*kept, *group]):
                kept = [*kept, *group]
        return kept

    def _passes(self, cases: Sequence[_Case]) -> bool:
        if self._trials >= _MOST_TRIALS:
            return False
        made = plan([case.remedy for case in cases])
        if made is None:
            return False
        self._trials += 1
        treated = {id(case.failure.obj) for case in cases}
        stream = self._pickled(made, treated)
        return stream is not None and self._arrives(stream, made, cases)

    def _pickled(self, made: Plan, treated: set[int]) -> list[bytes] | None:
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
        done = _in_a_thread(rehearsed) if trip.by_a_thread else rehearsed()
        self._left = {id(obj) for obj, _ in done.refused}
        return done.stream if not self._left & treated and self._left <= self._refused else None

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

    def told(self, good: Sequence[_Case]) -> Mended:
        """Give the failures with their fixes."""
        failures = list(self._failures)
        for group in _groups(good):
            made = plan([case.remedy for case in group])
            if made is None:
                continue
            fix = _fix(made)
            for case in group:
                failures[case.number] = dataclasses.replace(case.failure, fix=fix)
        self._spread(failures)
        whole = plan([case.remedy for case in good]) if good else None
        return Mended(tuple(failures), whole.texts if whole else {}, tuple(_after(failures, bool(good))))

    def _spread(self, failures: list[Failure]) -> None:
        """Give the fix to the rest of very many that are alike: the last trial has let them through as well."""
        known = {_kind_and_place(failure): failure.fix for failure in failures[:_MOST_FAILURES] if failure.fix}
        for number, failure in enumerate(failures[_MOST_FAILURES:], _MOST_FAILURES):
            if failure.box and id(failure.obj) not in self._left:
                failures[number] = dataclasses.replace(failure, fix=known.get(_kind_and_place(failure)))


def _kind_and_place(failure: Failure) -> tuple[object, ...]:
    return failure.stage, failure.kind, failure.owner, failure.assigned_at


def _in_a_thread(call: Callable[[], Rehearsal]) -> Rehearsal:
    """Call a function where code of the user's meets what it meets there: handles that belong to one thread."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(call).result()


def _after(failures: Sequence[Failure], some: bool) -> Iterable[str]:
    """Say what remains after all fixes."""
    if not some:
        return
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


def _attribute(step: Step) -> str:
    """Give the name that a step reads of an instance; empty for other steps."""
    if step.kind != "attribute":
        return ""
    name = step.after[1:] if not step.before else step.after[3:-2]
    return name if name.isidentifier() else ""


def _is_users(cls: type) -> bool:
    """Tell whether the class, or a base of it, stands in a file that the user can edit."""
    return any(class_file(base) is not None for base in mro(cls))


def _has(obj: Any, name: str) -> bool:
    return name in (instance_dict(obj) or {}) or any(name == held for held, _ in members(obj))


def _likeness(step: Step) -> object:
    return step.kind if step.kind in ("item", "value", "key") else step


def _expression(steps: Sequence[Step]) -> str:
    return join(_ROOT, [step for step, _ in fold(steps)])

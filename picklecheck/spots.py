"""From failures to spots: the nearest object on the way to a culprit whose class the user can edit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from picklecheck.fixes import Check, Spot, class_file, is_librarys_own
from picklecheck.model import Failure
from picklecheck.paths import Step, fold, join
from picklecheck.probe import Located, Locator, Way
from picklecheck.safe import instance_dict, members, mro
from picklecheck.told_there import Trip

__all__ = ["Spots"]

_ROOT = "root"


class Spots:
    """The spots of one trip's failures.

    Args:
        trip: what was tried.
    """

    def __init__(self, trip: Trip) -> None:
        self._root = trip.walk.root
        self._locator = Locator(trip.walk)

    def of(self, failure: Failure, located: Located | None) -> list[tuple[Spot, Sequence[Step] | None]]:
        """Give the spot of each way that leads to the culprit by another attribute, with the steps to its owner."""
        found: dict[object, tuple[Spot, Sequence[Step] | None]] = {}
        for way in located.ways if located else ((),):
            spot, steps = self._spot(failure, way)
            found.setdefault((id(type(spot.owner)), spot.attribute, tuple(map(_likeness, spot.rest))), (spot, steps))
        return list(found.values())

    def _spot(self, failure: Failure, way: Way) -> tuple[Spot, Sequence[Step] | None]:
        steps = [pair for hop in way for pair in zip(hop.steps, hop.arrivals, strict=True)]
        holders = [self._root, *(arrival for _, arrival in steps)]
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
        return obj is self._root or id(obj) in self._locator.index_of

    def check(self, way: Sequence[Step] | None, check: Check) -> dict[str, Any] | None:
        """Give a check as the child takes it; None where no expression leads to what is looked at.

        Args:
            way: the steps to the owner of a spot, as `of` gives them.
            check: what is looked at.
        """
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

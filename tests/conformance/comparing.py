"""Compares a report with what the C pickler says about the same object."""

from __future__ import annotations

import dataclasses
import pickle
import traceback
from typing import Any

import picklecheck
from tests.expressions import goes_through_a_call


class Sink:
    def write(self, data):
        return len(data)


def real_error(obj: Any, protocol: int) -> BaseException | None:
    try:
        pickle.Pickler(Sink(), protocol).dump(obj)
    except BaseException as error:
        return error
    return None


def _rest_fails(obj: Any, report: picklecheck.Report) -> BaseException | None:
    """What the C pickler says when every culprit is replaced; one that each reduce call makes anew, by its type."""
    by_identity = {id(failure.obj) for failure in report.failures}
    by_type = {type(failure.obj) for failure in report.failures if goes_through_a_call(failure.path or "")}

    class Pickler(pickle.Pickler):
        def persistent_id(self, obj):
            return "stub" if id(obj) in by_identity or type(obj) in by_type else None

    try:
        Pickler(Sink(), report.protocol).dump(obj)
    except BaseException as error:
        return error
    return None


@dataclasses.dataclass
class Tally:
    """What was compared, and the differences in words."""

    compared: int = 0
    refused: int = 0
    differences: list[str] = dataclasses.field(default_factory=list)

    def compare(self, label: str, obj: Any, protocol: int) -> None:
        before = real_error(obj, protocol)
        try:
            found = list(self._differences(obj, protocol, before))
        except Exception:
            found = [traceback.format_exc()]
        after = real_error(obj, protocol)
        if (after is None) != (before is None):
            found.append(f"the C pickler said {before!r} before and {after!r} afterwards")
        self.compared += 1
        self.refused += before is not None
        self.differences += [f"{label}, protocol {protocol}: {difference}" for difference in found]

    def _differences(self, obj, protocol, error):
        report = picklecheck.explain(obj, name="obj", via="pickle", protocol=protocol, roundtrip=False)
        if report.ok != (error is None):
            yield f"ok is {report.ok}, and the C pickler said {error!r}"
        if bool(report.failures) != (error is not None):
            yield f"{len(report.failures)} culprits, and the C pickler said {error!r}"
        for failure in report.failures:
            if real_error(failure.obj, protocol) is None:
                yield f"{failure.path} ({failure.kind}) passes by itself"
            yield from self._wrong_paths(obj, failure)
        if report.failures and "recursion" not in {failure.kind for failure in report.failures}:
            rest = _rest_fails(obj, report)
            if rest is not None:
                yield f"without its culprits it fails with {rest!r}"

    def _wrong_paths(self, obj, failure):
        for path in failure.paths:
            if goes_through_a_call(path):
                continue
            found = eval(path, {"obj": obj})
            if found is not failure.obj and type(found) is not failure.obj:  # an instance of a class that is not found
                yield f"{path} gives {type(found)}, not the culprit ({failure.kind})"

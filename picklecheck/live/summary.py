"""From what the processes of a program have told to one answer: the run of schema 1, and the lines at its end."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterable, Sequence
from typing import Any

from picklecheck.model import SCHEMA, Finding, Report

__all__ = ["run_of", "summary"]


def run_of(events: Iterable[dict[str, Any]], guard: Sequence[Finding] = ()) -> dict[str, Any]:
    """Give a run as JSON types: every boundary that was crossed, once, those that failed with what failed.

    Args:
        events: what the journal holds.
        guard: what the reading of the program's main file found.
    """
    events = list(events)
    calls = {event["child"]: event for event in events if event["event"] == "crossed" and event["child"]}
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for event in events:
        if event["event"] == "crossed" and event["first"]:
            boundary = _fine(event)
            found.setdefault(_key(boundary), boundary)
    for event in events:
        if event["event"] == "failed":
            _add(found, _failed(event, calls))
    return {"schema": SCHEMA, "boundaries": list(found.values()), "guard": [finding.to_dict() for finding in guard]}


def _key(boundary: dict[str, Any]) -> tuple[Any, ...]:
    call = boundary["call"] or {}
    return boundary["transport"], boundary["start_method"], call.get("file"), call.get("line")


def _fine(event: dict[str, Any]) -> dict[str, Any]:
    report = Report(
        target=event["target"] or event["transport"], target_type="", transport=event["transport"],
        start_method=event["method"], protocol=pickle.DEFAULT_PROTOCOL,
    )  # fmt: skip
    return {**report.to_dict(), "call": event["call"]}


def _failed(event: dict[str, Any], calls: dict[int, dict[str, Any]]) -> dict[str, Any]:
    """Give the boundary of a failure; a child's start is told at the line that started the child."""
    report, started = event["report"], calls.get(event["pid"])
    call = event["call"]
    if call is None and started is not None:
        call = started["call"]
        if report["transport"] == "process":
            report = {**report, "start_method": started["method"]}
    return {**report, "call": call}


def _add(found: dict[tuple[Any, ...], dict[str, Any]], boundary: dict[str, Any]) -> None:
    """Add a failed boundary to the others: what is known of it already is told once."""
    key = _key(boundary)
    known = found.get(key)
    said = [_words(failure) for failure in boundary["failures"]]
    if any(_is_same(other, boundary, said) for other in found.values()):
        return  # many workers meet the same, and not all of them know from where
    if known is None or known["ok"]:
        found[key] = boundary
        return
    known["failures"] += [
        failure for failure in boundary["failures"] if _words(failure) not in map(_words, known["failures"])
    ]


def _is_same(other: dict[str, Any], boundary: dict[str, Any], said: list[tuple[Any, ...]]) -> bool:
    return other["transport"] == boundary["transport"] and [_words(each) for each in other["failures"]] == said


def _words(failure: dict[str, Any]) -> tuple[Any, ...]:
    return failure["kind"], failure["path"], failure["name"], failure["file"], failure["line"]


def summary(run: dict[str, Any], start_method: str | None, *, whole: bool) -> str:
    """Give the lines at the end of a run.

    Args:
        run: what `run_of` gave.
        start_method: the one that was asked for.
        whole: whether to name every boundary.
    """
    boundaries = run["boundaries"]
    bad = sum(not boundary["ok"] for boundary in boundaries)
    under = f" under {start_method}" if start_method else ""
    number = f"{len(boundaries)} {'boundary' if len(boundaries) == 1 else 'boundaries'}"
    if not boundaries:
        return f"picklecheck: no process was started{under}, and nothing was sent to one"
    first = f"picklecheck: {number}{under}: {len(boundaries) - bad} ok, {bad} failed{' (see above)' if bad else ''}"
    return "\n".join([first, *(_line(boundary) for boundary in boundaries if whole)])


def _line(boundary: dict[str, Any]) -> str:
    call = boundary["call"]
    where = f"{os.path.basename(call['file'])}:{call['line']}" if call else "in a child"
    how = ", ".join(filter(None, [boundary["transport"], boundary["start_method"]]))
    said = "ok" if boundary["ok"] else "failed: " + ", ".join(_culprits(boundary))
    return f"picklecheck:   {where}  {how}  {said}"


def _culprits(boundary: dict[str, Any]) -> list[str]:
    found = [str(each["path"] or each["name"] or each["kind"]) for each in boundary["failures"]]
    return found if len(found) <= 3 else [*found[:3], f"and {len(found) - 3} more"]

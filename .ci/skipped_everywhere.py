"""Reads the JUnit files of several runs of the suite, and fails when a test was skipped in every run that collected it.

    python .ci/skipped_everywhere.py DIRECTORY

Prints each such test with the reason of its skip, then the totals of all runs. Needs the standard library only.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree


class Result(NamedTuple):
    """What one run said of one test; `name` is that of the module where the whole module was skipped."""

    name: str
    outcome: str
    reason: str = ""


def results(file: Path) -> Iterator[Result]:
    for case in ElementTree.parse(file).iter("testcase"):
        parts = [part for part in (case.get("classname"), case.get("name")) if part]
        yield Result(".".join(parts), *_outcome(case))


def _outcome(case: ElementTree.Element) -> tuple[str, str]:
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed", ""
    skip = case.find("skipped")
    if skip is None or skip.get("type") == "pytest.xfail":  # an expected failure did run
        return "passed", ""
    return "skipped", skip.text or skip.get("message", "")  # of a skipped module only the text says the reason


def skipped_everywhere(found: Iterable[Result]) -> dict[str, str]:
    """Give the tests that no run has run, with a reason; a skipped module has run where one of its tests has."""
    ran: set[str] = set()
    skipped: dict[str, str] = {}
    for result in found:
        if result.outcome == "skipped":
            skipped[result.name] = result.reason
        else:
            ran.update(_with_parents(result.name))
    return {name: reason for name, reason in skipped.items() if name not in ran}


def _with_parents(name: str) -> Iterator[str]:
    path, bracket, parameters = name.partition("[")
    yield path + bracket + parameters
    while "." in path:
        path = path.rpartition(".")[0]
        yield path


def main(directory: str) -> int:
    files = sorted(Path(directory).glob("*.xml"))
    found = [result for file in files for result in results(file)]
    unseen = skipped_everywhere(found)
    for name, reason in sorted(unseen.items()):
        print(f"skipped in every run: {name}: {reason}")
    totals = Counter(result.outcome for result in found)
    print(f"{len(files)} runs; {len(unseen)} tests were skipped in every run")
    print(f"{totals['passed']} passed, {totals['failed']} failed, {totals['skipped']} skipped")
    return 1 if unseen or totals["failed"] or not totals["passed"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

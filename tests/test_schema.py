"""The JSON has the keys that docs/schema.md documents, and nothing in it is alive."""

import json
import pathlib
import re
import threading

import pytest

import picklecheck

DOCUMENT = pathlib.Path(__file__).parent.parent / "docs" / "schema.md"


def documented(section):
    text = DOCUMENT.read_text(encoding="utf-8").split(f"## {section}\n")[1].split("\n## ")[0]
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    return {key for row in rows for key in re.findall(r"`(\w+)`", row)}


def report_with_a_failure():
    return picklecheck.explain({"guard": threading.Lock()}, name="state", via="pickle")


def test_report_has_the_documented_keys():
    assert set(report_with_a_failure().to_dict()) == documented("Report")


def test_finding_has_the_documented_keys():
    assert set(report_with_a_failure().to_dict()["failures"][0]) == documented("Finding")


def test_version_of_the_schema():
    assert report_with_a_failure().to_dict()["schema"] == 1


def test_json_is_the_dictionary():
    report = report_with_a_failure()
    assert json.loads(report.to_json()) == report.to_dict()


def test_size_of_what_crosses():
    assert picklecheck.explain([1, {2}], name="numbers", via="pickle").to_dict()["size"]["bytes"] > 0


def test_released_report_keeps_its_words():
    report = report_with_a_failure()
    before = report.to_dict(), str(report)
    report.release()
    assert (report.to_dict(), str(report)) == before


def test_released_report_has_no_culprit():
    report = report_with_a_failure()
    report.release()
    with pytest.raises(ReferenceError, match="released"):
        report.failures[0].obj  # noqa: B018  # the access is the point

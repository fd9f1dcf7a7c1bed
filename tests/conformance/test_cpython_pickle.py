"""The verdict is the C pickler's on every object that CPython's own tests of it pickle."""

from __future__ import annotations

import pytest

from tests.conformance.programs import run


@pytest.fixture(scope="module")
def outcome():
    found = run("tests.conformance.cpython_pickle")
    if "missing" in found:
        pytest.skip(f"this interpreter comes without its own tests: {found['missing']}")
    return found


def test_nothing_differs(outcome):
    assert outcome["differences"] == []


def test_the_hook_ran(outcome):
    assert outcome["compared"] > 12_000
    assert outcome["refused"] > 200


def test_cpython_tests_still_pass(outcome):
    # every object was looked at before it was pickled: a change of it would show here
    assert outcome["ran"] > 200
    assert outcome["broken"] == []

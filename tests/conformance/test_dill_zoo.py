"""The verdict is the C pickler's on every object of dill's zoo, in every protocol."""

from __future__ import annotations

import pickle

import pytest

from tests.conformance.programs import run

PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)


@pytest.fixture(scope="module")
def outcome():
    return run("tests.conformance.dill_zoo", *map(str, PROTOCOLS))


def test_nothing_differs(outcome):
    assert outcome["differences"] == []


def test_the_whole_zoo_was_compared(outcome):
    assert all(count > 15 for count in outcome["objects"].values())
    assert outcome["compared"] == sum(outcome["objects"].values()) * len(PROTOCOLS)
    assert 300 < outcome["refused"] < outcome["compared"]

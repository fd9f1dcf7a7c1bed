"""The pytest plugin: a fixture `assert_picklable`, and failures that show the report and no frame of ours.

It is loaded in every test run of every project that has picklecheck installed, so it imports nothing until it is used.
"""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType

import pytest

__all__ = ["assert_picklable"]


@pytest.fixture(scope="session")
def assert_picklable() -> Callable[..., None]:
    """Assert that an object can be pickled for another process: `picklecheck.assert_picklable`."""
    from picklecheck import assert_picklable

    return assert_picklable


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(call: pytest.CallInfo[None]) -> None:
    """Cut our own frames from the end of a failed assertion's traceback, whatever --tb shows of it."""
    if call.excinfo is not None and call.excinfo.errisinstance(AssertionError):
        _cut_our_frames(call.excinfo.tb)


def _cut_our_frames(trace: TracebackType) -> None:
    """End a traceback before the first of its last frames that are all ours; one of nothing but ours stays."""
    last_of_theirs: TracebackType | None = None
    link: TracebackType | None = trace
    while link is not None:
        if not _is_ours(link):
            last_of_theirs = link
        link = link.tb_next
    if last_of_theirs is not None and last_of_theirs.tb_next is not None:
        last_of_theirs.tb_next = None


def _is_ours(link: TracebackType) -> bool:
    return str(link.tb_frame.f_globals.get("__name__")).partition(".")[0] == "picklecheck"

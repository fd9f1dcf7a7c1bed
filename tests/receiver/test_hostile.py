import os
import sys
from pathlib import Path

import pytest

import picklecheck
from picklecheck.receiver import launch
from tests.receiver import hostiles
from tests.receiver.zoo import Joined

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


def explained(obj, timeout=20):
    return picklecheck.explain(obj, name="obj", via="process", start_method="spawn", timeout=timeout)


def processes_of(parent):
    """Give the processes whose session was begun by a child of ours, by what /proc says."""
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            fields = Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[0] != "Z" and int(fields[3]) in parent:
            found.append(int(entry))
    return found


@pytest.mark.parametrize("cls", hostiles.FAIL)
def test_what_it_does_is_reported_with_its_path(cls):
    limit = 1 if cls in (hostiles.LoopsForEver, hostiles.SleepsForEver, hostiles.HoldsOn) else 20
    [failure] = explained([1, {"k": cls()}], limit).failures
    assert failure.path == "obj[1]['k']"
    assert failure.stage == "unpickle"
    assert hostiles.FAIL[cls] in f"{failure.note} {failure.error}"
    assert len(failure.error or "") < 1000


@pytest.mark.parametrize("cls", hostiles.PASS)
def test_what_does_no_harm_passes(cls):
    assert explained([cls()]).failures == ()


def test_all_are_found_although_each_ends_the_process():
    made = [hostiles.Crashes(), hostiles.LeavesAtOnce(), Joined(1, 2), hostiles.KillsItself(), hostiles.Exits()]
    assert [failure.path for failure in explained(made).failures] == [f"obj[{number}]" for number in range(5)]


def test_many_that_are_slow_are_not_to_blame():
    [failure] = explained([hostiles.Slow() for _ in range(15)], 1).failures
    assert (failure.path, failure.kind) == ("obj", "unpickle-error")
    assert "no answer within 1 s" in failure.note
    assert "timeout=" in failure.note


def test_the_end_of_the_child_itself_is_survived():
    [failure] = explained([hostiles.KillsTheChild()]).failures
    assert failure.kind == "unpickle-error"
    assert explained([1]).ok


def test_nothing_goes_on_after_a_trial():
    explained([1])
    sessions = {child.process.pid for child in launch._kept.children.values()}
    for cls in (hostiles.Forks, hostiles.StartsThreads, hostiles.Crashes):
        explained([cls()])
    explained([hostiles.HoldsOn()], 0.5)
    assert set(processes_of(sessions)) <= sessions

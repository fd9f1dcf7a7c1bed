import itertools
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from picklecheck import explain
from picklecheck.probe import NoAnswer
from picklecheck.probe.deadline import Watchdog
from tests.probe.walking import refused, walked
from tests.specimens import Box

ROOT = Path(__file__).parents[2]
LOCK = threading.Lock()


def make(*args):
    return args


class Stuck:
    """Does not come back, in one way or another."""

    def __init__(self, how):
        self.how = how

    def __reduce__(self):
        self.how()
        return make, ()


def spin():
    while True:
        pass


def sleep_on():
    while True:
        time.sleep(0.01)


def swallow_errors():
    while True:
        try:
            time.sleep(0.01)
        except Exception:
            continue


def wait_for_nobody():
    for _ in itertools.repeat(None):
        threading.Event().wait(0.01)


class StuckState:
    def __getstate__(self):
        spin()


@pytest.mark.parametrize("how", [spin, sleep_on, swallow_errors, wait_for_nobody])
def test_a_call_that_does_not_come_back_is_a_culprit(how):
    held = Stuck(how)
    seen = walked([Box(x=1), held, LOCK], seconds=0.2)
    assert refused(seen) == [held, LOCK]
    assert [type(culprit.error) for culprit in seen.culprits] == [NoAnswer, TypeError]


def test_several_are_broken_off_one_after_the_other():
    stuck = [Stuck(spin), StuckState(), Stuck(sleep_on)]
    assert refused(walked(stuck, seconds=0.2)) == stuck


def test_the_report_says_so():
    (failure,) = explain([Stuck(spin)], name="obj", via="pickle", timeout=0.2).failures
    assert failure.path == "obj[0]"
    assert "time limit" in failure.note


def test_a_slow_object_is_waited_for():
    held = [Stuck(lambda: time.sleep(0.05)) for _ in range(10)]
    assert walked(held, seconds=0.4).culprits == []


# what is no hang


@pytest.mark.parametrize("protocol", [2, 4])
def test_a_long_dump_by_c_is_no_hang(protocol):
    obj = [list(range(2_000_000)), Box(), LOCK]
    assert refused(walked(obj, protocol=protocol, seconds=0.02)) == [LOCK]


def test_our_own_work_is_no_hang():
    obj = LOCK
    for _ in range(60_000):
        obj = [obj]
    assert refused(walked([Box(x=obj)], seconds=0.02)) == [LOCK]


# what is left behind


def frozen():
    return 0


def test_nothing_is_left_behind():
    before = threading.active_count()
    walked([Stuck(spin)], seconds=0.2)
    assert threading.active_count() == before
    for _ in range(200_000):  # an exception on its way would arrive in here
        pass


ENDS = """
import threading, time
from picklecheck.probe.deadline import NoAnswer, Watchdog

def spin():
    while True:
        pass

for number in range(100):
    try:
        with Watchdog(lambda: 0, 0.002):
            spin() if number % 2 else time.sleep(0.0005 * (number % 8))  # in C nothing is delivered
    except NoAnswer:
        continue
for _ in range(50):  # whatever is still on its way arrives in here
    time.sleep(0.001)
print(threading.active_count())
"""


def test_no_exception_comes_after_the_end():
    """In an interpreter of its own, which a watchdog that does not end would make useless."""
    done = subprocess.run(
        [sys.executable, "-c", ENDS], check=False, capture_output=True, text=True, timeout=20,
        env={**os.environ, "PYTHONPATH": str(ROOT)}, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "1\n"), done.stderr[-2000:]


def test_progress_is_no_hang():
    numbers = itertools.count()
    with Watchdog(lambda: next(numbers), 0.01):
        time.sleep(0.1)
    assert next(numbers) > 3


def test_other_errors_come_through_and_end_the_watch():
    before = threading.active_count()
    with pytest.raises(LookupError), Watchdog(frozen, 30):
        raise LookupError
    assert threading.active_count() == before


def test_it_works_in_any_thread():
    found = []
    held = Stuck(spin)
    thread = threading.Thread(target=lambda: found.extend(refused(walked([held, LOCK], seconds=0.2))))
    thread.start()
    thread.join(30)
    assert found == [held, LOCK]


def test_the_interpreter_is_as_fast_as_before():
    """An exception that was taken back would leave the interpreter checking for it for ever (until 3.12)."""

    def count():
        calls = []
        sys.settrace(lambda frame, event, arg: calls.append(event))
        try:
            frozen()
        finally:
            sys.settrace(None)
        return len(calls)

    before = count()
    walked([Stuck(spin)], seconds=0.2)
    assert count() == before

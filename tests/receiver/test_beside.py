"""What cannot be pickled hides nothing: the rest of it is tried over there in the same run."""

import sys
import threading

import pytest

import picklecheck
from tests.receiver import zoo
from tests.zoo import SPECIMENS

# these can be pickled, and no process can unpickle them
HALF = {
    # since 3.14 a partialmethod's class wants an argument that does not travel
    "ok-partial-methods": ["obj[1]", "obj[2].func"] if sys.version_info >= (3, 14) else ["obj[2].func"],
    "ok-lambda-bound-as-a-method": ["obj"],
    "ok-forwarding-of-attributes": ["obj"],
    "ok-hook-that-would-call-itself-for-ever": ["obj.conf"],
}
HERE = [specimen for specimen in SPECIMENS if specimen.lives_here() and not specimen.missing()]


class NeedsItsLock:
    """Cannot be set up without the lock that it holds: for want of that it fails over there, and by no fault of its own."""

    def __init__(self):
        self.lock = threading.Lock()

    def __setstate__(self, state):
        state["lock"].acquire()


def test_failures_of_both_sides_in_one_report():
    obj = {"lock": threading.Lock(), "lost": zoo.Joined(1, 2), "deep": [NeedsItsLock()]}
    report = picklecheck.explain(obj, name="obj", start_method="spawn")
    assert [(failure.stage, failure.path) for failure in report.failures] == [
        ("pickle", "obj['lock']"), ("pickle", "obj['deep'][0].lock"), ("unpickle", "obj['lost']"),
    ]  # fmt: skip
    assert all(eval(failure.path, {"obj": obj}) is failure.obj for failure in report.failures)
    assert not report.arrived


def test_a_shared_culprit_excuses_all_that_hold_it():
    one, other = NeedsItsLock(), NeedsItsLock()
    other.lock = one.lock
    report = picklecheck.explain([one, other, zoo.Joined(1, 2)], name="obj", start_method="spawn")
    assert [(failure.stage, failure.path) for failure in report.failures] == [
        ("pickle", "obj[0].lock"), ("unpickle", "obj[2]"),
    ]  # fmt: skip


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("specimen", [pytest.param(each, id=each.id) for each in HERE])
def test_what_is_left_out_is_never_missed(specimen):
    with specimen.made() as obj:
        report = picklecheck.explain(obj, name="obj", via=specimen.via, protocol=specimen.protocol)
        beyond = [failure.path for failure in report.failures if failure.stage != "pickle"]
        assert beyond == HALF.get(specimen.id, [])
        assert report.hazards == ()

"""`Queue.put`, `SimpleQueue.put` and `Connection.send` of multiprocessing, beside the real ones."""

import multiprocessing
import queue
import threading
import time

import pytest

from picklecheck import UsageError, explain, explain_call
from tests.transports.real import check, error_of

SPAWN = multiprocessing.get_context("spawn")
OBJECTS = {
    "number": (lambda: 1, {}),
    "nested": (lambda: {"a": [1, (2, {3})]}, {}),
    "lock": (lambda: {"a": threading.Lock()}, {"obj['a']": "lock"}),
    "lambda": (lambda: (1, lambda: 1), {"obj[1]": "lambda"}),
    "queue": (SPAWN.SimpleQueue, {"obj": "mp-queue"}),
    "event": (SPAWN.Event, {"obj._cond": "mp-event", "obj._flag": "mp-event"}),
    "process": (lambda: SPAWN.Process(target=print), {"obj._config['authkey']": "auth-key"}),
}


@pytest.mark.parametrize("name", OBJECTS)
def test_the_verdict_is_that_of_a_connection_and_of_a_simple_queue(name):
    make, expected = OBJECTS[name]
    obj = make()
    report = check(obj, "obj", expected, via="queue")
    here, there = SPAWN.Pipe()
    simple = SPAWN.SimpleQueue()
    with here, there:
        for put in (here.send, simple.put):
            error = error_of(put, obj)
            assert report.ok is (error is None), error
    simple.close()


@pytest.mark.parametrize("name", ["number", "lock", "lambda"])
def test_a_queue_says_nothing_to_whom_puts(name, capfd):
    obj = OBJECTS[name][0]()
    report = explain(obj, via="queue")
    line = SPAWN.Queue()
    line.put(obj)
    if report.ok:
        assert line.get(timeout=30) == obj
    else:
        until = time.monotonic() + 30
        written = ""
        while "rror: " not in written and time.monotonic() < until:
            time.sleep(0.01)
            written += capfd.readouterr().err
        with pytest.raises(queue.Empty):
            line.get(timeout=0.05)
        assert "Traceback" in written
    assert any("feeder thread" in note for note in report.notes) is not report.ok
    line.close()
    line.join_thread()


def test_a_call_is_not_put():
    with pytest.raises(UsageError, match="ask about the object"):
        explain_call(print, via="queue")


def test_start_methods_do_not_matter():
    report = explain([1], via="queue", start_method="all")
    assert (report.start_method, report.verdicts) == (None, {})

"""A culprit inside something that cannot be sent as a whole: the report names that, and not only the lock in it."""

import concurrent.futures
import io
import logging
import queue
import threading
import zipfile

import pytest

from picklecheck import explain, explain_call
from tests.specimens import Box

EMPTY = b"PK\5\6" + bytes(18)  # an archive without members


class Worker(threading.Thread):
    pass


WHOLES = [
    (threading.Thread, "threading.Thread", "thread"),
    (lambda: threading.Timer(9, print), "threading.Timer", "thread"),
    (Worker, f"{__name__}.Worker", "thread"),
    (lambda: concurrent.futures.ThreadPoolExecutor(1), "concurrent.futures.thread.ThreadPoolExecutor", "executor"),
    (lambda: zipfile.ZipFile(io.BytesIO(EMPTY)), "zipfile.ZipFile", "archive"),
    (queue.Queue, "queue.Queue", "queue"),
    (logging.Handler, "logging.Handler", "logger"),
]


def notes(report, kind):
    return {failure.note for failure in report.failures if failure.kind != kind}


@pytest.mark.parametrize(("make", "name", "kind"), WHOLES, ids=[kind + "-" + name for _, name, kind in WHOLES])
def test_the_holder_is_named(make, name, kind):
    found = notes(explain(Box(held=[make()]), name="obj", roundtrip=False), kind)
    assert found
    assert all(f"part of obj.held[0], which is a {name}" in note for note in found)
    assert all(f"picklecheck kinds {kind}" in note for note in found)


def test_the_root_may_be_the_holder():
    found = notes(explain(threading.Thread(), name="obj", roundtrip=False), "thread")
    assert found
    assert all("part of obj itself, which is a threading.Thread" in note for note in found)


def test_an_argument_may_be_the_holder():
    found = notes(explain_call(print, [threading.Thread()], roundtrip=False), "thread")
    assert found
    assert all("part of args[0], which is a threading.Thread" in note for note in found)


@pytest.mark.parametrize("held", [threading.Lock(), threading.Event(), {"a": [threading.Condition()]}])
def test_what_could_be_sent_without_its_lock_is_not_named(held):
    assert notes(explain(Box(held=held), name="obj", roundtrip=False), None) == {""}

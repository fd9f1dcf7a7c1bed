import copy
import multiprocessing
import os
import pickle
import sys
import threading
import time
from copy import deepcopy
from multiprocessing.reduction import ForkingPickler

import pytest

import picklecheck
from picklecheck.live import hook

PATCHED = [
    (multiprocessing.process.BaseProcess, "start"),
    (ForkingPickler, "dumps"),
    (ForkingPickler, "loads"),
    (copy, "deepcopy"),
]


class Holder:
    def __init__(self):
        self.lock = threading.Lock()


def notes(error):
    return "\n".join(getattr(error, "__notes__", []))


def send(obj):
    here, there = multiprocessing.Pipe()
    try:
        here.send(obj)
        return there.recv()
    finally:
        here.close(), there.close()


def test_the_error_carries_the_report():
    with picklecheck.watch() as watched, pytest.raises(TypeError) as raised:
        send({"holder": Holder()})
    assert "picklecheck: obj['holder'].lock is a thread lock (set at test_watch.py:" in notes(raised.value)
    assert "picklecheck: sent at test_watch.py:" in notes(raised.value)
    assert not watched.ok
    [boundary] = watched.boundaries
    assert (boundary["transport"], os.path.basename(boundary["call"]["file"])) == ("queue", "test_watch.py")
    assert boundary["failures"][0]["path"] == "obj['holder'].lock"


def test_the_error_is_the_same_one():
    class Own(Exception):
        pass

    class Refusing:
        def __reduce__(self):
            raise error

    error = Own("mine")
    with picklecheck.watch(), pytest.raises(Own) as raised:
        send(Refusing())
    assert raised.value is error
    assert "is a" in notes(error)


def test_what_passes_is_called_once_more_by_nobody():
    calls = []

    class Counted:
        def __reduce__(self):
            calls.append(1)
            return int, ()

    with picklecheck.watch() as watched:
        assert send([Counted()]) == [0]
    assert calls == [1]
    assert watched.ok
    assert [boundary["ok"] for boundary in watched.boundaries] == [True]


def test_everything_is_put_back():
    before = [vars(holder)[name] for holder, name in PATCHED]
    environment, path = dict(os.environ), list(sys.meta_path)
    with picklecheck.watch():
        picklecheck.install()
        assert all(vars(holder)[name] is not known for (holder, name), known in zip(PATCHED, before, strict=True))
        picklecheck.uninstall()
        assert hook.active() is not None
        folder = os.environ["PICKLECHECK_RUN"]
    assert [vars(holder)[name] for holder, name in PATCHED] == before
    assert dict(os.environ) == environment
    assert sys.meta_path == path
    assert not os.path.exists(folder)
    assert hook.active() is None


def test_nothing_to_end_is_an_error():
    with pytest.raises(picklecheck.UsageError, match=r"uninstall\(\) without install\(\)"):
        picklecheck.uninstall()


@pytest.mark.parametrize("function", [deepcopy, copy.deepcopy], ids=["imported before", "of the module"])
def test_copies_are_told(function):
    with pytest.raises(TypeError) as raised, picklecheck.watch():
        function({"x": [Holder(), lambda: 0]})
    assert notes(raised.value).count("obj['x'][0].lock is a thread lock") == 1
    assert "lambda" not in notes(raised.value)  # copied as it is


def test_a_copy_inside_a_copy_is_told_once():
    class Outer:
        def __init__(self):
            self.inner = Holder()

        def __deepcopy__(self, memo):
            return copy.deepcopy(self.inner, memo)

    with picklecheck.watch() as watched, pytest.raises(TypeError):
        copy.deepcopy([Outer()])
    assert len(watched.boundaries) == 1


def test_an_exception_that_takes_no_notes():
    class Closed(Exception):
        def __setattr__(self, name, value):
            raise AttributeError(name)

    class Refusing:
        def __reduce__(self):
            raise Closed("no")

    with picklecheck.watch(), pytest.raises(Closed):
        send(Refusing())


def test_modules_that_are_imported_later_are_watched(tmp_path, monkeypatch):
    (tmp_path / "later_module.py").write_text("def f(x):\n    return x\n")
    monkeypatch.syspath_prepend(tmp_path)
    from picklecheck.live.patching import Patches, Point

    patches = Patches([Point("later_module", "f", lambda f: lambda x: f(x) + 1)])
    patches.apply()
    try:
        import later_module

        assert later_module.f(1) == 2
        assert "exec_module" not in vars(later_module.__loader__)
    finally:
        patches.undo()
        sys.modules.pop("later_module", None)
    assert later_module.f(1) == 1


def test_what_somebody_else_has_replaced_is_left():
    original = vars(ForkingPickler)["dumps"]
    with picklecheck.watch():
        mine = classmethod(lambda cls, obj, protocol=None: pickle.dumps(obj))
        ForkingPickler.dumps = mine
        assert send(1) == 1
    try:
        assert vars(ForkingPickler)["dumps"] is mine
    finally:
        ForkingPickler.dumps = original


def test_a_thread_is_told_by_its_own_line():
    queue = multiprocessing.get_context("spawn").Queue()
    try:
        with picklecheck.watch() as watched:
            thread = threading.Thread(target=queue.put, args=(1,))
            thread.start(), thread.join()
            queue.put(2)
            assert {queue.get(timeout=20), queue.get(timeout=20)} == {1, 2}
        assert watched.ok
    finally:
        queue.close(), queue.join_thread()


def test_many_puts_are_forgotten_when_they_are_sent():
    queue = multiprocessing.get_context("spawn").Queue()
    try:
        with picklecheck.watch():
            for number in range(1000, 1100):
                queue.put([number])
            for _ in range(100):
                queue.get(timeout=20)
            until = time.monotonic() + 20
            while hook.active().queued and time.monotonic() < until:
                time.sleep(0.01)
            assert not hook.active().queued
    finally:
        queue.close(), queue.join_thread()

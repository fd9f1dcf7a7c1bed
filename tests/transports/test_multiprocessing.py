import functools
import gc
import multiprocessing
import os
import socket
import sys
import threading
from multiprocessing import context, resource_sharer, shared_memory
from multiprocessing.reduction import ForkingPickler

import pytest

from picklecheck import explain
from picklecheck.transports import find
from tests.specimens import Box

SPAWN = multiprocessing.get_context("spawn")
FORK = multiprocessing.get_context("fork") if "fork" in multiprocessing.get_all_start_methods() else SPAWN


def make(*args):
    return args


# what each refuses: the real pickler, in the same moment


OBJECTS = {
    "lock": SPAWN.Lock,
    "rlock": SPAWN.RLock,
    "event": SPAWN.Event,
    "condition": SPAWN.Condition,
    "semaphore": SPAWN.Semaphore,
    "barrier": lambda: SPAWN.Barrier(2),
    "queue": SPAWN.Queue,
    "simple-queue": SPAWN.SimpleQueue,
    "joinable-queue": SPAWN.JoinableQueue,
    "value": lambda: SPAWN.Value("i"),
    "raw-value": lambda: SPAWN.RawValue("d"),
    "array": lambda: SPAWN.Array("d", 10),
    "raw-array": lambda: SPAWN.RawArray("d", 10),
    "pipe": SPAWN.Pipe,
    "socket": socket.socketpair,
    "lock-of-fork": FORK.Lock,
    "process": lambda: SPAWN.Process(target=print),
    "thread-lock": threading.Lock,
    "bound-method": lambda: Box().__init__,
    "method-of-a-type": lambda: [str.join, "".join, list.append],
    "partial": lambda: functools.partial(make, 1, key=2),
    "current-process": multiprocessing.current_process,
    "auth-key": lambda: multiprocessing.current_process().authkey,
}
SPAWNING = ("process",)


def close(obj):
    for part in obj if isinstance(obj, tuple) else [obj]:
        if hasattr(part, "close") and not isinstance(part, multiprocessing.process.BaseProcess):
            part.close()


@pytest.fixture(autouse=True)
def nothing_served():
    yield
    resource_sharer.stop()
    gc.collect()  # 3.12.1 cannot take a semaphore that is freed while it makes another


class Popen:
    """As much of a child that is being spawned as the real reducers use."""

    def DupFd(self, fd):
        from multiprocessing.popen_spawn_posix import _DupFd

        return _DupFd(fd)

    def duplicate_for_child(self, handle):
        return handle


@pytest.mark.skipif(sys.platform == "win32", reason="handles are another matter there")
@pytest.mark.parametrize("via", ["process", "pool"])
@pytest.mark.parametrize("name", OBJECTS)
def test_the_verdict_is_the_real_pickler_s(name, via):

    obj = OBJECTS[name]()
    context.set_spawning_popen(Popen() if via in SPAWNING else None)
    try:
        ForkingPickler.dumps([obj])
        error = None
    except Exception as caught:
        error = caught
    finally:
        context.set_spawning_popen(None)
    report = explain([obj], name="obj", via=via, start_method="spawn" if via == "process" else None)
    close(obj)
    assert report.ok is (error is None)
    assert error is None or f"{type(error).__name__}: {error}" in {failure.error for failure in report.failures}


# the moment


def test_a_child_is_being_spawned_for_the_time_of_the_pass_only():
    seen = []

    class Looking:
        def __reduce__(self):
            seen.append(context.get_spawning_popen() is not None)
            return make, ()

    for via in ("process", "pool", "pickle"):
        explain([Looking()], via=via)
        assert context.get_spawning_popen() is None
    assert seen == [True, False, False]


def test_a_child_that_is_really_being_spawned_is_put_back():
    real = Popen()
    context.set_spawning_popen(real)
    try:
        explain([1], via="process")
        assert context.get_spawning_popen() is real
    finally:
        context.set_spawning_popen(None)


def test_the_moment_ends_when_the_pass_is_broken_off():
    class Interrupted:
        def __reduce__(self):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        explain([Interrupted()], via="process")
    assert context.get_spawning_popen() is None


# nothing outside is changed


def descriptors():
    return sorted(os.listdir("/proc/self/fd"))


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="descriptors are counted there")
@pytest.mark.parametrize("via", ["process", "pool"])
@pytest.mark.parametrize("name", ["pipe", "socket", "queue", "simple-queue", "value", "array"])
def test_no_descriptor_is_duplicated_and_no_server_started(name, via):
    obj = OBJECTS[name]()
    explain([obj], via=via)
    gc.collect()
    before, threads = descriptors(), threading.active_count()
    explain([obj, Box(x=obj)], via=via)
    assert descriptors() == before
    assert threading.active_count() == threads
    assert resource_sharer._resource_sharer._listener is None
    close(obj)


def test_shared_memory_is_only_named():
    block = shared_memory.SharedMemory(create=True, size=100)
    try:
        report = explain([block], via="process")
        assert report.ok
        assert report.size.bytes < 1000
        block.buf[0] = 1
    finally:
        block.close()
        block.unlink()


# stand-ins


def test_only_what_duplicates_has_a_stand_in():
    stand_in = find("pool").stand_in
    replaced = {
        cls.__name__ for cls, reducer in ForkingPickler._extra_reducers.items() if stand_in(reducer) is not None
    }
    expected = {"Connection", "socket", "Arena", "PipeConnection"}
    assert {name for name in replaced if not _of_torch(name)} <= expected
    assert {"Connection", "socket"} <= replaced
    assert stand_in(make) is None
    assert stand_in(len) is None
    assert find("pickle").stand_in(make) is None


def _of_torch(name):
    return "Tensor" in name or "Storage" in name or name in ("Event", "Parameter")


def test_a_stand_in_refuses_what_the_reducer_refuses():
    closed, other = socket.socketpair()
    here, there = SPAWN.Pipe()
    closed.close()
    here.close()
    try:
        for obj in (closed, here):
            with pytest.raises((OSError, ValueError)) as caught:
                ForkingPickler.dumps(obj)
            (failure,) = explain(obj, name="obj", via="pool").failures
            assert failure.error == f"{type(caught.value).__name__}: {', '.join(map(str, caught.value.args))}"
    finally:
        close((other, there))

import os
import pickle
import threading
from pathlib import Path

import pytest

import picklecheck
from picklecheck.receiver import answers, launch, preparation, wire
from tests.receiver.zoo import Box, Joined


@pytest.fixture
def no_child():
    launch.end_all()
    return launch.count_starts()


def sent(obj, **options):
    request = {"explain": False, "patience": 1.0, "wanted": [], "left_out": []}
    return launch.send([pickle.dumps(obj)], start_method="spawn", seconds=20.0, **{**request, **options})


def test_one_child_serves_many_trials(no_child):
    for number in range(300):
        obj = Joined(1, 2) if number % 50 == 0 else Box(number=number)
        assert picklecheck.is_picklable(obj, via="process", start_method="spawn") is (number % 50 != 0)
    assert launch.count_starts() - no_child == 1


def test_another_start_method_has_another_child(no_child):
    for method in ("spawn", "forkserver", "spawn", "forkserver"):
        assert picklecheck.explain([1], name="obj", start_method=method).arrived
    assert launch.count_starts() - no_child == 2


def test_the_oldest_child_is_ended(no_child, tmp_path, monkeypatch):
    for number in range(4):
        monkeypatch.syspath_prepend(tmp_path / str(number))
        assert sent(1).ok
    assert len(launch._kept.children) == 3


def test_the_environment_is_the_sender_s(monkeypatch):
    monkeypatch.setenv("PICKLECHECK_TRIAL", "seven")
    answer = sent(Environment())
    assert answer.ok, answer.error


class Environment:
    def __reduce__(self):
        return check_environment, (os.getcwd(),)


def check_environment(folder):
    assert os.environ["PICKLECHECK_TRIAL"] == "seven"
    assert os.getcwd() == folder


def test_threads_take_turns():
    found = []
    threads = [threading.Thread(target=lambda: found.append(sent([1]).ok)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 8


def test_a_child_that_was_killed_is_replaced():
    assert sent(1).ok
    for child in launch._kept.children.values():
        child.process.kill()
        child.process.wait()
    assert sent(1).ok


def test_no_child_is_no_failure(monkeypatch):
    launch.end_all()

    def refuse(seed):
        raise preparation.NotPossible("OSError: no processes here")

    monkeypatch.setattr(launch, "start", refuse)
    report = picklecheck.explain([1], name="obj", via="process", start_method="spawn")
    assert report.ok
    assert not report.arrived
    assert report.notes == ("The other side was not tried: OSError: no processes here.",)


def test_a_large_payload_crosses():
    assert sent([bytes(5_000_000), "x" * 3_000_000]).ok


def test_a_start_without_fork(monkeypatch, no_child):
    monkeypatch.setattr(launch, "_FORKS", False)
    assert sent([1]).ok
    assert not sent(Joined(1, 2)).ok
    assert launch.count_starts() - no_child == 2
    launch.end_all()


def test_a_start_by_a_listener(monkeypatch, no_child):
    monkeypatch.setattr(launch, "_FORKS", False)
    monkeypatch.setattr(launch, "start", lambda seed: preparation.start_with_listener(dict.fromkeys(["stdin"], -3)))
    assert sent([1]).ok
    launch.end_all()


@pytest.mark.parametrize("reply", [{}, {"ok": "yes"}, {"failures": []}])
def test_a_reply_that_makes_no_sense(reply):
    assert not answers.read(reply).ok


def test_a_message_that_is_none():
    import socket

    one, other = socket.socketpair()
    with one, other:
        for data in (b"\xff" * 20, (4).to_bytes(8, "big") + b"nope", (2).to_bytes(8, "big") + b"[]"):
            one.sendall(data)
            with pytest.raises(wire.Gone):
                wire.Wire(other).receive()
            other.setblocking(False)
            try:
                other.recv(100)
            except BlockingIOError:
                pass
            other.setblocking(True)


class OnlyWithoutFork:
    """Ends a fork as a library does whose threads a fork has lost."""

    def __reduce__(self):
        return end_a_fork, ()


def end_a_fork():
    if "picklecheck.receiver.child" in Path(f"/proc/{os.getppid()}/cmdline").read_text():
        os._exit(5)


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="threads are counted there")
@pytest.mark.parametrize("threads", [1, 3])
def test_the_end_of_a_fork_of_threads_is_tried_without(threads, monkeypatch):
    real = launch._Child._status
    monkeypatch.setattr(launch._Child, "_status", lambda self, until: {**real(self, until), "threads": threads})
    monkeypatch.setattr(launch, "_kept", launch._Kept())
    assert sent(OnlyWithoutFork()).ok is (threads > 1)
    assert sent(OnlyWithoutFork()).ok is (threads > 1)
    assert launch.count_starts() == (1 if threads == 1 else 3)
    launch.end_all()

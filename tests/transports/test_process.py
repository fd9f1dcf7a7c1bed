import functools
import multiprocessing
import sys
import threading
import time

import pytest

from picklecheck import explain, explain_call
from tests.specimens import Box
from tests.transports.real import check, check_call, culprits, error_of

SPAWN = multiprocessing.get_context("spawn")
FORKS = "fork" in multiprocessing.get_all_start_methods()
needs_fork = pytest.mark.skipif(not FORKS, reason="there is no fork here")


def nothing(*args, **kwargs):
    pass


def local():
    def inner():
        pass

    return inner


class Worker(SPAWN.Process):
    def __init__(self, **held):
        super().__init__()
        self.__dict__.update(held)

    def run(self):
        pass


def fork_lock():
    return multiprocessing.get_context("fork" if FORKS else "spawn").Lock()


LAMBDA = "lambda"
MADE = {
    "nothing": (lambda: SPAWN.Process(target=nothing), {}),
    "arguments": (lambda: SPAWN.Process(target=nothing, args=(1, [2]), kwargs={"k": {3}}), {}),
    "lock-in-args": (
        lambda: SPAWN.Process(target=nothing, args=([1, threading.Lock()],)),
        {"process._args[0][1]": "lock"},
    ),
    "lambda-in-kwargs": (
        lambda: SPAWN.Process(target=nothing, kwargs={"key": lambda: 1}),
        {"process._kwargs['key']": "lambda"},
    ),
    "both": (
        lambda: SPAWN.Process(target=lambda: 1, args=(threading.Lock(),)),
        {"process._target": "lambda", "process._args[0]": "lock"},
    ),
    "local-target": (lambda: SPAWN.Process(target=local()), {"process._target": "local-function"}),
    "method": (
        lambda: SPAWN.Process(target=Box(guard=threading.Lock()).__init__),
        {"process._target.__self__.guard": "lock"},
    ),
    "partial": (
        lambda: SPAWN.Process(target=functools.partial(nothing, 1, key=[lambda: 1])),
        {"process._target.keywords['key'][0]": "lambda"},
    ),
    "subclass": (lambda: Worker(level=1), {}),
    "subclass-with-lock": (lambda: Worker(guard=threading.Lock()), {"process.guard": "lock"}),
    "queue": (lambda: SPAWN.Process(target=nothing, args=(SPAWN.Queue(),)), {}),
    "lock-of-spawn": (lambda: SPAWN.Process(target=nothing, args=(SPAWN.Lock(),)), {}),
    "another-process": (lambda: Worker(other=SPAWN.Process(target=nothing)), {}),
    "auth-key": (lambda: SPAWN.Process(target=nothing, args=(multiprocessing.current_process().authkey,)), {}),
}


@pytest.mark.parametrize("name", MADE)
def test_the_verdict_and_the_paths_are_those_of_a_real_start(name):
    make, expected = MADE[name]
    process = make()
    report = check(process, "process", expected)
    assert (report.transport, report.start_method, report.target_type) == ("process", "spawn", type(process).__name__)
    assert process._popen is None
    error = error_of(process.start)
    if error is None:
        process.join(60)
    assert report.ok is (error is None), error
    if error is not None:
        assert report.failures[0].error.startswith(f"{type(error).__name__}: ")


@needs_fork
def test_a_lock_of_fork_stops_a_spawned_process_where_python_checks():
    process = SPAWN.Process(target=nothing, args=(fork_lock(),))
    report = explain(process)
    error = error_of(process.start)
    if error is None:
        process.join(60)
    assert report.ok is (error is None)
    assert set(culprits(report).values()) <= {"mp-lock-of-another-context"}


def test_a_started_process_on_a_process_is_found_in_what_it_holds():
    helper = SPAWN.Process(target=nothing)
    helper.start()
    helper.join(60)
    worker = Worker(helper=helper)
    report = check(worker, "process", {"process.helper._popen.finalizer._weakref": "weakref"})
    assert type(error_of(worker.start)) is TypeError, report


# the start method


@pytest.mark.parametrize("name", multiprocessing.get_all_start_methods())
def test_a_process_brings_its_own_start_method(name):
    process = multiprocessing.get_context(name).Process(target=nothing)
    report = explain(process)
    assert report.start_method == ("spawn" if name == "fork" else name)
    assert any("Under fork nothing is pickled" in note for note in report.notes) is (name == "fork")


def test_its_own_start_method_wins():
    report = explain(SPAWN.Process(target=nothing), start_method="forkserver")
    assert report.start_method == "spawn"
    assert "It brings its own start method, spawn, whatever is asked." in report.notes


@needs_fork
def test_of_a_process_that_would_be_forked_one_may_ask_what_if():
    process = multiprocessing.get_context("fork").Process(target=nothing)
    assert explain(process, start_method="forkserver").start_method == "forkserver"


def test_a_process_of_no_context_takes_what_is_asked(monkeypatch):
    process = multiprocessing.Process(target=nothing)
    for name in ("spawn", "forkserver"):
        assert explain(process, start_method=name).start_method == name


# one that cannot be started


def test_a_process_that_was_started_is_told_in_one_finding():
    process = SPAWN.Process(target=nothing)
    process.start()
    process.join(60)
    report = explain(process)
    (failure,) = report.failures
    assert (failure.path, failure.kind, failure.obj) == ("process", "process", process)
    assert "was started already" in failure.reason
    error = error_of(process.start)
    assert failure.error == f"{type(error).__name__}: {error}"
    process.close()
    closed = explain(process).failures[0]
    assert "was closed" in closed.reason
    error = error_of(process.start)
    assert closed.error == f"{type(error).__name__}: {error}"


def test_the_running_process_itself_is_an_object_like_any_other():
    assert explain(multiprocessing.current_process()).title == ""


def test_via_process_makes_it_an_argument():
    report = explain(SPAWN.Process(target=nothing), via="process", start_method="forkserver")
    assert (report.title, report.start_method) == ("", "forkserver")


# calls


CALLS = {
    "plain": (nothing, (1,), {"k": 2}, {}),
    "target": (lambda: 1, (), {}, {"target": "lambda"}),
    "args": (nothing, ([threading.Lock()],), {}, {"args[0][0]": "lock"}),
    "kwargs": (nothing, (), {"k": {"deep": threading.Lock()}}, {"kwargs['k']['deep']": "lock"}),
    "method": (Box(guard=threading.Lock()).__init__, (), {}, {"target.__self__.guard": "lock"}),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_is_what_a_process_is_started_with(name):
    target, args, kwargs, expected = CALLS[name]
    report = check_call(expected, target, args, kwargs, start_method="spawn")
    process = SPAWN.Process(target=target, args=args, kwargs=kwargs)
    error = error_of(process.start)
    if error is None:
        process.join(60)
    assert report.ok is (error is None)


def test_the_tree_of_a_call_names_its_arguments():
    text = str(explain_call(nothing, ([threading.Lock()],), {"k": threading.Lock()}))
    assert "args[0][0]" in text
    assert "kwargs['k']" in text


# all start methods


def methods():
    return ["spawn", "forkserver"] if sys.platform == "win32" else ["fork", "spawn", "forkserver"]


def test_all_start_methods_have_a_verdict():
    fine = explain_call(nothing, (1,), start_method="all")
    assert fine.verdicts == dict.fromkeys(methods(), True)
    bad = explain_call(nothing, (threading.Lock(),), start_method="all")
    assert bad.verdicts == {name: name == "fork" for name in methods()}
    assert bad.ok is False
    assert bad.to_dict()["verdicts"] == dict(bad.verdicts)
    assert not any("Under fork" in note for note in bad.notes)


def test_without_all_there_are_no_verdicts():
    report = explain_call(nothing, start_method="spawn")
    assert report.verdicts == {}
    assert report.to_dict()["verdicts"] is None


@needs_fork
@pytest.mark.skipif(sys.version_info < (3, 11, 5), reason="gh-77377: nothing checked before")
def test_a_lock_of_fork_crosses_by_fork_only():
    assert explain([fork_lock()], start_method="all").verdicts == {"fork": True, "spawn": False, "forkserver": False}


def test_of_a_process_with_a_context_only_that_one_is_asked():
    report = explain(SPAWN.Process(target=nothing, args=(threading.Lock(),)), start_method="all")
    assert report.verdicts == {"spawn": False}


def test_each_start_method_has_its_line():
    lines = str(explain_call(nothing, (threading.Lock(),), start_method="all")).splitlines()
    assert lines[1:3] == [
        "  ✓ fork        the default on Linux up to Python 3.13; nothing is pickled",
        "  ✗ spawn       the default on macOS and Windows",
    ]
    assert lines[3] == "  ✗ forkserver  the default on Linux from Python 3.14"


def test_the_first_line_says_what_was_given():
    process = SPAWN.Process(target=nothing, args=(threading.Lock(),))
    assert str(explain(process)).startswith("✗ process (SpawnProcess, spawn) cannot start: 1 object stops it\n")
    assert str(explain(Worker(), name="worker")).startswith("✓ worker (Worker, spawn) can start: ")


def test_no_property_of_a_subclass_is_called():
    class Odd(SPAWN.Process):
        def __getattribute__(self, name):
            if name in ("_start_method", "_target", "context"):
                raise AssertionError(name)
            return super().__getattribute__(name)

    process = Odd(target=time.sleep)
    assert explain(process).title == "Odd"

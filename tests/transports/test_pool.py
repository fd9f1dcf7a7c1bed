"""Tasks and results of pools and executors, and what their workers are started with: beside real ones."""

import functools
import multiprocessing
import multiprocessing.pool
import threading
import weakref
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import pytest

from picklecheck import UsageError, explain, explain_call
from tests.specimens import Box
from tests.transports.real import check, check_call, error_of

SPAWN = multiprocessing.get_context("spawn")


def give(*args, **kwargs):
    return None


def nothing(*args):
    pass


def held_lock():
    return Box(cache=Box(lock=threading.Lock()))


class Odd(Exception):
    def __init__(self, text, part=None):
        super().__init__(text)
        self.part = part


def _chained():
    try:
        try:
            raise ValueError(threading.Lock())
        except ValueError as error:
            raise Odd("outer") from error
    except Odd as error:
        return error


OBJECTS = {
    "number": (lambda: 1, {}),
    "nested": (lambda: [Box(x={"a": (1, 2)})], {}),
    "lock": (held_lock, {"obj.cache.lock": "lock"}),
    "lambda": (lambda: [lambda: 1], {"obj[0]": "lambda"}),
    "weakref": (lambda: {"w": weakref.ref(give)}, {"obj['w']": "weakref"}),
    "two": (lambda: [threading.Lock(), lambda: 1], {"obj[0]": "lock", "obj[1]": "lambda"}),
    "generator": (lambda: (number for number in range(3)), {"obj": "generator"}),
    "queue": (SPAWN.Queue, {"obj": "mp-queue"}),
    "process-lock": (SPAWN.Lock, {"obj": "mp-lock"}),
    "exception": (lambda: ValueError(1), {}),
    "exception-with-lock": (lambda: ValueError(1, threading.Lock()), {"obj.args[1]": "lock"}),
    "exception-with-attribute": (lambda: Odd("x", threading.Lock()), {"obj.part": "lock"}),
    "chained": (_chained, {}),
    "base-exception": (KeyboardInterrupt, {}),
}


def make(name):
    return OBJECTS[name][0]()


def fail(name):
    raise make(name)


@pytest.fixture(scope="module")
def pool():
    with SPAWN.Pool(1) as pool:
        yield pool


@pytest.fixture(scope="module")
def executor():
    with ProcessPoolExecutor(1, mp_context=SPAWN) as executor:
        yield executor


@pytest.mark.parametrize("name", OBJECTS)
def test_a_task_s_verdict_is_the_pool_s(name, pool):
    obj = make(name)
    report = check(obj, "obj", OBJECTS[name][1], via="pool")
    error = error_of(pool.apply_async(give, (obj,)).get, 60)
    assert report.ok is (error is None), error


@pytest.mark.parametrize("name", ["number", "lock", "lambda"])
def test_a_map_s_verdict_is_the_pool_s(name, pool):
    items = [1, make(name), 3]
    report = explain_call(give, items, via="pool")
    error = error_of(pool.map_async(give, items, chunksize=2).get, 60)
    assert report.ok is (error is None), error
    assert all(failure.path.startswith("args[1]") for failure in report.failures)


@pytest.mark.parametrize("name", OBJECTS)
def test_a_task_s_verdict_is_the_executor_s(name, executor):
    obj = make(name)
    expected = {"args[0]" + path[3:]: kind for path, kind in OBJECTS[name][1].items()}
    report = check_call(expected, give, (obj,), via="executor")
    error = executor.submit(give, obj).exception(60)
    assert report.ok is (error is None), error
    assert any("the future gets the error" in note for note in report.notes) is (error is not None)


@pytest.mark.parametrize("name", OBJECTS)
def test_a_result_s_verdict_is_the_pool_s(name, pool):
    report = explain(make(name), name="obj", via="result")
    error = error_of(pool.apply_async(make, (name,)).get, 60)
    assert report.ok is (error is None), error
    if error is not None:
        assert type(error) is multiprocessing.pool.MaybeEncodingError
        assert any("MaybeEncodingError" in note for note in report.notes)


@pytest.mark.parametrize("name", OBJECTS)
def test_a_result_s_verdict_is_the_executor_s(name, executor):
    error = executor.submit(make, name).exception(60)
    assert explain(make(name), via="result").ok is (error is None), error


@pytest.mark.parametrize("name", ["exception", "exception-with-lock", "exception-with-attribute", "chained"])
def test_a_raised_exception_s_verdict_is_the_pool_s_and_the_executor_s(name, pool, executor):
    report = check(make(name), "obj", OBJECTS[name][1], via="result")
    for error in (error_of(pool.apply_async(fail, (name,)).get, 60), executor.submit(fail, name).exception(60)):
        crossed = type(error) is type(make(name))
        assert report.ok is crossed, error
    assert any("`__cause__` and `__context__` stay behind" in note for note in report.notes)


def test_a_plain_result_has_no_note_of_exceptions():
    assert explain([1], via="result").notes == ()


# what the workers are started with


def test_a_pool_s_initializer_crosses_with_the_process():
    lock = SPAWN.Lock()
    with SPAWN.Pool(1, initializer=nothing, initargs=(lock,)) as pool:
        before = dict(vars(pool))
        report = check(pool, "pool", {})
        assert (report.transport, report.start_method, report.title) == ("process", "spawn", "Pool, 1 worker")
        assert "via='pool'" in report.notes[0]
        assert vars(pool) == before
    assert not explain(lock, via="pool").ok


def test_a_pool_s_initializer_is_found_as_the_pool_finds_it():
    initializer, guard = (lambda *args: None), threading.Lock()
    assert error_of(SPAWN.Pool, 1, initializer, (1, [guard])) is not None
    with SPAWN.Pool(1) as pool:
        pool._initializer, pool._initargs = initializer, (1, [guard])
        check(pool, "pool", {"pool._initializer": "lambda", "pool._initargs[1][0]": "lock"})
        pool._initializer, pool._initargs = None, ()


def test_nothing_crosses_for_a_pool_of_threads():
    with multiprocessing.pool.ThreadPool(1, initializer=nothing, initargs=(threading.Lock(),)) as pool:
        report = explain(pool)
        assert report.ok
        assert report.start_method is None
        assert report.notes == ("Its workers are threads of this process: nothing crosses.",)


INITIAL = {
    "none": (None, (), {}),
    "fine": (nothing, (SPAWN.Lock,), {}),
    "lambda": (lambda: 1, (), {"executor._initializer": "lambda"}),
    "lock": (nothing, ({"a": threading.Lock()},), {"executor._initargs[0]['a']": "lock"}),
}


@pytest.mark.parametrize("name", INITIAL)
def test_an_executor_s_initializer_is_found_as_the_executor_finds_it(name):
    initializer, initargs, expected = INITIAL[name]
    with ProcessPoolExecutor(2, SPAWN, initializer, initargs) as executor:
        report = check(executor, "executor", expected)
        assert (report.start_method, report.title) == ("spawn", "ProcessPoolExecutor, 2 workers")
        assert not executor._processes
        if expected:
            assert error_of(executor.submit, give) is not None
            executor._executor_manager_thread = None  # it was made before the worker could not start


def test_an_executor_of_threads_is_an_object_like_any_other():
    with ThreadPoolExecutor(1) as executor:
        assert explain(executor).title == ""


def test_a_partial_for_a_pool_is_explained_as_the_function():
    task = functools.partial(give, [threading.Lock()], key=lambda: 1)
    check(task, "task", {"task.args[0][0]": "lock", "task.keywords['key']": "lambda"}, via="pool")


def test_a_result_is_no_call():
    with pytest.raises(UsageError, match="ask about the object, with explain"):
        explain_call(give, via="result")

"""Other interpreters of the same process, beside the real ones: collected on Python 3.14 and later only."""

import functools
import sys
import threading
import weakref
from concurrent import interpreters
from concurrent.futures import InterpreterPoolExecutor

import pytest

from picklecheck import explain, explain_call
from tests.specimens import Box
from tests.transports.real import check, check_call, error_of

GLOBAL = 1


def give(*args, **kwargs):
    return None


def uses_global(*args):
    return GLOBAL


def imports(*args):
    import os

    return os.getpid()


def closure():
    outer = 1

    def inner(*args):
        return outer

    return inner


def local():
    def inner(*args):
        return 1

    return inner


def with_default(value=(1,)):
    return lambda *args, given=value: given


def unhashable_lock():
    return Box(lock=threading.Lock())


ARGUMENTS = {
    "none": (lambda: None, {}),
    "number": (lambda: 10**30, {}),
    "surrogate": (lambda: "\ud800", {}),
    "list": (lambda: [1, {2}], {}),
    "instance": (lambda: Box(x=1), {}),
    "tuple-of-lock": (lambda: (1, ("a", threading.Lock())), {"args[0][1][1]": "lock"}),
    "lock": (unhashable_lock, {"args[0].lock": "lock"}),
    "memoryview": (lambda: memoryview(b"a"), {}),
    "memoryview-in-list": (lambda: [memoryview(b"a")], {"args[0][0]": "memoryview"}),
    "memoryview-in-tuple": (lambda: (memoryview(b"a"), [1]), {}),
    "bytearray": (lambda: bytearray(b"a"), {}),
    "lambda": (lambda: lambda *args: len(args), {}),
    "lambda-in-tuple": (lambda: (lambda *args: 1,), {}),
    "lambda-in-list": (lambda: [lambda *args: 1], {"args[0][0]": "lambda"}),
    "lambda-with-global": (lambda: lambda *args: GLOBAL, {"args[0]": "lambda"}),
    "lambda-with-default": (with_default, {"args[0]": "lambda"}),
    "closure": (closure, {"args[0]": "local-function"}),
    "local": (local, {}),
    "partial": (lambda: functools.partial(give, 1), {}),
    "partial-of-lambda": (lambda: functools.partial(lambda *args: 1), {"args[0].func": "lambda"}),
    "weakref": (lambda: weakref.ref(give), {"args[0]": "weakref"}),
    "generator": (lambda: (n for n in ()), {"args[0]": "generator"}),
    "exception": (lambda: ValueError(1), {}),
    "module": (lambda: sys, {"args[0]": "module"}),
    "code": (lambda: give.__code__, {"args[0]": "code"}),
    "class": (lambda: Box, {}),
}


def errors_of_sharing(*things):
    """Send things to no one: the conversion is what is looked at, and unpickling is the other side's."""
    found = []
    for thing in things:
        queue = interpreters.create_queue()
        found.append(error_of(queue.put, thing))
    return [error for error in found if error is not None]


@pytest.mark.parametrize("name", ARGUMENTS)
def test_an_argument_s_verdict_is_that_of_the_interpreter(name):
    make, expected = ARGUMENTS[name]
    obj = make()
    report = check_call(expected, give, (obj,), via="interpreter")
    errors = errors_of_sharing((obj,))
    assert report.ok is (errors == []), errors
    assert explain(obj, via="interpreter").ok is report.ok
    assert any("NotShareableError" in note for note in report.notes) is not report.ok


@pytest.mark.parametrize("name", ARGUMENTS)
def test_keyword_arguments_are_pickled(name):
    obj = ARGUMENTS[name][0]()
    report = explain_call(give, (), {"key": obj}, via="interpreter")
    errors = errors_of_sharing({"key": obj})
    assert report.ok is (errors == []), errors
    assert all(failure.path.startswith("kwargs['key']") for failure in report.failures)


TARGETS = {
    "by-name": (give, {}),
    "by-name-with-global": (uses_global, {}),
    "imports": (imports, {}),
    "lambda": (lambda *args: 1, {}),
    "lambda-with-global": (lambda *args: GLOBAL, {"target": "lambda"}),
    "closure": (closure(), {"target": "local-function"}),
    "method": (Box(lock=threading.Lock()).__init__, {"target.__self__.lock": "lock"}),
    "builtin": (len, {}),
}


@pytest.mark.parametrize("name", TARGETS)
def test_a_function_s_verdict_is_that_of_a_call(name):
    target, expected = TARGETS[name]
    report = check_call(expected, target, via="interpreter")
    interpreter = interpreters.create()
    try:
        error = error_of(interpreter.call, target)
    finally:
        interpreter.close()
    # that a function is not found by its name over there is the other side's, as is what it raises
    refused = isinstance(error, interpreters.NotShareableError) and "No module" not in str(error.__cause__)
    assert report.ok is not refused, error


def test_queues_of_interpreters_are_shared():
    assert explain_call(give, (interpreters.create_queue(),), via="interpreter").ok


def test_an_executor_s_initializer_is_found():
    with InterpreterPoolExecutor(1, initializer=give, initargs=([threading.Lock()], lambda: GLOBAL)) as executor:
        report = check(
            executor,
            "executor",
            {
                "executor._create_worker_context.__closure__[1].cell_contents[1][0][0]": "lock",
                "executor._create_worker_context.__closure__[1].cell_contents[1][1]": "lambda",
            },
        )
        assert (report.transport, report.title, report.start_method) == ("interpreter", "InterpreterPoolExecutor", None)
        assert error_of(executor.submit(give).result, 60) is not None
    with InterpreterPoolExecutor(1, initializer=give, initargs=(1,)) as executor:
        assert explain(executor).ok
    with InterpreterPoolExecutor(1) as executor:
        assert explain(executor).ok


def test_no_queue_is_left_behind():
    before = len(interpreters.list_all()), _queues()
    explain_call(lambda: 1, (closure(),), via="interpreter")
    assert (len(interpreters.list_all()), _queues()) == before


def _queues():
    import _interpqueues

    return len(_interpqueues.list_all())


def test_what_is_shared_as_a_whole_is_said():
    report = explain((1, "a"), via="interpreter")
    assert (report.ok, report.size, report.notes) == (True, None, ("All of it is shared: nothing is pickled.",))
    assert explain([1], via="interpreter").notes == ()

"""Runs CPython's own tests of the C pickler, and compares on every object that they pickle; prints the tally as JSON.

A program of its own: `test.pickletester` puts classes into the main module, and some of its tests set the recursion limit.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import random
import sys
import unittest
import warnings

import picklecheck
from tests.conformance.comparing import Tally, real_error

CLASSES = ("InMemoryPickleTests", "CPicklerTests", "CPicklingErrorTests")
# objects that an attempt uses up, or that change at random: both sides get them in the same state, in a fork each
USED_UP = {"test_evil_class_mutating_dict", "test_bad_object_dict_items"}


def hooked(cls: type, tally: Tally) -> type:
    def dumps(self, arg, *args, **kwargs):
        protocol = kwargs.get("protocol", kwargs.get("proto", args[0] if args else None))
        compare = compare_in_forks if self._testMethodName in USED_UP else tally.compare
        with room_to_recurse():
            compare(self.id(), arg, absolute(protocol))
        return cls.dumps(self, arg, *args, **kwargs)

    def compare_in_forks(label, obj, protocol):
        if not hasattr(os, "fork"):
            return
        passes = in_a_fork(lambda: real_error(obj, protocol) is None)
        report = in_a_fork(
            lambda: picklecheck.explain(obj, name="obj", via="pickle", protocol=protocol, roundtrip=False).ok
        )
        tally.compared += 1
        tally.refused += not passes
        if report != passes:
            tally.differences.append(f"{label}, protocol {protocol}: ok is {report}, and it passes: {passes}")

    return type(cls.__name__, (cls,), {"dumps": dumps})


def absolute(protocol: int | None) -> int:
    return pickle.DEFAULT_PROTOCOL if protocol is None else pickle.HIGHEST_PROTOCOL if protocol < 0 else protocol


def in_a_fork(ask) -> bool | None:
    """The answer of a child that is a copy of this process; None where it died."""
    state = random.getstate()
    child = os.fork()
    if child == 0:
        random.setstate(state)  # Python seeds it anew after a fork
        answer = 2
        with contextlib.suppress(BaseException):
            answer = int(ask())
        os._exit(answer)
    return {0: False, 1: True}.get(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


@contextlib.contextmanager
def room_to_recurse():
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, 1000))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


def main() -> None:
    warnings.simplefilter("ignore")
    try:
        from test import test_pickle
    except ImportError as error:  # Debian packs it separately
        print(json.dumps({"missing": str(error)}))
        return
    tally = Tally()
    suite = unittest.TestSuite()
    for name in CLASSES:
        if hasattr(test_pickle, name):  # the last one came with 3.13
            suite.addTests(unittest.defaultTestLoader.loadTestsFromTestCase(hooked(getattr(test_pickle, name), tally)))
    result = unittest.TestResult()
    suite.run(result)
    broken = [f"{test.id()}: {text}" for test, text in result.failures + result.errors]
    print(json.dumps({"ran": result.testsRun, "broken": broken, **vars(tally)}))


if __name__ == "__main__":
    main()

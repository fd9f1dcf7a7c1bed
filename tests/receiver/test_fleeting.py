"""Tensors that are made while something is pickled: their storage is gone when the process wants to load them."""

import multiprocessing
import sys

import pytest

import picklecheck

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="by the number of a descriptor")

ROW = [1.0, 2.0, 3.0]


class Fresh:
    def __getstate__(self):
        return {"rows": torch.tensor(ROW)}


class Reduced:
    def __reduce__(self):
        return rebuild, (torch.tensor(ROW),)


class Holds:
    """Its state is made anew, of tensors that are not."""

    def __init__(self):
        self.rows = torch.tensor(ROW)

    def __getstate__(self):
        return {"rows": self.rows, "tail": self.rows[1:], "whole": self.rows.view(-1)}


class Copies:
    def __init__(self):
        self.rows = torch.tensor(ROW)

    def __getstate__(self):
        return {"rows": self.rows, "half": self.rows.half()}


def rebuild(rows):
    return Reduced()


def load(obj):
    return None


TABLE = [
    ("kept", lambda: [torch.tensor(ROW), torch.nn.Linear(2, 2)], []),
    ("views", Holds, []),
    ("generator", lambda: [torch.Generator()], ["obj[0]"]),
    ("state", lambda: {"a": [Fresh()]}, ["obj['a'][0]"]),
    ("reduce-value", Reduced, ["obj"]),
    ("copy", lambda: (1, Copies()), ["obj[1]"]),
    ("two", lambda: [Fresh(), Holds(), Fresh()], ["obj[0]", "obj[2]"]),
    ("empty", lambda: [torch.empty(0)], []),
]


@pytest.mark.parametrize(("make", "paths"), [pytest.param(*rest, id=name) for name, *rest in TABLE])
def test_what_makes_them_is_named_and_a_real_process_agrees(make, paths):
    obj = make()
    report = picklecheck.explain(obj, name="obj", via="process", start_method="spawn")
    assert [(failure.stage, failure.kind, failure.path) for failure in report.failures] == [
        ("unpickle", "shared-storage", path) for path in paths
    ]
    assert all(eval(failure.path, {"obj": obj}) is failure.obj for failure in report.failures)
    assert report.arrived is not bool(paths)
    assert starts(obj) is not bool(paths)


def starts(obj):
    """Start a real process with it, and tell whether that ends well."""
    process = multiprocessing.get_context("spawn").Process(target=load, args=(obj,))
    try:
        process.start()
    except ValueError:  # bad value(s) in fds_to_keep
        return False
    process.join(60)
    return process.exitcode == 0


@pytest.mark.parametrize("via", ["pool", "pickle", "queue"])
def test_where_no_process_is_started_they_are_fine(via):
    assert picklecheck.explain([Fresh(), torch.Generator()], name="obj", via=via).ok


def test_by_another_strategy_they_are_fine():
    before = torch.multiprocessing.get_sharing_strategy()
    torch.multiprocessing.set_sharing_strategy("file_system")
    try:
        assert picklecheck.explain([Fresh()], name="obj", via="process", start_method="spawn").ok
    finally:
        torch.multiprocessing.set_sharing_strategy(before)


def test_nothing_is_shared_by_looking():
    obj = [torch.tensor(ROW), Holds()]
    picklecheck.explain(obj, name="obj", via="process", start_method="spawn")
    assert not obj[0].is_shared()
    assert not obj[1].rows.is_shared()

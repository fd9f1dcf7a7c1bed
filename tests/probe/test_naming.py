"""The plainest expression for what a reduce value holds: by what the object has, else through the call."""

import collections
import copyreg
import functools
import pickle
import threading

import pytest

from picklecheck import explain
from tests.probe.walking import first_paths
from tests.specimens import REDUCED, Box

LOCK = threading.Lock()


def make(*args):
    return args


class Celled:
    """Gives by name what it holds, and copies of the rest."""

    def __init__(self):
        self.items = [1, LOCK]

    def __getstate__(self):
        return {"items": list(self.items)}


class Renaming:
    def __init__(self):
        self._lock = LOCK

    def __getstate__(self):
        return {"lock": self._lock}


class MakesInState:
    def __getstate__(self):
        return {"made": threading.Lock()}


class MakesInItems(list):
    def __reduce__(self):
        return make, (), None, iter([1, threading.Lock()])


class MakesInPairs:
    def __reduce__(self):
        return make, (), None, None, iter([("k", threading.Lock())])


class MakesInArguments:
    def __reduce__(self):
        return make, (1, [threading.Lock()])


class WithNewArguments:
    def __init__(self):
        self.held = LOCK

    def __new__(cls, *args):
        return object.__new__(cls)

    def __getnewargs__(self):
        return (self.held,)


class Named(collections.namedtuple("Named", "a b")):
    pass


def partial_of():
    return functools.partial(make, 1, LOCK, key=2)


@pytest.mark.parametrize(
    ("make_obj", "paths"),
    [
        (lambda: Box(x=LOCK), ["obj.x"]),
        (Celled, ["obj.items[1]"]),
        (Renaming, ["obj._lock"]),
        (WithNewArguments, ["obj.held"]),
        (lambda: Named(1, LOCK), ["obj.b"]),
        (partial_of, ["obj.args[1]"]),
        (lambda: functools.partial(make, key=[LOCK]), ["obj.keywords['key'][0]"]),
        (lambda: functools.partial(Box(x=LOCK).__init__), ["obj.func.__self__.x"]),
        (lambda: Box(x=LOCK).__init__, ["obj.__self__.x"]),
        (lambda: [LOCK].append, ["obj.__self__[0]"]),
        (lambda: [LOCK].__len__, ["obj.__self__[0]"]),
        (lambda: collections.defaultdict(lambda: 0), ["obj.default_factory"]),
        (lambda: collections.OrderedDict(a=LOCK), ["obj['a']"]),
        (lambda: collections.Counter({LOCK: 1}), ["list(obj)[0]"]),
        (lambda: collections.deque([1, LOCK], 3), ["obj[1]"]),
        (lambda: collections.ChainMap({"a": LOCK}), ["obj.maps[0]['a']"]),
        (lambda: ValueError("no", LOCK), ["obj.args[1]"]),
        (lambda: slice(1, LOCK), ["obj.stop"]),
        (lambda: iter([1, LOCK]), ["obj.__reduce__()[1][0][1]", f"obj.{REDUCED}[1][0][1]"]),
        (MakesInState, [f"obj.{REDUCED}[2]['made']"]),
        (MakesInItems, [f"list(obj.{REDUCED}[3])[1]"]),
        (MakesInPairs, [f"list(obj.{REDUCED}[4])[0][1]"]),
        (MakesInArguments, [f"obj.{REDUCED}[1][1][0]"]),
    ],
)
def test_the_plainest_expression_is_taken(make_obj, paths):
    (found,) = first_paths(make_obj())
    assert found in paths


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_a_call_is_made_with_the_protocol_of_the_walk(protocol):
    assert first_paths(MakesInState(), protocol=protocol) == [f"obj.__reduce_ex__({protocol})[2]['made']"]


def test_what_a_registered_reducer_makes_is_reached_through_it(monkeypatch):
    monkeypatch.setitem(copyreg.dispatch_table, Box, lambda obj: (make, (threading.Lock(),)))
    (path,) = first_paths([Box()])
    assert type(eval(path, {"obj": [Box()]})) is type(LOCK)
    assert "dispatch_table" in path


def test_what_a_reducer_of_multiprocessing_makes_is_reached_through_it(monkeypatch):
    from multiprocessing.reduction import ForkingPickler

    monkeypatch.setitem(ForkingPickler._extra_reducers, Box, lambda obj: (make, (threading.Lock(),)))
    (failure,) = explain([Box()], name="obj", via="pool").failures
    assert type(eval(failure.path, {"obj": [Box()]})) is type(LOCK)


def test_two_names_of_one_object_are_two_paths():
    report = explain(Box(a=LOCK, b=LOCK), name="obj", via="pickle")
    assert set(report.failures[0].paths) == {"obj.a", "obj.b"}


@pytest.mark.parametrize("length", [30, 100, 5000])
def test_long_chains_by_one_attribute(length):
    obj = held = Box(lock=LOCK)
    for _ in range(length):
        obj = Box(after=obj)
    (path,) = first_paths(obj)
    assert len(path) < 700
    while obj is not held:
        obj = obj.__dict__.pop("after")


# arrays and tables


def test_arrays_of_objects():
    numpy = pytest.importorskip("numpy")
    flat, square, single = numpy.empty(3, object), numpy.empty((2, 3), object), numpy.empty((), object)
    flat[1] = square[1, 2] = single[()] = LOCK
    assert first_paths(flat) == ["obj[1]"]
    assert first_paths(square) == ["obj[1, 2]"]
    assert first_paths(single) == ["obj[()]"]
    assert first_paths(numpy.asfortranarray(square)) == ["obj[1, 2]"]
    assert first_paths(square.T) == ["obj[2, 1]"]
    assert first_paths(square[::-1, ::2]) == ["obj[0, 1]"]


def test_what_an_array_of_records_holds_is_reached_somehow():
    numpy = pytest.importorskip("numpy")
    records = numpy.zeros(2, [("n", int), ("o", object)])
    records["o"][1] = LOCK
    assert len(first_paths(records)) == 1


def test_cells_of_tables():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1, 2], "b": pandas.Series([None, LOCK], dtype=object)})
    assert first_paths(frame) == ["obj.iloc[1, 1]"]
    assert first_paths(pandas.Series([1, LOCK], dtype=object)) == ["obj.iloc[1]"]
    assert first_paths(Box(table=frame)) == ["obj.table.iloc[1, 1]"]
    frame = pandas.DataFrame({"a": [1]})
    frame.attrs["lock"] = LOCK
    assert first_paths(frame)[0] in ("obj.attrs['lock']", "obj._attrs['lock']")


def test_labels_of_tables():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1, 2]}, index=pandas.Index([0, LOCK], dtype=object))
    assert first_paths(frame) == ["obj.index[1]"]

"""Loaders of the user's own, described by `register_transport`."""

import importlib.metadata
import multiprocessing
import pickle
import threading

import pytest

import picklecheck
from picklecheck import UsageError, explain, explain_call, register_transport
from picklecheck.extensions import Extensions
from picklecheck.transports import registry
from tests.specimens import Box
from tests.transports.real import check, error_of

SPAWN = multiprocessing.get_context("spawn")


def work(*args):
    pass


class TileLoader:
    """Starts a worker with its source and a step, and keeps its lock to itself."""

    def __init__(self, source, steps=(), context=SPAWN):
        self.source, self.steps, self.context = source, list(steps), context
        self.lock = threading.Lock()

    def start(self):
        process = self.context.Process(target=work, args=(self.source, *self.steps))
        process.start()
        process.join(60)


class SlowTileLoader(TileLoader):
    pass


def parts(loader):
    return {".source": loader.source, ".steps": loader.steps}


@pytest.fixture(autouse=True)
def own(monkeypatch):
    monkeypatch.setattr(registry, "_own", {})
    return registry._own


def _is_loader(cls):
    return cls.__name__.endswith("TileLoader")


@pytest.mark.parametrize(
    "recognises", [TileLoader, f"{__name__}.TileLoader", _is_loader], ids=["class", "name", "test"]
)
@pytest.mark.parametrize("cls", [TileLoader, SlowTileLoader])
def test_a_loader_is_recognised_and_its_parts_are_what_crosses(recognises, cls):
    register_transport("tile-loader", recognises, parts, start_method=lambda loader: loader.context)
    loader = cls(Box(cache=threading.Lock()), [len, lambda: 1])
    report = check(loader, "loader", {"loader.source.cache": "lock", "loader.steps[1]": "lambda"})
    assert (report.transport, report.start_method, report.title) == ("tile-loader", "spawn", cls.__name__)
    assert error_of(loader.start) is not None
    fine = cls(Box(x=1))
    assert check(fine, "loader", {}).ok
    assert error_of(fine.start) is None


def test_other_objects_are_as_before():
    register_transport("tile-loader", TileLoader, parts)
    assert explain([1]).transport == "process"
    with pytest.raises(UsageError, match="via 'tile-loader': this is a list, and no loader that it knows"):
        explain([1], via="tile-loader")
    with pytest.raises(UsageError, match="ask about the loader"):
        explain_call(work, via="tile-loader")


def test_the_last_one_registered_is_asked_first_and_replaces_its_namesake(own):
    register_transport("one", TileLoader, parts)
    register_transport("two", TileLoader, lambda loader: {})
    assert explain(TileLoader(1)).transport == "two"
    register_transport("one", TileLoader, parts, title="tiles")
    report = explain(TileLoader(1))
    assert (report.transport, report.title) == ("one", "tiles")
    assert list(own) == ["two", "one"]


@pytest.mark.parametrize(("like", "ok"), [("process", True), ("pool", False), ("queue", False), ("pickle", False)])
def test_it_crosses_like_a_built_in_one(like, ok):
    register_transport("tile-loader", TileLoader, parts, like=like)
    report = explain(TileLoader(SPAWN.Lock()), name="loader", start_method="spawn")
    assert report.ok is ok
    assert report.start_method == ("spawn" if like == "process" else None)


class Picky(pickle.Pickler):
    def reducer_override(self, obj):
        if type(obj) is Box:
            raise TypeError("no boxes")
        return NotImplemented


def test_it_may_have_a_pickler_of_its_own():
    register_transport("tile-loader", TileLoader, parts, pickler=lambda: Picky)
    report = explain(TileLoader([Box()]), name="loader")
    assert [(failure.path, failure.error) for failure in report.failures] == [
        ("loader.source[0]", "TypeError: no boxes")
    ]


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_its_start_method_may_be_a_name(method):
    register_transport("tile-loader", TileLoader, parts, start_method=method)
    assert explain(TileLoader(1)).start_method == method
    register_transport("tile-loader", TileLoader, parts, start_method=lambda loader: method)
    assert explain(TileLoader(1)).start_method == method


def test_a_test_that_raises_says_no():
    register_transport("tile-loader", lambda cls: 1 / 0, parts)
    assert explain(TileLoader(1)).transport == "process"


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"name": ""}, "a name is of lower-case words with hyphens"),
        ({"name": "Tile Loader"}, "a name is of lower-case words with hyphens"),
        ({"name": "pool"}, "'pool' is built in: choose another name"),
        ({"like": "pigeon"}, "no transport 'pigeon' to be like: choose from pickle, process"),
        ({"like": "dataloader"}, "no transport 'dataloader' to be like"),
        ({"start_method": "teleport"}, "no start method 'teleport'"),
    ],
)
def test_what_is_wrong_is_told_when_it_is_registered(options, text, own):
    with pytest.raises(UsageError) as caught:
        register_transport(**{"name": "tile-loader", "recognises": TileLoader, "parts": parts, **options})
    assert text in str(caught.value)
    assert own == {}


def test_a_part_is_named_by_what_stands_behind_the_loader():
    register_transport("tile-loader", TileLoader, lambda loader: {"source": loader.source})
    with pytest.raises(UsageError, match="parts are named by what stands behind the loader"):
        explain(TileLoader(1))


# entry points


class Point:
    value = "tiles:register"

    def __init__(self, function):
        self.load = lambda: function


def test_entry_points_are_loaded_when_they_are_needed(monkeypatch):
    asked = []

    def entry_points(group):
        asked.append(group)
        return [Point(lambda: register_transport("tile-loader", TileLoader, parts))]

    monkeypatch.setattr(importlib.metadata, "entry_points", entry_points)
    monkeypatch.setattr(registry, "_extensions", Extensions("picklecheck.transports"))
    assert explain(TileLoader(1)).transport == "tile-loader"
    assert "tile-loader" in registry.names()
    assert asked == ["picklecheck.transports"]


def test_an_entry_point_that_fails_is_a_warning(monkeypatch):
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: [Point(lambda: 1 / 0)])
    monkeypatch.setattr(registry, "_extensions", Extensions("picklecheck.transports"))
    with pytest.warns(UserWarning, match="transports of tiles:register were not loaded: ZeroDivisionError"):
        assert explain([1]).ok


@pytest.mark.parametrize(
    "described",
    [lambda loader: None, lambda loader: [loader], lambda loader: loader.nowhere],
    ids=["none", "list", "raises"],
)
def test_a_description_that_is_wrong_is_one_line(described):
    register_transport("tile-loader", TileLoader, described)
    with pytest.raises(picklecheck.UsageError, match="transport 'tile-loader'"):
        explain(TileLoader(1))


@pytest.mark.parametrize("wrong", [{"via": 3}, {"via": []}, {"start_method": ""}, {"start_method": []}])
def test_names_that_are_none(wrong):
    with pytest.raises(picklecheck.UsageError, match="choose from"):
        explain([1], **wrong)


def test_it_is_a_public_name():
    assert picklecheck.register_transport is register_transport

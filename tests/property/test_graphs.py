"""What must hold for every graph: the verdict, all culprits and no other, paths that evaluate, nothing changed."""

from __future__ import annotations

import contextlib
import copyreg
import gc
import multiprocessing
import operator
import os
import pickle
import sys
import threading
import types
import warnings
from collections.abc import Iterator
from multiprocessing import context, reduction
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import picklecheck
from tests.expressions import goes_through_a_call, stops
from tests.property.graphs import Graph, Node, Refusing, Thing, blueprints, build, key_of, protocols, shared, vias

# a number of examples makes it a search by hand: PICKLECHECK_EXAMPLES=5000 pytest tests/property
_SEARCH = int(os.environ.get("PICKLECHECK_EXAMPLES", "0"))
examples = settings(
    max_examples=_SEARCH or 250,
    derandomize=not _SEARCH,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),  # how long drawing takes depends on the machine
)
_MOST_WAYS = 12  # of the 16 that a report tells at most, with room for two names of one thing


class Sink:
    def write(self, data):
        return len(data)


class SpawningPopen:
    """What multiprocessing asks of the child that is being spawned."""

    def DupFd(self, fd):
        return fd

    def duplicate_for_child(self, handle):
        return handle


@contextlib.contextmanager
def spawning() -> Iterator[None]:
    context.set_spawning_popen(SpawningPopen())
    try:
        yield
    finally:
        context.set_spawning_popen(None)


def real_error(obj: Any, protocol: int, via: str, stubbed: frozenset[object] = frozenset()) -> BaseException | None:
    """What the transport's own pickler says, with some objects replaced."""

    class Pickler(pickle.Pickler if via == "pickle" else reduction.ForkingPickler):
        if stubbed:

            def persistent_id(self, obj):  # C asks it for every object, before anything else
                return "stub" if key_of(obj) in stubbed else None

    with spawning() if via == "process" else contextlib.nullcontext():
        try:
            Pickler(Sink(), protocol).dump(obj)
        except BaseException as error:
            return error
    return None


def explain(graph: Graph, protocol: int, via: str) -> picklecheck.Report:
    return picklecheck.explain(
        graph.root, name="obj", via=via, protocol=protocol, start_method="spawn", roundtrip=False
    )


def leads_there(path: str, graph: Graph, failure: picklecheck.Failure) -> bool:
    """Whether a path gives the culprit; if not, it has to give an instance whose class is the culprit."""
    found = eval(path, {"obj": graph.root})
    if type(failure.obj) is Refusing and goes_through_a_call(path):
        return type(found) is Refusing and found.tag == failure.obj.tag  # each call makes one
    if found is not failure.obj:
        assert type(found) is failure.obj, path
    return found is failure.obj


@examples
@given(blueprints(), protocols, vias)
def test_verdict_is_the_real_picklers(blueprint, protocol, via):
    graph = build(blueprint)
    before = real_error(graph.root, protocol, via)
    assert explain(graph, protocol, via).ok == (before is None)
    assert type(real_error(graph.root, protocol, via)) is type(before)


@examples
@given(blueprints(culprits=False), protocols, vias)
def test_verdict_without_planted_culprits(blueprint, protocol, via):
    graph = build(blueprint)
    report = explain(graph, protocol, via)
    assert report.ok == (real_error(graph.root, protocol, via) is None)
    assert report.ok == (not report.failures)


@examples
@given(blueprints(), protocols, vias)
def test_every_culprit_and_no_other(blueprint, protocol, via):
    graph = build(blueprint)
    expected = frozenset(graph.culprits(protocol, via))
    rest = real_error(graph.root, protocol, via, expected)
    found = explain(graph, protocol, via).failures
    failures = {key_of(failure.obj): failure for failure in found}
    assert len(failures) == len(found)
    assert expected <= set(failures)
    others = [failures[key].obj for key in set(failures) - expected]
    if rest is None:
        assert others == []
    else:  # an object holds itself through the arguments of its reduce value: for C without end
        assert type(rest) is RecursionError
        assert others or "buffer" in {failure.kind for failure in found}  # that comes first for C as well
    for other in others:
        assert type(real_error(other, protocol, via, expected)) is RecursionError
    for key in expected:
        assert real_error(failures[key].obj, protocol, via) is not None


@pytest.fixture(scope="module")
def deep():
    """Too deep for this version's C pickler, and the list at the far end."""
    end: list[Any] = []
    top, links = end, 0
    enough = 0
    while enough < 2:  # twice over: how deep C follows depends on where it starts
        enough += real_error(top, 4, "pickle") is not None
        links += 500
        for _ in range(links):
            link = Thing()
            link.next = top
            top = link
    yield top, end
    while isinstance(top, Thing):
        top = vars(top).pop("next")  # one link after the other, not one inside the other


@settings(examples, max_examples=max(8, _SEARCH // 20))
@given(blueprints(8), st.integers(2, pickle.HIGHEST_PROTOCOL), vias, st.booleans())
def test_every_culprit_beside_and_below_a_long_chain(deep, blueprint, protocol, via, below):
    graph = build(blueprint)
    top, end = deep
    end[:] = [graph.root] if below else []
    expected = frozenset(graph.culprits(protocol, via))
    if isinstance(real_error(graph.root, protocol, via, expected), RecursionError):
        return
    obj = [graph.root, top]
    assert type(real_error(obj, protocol, via, expected)) is RecursionError
    report = picklecheck.explain(obj, name="obj", via=via, protocol=protocol, start_method="spawn", roundtrip=False)
    found = {key_of(failure.obj) for failure in report.failures}
    if "buffer" not in {failure.kind for failure in report.failures}:  # that comes first for C as well
        assert report.failures[0].kind == "recursion"
        found -= {key_of(obj)}
    assert found == expected


@examples
@given(blueprints(), protocols, vias)
def test_paths_lead_to_their_culprit(blueprint, protocol, via):
    graph = build(blueprint)
    for failure in explain(graph, protocol, via).failures:
        assert failure.path == failure.paths[0]
        assert leads_there(failure.path, graph, failure)
        lengths = [len(stops(path)) for path in failure.paths if leads_there(path, graph, failure)]
        assert lengths == sorted(lengths)
        assert len(set(failure.paths)) == len(failure.paths)


@examples
@given(blueprints(9), protocols, vias)
def test_every_way_is_told(blueprint, protocol, via):
    graph = build(blueprint)
    ways = graph.ways(protocol, via, 2_000)
    endless = real_error(graph.root, protocol, via, frozenset(graph.culprits(protocol, via))) is not None
    if ways is None or endless:  # an object that C never comes to the end of is refused: no way leads through it
        return
    for failure in explain(graph, protocol, via).failures:
        if ways[key_of(failure.obj)] <= _MOST_WAYS:
            told = [path for path in failure.paths if leads_there(path, graph, failure)]
            assert len(told) >= ways[key_of(failure.obj)]


@examples
@given(blueprints(9), protocols, vias)
def test_no_path_goes_in_circles(blueprint, protocol, via):
    graph = build(blueprint)
    for failure in explain(graph, protocol, via).failures:
        for path in failure.paths:
            passed = [eval(stop, {"obj": graph.root}) for stop in stops(path)]
            passed = [id(thing) for thing in passed if type(thing) is not tuple or thing]
            assert len(set(passed)) == len(passed), path


# nothing is changed


def fingerprint(obj: Any) -> tuple[object, ...]:
    """What an object holds, by identity, and how far it was read."""
    own = {} if isinstance(obj, type) else _attribute(obj, "__dict__") or {}
    parts: list[object] = [type(obj), [(name, id(held)) for name, held in own.items()]]
    parts += [id(_attribute(obj, name)) for name in ("left", "right", "first", "rest", "func", "args", "keywords")]
    parts += [
        id(_attribute(obj, name)) for name in ("__traceback__", "__context__", "__cause__", "gi_running", "closed")
    ]
    if isinstance(obj, dict):
        parts.append([(id(key), id(held)) for key, held in dict.items(obj)])
    elif isinstance(obj, list | tuple | set | frozenset):
        parts.append([id(held) for held in type(obj).__mro__[-2].__iter__(obj)])
    elif type(obj).__name__ in ("deque", "ndarray"):
        parts.append([id(held) for held in (obj if type(obj).__name__ == "deque" else obj.flat)])
    elif type(obj).__name__ == "list_iterator":
        parts.append(operator.length_hint(obj))
    elif type(obj) is enumerate:
        parts += [obj.__reduce__()[1][1], operator.length_hint(obj.__reduce__()[1][0])]
    elif isinstance(obj, types.GeneratorType):
        parts.append(obj.gi_frame.f_lasti)
    elif type(obj) is type(threading.Lock()):
        parts.append(obj.locked())
    return tuple(parts)


def _attribute(obj: Any, name: str) -> Any:
    try:
        return object.__getattribute__(obj, name)
    except (AttributeError, TypeError):
        return None


def surroundings() -> dict[str, object]:
    return {
        # how many are frozen falls when one of them dies, whoever let go of it
        "collector": (gc.isenabled(), gc.get_threshold(), gc.get_freeze_count() > 0),
        "recursion limit": sys.getrecursionlimit(),
        "path": list(sys.path),
        "folder": os.getcwd(),
        "spawning": context.get_spawning_popen(),
        "start method": multiprocessing.get_start_method(allow_none=True),
        "children": multiprocessing.active_children(),
        "threads": threading.enumerate(),
        "descriptors": sorted(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else None,
        "reducers": (dict(copyreg.dispatch_table), dict(reduction.ForkingPickler._extra_reducers)),
        "warnings": list(warnings.filters),
        "hooks": (sys.excepthook, sys.unraisablehook, threading.excepthook, sys.gettrace(), sys.getprofile()),
    }


def shared_by_all(node: Node) -> bool:
    """Whether others than the graph refer to an object, so that its count of references says nothing."""
    of_all = isinstance(node.obj, type | types.ModuleType | types.FrameType | types.CodeType)
    return of_all or not gc.is_tracked(node.obj) or any(node.obj is other for other in shared())


@pytest.fixture(scope="module")
def few_objects():
    """Keeps what is loaded out of the collector's way: two collections for each example."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.usefixtures("few_objects")
@settings(examples, max_examples=_SEARCH or 120)
@given(blueprints(), protocols, vias, st.booleans())
def test_nothing_is_changed(blueprint, protocol, via, collecting):
    graph = build(blueprint)
    real_error(graph.root, protocol, via)  # copyreg caches the names of slots in classes
    explain(graph, protocol, via)  # what is loaded when it is first needed
    prints = [fingerprint(node.obj) for node in graph.nodes]
    counted = [node for node in graph.nodes if not shared_by_all(node)]
    gc.collect()
    references = [sys.getrefcount(node.obj) for node in counted]
    before = surroundings()
    was_collecting = gc.isenabled()
    (gc.enable if collecting else gc.disable)()
    try:
        report = explain(graph, protocol, via)
        assert gc.isenabled() == collecting
    finally:
        (gc.enable if was_collecting else gc.disable)()
    assert surroundings() == before
    assert [fingerprint(node.obj) for node in graph.nodes] == prints
    report.release()
    gc.collect()
    after = [sys.getrefcount(node.obj) for node in counted]
    assert after == references, [
        type(node.obj) for node, a, b in zip(counted, after, references, strict=True) if a != b
    ]

"""The graphs that are measured hold what they say, and on tiny sizes every culprit is found by its path."""

import threading

import pytest

import picklecheck
from benchmarks.graphs import GRAPHS, chain
from benchmarks.run import SMALL, by_picklecheck


@pytest.mark.parametrize("name", GRAPHS)
def test_planted_culprits_are_found_by_their_paths(name):
    if name == "arrays":
        pytest.importorskip("numpy")
    graph = GRAPHS[name][0](SMALL[name])
    graph.plant()
    report = picklecheck.explain(graph.root, name="obj", via="pickle")
    assert {failure.path for failure in report.failures} == set(graph.paths)


@pytest.mark.parametrize("name", [name for name in GRAPHS if name != "lambdas"])
def test_without_culprits_a_graph_is_clean(name):
    if name == "arrays":
        pytest.importorskip("numpy")
    graph = GRAPHS[name][0](SMALL[name])
    graph.plant()
    graph.pull()
    assert by_picklecheck(graph.root) == 0


def test_chain_ends_in_its_culprit():
    graph = chain(10)
    graph.plant(threading.Lock)
    assert eval(graph.paths[0], {"obj": graph.root}) is graph.culprits[0]

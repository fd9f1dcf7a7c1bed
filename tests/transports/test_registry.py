import multiprocessing
import pickle
import subprocess
import sys
from multiprocessing.reduction import ForkingPickler

import pytest

from picklecheck import UsageError
from picklecheck.transports import START_METHODS, find, resolve_start_method


@pytest.mark.parametrize(
    ("name", "pickler", "starts_process"),
    [("pickle", pickle.Pickler, False), ("process", ForkingPickler, True), ("pool", ForkingPickler, False)],
)
def test_a_transport_is_found_by_its_name(name, pickler, starts_process):
    transport = find(name)
    assert transport.name == name
    assert transport.pickler() is pickler
    assert transport.starts_process is starts_process


def test_an_object_is_an_argument_of_a_process_when_nothing_is_said():
    assert find(None) is find("process")


@pytest.mark.parametrize("name", ["", "Process", "pigeon"])
def test_an_unknown_transport_is_refused_with_the_names(name):
    with pytest.raises(UsageError) as caught:
        find(name)
    assert str(caught.value).startswith(f"no transport {name!r}: choose from pickle, process, pool, executor, result")


@pytest.mark.parametrize("name", ["spawn", "forkserver"])
def test_a_start_method_that_pickles_is_taken_as_it_is(name):
    assert resolve_start_method(name) == (name, None)


def test_fork_is_answered_for_spawn_with_a_note():
    name, note = resolve_start_method("fork")
    assert name == "spawn"
    assert note.startswith("Under fork nothing is pickled")


@pytest.mark.parametrize("name", ["", "Spawn", "spwan", "thread", 5])
def test_an_unknown_start_method_is_refused_with_the_names(name):
    with pytest.raises(UsageError) as caught:
        resolve_start_method(name)
    meant = "; did you mean spawn?" if name in ("Spawn", "spwan") else ""
    assert str(caught.value) == f"no start method {name!r}: choose from {', '.join(START_METHODS)}, all{meant}"


@pytest.mark.parametrize("name", [*multiprocessing.get_all_start_methods(), None])
def test_the_one_in_use_is_taken_when_none_is_asked_for(name, monkeypatch):
    monkeypatch.setattr(multiprocessing, "get_start_method", lambda allow_none=False: name)
    used = name or multiprocessing.get_all_start_methods()[0]
    assert resolve_start_method(None)[0] == ("spawn" if used == "fork" else used)


def test_describing_the_transports_loads_neither_multiprocessing_nor_torch():
    program = (
        "import sys, picklecheck.transports as t; t.find('process'); "
        "print([name for name in ('torch', 'multiprocessing', 'numpy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True, timeout=60)
    assert done.stdout == "[]\n"

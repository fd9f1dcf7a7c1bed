import multiprocessing
import pickle
from multiprocessing.reduction import ForkingPickler

import pytest

import picklecheck
from picklecheck import receiver
from tests.receiver import zoo

SPAWN = multiprocessing.get_context("spawn")


def each(specimens):
    return pytest.mark.parametrize("specimen", [pytest.param(one, id=one.id) for one in specimens])


def explained(obj, via="process"):
    return picklecheck.explain(obj, name="obj", via=via, start_method="spawn")


@each(zoo.TABLE)
@pytest.mark.parametrize("via", ["process", "pool", "pickle"])
def test_finds_exactly_what_fails_over_there(specimen, via):
    report = explained(specimen.factory(), via)
    assert sorted((failure.kind, failure.path) for failure in report.failures) == sorted(specimen.culprits)
    assert {failure.stage for failure in report.failures} <= {"unpickle"}
    assert sorted((hazard.kind, hazard.path) for hazard in report.hazards) == sorted(specimen.hazards)
    assert report.ok is not specimen.culprits


@each([one for one in zoo.TABLE if one.culprits or one.hazards])
def test_paths_lead_to_the_culprit(specimen):
    obj = specimen.factory()
    for failure in explained(obj).failures:
        assert eval(failure.path, {"obj": obj}) is failure.obj


def test_references_are_the_sender_s():
    shared = zoo.Joined(1, 2)
    once, twice = explained([zoo.Joined(1, 2), shared, {"k": shared}]).failures
    assert (once.path_count, twice.path_count, twice.paths) == (1, 2, ("obj[1]", "obj[2]['k']"))


@pytest.mark.parametrize("protocol", range(6))
def test_every_protocol_is_tried(protocol):
    obj = [1, zoo.Joined(1, 2), {"k": zoo.Raises()}]
    report = picklecheck.explain(obj, name="obj", via="pickle", protocol=protocol)
    assert [failure.path for failure in report.failures] == ["obj[1]", "obj[2]['k']"]


def unpickle(data, results):
    try:
        pickle.loads(data)
    except BaseException as error:
        results.put(type(error).__name__)
    else:
        results.put(None)


@pytest.fixture(scope="module")
def really():
    """Give a function that has a real spawned Process unpickle something, and tells the error's name."""

    def send(obj):
        results = SPAWN.SimpleQueue()
        process = SPAWN.Process(target=unpickle, args=(bytes(ForkingPickler.dumps(obj)), results))
        process.start()
        process.join(30)
        return f"exit code {process.exitcode}" if results.empty() else results.get()

    return send


@each(zoo.TABLE)
def test_agrees_with_a_real_process(specimen, really):
    error = really(specimen.factory())
    assert (error is not None) is bool(specimen.culprits)


def test_every_kind_of_the_other_side_has_a_specimen():
    shown = {kind for specimen in zoo.TABLE for kind, _ in (*specimen.culprits, *specimen.hazards)}
    assert set(zoo.OVER_THERE) - shown == set()


def test_what_depends_on_the_order_of_a_set_fails_by_any_seed():
    report = explained([zoo.TakesTheFirst(1000)])
    assert [(failure.kind, failure.path) for failure in report.failures] == [("setstate", "obj[0]")]


def test_a_hash_of_the_user_s_is_tried_with_two_seeds(monkeypatch):
    seeds = []
    real = receiver.send
    monkeypatch.setattr(
        receiver, "send", lambda *args, **options: seeds.append(options["seed"]) or real(*args, **options)
    )
    assert explained([zoo.TakesTheFirst(1)]).arrived
    assert seeds[0] is None
    assert "1" in seeds

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
    assert set(zoo.OVER_THERE) - shown == {"shared-storage"}  # which needs torch: test_fleeting


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


@pytest.mark.parametrize(
    ("made", "note"),
    [
        (zoo.exception_that_joins_its_arguments, "Joined.__init__ is called with ('no bob in users'): 'key' is lost."),
        (lambda: zoo.KeywordOnly(code=3), "KeywordOnly.__init__ is called with ('code 3'): 'code' is lost."),
        (lambda: zoo.TooMany(7), "is called with (7, 'text'), and takes only 1 of these 2 arguments."),
        (lambda: zoo.FuzzyInt(1, 0, 2), "FuzzyInt.__new__ is called with (1): 'low' and 'high' are lost."),
        (zoo.members_of_sets_in_a_cycle, "It is in a set, or a key of a dict"),
        (lambda: zoo.Marker.NOT_GIVEN, "no member of Marker"),
        (lambda: zoo.Notifying(None, a=1), "__setitem__() before its attributes are there"),
        (lambda: zoo.FrozenBatch((1,)), "A frozen dataclass refuses every assignment"),
        (zoo.name_put_there_afterwards, "it was put there afterwards"),
        (zoo.class_of_the_main_module, ""),
    ],
)
def test_what_is_said_of_one_object(made, note):
    [failure] = explained(made()).failures
    assert note in failure.note


@pytest.mark.parametrize("made", [lambda: zoo.TooMany(7), zoo.members_of_sets_in_a_cycle, lambda: zoo.Proxy(1)])
def test_what_loads_nowhere_is_told_apart(made):
    assert "not in this one either" in explained(made()).failures[0].note


def test_the_line_is_that_of_the_user_s_code():
    report = explained([zoo.FrozenBatch((1,)), zoo.Marker.NOT_GIVEN, zoo.FrozenOnSlots(1)])
    statements = [failure.assigned_at.statement for failure in report.failures]
    assert statements == ['self.rows = state["rows"]', "NOT_GIVEN = object()", "class FrozenOnSlots(SlotsBase):"]


def test_what_needs_a_device_is_no_false_alarm():
    report = explained([zoo.NeedsDevice(zoo.OnDevice())])
    assert (report.ok, report.arrived, report.failures) == (True, False, ())
    assert "device" in report.notes[-1]


def test_what_fails_beside_a_device_is_found():
    report = explained([zoo.NeedsDevice(zoo.OnDevice()), zoo.Joined(1, 2), {"d": zoo.OnDevice()}])
    assert [failure.path for failure in report.failures] == ["obj[1]"]


def test_a_device_that_nobody_looks_at_is_fine():
    assert explained({"d": zoo.OnDevice()}).arrived


@pytest.mark.parametrize("depth", [100, 240])
def test_a_failure_far_below(depth):
    obj = zoo.Joined(1, 2)
    for _ in range(depth):
        obj = zoo.Box(next=obj)
    [failure] = explained(obj).failures
    assert failure.obj is eval(failure.path, {"obj": obj})
    assert type(failure.obj) is zoo.Joined


def test_only_references_of_the_sender_s_are_counted():
    shared, single = zoo.Raises(), zoo.Raises()
    report = explained([shared, single, {"again": shared}])
    assert [failure.path_count for failure in report.failures] == [2, 1]
    assert report.failures[0].paths == ("obj[0]", "obj[2]['again']")

import gc
import pickle
from multiprocessing import resource_sharer
from multiprocessing.reduction import ForkingPickler

import pytest

import picklecheck
from picklecheck import kinds
from picklecheck.kinds.table import WITHOUT_OBJECT
from picklecheck.transports import find
from tests.receiver.zoo import OVER_THERE
from tests.specimens import processes
from tests.zoo import SPECIMENS

# 3.12 and 3.13 warn, where 3.14 refuses
pytestmark = pytest.mark.filterwarnings("ignore:Pickle, copy, and deepcopy support will be removed:DeprecationWarning")

# What only another interpreter or platform can show is collected only there.
HERE = [specimen for specimen in SPECIMENS if specimen.lives_here()]
CALLS = "__reduce"  # in a path: what comes behind it is made anew by each call


@pytest.fixture
def specimen(request):
    missing = request.param.missing()
    if missing:
        pytest.skip(f"needs {', '.join(missing)}")
    yield request.param
    if request.param.factory.__module__ == processes.__name__:
        # a semaphore in a cycle that dies while another is being registered makes 3.12's resource tracker complain
        gc.collect()


def each(specimens):
    return pytest.mark.parametrize("specimen", [pytest.param(each, id=each.id) for each in specimens], indirect=True)


def explained(specimen, obj):
    return picklecheck.explain(
        obj, name="obj", via=specimen.via, start_method="spawn" if specimen.via == "process" else None,
        protocol=specimen.protocol, roundtrip=False,
    )  # fmt: skip


def value_of(path, obj):
    return eval(path, {"obj": obj})


def names(expected, failure, obj):
    """Tell whether a failure is called what was expected."""
    if expected.anyhow:
        return value_of(expected.path, obj) is failure.obj
    return failure.path in (expected.path, *expected.others)


def compare(specimen, report, obj):
    """List how a report differs from what must be found; each failure may stand for one culprit only."""
    differences, left = [], list(report.failures)
    for expected in specimen.culprits:
        called = [failure for failure in left if names(expected, failure, obj)]
        hit = next((failure for failure in called if failure.kind == expected.kind), *called[:1] or [None])
        if hit is None:
            differences.append(f"missed: {expected.path} ({expected.kind})")
            continue
        left.remove(hit)
        if hit.kind != expected.kind:
            differences.append(f"{hit.path} is of kind {hit.kind}, not {expected.kind}")
        if not set(expected.also) <= set(hit.paths):
            differences.append(f"{hit.path} has only the paths {hit.paths}, not {expected.also}")
    return differences + [f"no culprit: {failure.path} ({failure.kind}: {failure.error})" for failure in left]


def leads_to(path, failure, obj):
    """Tell whether a path gives the culprit; for a class that cannot be found, an instance will do as well."""
    found = value_of(path, obj)
    if CALLS in path:
        return type(found) is type(failure.obj)
    return found is failure.obj or (path != failure.path and type(found) is failure.obj)


@each(HERE)
def test_finds_exactly_the_culprits(specimen):
    with specimen.made() as obj:
        report = explained(specimen, obj)
        differences = compare(specimen, report, obj)
        assert not differences, "\n".join(differences)
        assert report.ok is (specimen.stage == "ok")
        assert {failure.stage for failure in report.failures} <= {specimen.stage}
        astray = [path for failure in report.failures for path in failure.paths if not leads_to(path, failure, obj)]
        assert astray == []


def really_pickled(specimen, obj):
    transport = find(specimen.via)
    with transport.during():
        if transport.pickler() is ForkingPickler:
            return ForkingPickler.dumps(obj, specimen.protocol)
        return pickle.dumps(obj, specimen.protocol)


@pytest.fixture
def nothing_served():
    """End the thread in which multiprocessing serves the descriptors of what was really pickled."""
    yield
    resource_sharer.stop()


@pytest.mark.usefixtures("nothing_served")
@each(HERE)
def test_agrees_with_the_real_pickler(specimen):
    with specimen.made() as obj:
        if specimen.culprits:
            with pytest.raises((Exception, SystemExit)):
                really_pickled(specimen, obj)
        else:
            assert len(really_pickled(specimen, obj)) > 0


def test_every_kind_has_a_specimen():
    shown = {expected.kind for specimen in SPECIMENS for expected in specimen.culprits}
    elsewhere = (set(OVER_THERE) | set(WITHOUT_OBJECT)) - {"getattr-hook"}  # those have theirs in tests/receiver
    assert set(kinds.slugs()) - shown == elsewhere


def test_no_specimen_is_of_a_kind_that_is_not_there():
    shown = {expected.kind for specimen in SPECIMENS for expected in specimen.culprits}
    assert shown - set(kinds.slugs()) == set()


def test_every_name_is_used_once():
    named = [(specimen.id, version) for specimen in SPECIMENS for version in range(10, 15)
             if specimen.since <= (3, version) <= specimen.until]  # fmt: skip
    assert len(named) == len(set(named))

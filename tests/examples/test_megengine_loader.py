import sys
from pathlib import Path

import pytest

import picklecheck
from tests.examples.support import Culprit, assert_fine, assert_found, line_of, run_example, run_fixed, run_picklecheck

pytest.importorskip("megengine", reason="runs where MegEngine is installed", exc_type=ImportError)

IN_DATASET = Culprit("dataset.index.owner", "weakref", "LabelIndex.__init__", "self.owner = weakref.ref(owner)")
IN_HOOK = "transform.handle.source_ref"


@pytest.fixture(scope="module")
def example():
    from examples import megengine_loader

    return megengine_loader


@pytest.mark.parametrize("form", ["dataset", "hook"])
def test_megengine_fails_when_its_loader_is_iterated(form):
    outcome = run_example("megengine_loader.py", *(["hook"] if form == "hook" else []))
    assert outcome.exitcode == 1
    assert "in __iter__\n    return _ParallelMapDataLoaderIter(self, self.preload)" in outcome.stderr
    failure, _, follow_on = outcome.stderr.partition("Exception ignored in: ")
    assert failure.rstrip().endswith("TypeError: cannot pickle 'weakref.ReferenceType' object")
    assert follow_on.startswith("<function _ParallelDataLoaderIter.__del__ at 0x")
    assert "AttributeError: '_ParallelMapDataLoaderIter' object has no attribute '_worker_pids_set'" in follow_on
    assert outcome.stdout == ""


def test_weak_reference_in_the_dataset(example):
    dataset = example.dataset
    report = picklecheck.explain(dataset, name="dataset", via="process", start_method="spawn")
    assert_found(report, {"dataset": dataset}, [IN_DATASET], example)
    assert report.failures[0].obj() is dataset


def test_weak_reference_in_the_handle_of_a_hook(example):
    transform = example.transform
    report = picklecheck.explain(transform, name="transform", via="process", start_method="spawn")
    (failure,) = report.failures
    assert (failure.path, failure.kind) == (IN_HOOK, "weakref")
    assert eval(failure.path, {"transform": transform}) is failure.obj
    assert failure.obj() is transform.network._forward_hooks
    assert failure.owner == "megengine.utils.hook.HookHandler"
    hook = sys.modules["megengine.utils.hook"]
    line = line_of(hook, "HookHandler.__init__", "self.source_ref = weakref.ref(source_dict)")
    assert (Path(failure.assigned_at.file), failure.assigned_at.line) == (Path(hook.__file__), line)
    assert failure.assigned_at.function == "HookHandler.__init__"


def test_the_loader_leads_to_both(example):
    loader = example.make_loader()
    before = dict(vars(loader))
    report = picklecheck.explain(loader, start_method="spawn")
    assert [failure.path for failure in report.failures] == [f"loader.{IN_DATASET.path}", f"loader.{IN_HOOK}"]
    assert all(eval(failure.path, {"loader": loader}) is failure.obj for failure in report.failures)
    assert str(report).startswith("✗ loader (MegEngine DataLoader, 2 workers, spawn) cannot start: 2 objects")
    assert vars(loader) == before


def test_the_loader_as_an_argument_leads_to_both_too(example):
    loader = example.make_loader()
    report = picklecheck.explain(loader, name="loader", via="process", start_method="spawn")
    assert [failure.path for failure in report.failures] == [f"loader.{IN_DATASET.path}", f"loader.{IN_HOOK}"]


def test_the_transform_still_runs_afterwards(example):
    picklecheck.explain(example.transform, via="process", start_method="spawn")
    vector, label, worker = example.transform.apply((example.dataset.images[3], 3))
    assert (vector.shape, label, worker) == ((4,), 3, "MainProcess")


def test_fixed_loader_is_fine(example):
    loader = example.fixed_loader()
    assert_fine(picklecheck.explain(loader, start_method="spawn"))
    loader.num_workers = 0
    assert len(list(loader)) == 2


def test_fixed_runs_in_both_workers():
    outcome = run_example("megengine_loader.py", "fixed")
    assert outcome.exitcode == 0, outcome
    assert outcome.stdout.splitlines() == [
        "Process-1: (4, 4), labels [0, 1, 2, 3]",
        "Process-2: (4, 4), labels [4, 5, 6, 7]",
    ]
    assert "weakref" not in outcome.stderr


@pytest.mark.parametrize(
    ("attribute", "path"),
    [
        ("dataset", f"dataset.{IN_DATASET.path.partition('.')[2]}"),
        ("transform", IN_HOOK),
        ("make_loader()", f"make_loader().{IN_HOOK}"),
    ],
)
def test_command_line_names_the_path(attribute, path):
    outcome = run_picklecheck("explain", f"examples/megengine_loader.py:{attribute}", "--start-method", "spawn")
    assert outcome.exitcode == 1, outcome
    assert path in outcome.stdout


def test_the_written_fix_runs_in_both_workers(tmp_path):
    outcome = run_fixed(tmp_path, "megengine_loader.py", "megengine_loader.py:make_loader()", "--start-method", "spawn")
    assert outcome.exitcode == 0, outcome
    assert outcome.stdout.splitlines() == [
        "Process-1: (4, 4), labels [0, 1, 2, 3]",
        "Process-2: (4, 4), labels [4, 5, 6, 7]",
    ]
    assert "weakref" not in outcome.stderr

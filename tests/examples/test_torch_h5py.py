import pytest

import picklecheck
from tests.examples.support import Culprit, assert_fine, assert_found, run_example, run_fixed, run_picklecheck

pytest.importorskip("torch", reason="runs where PyTorch and h5py are installed", exc_type=ImportError)
pytest.importorskip("h5py", reason="runs where PyTorch and h5py are installed", exc_type=ImportError)

CULPRITS = [
    Culprit("dataset.file", "hdf5", "TileDataset.__init__", 'self.file = h5py.File(path, "r")'),
    Culprit("dataset.images", "hdf5", "TileDataset.__init__", 'self.images = self.file["images"]'),
    Culprit("dataset.transform", "lambda", "TileDataset.__init__", "self.transform = lambda image"),
]


@pytest.fixture(scope="module")
def example():
    from examples import torch_h5py

    return torch_h5py


@pytest.fixture
def dataset(example):
    made = example.make_dataset()
    yield made
    made.file.close()


def test_pytorch_names_h5py_and_proposes_fork():
    outcome = run_example("torch_h5py.py")
    assert outcome.exitcode == 1
    assert "in __iter__" in outcome.stderr
    assert "TypeError: h5py objects cannot be pickled" in outcome.stderr
    assert "Got pickle error when attempting to start a worker Process" in outcome.stderr
    assert outcome.stdout == ""


def test_every_culprit_is_found_where_it_was_set(example, dataset):
    report = picklecheck.explain(dataset, name="dataset", via="process", start_method="spawn")
    assert_found(report, {"dataset": dataset}, CULPRITS, example)
    assert {failure.error for failure in report.failures[:2]} == {"TypeError: h5py objects cannot be pickled"}


def test_handles_still_read_afterwards(dataset):
    picklecheck.explain(dataset, via="process", start_method="spawn")
    assert len(dataset) == 8
    assert dataset[7].max() == 127 / 255


@pytest.fixture
def loader(example):
    made = example.make_loader()
    yield made
    made.dataset.file.close()


def test_the_loader_itself_leads_to_the_same_three(loader):
    report = picklecheck.explain(loader, name="loader", via="process", start_method="spawn")
    assert [failure.path for failure in report.failures] == [f"loader.{culprit.path}" for culprit in CULPRITS]
    assert all(eval(failure.path, {"loader": loader}) is failure.obj for failure in report.failures)


def test_the_parts_that_a_loader_gives_to_its_workers(loader):
    report = picklecheck.explain(loader.dataset, name="loader.dataset", via="process", start_method="spawn")
    assert [failure.path for failure in report.failures] == [f"loader.{culprit.path}" for culprit in CULPRITS]
    assert all(eval(failure.path, {"loader": loader}) is failure.obj for failure in report.failures)
    assert_fine(picklecheck.explain(loader.collate_fn, via="process", start_method="spawn"))


def test_fixed_loader_is_fine(example):
    loader = example.fixed_loader()
    assert_fine(picklecheck.explain(loader.dataset, via="process", start_method="spawn"))


def test_fixed_runs_in_both_workers():
    outcome = run_example("torch_h5py.py", "fixed")
    assert outcome.exitcode == 0, outcome
    assert outcome.stdout.splitlines() == [
        "worker 0: (4, 4, 4), brightest 0.247",
        "worker 1: (4, 4, 4), brightest 0.498",
    ]
    assert "Traceback" not in outcome.stderr


def test_command_line_names_the_three_places():
    outcome = run_picklecheck("explain", "examples/torch_h5py.py:make_dataset()", "--start-method", "spawn")
    assert outcome.exitcode == 1, outcome
    assert all(culprit.path.removeprefix("dataset") in outcome.stdout for culprit in CULPRITS)


def test_the_written_fix_runs_in_both_workers(tmp_path):
    outcome = run_fixed(tmp_path, "torch_h5py.py", "torch_h5py.py:make_loader()")
    assert outcome.exitcode == 0, outcome
    assert outcome.stdout.splitlines() == [
        "worker 0: (4, 4, 4), brightest 0.247",
        "worker 1: (4, 4, 4), brightest 0.498",
    ]
    assert "Traceback" not in outcome.stderr

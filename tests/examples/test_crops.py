import json

import pytest

import picklecheck
from examples import crops
from tests.examples.support import Culprit, assert_fine, assert_found, run_example, run_fixed, run_picklecheck

CULPRITS = [
    Culprit("dataset.cache.owner", "weakref", "TileCache.__init__", "self.owner = weakref.ref(owner)"),
    Culprit("dataset.cache.lock", "lock", "TileCache.__init__", "self.lock = threading.RLock()"),
    Culprit("dataset.transform.steps[1]", "lambda", "Transform.__init__", "self.steps = [sorted, lambda"),
]
PATHS = [culprit.path for culprit in CULPRITS]


def test_multiprocessing_names_a_type_and_no_place():
    outcome = run_example("crops.py")
    assert outcome.exitcode == 1
    assert "in dump\n    ForkingPickler(file, protocol).dump(obj)" in outcome.stderr
    assert "TypeError: cannot pickle 'weakref.ReferenceType' object" in outcome.stderr
    assert outcome.stdout == ""


def test_every_culprit_is_found_where_it_was_set():
    dataset = crops.dataset
    report = picklecheck.explain(dataset, name="dataset", via="process", start_method="spawn")
    assert_found(report, {"dataset": dataset}, CULPRITS, crops)
    assert report.failures[0].obj() is dataset
    assert report.failures[0].error == "TypeError: cannot pickle 'weakref.ReferenceType' object"


@pytest.mark.parametrize("via", ["pickle", "process", "pool"])
def test_no_way_out_takes_it_and_every_way_takes_the_fixed_one(via):
    assert [failure.path for failure in picklecheck.explain(crops.dataset, name="dataset", via=via).failures] == PATHS
    assert_fine(picklecheck.explain(crops.fixed_dataset(), via=via))


def test_explaining_leaves_the_dataset_as_it_was():
    dataset = crops.CropDataset()
    before = (dict(vars(dataset)), dict(vars(dataset.cache)), list(dataset.transform.steps), dataset[3])
    picklecheck.explain(dataset, via="process", start_method="spawn")
    assert (dict(vars(dataset)), dict(vars(dataset.cache)), list(dataset.transform.steps), dataset[3]) == before


def test_fixed_runs_in_a_spawned_process():
    outcome = run_example("crops.py", "fixed")
    assert outcome == (0, "SpawnProcess-1: 8 crops, brightest 1.000\n", "")


def test_command_line_names_the_three_paths():
    outcome = run_picklecheck("explain", "examples/crops.py:dataset")
    assert outcome.exitcode == 1, outcome
    assert all(path in outcome.stdout for path in PATHS)
    assert outcome.stderr == ""


def test_command_line_in_json():
    outcome = run_picklecheck("explain", "examples/crops.py:dataset", "--start-method", "spawn", "--format", "json")
    assert outcome.exitcode == 1, outcome
    report = json.loads(outcome.stdout)
    assert (report["ok"], report["start_method"]) == (False, "spawn")
    assert [failure["path"] for failure in report["failures"]] == PATHS


def test_command_line_passes_the_fixed_dataset():
    outcome = run_picklecheck("explain", "examples/crops.py:fixed_dataset()")
    assert outcome.exitcode == 0, outcome
    assert outcome.stderr == ""


def test_the_written_fix_runs(tmp_path):
    outcome = run_fixed(tmp_path, "crops.py", "crops.py:dataset", "--start-method", "spawn")
    assert (outcome.exitcode, outcome.stderr) == (0, "")
    assert outcome.stdout == run_example("crops.py", "fixed").stdout

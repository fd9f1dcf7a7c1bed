import pytest

import picklecheck
from examples import bound_method
from tests.examples.support import Culprit, assert_fine, assert_found, run_example, run_picklecheck

CULPRITS = [
    Culprit("target.__self__.lock", "lock", "Indexer.__init__", "self.lock = threading.Lock()"),
    Culprit("target.__self__.connection", "database-connection", "Indexer.__init__", "self.connection = sqlite3"),
]


@pytest.fixture(scope="module")
def target():
    yield bound_method.target
    bound_method.target.__self__.connection.close()


def test_multiprocessing_names_the_lock_only():
    outcome = run_example("bound_method.py")
    assert outcome.exitcode == 1
    assert "in dump\n    ForkingPickler(file, protocol).dump(obj)" in outcome.stderr
    assert "TypeError: cannot pickle '_thread.lock' object" in outcome.stderr
    assert "sqlite3" not in outcome.stderr


def test_both_handles_are_found_behind_the_method(target):
    report = picklecheck.explain(target, name="target", via="process", start_method="spawn")
    assert_found(report, {"target": target}, CULPRITS, bound_method)
    assert report.failures[0].error == "TypeError: cannot pickle '_thread.lock' object"
    assert report.failures[1].error == "TypeError: cannot pickle 'sqlite3.Connection' object"


def test_the_process_that_holds_the_target_is_refused_for_the_same_objects(target):
    report = picklecheck.explain_call(target, via="process", start_method="spawn")
    assert [failure.path for failure in report.failures] == [culprit.path for culprit in CULPRITS]


def test_fixed_target_is_fine():
    assert_fine(picklecheck.explain(bound_method.fixed_target(), via="process", start_method="spawn"))


def test_fixed_runs_in_a_spawned_process():
    assert run_example("bound_method.py", "fixed") == (0, "SpawnProcess-1 stored 4 words\n", "")


def test_command_line_names_both_paths():
    outcome = run_picklecheck("explain", "examples/bound_method.py:target")
    assert outcome.exitcode == 1, outcome
    assert all(culprit.path in outcome.stdout for culprit in CULPRITS)

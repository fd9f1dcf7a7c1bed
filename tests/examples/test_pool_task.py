import pytest

import picklecheck
from examples import pool_task
from tests.examples.support import assert_fine, run_example, run_picklecheck

TARGET = "examples/pool_task.py:make_task()"
MESSAGE = "RuntimeError: Queue objects should only be shared between processes through inheritance"


@pytest.fixture
def task():
    made = pool_task.make_task()
    yield made
    made.args[1].close()


def test_pool_refuses_the_task():
    outcome = run_example("pool_task.py")
    assert outcome.exitcode == 1
    assert MESSAGE in outcome.stderr


def test_queue_is_found_in_the_task_of_a_pool(task):
    report = picklecheck.explain(task, name="task", via="pool", start_method="spawn")
    assert not report.ok
    (failure,) = report.failures
    assert (failure.path, failure.kind, failure.error) == ("task.args[1]", "mp-queue", MESSAGE)
    assert eval(failure.path, {"task": task}) is failure.obj is task.args[1]


def test_the_same_task_crosses_as_the_target_of_a_process(task):
    assert_fine(picklecheck.explain(task, name="task", via="process", start_method="spawn"))
    outcome = run_example("pool_task.py", "process")
    assert (outcome.exitcode, outcome.stderr) == (0, "")
    assert outcome.stdout.splitlines() == [f"SpawnProcess-1 measured {len(word)}" for word in pool_task.WORDS]


def test_fixed_task_is_fine_and_runs_in_a_worker_of_the_pool():
    assert_fine(picklecheck.explain(pool_task.fixed_task(), via="pool", start_method="spawn"))
    outcome = run_example("pool_task.py", "fixed")
    assert (outcome.exitcode, outcome.stderr) == (0, "")
    measured = [line.split(" measured ") for line in outcome.stdout.splitlines()]
    assert [int(length) for _, length in measured] == [len(word) for word in pool_task.WORDS]
    assert all(worker.startswith("SpawnPoolWorker-") for worker, _ in measured)


@pytest.mark.parametrize(("via", "exitcode"), [("pool", 1), ("process", 0)])
def test_command_line_knows_both_ways(via, exitcode):
    outcome = run_picklecheck("explain", TARGET, "--via", via, "--start-method", "spawn")
    assert outcome.exitcode == exitcode, outcome
    assert (".args[1]" in outcome.stdout) is (via == "pool")

import ast

import pytest

import picklecheck
from tests.examples.support import EXAMPLES, assert_fine, run_example, run_picklecheck

pytest.importorskip("torch")


@pytest.fixture(scope="module")
def example():
    from examples import cifar10_guarded

    return cifar10_guarded


def test_without_a_guard_the_workers_start_workers_and_die():
    outcome = run_example("cifar10.py")
    assert outcome.exitcode == 1
    assert outcome.stdout == ""
    assert "before the\n        current process has finished its bootstrapping phase" in outcome.stderr
    loop = next(node for node in ast.parse((EXAMPLES / "cifar10.py").read_text("utf-8")).body if type(node) is ast.For)
    assert f'cifar10.py", line {loop.lineno}, in <module>' in outcome.stderr


def test_with_a_guard_it_runs():
    outcome = run_example("cifar10_guarded.py")
    assert outcome.exitcode == 0, outcome
    assert outcome.stdout.splitlines() == [
        "(4, 3, 32, 32) [0, 1, 2, 3]",
        "(4, 3, 32, 32) [4, 5, 6, 7]",
    ]


def test_the_loader_is_fine(example):
    loader = example.make_loader()
    report = picklecheck.explain(loader)
    assert_fine(report)
    assert (report.title, report.start_method) == ("torch DataLoader, 2 workers", "spawn")
    assert str(report).startswith("✓ loader (torch DataLoader, 2 workers, spawn) can start: ")
    assert loader._iterator is None


def test_a_lambda_among_the_transforms_is_found(example):
    loader = example.make_loader()
    loader.dataset.transform.transforms.append(lambda image: image * 2)
    (failure,) = picklecheck.explain(loader).failures
    assert (failure.path, failure.kind) == ("loader.dataset.transform.transforms[2]", "lambda")
    assert eval(failure.path, {"loader": loader}) is failure.obj


def test_command_line_names_the_loader():
    outcome = run_picklecheck("explain", "examples/cifar10_guarded.py:make_loader()")
    assert outcome.exitcode == 0, outcome
    assert outcome.stdout.startswith("✓ make_loader() (torch DataLoader, 2 workers, spawn) can start: ")

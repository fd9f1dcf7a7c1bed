import ast
import json

import pytest

import picklecheck
from tests.examples.support import EXAMPLES, assert_fine, run, run_example, run_fixed, run_picklecheck

pytest.importorskip("torch")


@pytest.fixture(scope="module")
def example():
    from examples import cifar10_guarded

    return cifar10_guarded


def loop_of(file):
    """Give the loop at import level."""
    return next(node for node in ast.parse(file.read_text("utf-8")).body if type(node) is ast.For)


def test_without_a_guard_the_workers_start_workers_and_die():
    outcome = run_example("cifar10.py")
    assert outcome.exitcode == 1
    assert outcome.stdout == ""
    assert "before the\n        current process has finished its bootstrapping phase" in outcome.stderr
    assert f'cifar10.py", line {loop_of(EXAMPLES / "cifar10.py").lineno}, in <module>' in outcome.stderr


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


def test_explain_names_the_loop_and_loads_nothing():
    outcome = run_picklecheck("explain", "examples/cifar10.py:loader")
    assert (outcome.exitcode, outcome.stderr) == (1, "")
    loop = loop_of(EXAMPLES / "cifar10.py")
    screen = " ".join(outcome.stdout.split())
    assert screen.startswith(
        "✗ loader (cifar10.py) cannot be sent: the program starts processes when a child imports it"
    )
    assert f"cifar10.py:{loop.lineno} for images, labels in loader:" in screen
    assert f'→ Put lines {loop.lineno} to {loop.end_lineno} under: if __name__ == "__main__":' in screen
    assert screen.endswith("The whole file: picklecheck guard examples/cifar10.py")


def test_guard_names_the_loop_and_what_to_put_under_a_guard():
    outcome = run_picklecheck("guard", "--format", "json", "examples/cifar10.py", "examples/cifar10_guarded.py")
    assert outcome.exitcode == 1, outcome
    (finding,) = json.loads(outcome.stdout)["findings"]
    loop = loop_of(EXAMPLES / "cifar10.py")
    assert (finding["file"], finding["line"]) == ("examples/cifar10.py", loop.lineno)
    assert finding["advice"] == f'Put lines {loop.lineno} to {loop.end_lineno} under: if __name__ == "__main__":'


def test_explain_in_the_program_itself_names_the_loop(tmp_path):
    program = (EXAMPLES / "cifar10.py").read_text("utf-8")
    asking = """
import picklecheck
if __name__ == "__main__":
    print(picklecheck.explain(loader).to_json())
for images, labels"""
    assert "\nfor images, labels" in program
    script = tmp_path / "train.py"
    script.write_text(program.replace("\nfor images, labels", asking), "utf-8")
    (tmp_path / "cifar10_guarded.py").write_text((EXAMPLES / "cifar10_guarded.py").read_text("utf-8"), "utf-8")
    outcome = run(str(script))
    assert "bootstrapping phase" in outcome.stderr
    (failure,) = json.loads(outcome.stdout)["failures"]
    assert (failure["stage"], failure["kind"], failure["line"]) == (
        "bootstrap",
        "no-main-guard",
        loop_of(script).lineno,
    )


def test_the_written_guard_lets_both_workers_run(tmp_path):
    outcome = run_fixed(tmp_path, "cifar10.py", "cifar10.py", "--guard")
    assert outcome.exitcode == 0, outcome
    assert outcome.stdout == run_example("cifar10_guarded.py").stdout
    assert "bootstrapping" not in outcome.stderr

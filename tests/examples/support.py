"""What the tests of the examples share: run one for real, and hold a report against what its source says."""

import ast
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"


class Culprit(NamedTuple):
    """What must be found: the path and kind, the class and method that set it, and the text of that line."""

    path: str
    kind: str
    function: str
    statement: str


class Outcome(NamedTuple):
    exitcode: int
    stdout: str
    stderr: str


def run_example(name, *arguments):
    """Run an example as its user would; its workers end with it when the time is up."""
    return run(str(Path("examples", name)), *arguments)


def run_picklecheck(*arguments):
    return run("-m", "picklecheck", *arguments)


def run_fixed(folder, name, *target, arguments=()):
    """Fix a copy of an example as the command line does, and run that."""
    for file in EXAMPLES.glob("*.py"):
        shutil.copy(file, folder)
    fixed = run("-m", "picklecheck", "fix", *target, "--write", cwd=folder)
    assert (fixed.exitcode, fixed.stdout) == (0, f"fixed {name}\n"), fixed
    assert (folder / name).read_bytes() != (EXAMPLES / name).read_bytes()
    return run(name, *arguments, cwd=folder)


def run(*arguments, timeout=120, cwd=ROOT):
    process = subprocess.Popen(
        [sys.executable, *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        start_new_session=True,
    )
    try:
        stdout, stderr = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        stdout, stderr = process.communicate()
        raise AssertionError(f"{arguments} did not end within {timeout} s\n{stdout}\n{stderr}") from None
    return Outcome(process.returncode, stdout, stderr)


def line_of(module, function, text):
    """Give the number of the one line of a method ("TileCache.__init__") that contains `text`."""
    source = Path(module.__file__).read_text(encoding="utf-8")
    node = ast.parse(source)
    for name in function.split("."):
        (node,) = (child for child in node.body if getattr(child, "name", None) == name)
    lines = enumerate(source.splitlines(), start=1)
    numbers = [number for number, line in lines if node.lineno <= number <= node.end_lineno and text in line]
    assert len(numbers) == 1, f"{text!r} stands in {len(numbers)} lines of {function}"
    return numbers[0]


def assert_found(report, root, culprits, module):
    """Hold a report against the culprits, in the pickler's order; `module` is where their classes stand.

    `root` gives what the names in the paths stand for.
    """
    assert not report.ok
    assert [(failure.path, failure.kind) for failure in report.failures] == [(c.path, c.kind) for c in culprits]
    for failure, culprit in zip(report.failures, culprits, strict=True):
        assert eval(failure.path, dict(root)) is failure.obj
        assert failure.owner == f"{module.__name__}.{culprit.function.rpartition('.')[0]}"
        assert Path(failure.assigned_at.file) == Path(module.__file__)
        assert failure.assigned_at.line == line_of(module, culprit.function, culprit.statement)
        assert failure.assigned_at.function == culprit.function
        assert failure.reason
        assert failure.advice


def assert_fine(report):
    assert report.ok, str(report)
    assert not report.failures

"""The environments that picklecheck is tried in; `.ci/run` uses the same ones. `nox -l` lists them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence

import nox

PYTHONS = ["3.10", "3.11", "3.12", "3.13", "3.14"]
NEWEST_WITH_TORCH = "3.11"
NEWEST_WITH_MEGENGINE = "3.10"

# where it matters that a framework is there; the rest is run without it, on every Python
OF_MEGENGINE = ["tests/examples", "tests/receiver/test_beside.py", "tests/transports", "tests/test_zoo.py"]
OF_TORCH = [
    *OF_MEGENGINE,
    "tests/conformance",
    "tests/fixes",
    "tests/kinds",
    "tests/probe",
    "tests/receiver/test_fleeting.py",
    "tests/receiver/test_zoo.py",
    "tests/test_api.py",
    "tests/test_benchmarks.py",
    "tests/test_mending.py",
    "tests/test_nothing_changed.py",
    "tests/test_pytest_plugin.py",
    "tests/test_source.py",
]

nox.needs_version = ">=2024.4"
nox.options.default_venv_backend = "venv"
nox.options.sessions = ["lint", "types", "tests"]


def run_suite(session: nox.Session, *requirements: str, tests: Sequence[str] = ()) -> None:
    """Install picklecheck as a user would, and run its tests, or these of them, against the installed package."""
    session.install(".[test]", *requirements)
    session.run("pytest", *(session.posargs or tests))


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """Run the suite with nothing but the extra "test": without torch, IPython and the like."""
    run_suite(session)


@nox.session(python=NEWEST_WITH_TORCH)
def torch(session: nox.Session) -> None:
    """Run what there is to see with torch, h5py, pandas, IPython and what else the tests can use."""
    run_suite(session, "-r", "requirements/torch.txt", tests=OF_TORCH)


@nox.session(python=NEWEST_WITH_MEGENGINE)
def megengine(session: nox.Session) -> None:
    """Run what there is to see with MegEngine, on the CPU."""
    run_suite(session, "-r", "requirements/megengine.txt", tests=OF_MEGENGINE)


@nox.session(python="3.11")
def lint(session: nox.Session) -> None:
    """Check style and form; `nox -s lint -- --fix` mends what can be mended."""
    session.install("-r", "requirements/lint.txt")
    session.run("ruff", "check", *session.posargs, ".")
    session.run("ruff", "format", *([] if "--fix" in session.posargs else ["--check"]), ".")


@nox.session(python="3.11")
def types(session: nox.Session) -> None:
    """Check the types of the package, strictly."""
    session.install("-e", ".[test]", "-r", "requirements/lint.txt")
    session.run("mypy", *session.posargs)


@nox.session(python=NEWEST_WITH_TORCH)
def coverage(session: nox.Session) -> None:
    """Measure which branches the suite reaches, child processes included."""
    session.install("-e", ".[dev]", "-r", "requirements/torch.txt")
    with tempfile.TemporaryDirectory() as folder:
        env = {"COVERAGE_FILE": os.path.join(folder, "coverage")}
        session.run("coverage", "run", "-m", "pytest", *session.posargs, env=env)
        session.run("coverage", "combine", env=env)
        session.run("coverage", "report", env=env)


@nox.session(python=NEWEST_WITH_TORCH)
def benchmarks(session: nox.Session) -> None:
    """Measure speed and memory, beside other tools on the same objects; say nothing about pass or fail."""
    session.install(".[test]", "-r", "requirements/torch.txt", "ray")
    session.run("python", "-m", "benchmarks.run", *session.posargs)

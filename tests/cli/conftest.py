"""Runs of the command line as a process of its own."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import picklecheck

ROOT = str(Path(picklecheck.__file__).parents[1])
# what would change the screens: the machine's own terminal, and whether it is a build server
UNSET = ("COLUMNS", "NO_COLOR", "FORCE_COLOR", "CI", "TERM", "PYTHONIOENCODING", "PYTHONUTF8", "LC_ALL", "LANG")


class Project:
    """A folder with files of a user's, and picklecheck run in it."""

    def __init__(self, folder):
        self.folder = folder

    def write(self, **files):
        for stem, text in files.items():
            path = self.folder / f"{stem.replace('__in__', '/')}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text), encoding="utf-8")

    def command(self, *words):
        return [sys.executable, "-m", "picklecheck", *words]

    def environment(self, **changes):
        kept = {name: value for name, value in os.environ.items() if name not in UNSET}
        return {**kept, "PYTHONPATH": ROOT, "PYTHONDONTWRITEBYTECODE": "1", "LANG": "C.UTF-8", **changes}

    def run(self, *words, text=True, **changes):
        """Give what the command wrote and its exit code."""
        return subprocess.run(
            self.command(*words), cwd=self.folder, env=self.environment(**changes), capture_output=True, text=text,
            encoding="utf-8" if text else None, check=False, timeout=120,
        )  # fmt: skip


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path)

import json
import os
import subprocess
import sys
import textwrap

import pytest

from tests.live.programs import COMMON


class Place:
    """A folder with programs that are run as a user would run them."""

    def __init__(self, folder):
        self.folder = folder

    def write(self, **texts):
        for name, text in texts.items():
            (self.folder / f"{name}.py").write_text(textwrap.dedent(text), encoding="utf-8")

    def python(self, *words, stdin="", timeout=60, **environ):
        return subprocess.run(
            [sys.executable, *words], cwd=self.folder, input=stdin, capture_output=True, text=True, check=False,
            timeout=timeout, env={**os.environ, **environ},
        )  # fmt: skip

    def run(self, *words, stdin="", **environ):
        """Run a program under the hook; give what it said and the report."""
        report = self.folder / "report.json"
        done = self.python("-m", "picklecheck", "run", "--report", str(report), *words, stdin=stdin, **environ)
        return done, json.loads(report.read_text(encoding="utf-8"))


@pytest.fixture
def place(tmp_path):
    found = Place(tmp_path)
    found.write(common=COMMON)
    return found

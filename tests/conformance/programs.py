"""Runs the programs of this folder."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
SECONDS = 300


def run(module: str, *arguments: str) -> dict[str, Any]:
    """What a program printed as JSON, last of all."""
    command = [sys.executable, "-m", module, *arguments]
    done = subprocess.run(command, check=False, cwd=ROOT, capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])

"""How the processes that a program starts come to be watched too: by variables of the environment.

A folder with a `sitecustomize` comes first on PYTHONPATH; an interpreter that starts finds it, and goes on with the
one that it would have found (Python docs, `site`).
"""

from __future__ import annotations

import os
from collections.abc import MutableMapping

__all__ = ["FOLDER", "START_METHOD", "leave", "settings"]

FOLDER = "PICKLECHECK_RUN"
START_METHOD = "PICKLECHECK_START_METHOD"
_PATH = "PYTHONPATH"
_SITE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "site")


def settings(folder: str, start_method: str | None, before: MutableMapping[str, str]) -> dict[str, str]:
    """Give the variables with which an interpreter is watched.

    Args:
        folder: the journal's.
        start_method: the one to use where the program chooses none; None: the interpreter's own.
        before: the environment that they are added to.
    """
    paths = [_SITE, *(path for path in before.get(_PATH, "").split(os.pathsep) if path and path != _SITE)]
    found = {FOLDER: folder, _PATH: os.pathsep.join(paths)}
    if start_method is not None:
        found[START_METHOD] = start_method
    return found


def leave(environ: MutableMapping[str, str], before: MutableMapping[str, str]) -> None:
    """Set the variables back to what they were."""
    for name in (FOLDER, START_METHOD, _PATH):
        if name in before:
            environ[name] = before[name]
        else:
            environ.pop(name, None)

"""The live hook: what a program's own pickling errors say while it runs, and which boundaries it crossed.

This package is loaded in every process of a program that is watched, so that it loads little here: what explains is
loaded once something has failed.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from picklecheck.live import environment, hook
from picklecheck.live.journal import Journal

__all__ = ["Watched", "begin", "install", "uninstall", "watch"]


class Watched:
    """What has crossed, or failed to, since `watch` began; it holds no object of the program's."""

    def __init__(self) -> None:
        self._found: dict[str, Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Give every boundary that was crossed as JSON types (the run of schema 1, docs/schema.md)."""
        from picklecheck.live.summary import run_of

        if self._found is not None:
            return self._found
        active = hook.active()
        return run_of(active.journal.events() if active else ())

    @property
    def boundaries(self) -> list[dict[str, Any]]:
        """Every boundary that was crossed: a report as JSON types, with the line of the call."""
        return list(self.to_dict()["boundaries"])

    @property
    def ok(self) -> bool:
        """Whether nothing failed to cross."""
        return all(boundary["ok"] for boundary in self.boundaries)

    def _end(self) -> None:
        self._found = self.to_dict()


class _Installed:
    """What `install` has begun: how often, where its journal lies, and what the environment was."""

    depth = 0
    folder: str | None = None
    before: dict[str, str] = {}  # noqa: RUF012


@contextmanager
def watch() -> Iterator[Watched]:
    """Attach the report to every pickling error of the program's, while the block runs.

    The errors of `multiprocessing`, `concurrent.futures`, the loaders of torch and MegEngine, joblib and
    `copy.deepcopy` are the same as without, with notes at their end (`BaseException.add_note`): the path of each
    culprit, rooted at the call, and the line that sent it. Python 3.10 has no notes: there they are printed to stderr
    once, and stand in ``__notes__``. Child processes that are started in the block are watched too, but for those of a
    fork server that ran before.

    Yields:
        What has crossed, which can be asked at any time.
    """
    watched = Watched()
    install()
    try:
        yield watched
    except Exception as error:
        from picklecheck.live.telling import passed_by

        passed_by(error)
        raise
    finally:
        watched._end()
        uninstall()


def install() -> None:
    """Watch this process, and the children that it starts from now on, until `uninstall`. Calls can be nested."""
    if hook.active() is None:
        import tempfile

        _Installed.before = dict(os.environ)
        _Installed.folder = tempfile.mkdtemp(prefix="picklecheck-")
        os.environ.update(environment.settings(_Installed.folder, None, os.environ))
        hook.start(Journal(_Installed.folder))
    _Installed.depth += 1


def uninstall() -> None:
    """End what `install` began: the functions and the environment are as they were.

    Raises:
        UsageError: nothing was installed.
    """
    if _Installed.depth == 0:
        from picklecheck.errors import UsageError

        raise UsageError("uninstall() without install(): nothing is watched")
    _Installed.depth -= 1
    if _Installed.depth == 0 and _Installed.folder is not None:
        import shutil

        hook.stop()
        environment.leave(os.environ, _Installed.before)
        shutil.rmtree(_Installed.folder, ignore_errors=True)
        _Installed.folder = None


def begin() -> None:
    """Watch this process to its end, as the environment says: it belongs to a program that is watched."""
    folder = os.environ.get(environment.FOLDER)
    if folder and hook.active() is None and os.path.isdir(folder):
        with contextlib.suppress(Exception):  # whatever it is, the program goes on
            hook.start(Journal(folder), os.environ.get(environment.START_METHOD))

"""Whether a child can import this process's main module, and what would run again there.

Which main module a child prepares, and from where, is decided as `multiprocessing.spawn.get_preparation_data` and its
`_fixup_main_from_name` and `_fixup_main_from_path` decide it (they are the same from 3.10 to 3.14).
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Iterable
from dataclasses import replace
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple

from picklecheck import kinds
from picklecheck.model import Finding, Place
from picklecheck.safe import instance_dict

if TYPE_CHECKING:
    from picklecheck.receiver.guard import Result

__all__ = ["findings_for_main", "safe_to_start"]

_REPEATED = frozenset(("no-main-guard", "start-at-import", "work-at-import"))


class _Source(NamedTuple):
    """What a child runs to have the main module: a file, and the module's name where it is imported by that."""

    file: str | None
    name: str | None = None


def findings_for_main(main: ModuleType | None = None, *, start_method: str = "spawn") -> tuple[Finding, ...]:
    """Give what stops a child from importing the main module, and what the import would do once more.

    Where a child does not import it at all there is nothing to find: a notebook, the interactive prompt, `-c`, a
    package or archive run by its `__main__.py`. What such a child lacks shows when it unpickles.

    Args:
        main: the main module; None for this process's own.
        start_method: how the child is started; under "fork" it imports nothing.

    Returns:
        An error "main-not-importable", or the findings of the bootstrap reading. Nothing is raised.
    """
    if start_method == "fork":
        return ()
    if main is None:
        main = sys.modules.get("__main__")
    if main is None:
        return ()
    if getattr(sys, "frozen", False):
        return (_finding("frozen", None, severity="warning"),)
    source = _source_of(instance_dict(main) or {})
    return () if source is None else _findings(source)


def safe_to_start(findings: Iterable[Finding]) -> bool:
    """Tell whether a child that imports the main module would neither start the program again nor repeat its work.

    Args:
        findings: what `findings_for_main` gave.
    """
    return not any(finding.kind in _REPEATED for finding in findings)


def _source_of(names: dict[str, object]) -> _Source | None:
    """Give what a child would run; None where it leaves its main module alone."""
    spec = names.get("__spec__")
    name = getattr(spec, "name", None)
    if name is not None:
        if type(name) is not str or name == "__main__" or name.endswith(".__main__"):
            return None
        origin = getattr(spec, "origin", None)
        return _Source(origin if type(origin) is str else None, name)
    file = names.get("__file__")
    if type(file) is not str:
        return None
    path = os.path.normpath(file if os.path.isabs(file) else os.path.join(_first_folder(), file))
    is_ipython = os.path.splitext(os.path.basename(path))[0] == "ipython"
    return None if is_ipython else _Source(path)


def _first_folder() -> str:
    """Give the folder that a child completes a relative path with."""
    process = sys.modules.get("multiprocessing.process")
    folder = getattr(process, "ORIGINAL_DIR", None)
    return folder if type(folder) is str else os.getcwd()


def _findings(source: _Source) -> tuple[Finding, ...]:
    if source.file is None:
        return ()  # a module without a file, which is found by its name
    missing = _missing(source)
    if missing:
        return (_finding("main-not-importable", source.file, note=missing),)
    if not os.path.isfile(source.file) or source.file.endswith((".pyc", ".so", ".pyd", ".zip")):
        return ()  # a folder, an archive or compiled code: nothing to read
    found = os.stat(source.file)
    result = _read(source.file, (found.st_mtime_ns, found.st_size))
    if result.unread:
        return (_finding("main-not-importable", source.file, note=f"It is no Python now: {result.unread[0]}."),)
    return result.findings


@functools.lru_cache(maxsize=8)
def _read(file: str, stamp: tuple[int, int]) -> Result:
    """Read a file, once for as long as it is not changed: a program may ask many times."""
    from picklecheck.receiver.guard import read_files

    return read_files([file])


def _missing(source: _Source) -> str | None:
    """Say why a child cannot open the file of the main module; None where it can."""
    file = str(source.file)
    base = os.path.basename(file)
    if os.path.exists(file):
        return None if os.access(file, os.R_OK) else f"{file} cannot be read."
    if source.name is not None and ".zip" in file:
        return None
    if base.startswith("<") and base.endswith(">"):
        where = "the program came from standard input" if base == "<stdin>" else "the program came from no file"
        return f"__main__.__file__ is {base!r}: {where}, and a child would look for the file {file!r}."
    return f"There is no file {file!r}: it was moved or deleted after the program had started."


def _finding(slug: str, file: str | None, *, note: str = "", severity: str = "error") -> Finding:
    kind = kinds.get(slug)
    finding = Finding(
        path=None, path_count=0, kind=slug, stage="bootstrap", severity=severity, title=kind.title, name="__main__",
        reason=kind.reason, advice=kind.advice, note=note,
    )  # fmt: skip
    return replace(finding, assigned_at=Place(file=file, line=1)) if file and os.path.isfile(file) else finding

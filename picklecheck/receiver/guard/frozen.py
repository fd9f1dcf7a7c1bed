"""Programs that are frozen into an executable, as far as files beside them tell."""

from __future__ import annotations

import os

from picklecheck import kinds
from picklecheck.model import Finding, Place
from picklecheck.receiver.guard import conditions
from picklecheck.receiver.guard.sources import Source

__all__ = ["frozen_finding"]

_MAX_BYTES = 200_000
_FREEZERS = (b"cx_Freeze", b"py2exe", b"PyInstaller")


def frozen_finding(source: Source) -> Finding | None:
    """Tell of a program that is frozen, starts processes, and does not call `freeze_support()`; None for others."""
    if not source.has_evidence or b"freeze_support" in source.data or b"__main__" not in source.data:
        return None
    guard = next(filter(conditions.is_guard, source.tree.body), None)
    recipe = _recipe(source) if guard is not None else None
    if guard is None or recipe is None:
        return None
    kind = kinds.get("frozen")
    text = source.lines[guard.lineno - 1].strip() if guard.lineno <= len(source.lines) else None
    return Finding(
        path=None, path_count=0, kind="frozen", stage="bootstrap", severity="warning", title=kind.title,
        assigned_at=Place(file=source.path, line=guard.lineno, statement=text), reason=kind.reason,
        note=f"{recipe} makes an executable of it.", advice=kind.advice,
    )  # fmt: skip


def _recipe(source: Source) -> str | None:
    """Give the file beside a program that says how it is frozen."""
    folder, name = os.path.split(os.path.abspath(source.path))
    for file in sorted(os.listdir(folder)):
        if file.endswith(".spec") or file == "setup.py":
            data = _read(os.path.join(folder, file))
            is_recipe = b"Analysis(" in data if file.endswith(".spec") else any(word in data for word in _FREEZERS)
            if is_recipe and name.encode() in data:
                return file
    return None


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(_MAX_BYTES)
    except OSError:
        return b""

"""A child that could not prepare itself, and how that is told."""

from __future__ import annotations

import linecache
import sys
from typing import Any

from picklecheck.model import Failure, Place

__all__ = ["Trouble", "not_started"]


class Trouble(Exception):
    """The child did not get as far as a trial.

    Args:
        text: what happened.
        error: what preparing it raised (`told`); None where it did not come to an end.
    """

    def __init__(self, text: str, error: dict[str, Any] | None = None) -> None:
        super().__init__(text)
        self.error = error


def not_started(trouble: Trouble) -> Failure:
    """Give the failure of a child that could not import the main module."""
    from picklecheck import kinds  # a child imports this package too, and has no use for them

    error = trouble.error or {}
    repeats = "bootstrapping phase" in error.get("text", "")
    kind = kinds.get("no-main-guard" if repeats else "main-not-importable")
    words = " ".join(error.get("text", "").split())
    text = f"{error['type']}: {words}".rstrip(": ") if error else None
    return Failure(
        path=None, kind=kind.slug, title=kind.title, stage="bootstrap", name="__main__",
        assigned_at=_place(error.get("frames", [])), reason=kind.reason, advice=kind.advice,
        note="" if error else f"Over there: {trouble}.", error=text,
    )  # fmt: skip


def _place(frames: list[dict[str, Any]]) -> Place | None:
    """Give the line of the main module that it came to; without one, the last line of all."""
    main = getattr(sys.modules.get("__main__"), "__file__", None)
    last = next((frame for frame in reversed(frames) if frame["file"] == main), frames[-1] if frames else None)
    if last is None:
        return None
    statement = linecache.getline(last["file"], last["line"]).strip() or None
    return Place(file=last["file"], line=last["line"], statement=statement)

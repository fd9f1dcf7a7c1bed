"""The line of the user's program that a call came from: the nearest frame that is no library's."""

from __future__ import annotations

import os
import sys
from types import CodeType, FrameType
from typing import NamedTuple

__all__ = ["Line", "is_library", "line_of", "line_of_frame", "module_of", "user_frame"]

_STDLIB = os.path.dirname(os.__file__) + os.sep
_OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_INSTALLED = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")
# what hands a user's objects to processes; the user's line lies above it, also where the user's code is installed
_CARRIERS = frozenset({
    "_pytest", "concurrent", "copy", "joblib", "loky", "megengine", "multiprocessing", "picklecheck", "pluggy",
    "runpy", "threading", "torch",
})  # fmt: skip
_known: dict[CodeType, bool] = {}


class Line(NamedTuple):
    """A line of the user's program: its file, its number from 1, and the function that it stands in."""

    file: str
    line: int
    function: str


def is_library(code: CodeType) -> bool:
    """Tell whether code belongs to the standard library, to what was installed, or to picklecheck."""
    found = _known.get(code)
    if found is None:
        file = code.co_filename
        installed = file.startswith(("<frozen", _STDLIB, _OWN)) or any(part in file for part in _INSTALLED)
        found = _known[code] = installed
    return found


def module_of(frame: FrameType) -> str:
    """Give the name of the module that a frame's code stands in."""
    name = frame.f_globals.get("__name__")
    return name if type(name) is str else ""


def user_frame(frame: FrameType | None) -> FrameType | None:
    """Give the nearest frame of the user's, from this one outwards; where all are installed, the nearest caller's."""
    nearest, start = None, frame
    while frame is not None:
        if not is_library(frame.f_code) and "__name__" in frame.f_globals:  # a proxy's methods are made from text
            return frame
        frame = frame.f_back
    while start is not None and nearest is None:
        top = module_of(start).partition(".")[0]
        nearest = None if top in _CARRIERS or top.startswith("importlib") or top == "__main__" else start
        start = start.f_back
    return nearest


def line_of(depth: int = 1) -> Line | None:
    """Give the user's line that the caller was called from; None in a thread of a library's, or a child's start.

    Args:
        depth: how many frames further out to begin.
    """
    return line_of_frame(sys._getframe(depth + 1))


def line_of_frame(frame: FrameType | None) -> Line | None:
    """Give the user's line that a frame is at, or was called from."""
    frame = user_frame(frame)
    if frame is None:
        return None
    code = frame.f_code
    file = code.co_filename if code.co_filename[:1] == "<" else os.path.abspath(code.co_filename)
    return Line(file, frame.f_lineno, getattr(code, "co_qualname", code.co_name))

"""What to say when code of the user's raises while a target is loaded: the error in a line, and the user's own line."""

from __future__ import annotations

import os
import traceback
from typing import NamedTuple

__all__ = ["is_library", "reraise_interrupt", "told", "user_frames"]

_OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_MAX_MESSAGE = 240


class Frame(NamedTuple):
    """A line that was running."""

    file: str
    line: int
    function: str

    def __str__(self) -> str:
        """Give "train.py:41 in make_loader"."""
        inside = "" if self.function == "<module>" else f" in {self.function}"
        return f"{os.path.basename(self.file)}:{self.line}{inside}"


def reraise_interrupt(error: BaseException) -> None:
    """Let Ctrl-C through."""
    if isinstance(error, KeyboardInterrupt):
        raise error


def user_frames(error: BaseException) -> list[Frame]:
    """Give the frames that an exception went through, without picklecheck's and the import system's."""
    walked = traceback.walk_tb(error.__traceback__)
    found = (Frame(frame.f_code.co_filename, line, frame.f_code.co_name) for frame, line in walked)
    return [frame for frame in found if not _is_machinery(frame.file)]


def told(error: BaseException) -> str:
    """Say what an exception was and where: "raised ValueError: no data (train.py:9 in make_loader)"."""
    where = _place(error)
    behind = f" ({where})" if where else ""
    if isinstance(error, SystemExit):
        return f"ended the program with exit code {_message(error) or 0}{behind}"
    if isinstance(error, ModuleNotFoundError) and error.name and user_frames(error):
        return f"needs the module {error.name!r}, which cannot be found{behind}"
    message = str(error.msg) if isinstance(error, SyntaxError) else _message(error)
    return f"raised {type(error).__name__}{': ' if message else ''}{message}{behind}"


def _place(error: BaseException) -> str:
    """Give the deepest line of the user's own code; of a library's where there is none."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{os.path.basename(str(error.filename))}:{error.lineno}"
    frames = user_frames(error)
    own = [frame for frame in frames if not is_library(frame.file)]
    return str((own or frames)[-1]) if frames else ""


def _message(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception:  # a message is a help: one that cannot be made is left out
        return ""
    return text if len(text) <= _MAX_MESSAGE else text[: _MAX_MESSAGE - 3] + "..."


def _is_machinery(file: str) -> bool:
    return file.startswith(("<frozen importlib", _OURS)) or file.endswith(os.path.join("importlib", "__init__.py"))


def is_library(file: str) -> bool:
    """Tell whether a file belongs to the standard library or an installed package."""
    import sysconfig

    places = (sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib"))
    return file.startswith(("<", *(place + os.sep for place in places if place)))

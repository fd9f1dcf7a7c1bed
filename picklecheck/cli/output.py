"""Writing to a terminal or a pipe, whatever its encoding, and knowing which of the two it is."""

from __future__ import annotations

import os
import shutil
from typing import TextIO

from picklecheck.render.words import Pen

__all__ = ["is_terminal", "is_watched", "pen", "wants_color", "width", "write"]

_MAX_WIDTH = 100  # longer lines of prose are hard to read
_PIPE_WIDTH = 80


def write(stream: TextIO, text: str) -> None:
    """Write text and a line end; what the stream's encoding lacks is escaped, and a reader who has left is no error."""
    encoding = _encoding(stream)
    try:
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")
        stream.flush()
    except BrokenPipeError:  # as `head` does; the interpreter would complain when it flushes at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def pen(stream: TextIO) -> Pen:
    """Give the pen for what the stream can hold."""
    return Pen.of(_encoding(stream))


def _encoding(stream: TextIO) -> str:
    return getattr(stream, "encoding", None) or "utf-8"


def is_terminal(stream: TextIO) -> bool:
    """Tell whether a person looks at the stream, on something that can move its cursor."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def wants_color(stream: TextIO) -> bool:
    """Tell whether to colour what is written."""
    return is_terminal(stream) and not os.environ.get("NO_COLOR")


def is_watched(stream: TextIO) -> bool:
    """Tell whether to show something that moves."""
    return wants_color(stream) and not os.environ.get("CI")


def width(stream: TextIO) -> int:
    """Give the columns to write for: those of the terminal, in a pipe 80 unless COLUMNS says otherwise."""
    return min(_MAX_WIDTH, shutil.get_terminal_size((_PIPE_WIDTH, 24)).columns)

"""Source files as text, and back, with their own encoding and line ends."""

from __future__ import annotations

import io
import tokenize

__all__ = ["encoded", "read"]


def read(file: str) -> str:
    """Give the text of a source file, its line ends as they are.

    Raises:
        OSError, SyntaxError, UnicodeDecodeError: it cannot be read, or is not in the encoding that it declares.
    """
    with open(file, "rb") as stream:
        data = stream.read()
    return data.decode(_encoding(data))


def encoded(text: str, like: bytes) -> bytes:
    """Give the bytes of a text in the encoding of a source file.

    Args:
        text: the text.
        like: what the file holds up to now.
    """
    return text.encode(_encoding(like))


def _encoding(data: bytes) -> str:
    return tokenize.detect_encoding(io.BytesIO(data).readline)[0]

"""Source files as text, and back, with their own encoding and line ends."""

from __future__ import annotations

import codecs
import io
import tokenize

from picklecheck.fixes.edits import diff

__all__ = ["decoded", "encoded", "patch", "patch_bytes", "read"]

_MARK = "\ufeff"


def read(file: str) -> str:
    """Give the text of a source file, its line ends as they are.

    Raises:
        OSError, SyntaxError, UnicodeDecodeError: it cannot be read, or is not in the encoding that it declares.
    """
    return decoded(_data(file))


def decoded(data: bytes) -> str:
    """Give the text of what a source file holds.

    Raises:
        SyntaxError, UnicodeDecodeError: it is not in the encoding that it declares.
    """
    return data.decode(_encoding(data))


def encoded(text: str, like: bytes) -> bytes:
    """Give the bytes of a text in the encoding of a source file.

    Args:
        text: the text.
        like: what the file holds up to now.
    """
    return text.encode(_encoding(like))


def patch(file: str, before: str, after: str) -> str:
    """Give what changed in a file as a unified diff that fits it: its first line has the mark that a text lacks.

    Raises:
        OSError: the file cannot be read.
    """
    mark = _MARK if _data(file).startswith(codecs.BOM_UTF8) else ""
    return diff(file, mark + before, mark + after)


def patch_bytes(file: str, before: str, after: str) -> bytes:
    """Give the diff in the file's own encoding, as ``git apply`` wants it.

    Raises:
        OSError: the file cannot be read.
    """
    return patch(file, before, after).encode(_encoding(_data(file)).removesuffix("-sig"))


def _data(file: str) -> bytes:
    with open(file, "rb") as stream:
        return stream.read()


def _encoding(data: bytes) -> str:
    return tokenize.detect_encoding(io.BytesIO(data).readline)[0]

"""The values of options: from words to what they mean, with an error in one line where they mean nothing."""

from __future__ import annotations

from collections.abc import Sequence

from picklecheck.errors import UsageError

__all__ = ["choice", "integer", "number"]


def choice(option: str, word: str, choices: Sequence[str]) -> str:
    """Give a word that is one of several.

    Raises:
        UsageError: it is none of them; the text lists them, and the one that was meant.
    """
    if word in choices:
        return word
    import difflib

    alike = difflib.get_close_matches(word.lower(), choices, 1)
    meant = f"; did you mean {alike[0]}?" if alike else ""
    raise UsageError(f"{option}: no {word!r}: choose from {', '.join(choices)}{meant}")


def integer(option: str, word: str | None) -> int | None:
    """Give a word as an integer; None where the option was left out.

    Raises:
        UsageError: it is none.
    """
    try:
        return None if word is None else int(word)
    except ValueError:
        raise UsageError(f"{option}: {word!r} is no integer") from None


def number(option: str, word: str) -> float:
    """Give a word as a number.

    Raises:
        UsageError: it is none.
    """
    try:
        return float(word)
    except ValueError:
        raise UsageError(f"{option}: {word!r} is no number") from None

"""An exception of the child's, as data."""

from __future__ import annotations

from typing import Any

__all__ = ["told"]

_MOST_TEXT = 500
_MOST_FRAMES = 30


def told(error: BaseException) -> dict[str, Any]:
    """Give an exception's type, text and frames as JSON types.

    Its own ``__str__`` is called: this is the child, and one that fails or does not return is a failure of the trial.
    """
    return {
        "type": type(error).__name__,
        "names": [cls.__name__ for cls in type(error).__mro__],
        "text": _text(error),
        "frames": _frames(error),
        "missing": _missing(error),
    }


def _text(error: BaseException) -> str:
    try:
        text = str(error)
    except BaseException:
        text = ", ".join(arg for arg in error.args if type(arg) is str)
    return text[:_MOST_TEXT]


def _missing(error: BaseException) -> str | None:
    name = error.name if isinstance(error, ImportError) else None
    return name if isinstance(name, str) else None


def _frames(error: BaseException) -> list[dict[str, Any]]:
    """Give the frames that the exception went through, without ours; the first and the last of many."""
    found: list[dict[str, Any]] = []
    traceback = error.__traceback__
    while traceback is not None:
        frame = traceback.tb_frame
        module = frame.f_globals.get("__name__")
        if type(module) is not str or module.partition(".")[0] not in ("picklecheck", "copyreg"):
            code = frame.f_code
            line = traceback.tb_lineno
            function = getattr(code, "co_qualname", code.co_name)
            found.append({"file": code.co_filename, "line": line, "name": code.co_name, "function": function})
            if len(found) > 2 * _MOST_FRAMES:
                del found[_MOST_FRAMES]
        traceback = traceback.tb_next
    return found

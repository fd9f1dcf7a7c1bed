"""Which files are the user's own, so that an edit to them can be suggested."""

from __future__ import annotations

import functools
import os
import sysconfig

__all__ = ["is_editable"]

_INSTALLED = ("site-packages", "dist-packages")
_KEYS = ("stdlib", "platstdlib", "purelib", "platlib")
_OWN = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))


@functools.lru_cache(maxsize=256)
def is_editable(file: str) -> bool:
    """Tell whether a file is Python source on disk that belongs to the user.

    Args:
        file: as a code object or a module names it.

    Returns:
        False for what never was a file (a cell, ``<string>``), for the standard library, for what was installed, and
        for picklecheck itself.
    """
    if file.startswith("<") or not file.endswith((".py", ".pyw")) or not os.path.isfile(file):
        return False
    real = os.path.realpath(file)
    if any(part in _INSTALLED for part in real.split(os.sep)):
        return False
    return not any(real.startswith(root + os.sep) for root in _roots())


@functools.lru_cache(maxsize=1)
def _roots() -> tuple[str, ...]:
    paths = sysconfig.get_paths()
    return (_OWN, *(os.path.realpath(paths[key]) for key in _KEYS if paths.get(key)))

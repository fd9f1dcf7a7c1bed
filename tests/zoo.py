"""The table of specimens: objects with what must be found in them, for everything that is tried on all of them.

A specimen stands with its factory in the module of `tests.specimens` that holds its theme; importing this module fills
the table. Every kind has one; `test_zoo` demands it.
"""

from tests.specimens import (  # noqa: F401  # importing a theme enters its specimens
    TABLE,
    byname,
    containers,
    handles,
    interpreter,
    libraries,
    processes,
    protocol,
    threads,
)

__all__ = ["SPECIMENS"]

SPECIMENS = tuple(TABLE)

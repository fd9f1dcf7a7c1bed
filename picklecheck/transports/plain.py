"""Plain pickle: `pickle.dumps`, `shelve`, a cache file, any message queue that pickles."""

from __future__ import annotations

import pickle

from picklecheck.transports.base import Transport

__all__ = ["PICKLE"]


def _pickler() -> type[pickle.Pickler]:
    return pickle.Pickler


PICKLE = Transport(name="pickle", pickler=_pickler)

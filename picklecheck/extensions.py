"""What other packages register by an entry point: each group is loaded once, when it is first asked about."""

from __future__ import annotations

import threading

__all__ = ["Extensions"]


class Extensions:
    """The entry points of one group; each names a function without arguments that registers something.

    Args:
        group: the group's name, "picklecheck.kinds"; its last part is what a warning calls them.
    """

    def __init__(self, group: str) -> None:
        self._group = group
        self._lock = threading.RLock()
        self._loaded = False

    def load(self) -> None:
        """Call them all, once; one that fails is a warning. Other threads wait until that is done."""
        if self._loaded:
            return
        with self._lock:
            if self._was_loaded():
                return
            self._loaded = True  # first, because what is loaded may ask what there is itself
            from importlib.metadata import entry_points

            for point in entry_points(group=self._group):
                try:
                    point.load()()
                except Exception as error:  # another package's fault must not stop the report
                    import warnings

                    what = self._group.rpartition(".")[2]
                    warnings.warn(f"picklecheck: {what} of {point.value} were not loaded: {error!r}", stacklevel=2)

    def _was_loaded(self) -> bool:
        return self._loaded  # asked again by a thread that had to wait

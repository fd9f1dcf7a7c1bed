"""How far a spawned child has come: its preparation data, the import of its main module, then what it is to run.

`multiprocessing.spawn._main` loads two pickles from its parent, with the import of the main module between them. Its
`reduction` is stood in for until the second one is there, so that the bytes of that are at hand where it fails.
"""

from __future__ import annotations

from typing import Any

__all__ = ["Childhood"]

_MOST_BYTES = 1 << 26  # of what is kept to look at, should it fail


class Childhood:
    """One child's start.

    Args:
        spawn: the names of `multiprocessing.spawn`.

    Attributes:
        loads: how many pickles were asked for.
        over: whether the last one is there: from then on what fails is the program's.
    """

    def __init__(self, spawn: dict[str, Any]) -> None:
        self.loads = 0
        self.over = False
        self._spawn = spawn
        self._real = spawn["reduction"]
        self._kept: list[bytes] = []
        self._size = 0
        spawn["reduction"] = self
        self.pickle = self

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def leave(self) -> None:
        """Put back what was stood in for."""
        if self._spawn["reduction"] is self:
            self._spawn["reduction"] = self._real

    @property
    def data(self) -> bytes:
        """The bytes of the second pickle, as far as they were read and are not too many."""
        return b"".join(self._kept)

    def load(self, file: Any) -> Any:
        """Load a pickle, as `pickle.load` does."""
        self.loads += 1
        if self.loads == 1:
            return self._real.pickle.load(file)
        result = self._real.pickle.load(_Copied(file, self))
        self.over = True
        self.leave()
        self._kept.clear()
        return result

    def keep(self, data: Any) -> None:
        """Keep what was read."""
        self._size += len(data)
        if self._size <= _MOST_BYTES:
            self._kept.append(bytes(data))


class _Copied:
    """A file whose bytes are kept as they are read."""

    def __init__(self, file: Any, childhood: Childhood) -> None:
        self._file = file
        self._childhood = childhood

    def read(self, size: int = -1) -> bytes:
        data: bytes = self._file.read(size)
        self._childhood.keep(data)
        return data

    def readline(self) -> bytes:
        line: bytes = self._file.readline()
        self._childhood.keep(line)
        return line

    def readinto(self, buffer: Any) -> int:
        count: int = self._file.readinto(buffer)
        self._childhood.keep(memoryview(buffer)[:count])
        return count

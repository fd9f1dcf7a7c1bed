"""What the processes of one program tell of what crossed between them: a folder with a file of JSON lines for each.

Each line is written as a whole and at once, so that what a process has told stays when it is killed. This is loaded in
every process of a program that is watched, and therefore loads little.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

__all__ = ["Journal"]

_ENDING = ".jsonl"


class Journal:
    """The folder that the processes of a program write to.

    Args:
        folder: an existing folder; once it is gone, what is written is dropped.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def write(self, event: dict[str, Any]) -> None:
        """Add one event, of JSON types; whatever goes wrong with the file is not the program's trouble."""
        import json

        try:
            line = json.dumps({**event, "pid": os.getpid()}) + "\n"
            number = os.open(self._file(), os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
            try:
                os.write(number, line.encode())
            finally:
                os.close(number)
        except (OSError, ValueError):
            return

    def _file(self) -> str:
        return os.path.join(self.folder, f"{os.getpid()}{_ENDING}")

    def claim(self, words: str) -> bool:
        """Tell whether no process has claimed these words before: only one of many workers says what all would."""
        from hashlib import sha256

        name = os.path.join(self.folder, f"{sha256(words.encode('utf-8', 'replace')).hexdigest()[:32]}.said")
        try:
            os.close(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        except FileExistsError:
            return False
        except OSError:
            return True
        return True

    def events(self) -> list[dict[str, Any]]:
        """Give all events, those of one process in their order; a line that was cut off is left out."""
        return list(self._events())

    def _events(self) -> Iterator[dict[str, Any]]:
        import json

        for file in self._files():
            with open(file, encoding="utf-8") as stream:
                for line in stream:
                    try:
                        yield json.loads(line)
                    except ValueError:
                        continue

    def _files(self) -> list[str]:
        """Give the files of the processes, the first to write first."""
        try:
            found = [entry.path for entry in os.scandir(self.folder) if entry.name.endswith(_ENDING)]
        except OSError:
            return []
        return sorted(found, key=_number_of)


def _number_of(file: str) -> int:
    return int(os.path.basename(file).removesuffix(_ENDING))

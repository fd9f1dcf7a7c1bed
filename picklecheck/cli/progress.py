"""What moves on the terminal while a long walk runs: the number of objects that were seen."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from rich.console import Console
from rich.progress import Progress, ProgressColumn, SpinnerColumn, Task, TimeElapsedColumn
from rich.text import Text

from picklecheck.cli import output
from picklecheck.render.words import amount

__all__ = ["watcher"]

_PATIENCE = 1.0

Watch = Callable[[Callable[[], int]], AbstractContextManager[None]]


class _Objects(ProgressColumn):
    """Asks for the count each time that it is drawn."""

    def __init__(self, name: str, count: Callable[[], int]) -> None:
        super().__init__()
        self.name, self.count = name, count

    def render(self, task: Task) -> Text:
        """Give the number of objects so far."""
        return Text(f"walking {self.name}: {amount(self.count())} objects")


def watcher(name: str) -> Watch:
    """Give what shows the progress of a walk on the terminal."""
    shown = output.pen(sys.stderr).clean(name, 40)

    @contextmanager
    def watch(count: Callable[[], int]) -> Iterator[None]:
        progress = Progress(
            SpinnerColumn(), _Objects(shown, count), TimeElapsedColumn(),
            console=Console(stderr=True), transient=True, redirect_stdout=False, redirect_stderr=False,
        )  # fmt: skip
        with _later(progress):
            yield

    return watch


@contextmanager
def _later(progress: Progress) -> Iterator[None]:
    """Start it only when the walk has taken a while, and take it away at its end."""
    done = threading.Event()

    def start() -> None:
        if not done.wait(_PATIENCE):
            progress.add_task("")
            with progress:
                done.wait()

    thread = threading.Thread(target=start, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()

"""The reading of one file, from its first statement to its last, as a child would run them."""

from __future__ import annotations

from picklecheck.model import Place
from picklecheck.receiver.guard.base import TooLong
from picklecheck.receiver.guard.events import Event, Sort
from picklecheck.receiver.guard.sources import Source, Unreadable
from picklecheck.receiver.guard.statements import Executor
from picklecheck.receiver.guard.values import Const, Module, Scope
from picklecheck.receiver.guard.world import World

__all__ = ["Reading", "read"]

_MAX_NESTED = 25
_MAX_STEPS = 40_000  # of one file
_CHILD_NAME = "__mp_main__"
_PASSED_ON = (Sort.START, Sort.METHOD, Sort.AS_MAIN, Sort.WORK)


class Reading(Executor):
    """What a file does when it is imported.

    Attributes:
        scope: the names of the module.
        events: what it came upon.
    """

    def __init__(self, world: World, source: Source, *, as_main: bool, depth: int = 0) -> None:
        super().__init__(world, source)
        self.depth = depth
        self.scope = Scope(source, sort="module")
        self.scope.names["__name__"] = Const(_CHILD_NAME if as_main else source.name)
        self.done = False

    def run(self) -> Reading:
        """Read the whole file.

        Raises:
            Unreadable: it is no Python.
        """
        taken = 0
        for statement in self.source.tree.body:
            self.anchor, self.steps = None, 0
            self.frames, self.uncertain, self.caught = [], 0, []
            try:
                if self.execute([statement], self.scope):
                    break
            except (TooLong, RecursionError):
                pass  # what was found until here stands
            taken += self.steps
            if taken > _MAX_STEPS:
                break
        self.done = True
        return self

    def load(self, name: str, source: Source) -> Module | None:
        """Give a module that has a source to be read; what its import brings about is noted."""
        found = self.world.find(name, source)
        if found is None or self.depth >= _MAX_NESTED:
            return None
        reading = self._reading_of(found)
        if reading is None:
            return None
        if reading.done and not found.foreign:
            self._take_over(reading, name)
        return Module(found, reading.scope, name)

    def _reading_of(self, source: Source) -> Reading | None:
        known = self.world.readings.get(source.path)
        if known is None:
            known = Reading(self.world, source, as_main=False, depth=self.depth + 1)
            self.world.readings[source.path] = known
            try:
                known.run()
            except Unreadable:
                known.done = True
        return known if isinstance(known, Reading) else None

    def _take_over(self, reading: Reading, name: str) -> None:
        """Note what the import of a module brings about, unless this file's statement has noted it already."""
        for event in reading.events:
            if event.sort in _PASSED_ON and not (event.sort == Sort.WORK and (self.uncertain or not event.certain)):
                self._pass_on(event, reading.source, name)

    def _pass_on(self, event: Event, source: Source, name: str) -> None:
        if self.anchor is None:
            return
        line = event.anchor.line
        text = source.lines[line - 1].strip() if 0 < line <= len(source.lines) else None
        place = event.origin if event.module else Place(file=source.path, line=line, statement=text)
        self.events.append(
            Event(
                sort=event.sort, anchor=self.anchor, what=event.what, severity=event.severity,
                certain=event.certain and not self.uncertain, method=event.method, origin=place,
                module=event.module or name,
            )
        )  # fmt: skip


def read(world: World, source: Source) -> list[Event]:
    """Give what a child would come upon that imports a file as the main module.

    Raises:
        Unreadable: it is no Python.
    """
    reading = Reading(world, source, as_main=not source.is_package)  # a package is only ever imported
    if b"__mp_main__" not in source.data:
        world.readings.setdefault(source.path, reading)  # as an import it is the same
    reading.run()
    return _first_of_each(reading.events)


def _first_of_each(events: list[Event]) -> list[Event]:
    """Give one event for each statement and sort, and none of work where processes are started all the same."""
    found: dict[tuple[str, int], Event] = {}
    for event in events:
        key = event.sort, event.anchor.line
        if key not in found or (event.severity == "error" and found[key].severity != "error"):
            found[key] = event
    starts = {line for sort, line in found if sort == Sort.START}
    quiet = (Sort.WORK, Sort.NAME, Sort.ENDS)
    return [event for (sort, line), event in found.items() if sort not in quiet or line not in starts]

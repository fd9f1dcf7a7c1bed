"""Noting what was come upon, with where it really happens."""

from __future__ import annotations

import re
from typing import Any

from picklecheck.model import Place
from picklecheck.receiver.guard import conditions
from picklecheck.receiver.guard.evaluate import Evaluator
from picklecheck.receiver.guard.events import Event, Sort
from picklecheck.receiver.guard.work import Work

__all__ = ["Noting"]


_MAKES = re.compile(r"mkstemp|mkdtemp|TemporaryFile|symlink\(|touch\(|open\([^\n]*[\"'][wxa]|mkdir")


class Noting(Evaluator):
    """Makes events."""

    def emit(self, sort: str, what: str, **more: Any) -> None:
        """Note an event, unless it belongs to a library that might not do it."""
        if self.anchor is None:
            return
        certain = self.uncertain == 0
        foreign = next((frame for frame in self.frames if frame.function.source.foreign), None)
        if foreign and (self.uncertain > foreign.uncertain or sort in (Sort.WORK, Sort.NAME)):
            return
        more.setdefault("certain", certain)
        self.events.append(
            Event(sort=sort, anchor=self.anchor, what=what, origin=self._origin(), chain=self._chain(), **more)
        )

    def _chain(self) -> tuple[str, ...]:
        return tuple(frame.function.name for frame in self.frames)

    def _origin(self) -> Place | None:
        """Give the line that does it, where that is not the statement at import level itself."""
        if not self.frames:
            return None
        frame = self.frames[-1]
        source, line = frame.function.source, frame.line
        text = source.lines[line - 1].strip() if 0 < line <= len(source.lines) else None
        owner = frame.function.owner
        name = f"{owner.node.name}.{frame.function.name}" if owner else frame.function.name
        return Place(file=source.path, line=line, statement=text, function=name)

    def work(self, done: Work | None) -> None:
        """Note what each child repeats, unless it is only done under a condition or its failure is caught."""
        if (
            not done
            or self.uncertain
            or any(caught & {*done.errors, "Exception", "BaseException"} for caught in self.caught)
        ):
            return
        if done.what.startswith("removes what") and self._makes_it_first():
            return
        self.emit(Sort.WORK, done.what, severity=done.severity)

    def _makes_it_first(self) -> bool:
        """Tell whether what is removed seems to be made right before, so that it is there each time."""
        if self.frames:
            node = self.frames[-1].function.node
            lines = self.frames[-1].function.source.lines[node.lineno - 1 : node.end_lineno]
        else:
            lines = self.source.lines[: self.anchor.line] if self.anchor else []
        return any(_MAKES.search(line) for line in lines)

    def start(self, what: str, method: str | None, *, certain: bool = True) -> None:
        """Note that processes are started."""
        method = method or self.start_method
        if method == "spawn" and self.anchor and any(map(conditions.is_name_test, self.anchor.guards)):
            return  # a spawned child has its own name before it imports the file; it is the fork server that has not
        if self.anchor and self.source.sets_environment and any(map(conditions.is_own_switch, self.anchor.guards)):
            return  # a child inherits the variable that was set for it
        severity = "error" if method != "fork" and certain else "warning"
        self.emit(Sort.START, what, method=method, severity=severity)

"""The smallest change that helps: which lines belong under the main guard."""

from __future__ import annotations

import ast

from picklecheck.receiver.guard import conditions
from picklecheck.receiver.guard.events import Event, Sort
from picklecheck.receiver.guard.sources import Source

__all__ = ["GUARD", "advice", "can_move", "lines_to_move"]

GUARD = 'if __name__ == "__main__":'
_STAY = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
_TWICE = {
    "makes a folder that": "Let it pass where it is there (exist_ok=True), or put",
    "removes what": "Let it pass where it is gone (missing_ok=True, contextlib.suppress(FileNotFoundError)), or put",
    "copies a folder": "Let it pass where it is there (dirs_exist_ok=True), or put",
}


def advice(event: Event, source: Source, others: list[Event]) -> str:
    """Say what to change for an event.

    Args:
        event: what happens.
        source: the file.
        others: all events of the file, which may belong under the same guard.
    """
    if event.sort == Sort.GUARD:
        return f"Write the test as: {GUARD}"
    meant = _meant_as_guard(event)
    if meant is not None:
        return f"Write line {meant.lineno} as: {GUARD}"
    if event.anchor.setting == "class body":
        return "Take it out of the class body, into a function that the program calls under its main guard."
    if event.anchor.setting in ("decorator", "default"):
        return (
            f"Take it out of the {event.anchor.setting}, into a function that the program calls under its main guard."
        )
    lines = _lines(event, source, others)
    if event.sort == Sort.NAME:
        return f"Move {lines} into the block under: {GUARD}"
    if event.module:
        return _of_import(event, lines)
    how = next((words for start, words in _TWICE.items() if event.what.startswith(start)), "Put")
    return f"{how} {lines} under: {GUARD}"


def _of_import(event: Event, lines: str) -> str:
    where = f" at {event.origin}" if event.origin else ""
    return (
        f"Move what {event.module} does{where} into a function, and call it under the main guard of the program. "
        f"Or put {lines} under: {GUARD}"
    )


def of_module(event: Event, source: Source, others: list[Event]) -> str:
    """Say what to change in a module that is imported and never run."""
    if event.anchor.setting:
        return advice(event, source, others)
    lines = _lines(event, source, others)
    return f"Move {lines} into a function, and call it after the import, under the main guard of the program."


def _meant_as_guard(event: Event) -> ast.expr | None:
    """Give the test around a statement that a person meant as a guard and that is none."""
    return next(
        (test for test in event.anchor.guards if conditions.process_test(test) or conditions.misspelt(test)), None
    )


def can_move(event: Event) -> bool:
    """Tell whether putting statements of the file under its main guard is what helps."""
    at_top = not event.module and not event.anchor.setting and event.sort not in (Sort.GUARD, Sort.NAME)
    return at_top and _meant_as_guard(event) is None


def _lines(event: Event, source: Source, others: list[Event]) -> str:
    """Name the lines that have to move: "line 28", "lines 28 to 30"."""
    spans = lines_to_move(event, source, others)
    return " and ".join(f"line {first}" if first == last else f"lines {first} to {last}" for first, last in spans)


def lines_to_move(event: Event, source: Source, others: list[Event]) -> list[tuple[int, int]]:
    """Give the first and the last line of each run of statements that belongs under the guard.

    Args:
        event, source, others: as for `advice`.
    """
    body = source.tree.body
    offending = {id(other.anchor.top) for other in others if not other.anchor.setting}
    first = last = next(number for number, node in enumerate(body) if node is event.anchor.top)
    while first > 0 and id(body[first - 1]) in offending and not isinstance(body[first - 1], _STAY):
        first -= 1
    moved = conditions.bound_names(body[first : last + 1])
    pieces = [(first, last)]
    for number in range(last + 1, len(body)):
        node = body[number]
        if isinstance(node, _STAY) or conditions.is_guard(node):
            continue
        joins = pieces[-1][1] == number - 1
        if joins or moved & conditions.used_names(node):
            moved |= conditions.bound_names([node])
            pieces[-1:] = [(pieces[-1][0], number)] if joins else [pieces[-1], (number, number)]
    return [(body[start].lineno, body[end].end_lineno or body[end].lineno) for start, end in pieces]

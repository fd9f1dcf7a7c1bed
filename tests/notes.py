"""Reads the notes that CPython 3.14 and later put on the first error of a dump: which object they lead to.

Each level adds a note, from the inside out: "when serializing list item 1", "when serializing Thing state". A key of a dict
gets none, and a member of a set no number, so that more than one object may come into question.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from typing import Any

__all__ = ["Arrival", "follow", "notes_of"]

Arrival = tuple[Any, tuple[Any, ...]]  # the object, and the reduced ones on the way to it
_START = "when serializing "


def notes_of(error: BaseException) -> tuple[str, ...]:
    """The notes from the outside in, without what they all begin with."""
    return tuple(note.removeprefix(_START) for note in reversed(getattr(error, "__notes__", ())))


def follow(
    obj: Any, notes: Sequence[str], reduce: Callable[[Any], Any], passed: tuple[Any, ...] = ()
) -> Iterator[Arrival]:
    """Yield the objects that notes may mean.

    Args:
        obj: where they begin.
        notes: the notes from the outside in.
        reduce: gives an object's reduce value.
        passed: the reduced objects above.
    """
    kind = type(obj)
    if not notes:
        yield obj, passed
    elif notes[0] == f"{_name(kind)} object":
        for part, rest in _parts(kind, reduce(obj), notes[1:]):
            yield from follow(part, rest, reduce, (*passed, obj))
        if len(notes) == 1:
            yield obj, (*passed, obj)  # the reduce value itself was refused
    elif kind in (list, tuple):
        number = _number(kind, notes[0])
        if number is not None and number < len(obj):
            yield from follow(obj[number], notes[1:], reduce, passed)
    elif kind in (set, frozenset) and notes[0] == f"{_name(kind)} element":
        for member in obj:
            yield from follow(member, notes[1:], reduce, passed)
    if kind is dict:
        yield from _pairs(kind, obj.items(), notes, reduce, passed)


def _parts(kind: type, value: Any, notes: Sequence[str]) -> Iterator[tuple[Any, Sequence[str]]]:
    """The parts of a reduce value that the next note may mean, with the notes behind it."""
    func, args, state, items, pairs, setter = (*value, *(None,) * (6 - len(value)))
    said, name = notes[0] if notes else "", _name(kind)
    for part, meaning in (
        ("reconstructor", func),
        ("reconstructor arguments", args),
        ("state", state),
        ("state setter", setter),
    ):
        if said == f"{name} {part}":
            yield meaning, notes[1:]
    if said == f"{name} class":
        yield args[0], notes[1:]
    if said == f"{name} __new__ arguments":
        for arguments in args[1:] if func.__name__ == "__newobj_ex__" else (args[1:],):
            yield arguments, notes[1:]
    number = _number(kind, said)
    if number is not None and items is not None:
        yield list(items)[number], notes[1:]
    for key, held in pairs or ():
        if said == f"{name} item {key!r}":
            yield held, notes[1:]
        yield key, notes  # a key gets no note


def _pairs(kind: type, pairs: Any, notes: Sequence[str], reduce: Any, passed: tuple[Any, ...]) -> Iterator[Arrival]:
    for key, held in pairs:
        if notes and notes[0] == f"{_name(kind)} item {key!r}":
            yield from follow(held, notes[1:], reduce, passed)
        yield from follow(key, notes, reduce, passed)  # a key gets no note


def _name(kind: type) -> str:
    module = kind.__module__  # of some classes a property
    return (
        kind.__qualname__
        if module in ("builtins", "__main__") or type(module) is not str
        else f"{module}.{kind.__qualname__}"
    )


def _number(kind: type, note: str) -> int | None:
    start = f"{_name(kind)} item "
    if not note.startswith(start):
        return None
    try:
        number = ast.literal_eval(note.removeprefix(start))
    except (SyntaxError, ValueError):
        return None
    return number if type(number) is int else None

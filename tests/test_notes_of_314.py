"""The path of the first culprit agrees with the notes that CPython 3.14 and later put on the pickler's error.

The notes are written down here, so that every version is held to them; those that make notes have to make these.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
import pickle
import sys
import types
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

import picklecheck
from tests.expressions import stops
from tests.notes import follow, notes_of

PROTOCOL = 4
CULPRIT = lambda: None


class Thing:
    def __init__(self, **attributes):
        vars(self).update(attributes)

    def method(self):
        raise AssertionError("nobody calls it")


class Slotted:
    __slots__ = ("held",)


@dataclasses.dataclass(frozen=True, slots=True)
class Record:
    held: Any


class Pair(NamedTuple):
    first: Any
    second: Any


class Titles(list):
    pass


class Members(set):
    pass


class Reducing:
    def __init__(self, *value):
        self.value = value

    def __reduce__(self):
        return (*self.value[:3], *(part and iter(part) for part in self.value[3:5]), *self.value[5:])


class Named:
    def __getnewargs_ex__(self):
        return (), {"key": CULPRIT}


class BadValue:
    def __reduce__(self):
        return print, 7


class Raising:
    def __reduce_ex__(self, protocol):
        raise ValueError("no")


def local_class():
    class Inner:
        pass

    return Inner


def slotted() -> Slotted:
    made = Slotted()
    made.held = CULPRIT
    return made


def titles() -> Titles:
    made = Titles()
    made.first = [CULPRIT]
    return made


HERE = __name__
# id: what makes the object, and the notes from the outside in
SPECIMENS: dict[str, tuple[Callable[[], Any], str]] = {
    "itself": (lambda: CULPRIT, ""),
    "list": (lambda: [1, CULPRIT], "list item 1"),
    "tuple": (lambda: (CULPRIT, 1), "tuple item 0"),
    "dict": (lambda: {"k": {(1, 2): CULPRIT}}, "dict item 'k' / dict item (1, 2)"),
    "key": (lambda: {CULPRIT: 1}, ""),
    "key in a list": (lambda: [{(1, CULPRIT): 1}], "list item 0 / tuple item 1"),
    "set": (lambda: {1, CULPRIT}, "set element"),
    "frozenset": (lambda: frozenset({CULPRIT}), "frozenset element"),
    "attribute": (lambda: Thing(a=CULPRIT), "Thing object / Thing state / dict item 'a'"),
    "attribute of an attribute": (
        lambda: Thing(a=[Thing(b=(1, CULPRIT))]),
        "Thing object / Thing state / dict item 'a' / list item 0 / Thing object / Thing state / dict item 'b' / tuple item 1",
    ),
    "slot": (slotted, "Slotted object / Slotted state / tuple item 1 / dict item 'held'"),
    "frozen dataclass": (lambda: Record(CULPRIT), "Record object / Record state / list item 0"),
    "named tuple": (lambda: Pair(1, CULPRIT), "Pair object / Pair __new__ arguments / tuple item 1"),
    "keyword of __new__": (Named, "Named object / Named __new__ arguments / dict item 'key'"),
    "list subclass": (lambda: Titles([1, CULPRIT]), "Titles object / Titles item 1"),
    "its attribute": (titles, "Titles object / Titles state / dict item 'first' / list item 0"),
    "set subclass": (
        lambda: Members({CULPRIT}),
        "Members object / Members reconstructor arguments / tuple item 0 / list item 0",
    ),
    "deque": (lambda: collections.deque([1, CULPRIT]), "collections.deque object / collections.deque item 1"),
    "OrderedDict": (
        lambda: collections.OrderedDict(a=1, k=CULPRIT),
        "collections.OrderedDict object / collections.OrderedDict item 'k'",
    ),
    "default factory": (
        lambda: collections.defaultdict(CULPRIT),
        "collections.defaultdict object / collections.defaultdict reconstructor arguments / tuple item 0",
    ),
    "partial's function": (
        lambda: functools.partial(CULPRIT),
        "functools.partial object / functools.partial reconstructor arguments / tuple item 0",
    ),
    "partial's keyword": (
        lambda: functools.partial(print, sep=CULPRIT),
        "functools.partial object / functools.partial state / tuple item 2 / dict item 'sep'",
    ),
    "bound method": (
        lambda: Thing(a=CULPRIT).method,
        "method object / method reconstructor arguments / tuple item 0 / Thing object / Thing state / dict item 'a'",
    ),
    "exception": (
        lambda: ValueError(1, CULPRIT),
        "ValueError object / ValueError reconstructor arguments / tuple item 1",
    ),
    "namespace": (
        lambda: types.SimpleNamespace(a=CULPRIT),
        "types.SimpleNamespace object / types.SimpleNamespace state / dict item 'a'",
    ),
    "reconstructor": (lambda: Reducing(CULPRIT, ()), "Reducing object / Reducing reconstructor"),
    "argument": (lambda: Reducing(print, ([CULPRIT],)), "Reducing object / Reducing reconstructor arguments / tuple item 0 / list item 0"),
    "state": (lambda: Reducing(print, (), CULPRIT), "Reducing object / Reducing state"),
    "item": (lambda: Reducing(print, (), None, [1, CULPRIT]), "Reducing object / Reducing item 1"),
    "pair": (lambda: Reducing(print, (), None, None, [("k", CULPRIT)]), "Reducing object / Reducing item 'k'"),
    "state setter": (
        lambda: Reducing(print, (), 1, None, None, CULPRIT),
        "Reducing object / Reducing state setter",
    ),
    "local class": (lambda: [local_class()], "list item 0"),
    "instance of a local class": (lambda: [local_class()()], "list item 0 / local_class.<locals>.Inner object / local_class.<locals>.Inner class"),
    "bad reduce value": (lambda: (BadValue(),), "tuple item 0 / BadValue object"),
    "raising reduce method": (lambda: Thing(a=Raising()), "Thing object / Thing state / dict item 'a'"),
    "the first of two": (lambda: [Thing(a=CULPRIT), Raising()], "list item 0 / Thing object / Thing state / dict item 'a'"),
}  # fmt: skip


def recorded(notes: str) -> tuple[str, ...]:
    """The notes with the module's name where they have it."""
    own = {name for name, value in globals().items() if isinstance(value, type) and value.__module__ == HERE}
    own.add("local_class.<locals>.Inner")
    found = notes.split(" / ") if notes else []
    found = [f"{found.pop(0)}, {note}" if False else note for note in found]
    return tuple(f"{HERE}.{note}" if note.partition(" ")[0] in own else note for note in found)


def real_error(obj: Any) -> BaseException:
    with pytest.raises(Exception) as caught:  # noqa: PT011  # each specimen has its own
        pickle.dumps(obj, PROTOCOL)
    return caught.value


@pytest.mark.parametrize("name", SPECIMENS)
def test_path_agrees_with_the_notes(name):
    make, text = SPECIMENS[name]
    obj, notes = make(), recorded(text)
    if sys.version_info >= (3, 14):
        assert notes_of(real_error(obj)) == notes
    first = picklecheck.explain(obj, name="obj", via="pickle", protocol=PROTOCOL, roundtrip=False).failures[0]
    meant = list(follow(obj, notes, lambda thing: thing.__reduce_ex__(PROTOCOL)))
    ways = [[id(thing) for thing in passed] for found, passed in meant if found is first.obj]
    assert ways, f"{first.path} is not where {notes} lead"
    stopped = [eval(stop, {"obj": obj}) for stop in reversed(stops(first.path))]
    assert any(way == [id(thing) for thing in stopped if id(thing) in way] for way in ways)

"""The objects that are measured: culprits are planted in each and pulled out again, so that both are one graph."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

__all__ = ["GRAPHS", "Graph", "Link", "Point", "Record", "chain", "generator", "instances"]


@dataclass
class Graph:
    """A root, and the spots in it where culprits are planted.

    Attributes:
        root: what is pickled.
        spots: functions that put an object into one place of the graph.
        paths: for each spot, the path to it from a root named "obj".
        make: gives a new culprit.
        culprits: what is planted now.
    """

    root: Any
    spots: list[Callable[[Any], None]]
    paths: list[str]
    make: Callable[[], Any] = threading.Lock
    culprits: list[Any] = field(default_factory=list)

    def plant(self, make: Callable[[], Any] | None = None) -> None:
        """Put a culprit into every spot."""
        self.culprits = [(make or self.make)() for _ in self.spots]
        for put, culprit in zip(self.spots, self.culprits, strict=True):
            put(culprit)

    def pull(self) -> None:
        """Put None where the culprits are."""
        self.culprits = []
        for put in self.spots:
            put(None)


class Record:
    """An instance with attributes of the usual types."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.name = f"record {number}"
        self.weight = number / 3
        self.labels = [number % 7, number % 11]
        self.extra = None


class Dataset:
    """What holds the others."""

    def __init__(self, **held: Any) -> None:
        self.__dict__.update(held)


@dataclass(slots=True)
class Point:
    """An instance without a dictionary."""

    x: float
    y: float
    extra: Any = None


class Link:
    """One of a chain."""

    def __init__(self) -> None:
        self.next: Any = None


def instances(count: int) -> Graph:
    """Give instances with attributes, and spots for three culprits: first quarter, middle, last one."""
    records = [Record(number) for number in range(count)]
    chosen = [count // 4, count // 2, count - 1]
    return Graph(
        Dataset(records=records),
        [functools.partial(setattr, records[number], "extra") for number in chosen],
        [f"obj.records[{number}].extra" for number in chosen],
    )


def slotted(count: int) -> Graph:
    """Give slotted dataclasses, and spots for two culprits."""
    points = [Point(number / 2, number / 3) for number in range(count)]
    chosen = [count // 2, count - 1]
    return Graph(
        points,
        [functools.partial(setattr, points[number], "extra") for number in chosen],
        [f"obj[{number}].extra" for number in chosen],
    )


def tree(count: int) -> Graph:
    """Give lists, tuples and dicts of ten inside each other, and a spot for one culprit in one of the last leaves."""
    leaves: list[Any] = [[number, None] for number in range(count * 9 // 10)]
    level, path, kinds = leaves, "[1]", _kinds()
    while len(level) > 1:
        group = next(kinds)
        step = "['k{}']" if group is _as_dict else "[{}]"
        path = step.format((len(level) - 1) % 10) + path
        level = [group(level[at : at + 10]) for at in range(0, len(level), 10)]
    return Graph(level[0], [functools.partial(leaves[-1].__setitem__, 1)], ["obj" + path])


def _kinds() -> Iterator[Callable[[list[Any]], Any]]:
    while True:
        yield from (list, tuple, _as_dict)


def _as_dict(things: list[Any]) -> dict[str, Any]:
    return {f"k{number}": thing for number, thing in enumerate(things)}


def rows(count: int) -> Graph:
    """Give rows of a table as JSON has them, ten containers each, and a spot for one culprit in the middle."""
    table = [_row(number) for number in range(count // 10)]
    chosen = len(table) // 2
    return Graph(table, [functools.partial(table[chosen]["tags"].__setitem__, 1)], [f"obj[{chosen}]['tags'][1]"])


def _row(number: int) -> dict[str, Any]:
    outline = [[number + corner, number - corner] for corner in range(5)]
    return {
        "id": number,
        "box": (1.0, 2.0, number, 4.0),
        "tags": ["road", None],
        "outline": outline,
        "info": {"ok": True},
    }


def arrays(count: int) -> Graph:
    """Give arrays of a megabyte, and instances, some sixty for each array, with the three culprits of `instances`."""
    import numpy as np

    graph = instances(count * 200 // 3)
    graph.root.arrays = [np.full(1 << 20, number % 256, dtype=np.uint8) for number in range(count)]
    return graph


def lambdas(count: int) -> Graph:
    """Give a list that is nothing but culprits: each plant makes as many lambdas as there are places."""
    things = [None] * count
    spots = [functools.partial(things.__setitem__, number) for number in range(count)]
    return Graph(things, spots, [f"obj[{number}]" for number in range(count)], nameless)


def nameless() -> Callable[[], None]:
    """Give a new lambda."""
    return lambda: None


def chain(count: int) -> Graph:
    """Give objects that each hold the next one, and a spot for a culprit at the end."""
    first = link = Link()
    for _ in range(count - 1):
        link.next = Link()
        link = link.next
    return Graph(first, [functools.partial(setattr, link, "next")], ["obj" + ".next" * count])


def generator() -> Iterator[int]:
    """Give a culprit that every pickler refuses; some make locks and lambdas anew."""
    return (number for number in range(3))


GRAPHS: dict[str, tuple[Callable[[int], Graph], int]] = {
    "instances": (instances, 200_000),
    "slotted": (slotted, 300_000),
    "tree": (tree, 1_000_000),
    "rows": (rows, 1_000_000),
    "arrays": (arrays, 300),
    "lambdas": (lambdas, 20_000),
}

"""What specimens are made of. A module of this package holds those of one theme; `tests.zoo` has them all in one table."""

import importlib.util
import inspect
import pickle
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

TABLE: list["Specimen"] = []
# how a path says the reduce value that the pickler saw: 3.14 moved the default protocol from 4 to 5
REDUCED = f"__reduce_ex__({pickle.DEFAULT_PROTOCOL})"


@dataclass(frozen=True, slots=True)
class Culprit:
    """One object that must be found.

    Attributes:
        kind: the slug that the report must give.
        path: what the report should call it, rooted at ``obj``.
        others: paths that say the same and are as good.
        anyhow: whether any path will do that gives the same object (a number in it is the operating system's).
        also: paths that must stand among the further ones.
    """

    kind: str
    path: str
    others: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    anyhow: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Specimen:
    """An object with what must be found in it.

    Attributes:
        id: a few words with hyphens.
        factory: makes the object; a generator function yields it and cleans up afterwards.
        culprits: all of them, in any order; none for an object that passes.
        via: the transport's name.
        protocol: the protocol's number; None for the transport's own.
        needs: import names without which it cannot be made.
        since, until: the first and the last Python version that it is true of.
        linux: whether it can be made on Linux only.
    """

    id: str
    factory: Callable[[], object]
    culprits: tuple[Culprit, ...]
    via: str
    protocol: int | None
    needs: tuple[str, ...]
    since: tuple[int, int]
    until: tuple[int, int]
    linux: bool

    @property
    def stage(self) -> str:
        """The stage at which it fails; "ok" where it does not."""
        return "pickle" if self.culprits else "ok"

    def lives_here(self) -> bool:
        """Tell whether this interpreter and platform are among those that it is true of."""
        return self.since <= sys.version_info[:2] <= self.until and (not self.linux or sys.platform == "linux")

    def missing(self) -> list[str]:
        """List the imports that it needs and that are not installed."""
        return [name for name in self.needs if importlib.util.find_spec(name) is None]

    @contextmanager
    def made(self) -> Iterator[object]:
        """Give the object, and clean up after it."""
        if not inspect.isgeneratorfunction(self.factory):
            yield self.factory()
            return
        steps = self.factory()
        try:
            yield next(steps)
        finally:
            next(steps, None)


def culprit(kind: str, path: str, *others: str, also: tuple[str, ...] = (), anyhow: bool = False) -> Culprit:
    """Say what must be found, and by which paths."""
    return Culprit(kind, path, others, also, anyhow)


def specimen(
    *culprits: Culprit,
    via: str = "pickle",
    protocol: int | None = None,
    needs: tuple[str, ...] = (),
    since: tuple[int, int] = (3, 0),
    until: tuple[int, int] = (3, 99),
    linux: bool = False,
) -> Callable[[Callable[[], object]], Callable[[], object]]:
    """Put what a factory makes into the table, under the factory's own name."""

    def enter(factory: Callable[[], object]) -> Callable[[], object]:
        TABLE.append(
            Specimen(
                id=factory.__name__.replace("_", "-"), factory=factory, culprits=culprits, via=via, protocol=protocol,
                needs=needs, since=since, until=until, linux=linux,
            )
        )  # fmt: skip
        return factory

    return enter


class Box:
    """Any object with attributes."""

    def __init__(self, **held: object) -> None:
        self.__dict__.update(held)

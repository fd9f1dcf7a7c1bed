"""What a kind's test is given."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import FrameType

from picklecheck.safe import mro, qualified_name

__all__ = ["Arrival", "Subject"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """What became of a culprit over there.

    Attributes:
        role: what failed: "name" (looking it up), "call" (making it), "state", "hash", "load", "end" (of the
            process), "fleeting" (what it is loaded from is gone by then).
        errors: the names of the exception's class and of its bases.
        text: what it said.
        functions: the names of the functions that it went through.
        func: what the reduce value calls.
        module: the module that was looked in, for "name".
    """

    role: str
    errors: frozenset[str] = frozenset()
    text: str = ""
    functions: tuple[str, ...] = ()
    func: object = None
    module: str | None = None


@dataclass(frozen=True)
class Subject:
    """A culprit with what is known of it. Tests look at real types; they never run the object's own code.

    Attributes:
        obj: the culprit.
        error: what the pickler raised for it.
        holder: the object that holds it; None for the root.
        spawning: whether it was pickled as if a child was being spawned.
        nearest: whether it is only the nearest object to an error that no object could be found for.
        invalid: whether it gave a reduce value that C refuses.
        arrival: for the unpickle stage, what happened over there.
    """

    obj: object
    error: BaseException
    holder: object = None
    spawning: bool = False
    nearest: bool = False
    invalid: bool = False
    arrival: Arrival | None = None

    # cached in the dictionary, which a frozen dataclass without slots leaves open

    @cached_property
    def names(self) -> frozenset[str]:
        """The full names of its type and that type's bases ("socket.socket"); builtins without a module."""
        return _names(self.obj)

    @cached_property
    def holders(self) -> frozenset[str]:
        """The same for the holder."""
        return frozenset() if self.holder is None else _names(self.holder)

    @cached_property
    def frames(self) -> tuple[tuple[str, str], ...]:
        """(function, file) of the code that raised the error, without picklecheck's own and copyreg's."""
        return tuple(_frames(self.error))


def _names(obj: object) -> frozenset[str]:
    return frozenset(qualified_name(cls) for cls in mro(type(obj)))


def _frames(error: BaseException) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    traceback = error.__traceback__
    while traceback is not None and len(found) < 50:
        frame: FrameType = traceback.tb_frame
        module = frame.f_globals.get("__name__")
        name = module if type(module) is str else ""
        if name != "copyreg" and name.partition(".")[0] != "picklecheck":
            found.append((frame.f_code.co_name, frame.f_code.co_filename))
        traceback = traceback.tb_next
    return found

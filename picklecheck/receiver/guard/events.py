"""What the reading came upon, before it is put into words."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from picklecheck.model import Place

__all__ = ["Anchor", "Event", "Sort"]


class Sort:
    """The sorts of events."""

    START = "start"  # processes are started
    METHOD = "method"  # the start method is set a second time
    AS_MAIN = "as-main"  # other code is run as the main module
    NAME = "name"  # a name is used that only the guarded block has
    ENDS = "ends"  # the program is ended
    GUARD = "guard"  # a guard that is never true
    WORK = "work"  # something is done that each child repeats


@dataclass(frozen=True, slots=True)
class Anchor:
    """The statement at import level that is being read.

    Attributes:
        line: where it starts; for a decorator or a default its own line.
        top: the statement at the top level of the file that it belongs to.
        setting: where in the statement, if that matters: "class body", "decorator", "default".
        guards: the tests around it, outermost first, that a person may have meant as a guard.
    """

    line: int
    top: ast.stmt
    setting: str = ""
    guards: tuple[ast.expr, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happens when the module is imported.

    Attributes:
        sort: see `Sort`.
        anchor: the statement at import level.
        what: the predicate of a sentence whose subject is the statement.
        severity: "error" where a child dies or never gets to its work.
        certain: whether it happens in every child; else a condition decides that only a run would show.
        method: the start method that is asked for; None for the default one.
        origin: where it really happens, if that is in a function or another file.
        chain: the functions that lead there, outermost first.
        module: the module whose import brings it about; empty where it is this file's own.
        name: the name that is missing, or the value that a guard compares with.
    """

    sort: str
    anchor: Anchor
    what: str
    severity: str = "error"
    certain: bool = True
    method: str | None = None
    origin: Place | None = None
    chain: tuple[str, ...] = field(default=())
    module: str = ""
    name: str = ""

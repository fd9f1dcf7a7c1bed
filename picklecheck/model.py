"""What an answer consists of: frozen data that every renderer and face reads.

Live objects are kept only in a `Failure`'s box, outside equality and repr; everything else is text and numbers, so that
a report can be printed, saved and sent without them.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from picklecheck.paths import Step

__all__ = ["SCHEMA", "Crumb", "Failure", "Finding", "Fix", "Place", "Report", "Size"]

SCHEMA = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A line of a source file.

    Attributes:
        file: the path as the interpreter knows it.
        line: counted from 1.
        statement: the first line of the statement there, without indentation; None where it cannot be read.
        function: the qualified name of the function that it stands in ("TileCache.__init__"); None at import level.
    """

    file: str
    line: int
    statement: str | None = None
    function: str | None = None

    def __str__(self) -> str:
        """Give "train.py:41 in TileCache.__init__", with the last part of the path only."""
        name = self.file.replace("\\", "/").rpartition("/")[2]
        return f"{name}:{self.line}" + (f" in {self.function}" if self.function else "")


@dataclass(frozen=True, slots=True)
class Crumb:
    """A step of the path to a culprit, with the type of the object that it arrives at."""

    step: Step
    type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fix:
    """Code that makes the object cross.

    Attributes:
        code: the methods to paste.
        target: class, file and line where they belong.
        verified: whether it was tried: pickled, unpickled and looked at in a process of its own, and from there again.
        patch: the change as a unified diff; empty where the source is not known.
        note: what is different over there, in sentences; empty where nothing is.
    """

    code: str
    target: tuple[str, str | None, int | None]
    verified: bool
    patch: str = ""
    note: str = ""

    def diff(self) -> str:
        """Give the change as a unified diff; empty where the source is not known."""
        return self.patch


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that is wrong or risky, in words and numbers only.

    Attributes:
        path: a Python expression, rooted at the target's name, that evaluates to the culprit; None if none leads there.
        paths: every expression that was found, the shortest first; `path_count` says how many references there are.
        kind: the slug of a row of `picklecheck.kinds`.
        stage: when it goes wrong: "pickle", "bootstrap" (the child's start), "unpickle"; "behaviour" for hazards.
        severity: "error" or "warning"; only errors decide the verdict.
        title: the kind in a word or two ("weak reference"), for labels.
        error: the real pickler's own words for this object, as "TypeError: ..."; None where it was not asked.
        owner: the class whose attribute leads to the culprit, as "train.TileCache".
        assigned_at: where that attribute was set, or where a function or class was defined.
        reason, advice: why this cannot be pickled, and what to do.
        note: what is true of this object and not of its whole kind (which two functions share a name, ...).
        trail: the steps with the types on the way, for drawing.
    """

    path: str | None
    paths: tuple[str, ...] = ()
    path_count: int = 1
    kind: str
    stage: str = "pickle"
    severity: str = "error"
    title: str = ""
    name: str | None = None
    type: str = ""
    value: str | None = None
    owner: str | None = None
    assigned_at: Place | None = None
    reason: str = ""
    advice: str = ""
    note: str = ""
    error: str | None = None
    fix: Fix | None = None
    trail: tuple[Crumb, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Give the finding as JSON types (schema 1, docs/schema.md)."""
        place, fix = self.assigned_at, self.fix
        return {
            "stage": self.stage,
            "severity": self.severity,
            "kind": self.kind,
            "path": self.path,
            "paths": list(self.paths),
            "path_count": self.path_count,
            "name": self.name,
            "file": place and place.file,
            "line": place and place.line,
            "function": place and place.function,
            "statement": place and place.statement,
            "type": self.type,
            "value": self.value,
            "owner": self.owner,
            "reason": self.reason,
            "note": self.note,
            "advice": self.advice,
            "error": self.error,
            "fix": fix and {"code": fix.code, "diff": fix.diff(), "verified": fix.verified, "note": fix.note},
        }

    def as_failure(self, *culprit: object) -> Failure:
        """Give the same as a failure; `culprit` is its object, where there is one."""
        return Failure(**self._fields(), box=list(culprit))

    def as_finding(self) -> Finding:
        """Give the same without its object, as hazards are."""
        return Finding(**self._fields())

    def _fields(self) -> dict[str, Any]:
        return {each.name: getattr(self, each.name) for each in fields(Finding)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure(Finding):
    """A finding that keeps the culprit itself until the report is released."""

    box: list[object] = field(default_factory=list, repr=False, compare=False)

    @property
    def obj(self) -> object:
        """The culprit itself.

        Raises:
            ReferenceError: the report was released.
        """
        if not self.box:
            raise ReferenceError("the report was released: it no longer holds the culprit")
        return self.box[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How much crosses: objects that were reduced, and bytes (large buffers are measured and not copied)."""

    objects: int
    bytes: int

    def to_dict(self) -> dict[str, int]:
        """Give the size as JSON types."""
        return {"objects": self.objects, "bytes": self.bytes}


Renderer = Callable[["Report"], str]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Report:
    """The answer to one question: does this object cross, and if not, what stops it.

    Attributes:
        target: the name that every path is rooted at.
        target_type: the type of the object asked about, for the first line.
        title: what was given, where it is more than an object that is pickled ("torch DataLoader, 4 workers").
        transport, start_method: how it was to cross; start_method is None where no process is started.
        verdicts: for each start method whether the object crosses, where that was asked for.
        failures: what stops it, in the order in which the pickler meets it.
        hazards: what may go wrong without an exception; never part of the verdict.
        size: what crosses; None where the pickler did not reach the end, or nothing is pickled.
        arrived: whether it was also unpickled in another process; False too where that was not tried.
        notes: sentences about the whole trip (what fork does, what was cut off).
        edited: file -> its text as it is, and with all fixes, as they were tried.
    """

    target: str
    target_type: str
    transport: str
    start_method: str | None
    protocol: int
    title: str = ""
    verdicts: Mapping[str, bool] = field(default_factory=dict, hash=False)
    failures: tuple[Failure, ...] = ()
    hazards: tuple[Finding, ...] = ()
    size: Size | None = None
    arrived: bool = False
    notes: tuple[str, ...] = ()
    python: str = field(default_factory=platform.python_version)
    edited: Mapping[str, tuple[str, str]] = field(default_factory=dict, repr=False, hash=False)
    renderers: Mapping[str, Renderer] = field(default_factory=dict, repr=False, compare=False)

    @property
    def ok(self) -> bool:
        """Whether the object crosses: no failure of severity "error"."""
        return not any(failure.severity == "error" for failure in self.failures)

    def to_dict(self) -> dict[str, Any]:
        """Give the report as JSON types (schema 1, docs/schema.md); it no longer holds any object."""
        return {
            "schema": SCHEMA,
            "ok": self.ok,
            "target": self.target,
            "title": self.title or None,
            "transport": self.transport,
            "start_method": self.start_method,
            "verdicts": dict(self.verdicts) or None,
            "protocol": self.protocol,
            "python": self.python,
            "failures": _dicts(self.failures),
            "hazards": _dicts(self.hazards),
            "size": self.size and self.size.to_dict(),
            "arrived": self.arrived,
            "notes": list(self.notes),
        }

    def to_json(self, *, indent: int | None = 2) -> str:
        """Give `to_dict` as JSON text."""
        return json.dumps(self.to_dict(), indent=indent)

    def to_html(self) -> str:
        """Give the report as a piece of HTML; everything that an object says is escaped."""
        return self.renderers["html"](self)

    def fix(self) -> str:
        """Give the code of all verified fixes; empty where there is none."""
        fixes = (failure.fix for failure in self.failures)
        return "\n\n".join(dict.fromkeys(fix.code for fix in fixes if fix and fix.verified))

    def release(self) -> None:
        """Drop the culprits, so that the report keeps no object of the user's alive; its text and data stay."""
        for failure in self.failures:
            failure.box.clear()

    def __str__(self) -> str:
        """Give the report as text of 80 columns without colour."""
        return self.renderers["text"](self) if "text" in self.renderers else f"{self.target}: {self.to_json()}"

    __repr__ = __str__  # what a prompt shows of the last expression

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/plain": str(self), "text/html": self.to_html()}

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))


def _dicts(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    return [finding.to_dict() for finding in findings]

"""The words that every form of a report shares: counts, sizes, signs, and what a stranger says made harmless."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from dataclasses import dataclass

from picklecheck.model import Finding, Fix, Report

__all__ = [
    "Pen", "amount", "count", "expression", "fixes", "hazards_line", "is_unloaded", "lead", "next_step", "other_paths",
    "pages", "place", "refusal", "size", "start_methods", "stopped_by", "subject", "tried", "verdict", "way",
]  # fmt: skip

_METHODS = {
    "fork": "the default on Linux up to Python 3.13; nothing is pickled",
    "spawn": "the default on macOS and Windows",
    "forkserver": "the default on Linux from Python 3.14",
}
_MOST_KINDS = 3
_UNLOADED = "the program starts processes when a child imports it"
_MAX_NAME = 200
_MAX_PATH = 600
_CIRCLES = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"
_SIGNS = {
    "yes": "✓",
    "no": "✗",
    "dots": "…",
    "times": "\N{MULTIPLICATION SIGN}",
    "arrow": "→",
    "fork": "├─ ",
    "last": "└─ ",
    "pipe": "│  ",
}
_PLAIN_SIGNS = {
    "yes": "ok", "no": "FAIL", "dots": "...", "times": "x", "arrow": "->", "fork": "|- ", "last": "`- ", "pipe": "|  ",
}  # fmt: skip


def _can_write(encoding: str) -> bool:
    try:
        return bool("".join((*_SIGNS.values(), _CIRCLES)).encode(encoding))
    except (UnicodeError, LookupError):
        return False


@dataclass(frozen=True, slots=True)
class Pen:
    """Writes signs and strangers' text so that the encoding of the place they go to can hold them.

    Attributes:
        encoding: what the text will be encoded with; where that lacks our signs, ASCII ones stand in for them.
        rich: whether our own signs are used.
    """

    encoding: str
    rich: bool

    @classmethod
    def of(cls, encoding: str | None) -> Pen:
        """Give the pen for an encoding; one that is not known counts as ASCII."""
        return cls(encoding, True) if encoding and _can_write(encoding) else cls(_known(encoding), False)

    def sign(self, name: str) -> str:
        """Give a sign by its name."""
        return (_SIGNS if self.rich else _PLAIN_SIGNS)[name]

    def circled(self, number: int) -> str:
        """Give the mark of a culprit: ① to ⑳, then (21)."""
        return _CIRCLES[number - 1] if self.rich and number <= len(_CIRCLES) else f"({number})"

    def clean(self, text: str, limit: int | None = None) -> str:
        r"""Write as escapes what could move the cursor, break the line or not be encoded, and cut the text to `limit`.

        >>> Pen.of("utf-8").clean("a\x1b[31m\n")
        'a\\x1b[31m\\n'
        """
        piece = text if limit is None else text[: limit + 1]
        if not piece.isprintable():
            piece = "".join(letter if letter.isprintable() else _escape(letter) for letter in piece)
        piece = piece.encode(self.encoding, "backslashreplace").decode(self.encoding)
        if limit is None or len(piece) <= limit:
            return piece
        dots = self.sign("dots")
        return piece[: limit - len(dots)] + dots


def _known(encoding: str | None) -> str:
    try:
        "".encode(encoding or "ascii")
    except LookupError:
        return "ascii"
    return encoding or "ascii"


def _escape(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")


def amount(number: int) -> str:
    """Give a number with commas: 20,000."""
    return f"{number:,}"


def count(number: int, noun: str) -> str:
    """Give a number with its noun: "1 object", "20,000 objects"."""
    return f"{amount(number)} {noun}" if number == 1 else f"{amount(number)} {noun}s"


def size(number: int) -> str:
    """Give a number of bytes in the unit that a person would use: "1.2 kB"."""
    if number < 1000:
        return count(number, "byte")
    value, unit = float(number), ""
    units = ["TB", "GB", "MB", "kB"]
    while (value >= 999.5 or not unit) and units:
        value, unit = value / 1000, units.pop()
    return f"{value:.1f} {unit}" if value < 9.95 else f"{amount(round(value))} {unit}"


def subject(finding: Finding, pen: Pen) -> str:
    """Give the expression that a culprit is shown under, cut in its middle where it is of no use to a person."""
    if finding.path is None and finding.name is not None:
        return pen.clean(finding.name, _MAX_NAME)
    if finding.path is None and finding.stage == "bootstrap":
        return "__main__"
    if finding.path is None:
        return f"{pen.clean(finding.value or finding.type, _MAX_NAME)} (no path leads to it)"
    return expression(finding.path, pen)


def expression(path: str, pen: Pen) -> str:
    """Give a path as it is, unless it is far too long to be read."""
    if len(path) <= _MAX_PATH:
        return pen.clean(path)
    half = _MAX_PATH // 2
    return f"{pen.clean(path[:half])} {pen.sign('dots')} {pen.clean(path[-half:])}"


def place(finding: Finding, *, whole: bool = False) -> str:
    """Give where the culprit was set and whose attribute it is, saying the class only where the place does not.

    Args:
        finding: what is shown.
        whole: whether the path of the file is given from its root.
    """
    owner = (finding.owner or "").rpartition(".")[2]
    found = finding.assigned_at
    if found and owner in (found.function or "").split("."):
        owner = ""
    where = str(found or "")
    if whole and found:
        where = f"{found.file}:{found.line}" + (f" in {found.function}" if found.function else "")
    return ", ".join(part for part in (where, owner and f"held by {owner}") if part)


def other_paths(finding: Finding) -> list[str]:
    """Give the paths besides the first; the instances that led to a class are no paths to the class."""
    known = set(finding.paths)
    return [path for path in finding.paths[1:] if not known & {f"{path}.__class__", f"type({path})"}]


def way(report: Report) -> str:
    """Give how the object was to cross: "process, spawn"."""
    return ", ".join(part for part in (report.transport, report.start_method) if part)


def verdict(report: Report, different: int) -> str:
    """Give the answer in one sentence; `different` says how many unlike culprits there are."""
    if is_unloaded(report):
        return f"{_cut(report.target)} ({_cut(report.title)}) cannot be sent: {_UNLOADED}"
    if report.title:
        return _start_verdict(report, different)
    facts = [] if report.target_type == report.target else [report.target_type]
    if report.ok and report.size is not None:
        facts += [count(report.size.objects, "object")] if report.size.objects else []
        facts += [size(report.size.bytes)]
    head = _cut(report.target) + (f" ({', '.join(_cut(fact) for fact in facts)})" if facts else "")
    if report.ok:
        return f"{head} crosses: {_crossing(report)}" if report.arrived else f"{head} pickles ({way(report)})"
    return f"{head} {refusal(report)} ({way(report)}): {stopped_by(report, different)}"


def refusal(report: Report) -> str:
    """Give what it does not do: "does not pickle", or what goes wrong over there."""
    stages = {failure.stage for failure in report.failures if failure.severity == "error"}
    if "pickle" in stages:
        return "does not pickle"
    return "cannot be unpickled over there" if "unpickle" in stages else "does not cross"


def _crossing(report: Report) -> str:
    return f"pickled, sent to {_a_process(report)}, loaded there"


def hazards_line(report: Report) -> str | None:
    """Give how many hazards there are, and how to see them; None where there is none."""
    return f"{count(len(report.hazards), 'hazard')}: --hazards, or report.hazards" if report.hazards else None


def is_unloaded(report: Report) -> bool:
    """Tell whether the object was not loaded, since its program starts processes when it is imported."""
    return bool(report.title) and not report.target_type


def _start_verdict(report: Report, different: int) -> str:
    """Give the answer for what starts processes: "loader (torch DataLoader, 4 workers, spawn) cannot start"."""
    facts = ", ".join(_cut(fact) for fact in (report.title, report.start_method) if fact)
    head = f"{_cut(report.target)} ({facts})"
    if not report.ok:
        return f"{head} cannot start: {stopped_by(report, different)}"
    if report.size is None or not report.size.objects:
        return f"{head} can start"
    return f"{head} can start: {count(report.size.objects, 'object')}, {size(report.size.bytes)} for each process"


def start_methods(report: Report, pen: Pen) -> list[str]:
    """Give a line for each start method that a verdict was asked for."""
    width = max(map(len, report.verdicts), default=0)
    return [
        f"{pen.sign('yes' if ok else 'no')} {name:{width}}  {_METHODS.get(name, '')}"
        for name, ok in report.verdicts.items()
    ]


def stopped_by(report: Report, different: int) -> str:
    """Give how many objects are to blame: "3 objects stop it", "20,000 objects stop it, 2 different"."""
    errors = [failure for failure in report.failures if failure.severity == "error"]
    number = len(errors)
    if errors and all(failure.stage == "bootstrap" for failure in errors):
        return "a child cannot import the main module"
    verb = "stops" if number == 1 else "stop"
    unlike = f" ({amount(different)} different)" if different > 1 else " (all alike)"
    return f"{count(number, 'object')} {verb} it{unlike if different < number else ''}"


def lead(report: Report, target: str | None = None) -> str:
    """Give what is said in front of the next step."""
    if is_unloaded(report):
        return "The whole file"
    if not report.edited:
        return "Worked fixes"
    return "Apply it" if target and len(fixes(report.failures)) == 1 else "Apply them" if target else "To paste"


def next_step(report: Report, target: str | None = None) -> str | None:
    """Give the one thing to do next, as a command; None where all is well.

    Args:
        report: what is shown.
        target: the words that the command line was asked with ("train.py:loader --via pool"); None: it was not asked.
    """
    if report.ok:
        return None
    if is_unloaded(report):
        found = report.failures[0].assigned_at
        return f"picklecheck guard {shlex.quote(found.file)}" if found else None
    if report.edited:
        return f"picklecheck fix {target} --write" if target else "print(report.fix())"
    return pages(report)


def pages(report: Report) -> str:
    """Give the command that prints the pages of what was found."""
    slugs = list(dict.fromkeys(failure.kind for failure in report.failures))
    return f"picklecheck kinds {' '.join(slugs[:_MOST_KINDS])}"


def fixes(findings: Iterable[Finding]) -> list[Fix]:
    """Give the fixes that were tried, each once, in the order of what they are for."""
    return list(dict.fromkeys(found.fix for found in findings if found.fix and found.fix.verified))


def tried(report: Report) -> str:
    """Say how fixes were tried."""
    return f"tried: sent to {_a_process(report)}, loaded there, and sent on once more"


def _a_process(report: Report) -> str:
    if report.start_method is None:
        return "another process"
    started = {"spawn": "spawned", "forkserver": "forkserver"}.get(report.start_method, report.start_method)
    return f"a {started} process"


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_NAME else text[: _MAX_NAME - 3] + "..."

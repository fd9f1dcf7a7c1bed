"""A report as text: the screen of the command line, and the short form that stands in a failed test."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from picklecheck.model import Report
from picklecheck.render.tree import Group, groups
from picklecheck.render.words import (
    Pen,
    amount,
    fixes,
    pages,
    place,
    refusal,
    stopped_by,
    subject,
    tried,
    way,
)

__all__ = ["assertion", "render"]

_MIN_WIDTH = 40
_ASSERTION_WIDTH = 76  # pytest puts four columns in front
_ASSERTION_GROUPS = 8
_ASSERTION_FIXES = 3


def render(
    report: Report,
    *,
    width: int = 80,
    color: bool = False,
    show_all: bool = False,
    hazards: bool = False,
    encoding: str = "utf-8",
    target: str | None = None,
) -> str:
    """Give the report as a screen.

    Args:
        report: what to show.
        width: columns; only a path, and a line of code, may be longer.
        color: whether to write terminal colours.
        show_all: everything that is known: every path, values, the protocol, hazards.
        hazards: what may go wrong without an exception, in full.
        encoding: what the text will be written with; where it lacks our signs, ASCII ones stand in.
        target: what the command line was asked about, for its next step.
    """
    from picklecheck.render import page

    width = max(width, _MIN_WIDTH)
    lines = page.Page(report, Pen.of(encoding), width, show_all, hazards or show_all, target).lines()
    return page.painted(lines) if color else "\n".join(line.plain.rstrip() for line in lines)


def assertion(report: Report) -> str:
    """Give the report as the text of a failed assertion: no tree, no colour, no signs of ours beyond ASCII."""
    pen = Pen("utf-8", rich=False)
    grouped = groups(report)
    said_no = refusal(report).replace("does not pickle", "cannot be pickled")
    cannot = f"({pen.clean(report.title, 200)}) cannot start" if report.title else said_no
    lines = [f"{pen.clean(report.target, 200)} {cannot} ({way(report)}): {stopped_by(report, len(grouped))}"]
    said: set[tuple[str, str]] = set()
    for group in grouped[:_ASSERTION_GROUPS]:
        lines += _asserted(group, pen, said)
    if len(grouped) > _ASSERTION_GROUPS:
        lines.append(f"  ... and {amount(len(grouped) - _ASSERTION_GROUPS)} different ones more")
    for fix in fixes(report.failures)[:_ASSERTION_FIXES]:
        lines += ["", f"  Fix ({tried(report)}):", *_paragraph(pen.clean(fix.note), "    ")]
        lines += [f"    {pen.clean(line)}" for line in fix.code.splitlines()] + [""]
    lines += [line for note in report.notes for line in _paragraph(pen.clean(note), "  ")]
    return "\n".join([*lines, f"  Worked fixes: {pages(report)}"])


def _asserted(group: Group, pen: Pen, said: set[tuple[str, str]]) -> Iterator[str]:
    """Give one group; `said` collects the reasons that were given, so that none is given twice."""
    first = group.first
    title, where = pen.clean(first.title or first.kind, 60), pen.clean(place(first), 120)
    yield "  " + "   ".join(fact for fact in (subject(first, pen), title, where) if fact)
    if first.assigned_at and first.assigned_at.statement:
        yield "      " + pen.clean(first.assigned_at.statement, _ASSERTION_WIDTH)
    if len(group.failures) > 1:
        yield f"    and {amount(len(group.failures) - 1)} more like it"
    again = (first.reason, first.advice) in said
    said.add((first.reason, first.advice))
    yield from () if again else _paragraph(pen.clean(first.reason), "    ")
    yield from _paragraph(pen.clean(first.note), "    ")
    yield from () if again or not first.advice else _paragraph(pen.clean(first.advice), "    ", "-> ")


def _paragraph(text: str, indent: str, lead: str = "") -> list[str]:
    behind = indent + " " * len(lead)
    return textwrap.wrap(text, _ASSERTION_WIDTH, initial_indent=indent + lead, subsequent_indent=behind)

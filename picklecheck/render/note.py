"""A report as the few lines that an exception carries: each culprit, what sent it, what to do."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from picklecheck.model import Finding, Report
from picklecheck.render.words import Pen, subject

__all__ = ["MARK", "note"]

MARK = "picklecheck: "
"""What each line of a note begins with."""

_WIDTH = 80
_MOST = 8
_DEFINED = frozenset({"function", "type"})  # of these the place is the definition's


def note(report: Report, sent: str, call: Mapping[str, Any] | None = None) -> str:
    """Give the lines; all begin with `MARK`.

    Args:
        report: what failed.
        sent: what the user wrote, as "Process(target=work, ...)".
        call: the file, line and function of the user's call; None where it is not known.
    """
    pen = Pen.of("utf-8")
    lines = [_culprit(finding, report, pen) for finding in report.failures[:_MOST]]
    if len(report.failures) > _MOST:
        lines.append(f"and {len(report.failures) - _MOST} more")
    lines.append(_sent(report, sent, call))
    lines += _advice(report)
    return "\n".join(MARK + pen.clean(line) for line in lines)


def _culprit(finding: Finding, report: Report, pen: Pen) -> str:
    where = _place(finding)
    if finding.stage == "bootstrap":
        return f"the child process stops while it imports the main module: {finding.title}{where}"
    if finding.stage == "unpickle":
        what = " ".join(filter(None, [finding.path, f"({finding.name})" if finding.path else finding.name]))
        return f"{what or report.target} cannot be unpickled there: {finding.title}{where}"
    if finding.path is None:
        return f"{finding.title}: {subject(finding, pen)}{where}"
    article = "an" if finding.title[:1].lower() in "aeiou" else "a"
    return f"{finding.path} is {article} {finding.title}{where}"


def _place(finding: Finding) -> str:
    place = finding.assigned_at
    if place is None:
        return ""
    if finding.stage == "bootstrap":
        return f" (at {place})"
    is_defined = finding.stage == "unpickle" or finding.type in _DEFINED
    return f" ({'defined' if is_defined else 'set'} at {place})"


def _sent(report: Report, sent: str, call: Mapping[str, Any] | None) -> str:
    how = f"under {report.start_method}" if report.start_method else ""
    if call is None:
        return " ".join(filter(None, ["this is", sent, how]))
    file = str(call["file"]).replace("\\", "/").rpartition("/")[2]
    function = f" in {call['function']}" if call["function"] not in ("", "<module>") else ""
    return f"sent at {file}:{call['line']}{function}, {' '.join(filter(None, [sent, how]))}"


def _advice(report: Report) -> Iterator[str]:
    """Give what to do about the first kind of culprit, and the command that tells more of each kind."""
    kinds = list(dict.fromkeys(finding.kind for finding in report.failures))
    if not kinds:
        return
    first = report.failures[0]
    yield from textwrap.wrap(first.advice, _WIDTH - len(MARK), break_long_words=False)
    yield f"more: picklecheck kinds {' '.join(kinds[:_MOST])}"

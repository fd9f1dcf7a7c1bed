"""The command that reads files for what a child would do while it imports them."""

from __future__ import annotations

import json
import os
import sys
import textwrap
from collections.abc import Iterator, Sequence
from enum import Enum

from picklecheck.cli import output
from picklecheck.errors import UsageError
from picklecheck.model import SCHEMA, Finding
from picklecheck.probe import collector_off
from picklecheck.receiver.guard import GUARD, Result, read_files
from picklecheck.render.words import Pen, count

__all__ = ["Outcome", "guard"]

_SKIPPED = frozenset(("node_modules", "build", "dist", "site-packages", "dist-packages", "venv", "__pycache__"))
_NO_BREAK = "\0"


class Outcome(Enum):
    """How the reading ended."""

    FINE = "nothing stops a child"
    STOPPED = "something does"
    UNREAD = "nothing was found, but a file that was named could not be read, or none could"


def guard(paths: Sequence[str], *, as_json: bool) -> Outcome:
    """Read files and folders, print what was found, and tell how it ended.

    Raises:
        UsageError: a path does not exist, or a folder has no Python file.
    """
    files = list(dict.fromkeys(file for path in paths for file in _some_files(path)))
    with collector_off():  # the trees hold no cycles, and all are needed
        result = read_files(files)
    told = output.pen(sys.stderr)
    for line in result.unread:
        output.write(sys.stderr, f"picklecheck: not read: {told.clean(line)}")
    output.write(sys.stdout, _json(result) if as_json else _text(result, len(files)))
    if any(finding.severity == "error" for finding in result.findings):
        return Outcome.STOPPED
    named = tuple(f"{os.path.normpath(path)}{end}" for path in paths for end in (":", ", line "))
    missed = any(line.startswith(named) for line in result.unread)
    return Outcome.UNREAD if missed or len(result.unread) == len(files) else Outcome.FINE


def _some_files(path: str) -> list[str]:
    files = list(_files(path))
    if not files:
        raise UsageError(f"there is no Python file in {path!r}")
    return files


def _files(path: str) -> Iterator[str]:
    """Yield the Python files of a path: a file itself, whatever its name, or those below a folder."""
    if os.path.isfile(path):
        yield os.path.normpath(path)
        return
    if not os.path.isdir(path):
        raise UsageError(f"there is no file or folder {path!r}; the working directory is {os.getcwd()}")
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if not _is_skipped(folder, name))
        for name in sorted(names):
            whole = os.path.join(folder, name)
            if name.endswith((".py", ".pyw")) and not name.startswith(".") and os.path.isfile(whole):
                yield os.path.normpath(whole)


def _is_skipped(folder: str, name: str) -> bool:
    return name in _SKIPPED or name.startswith(".") or os.path.exists(os.path.join(folder, name, "pyvenv.cfg"))


def _json(result: Result) -> str:
    return json.dumps({"schema": SCHEMA, "findings": [one.to_dict() for one in result.findings]}, indent=2)


def _text(result: Result, files: int) -> str:
    width, pen = output.width(sys.stdout), output.pen(sys.stdout)
    blocks = [_block(finding, width, pen) for finding in result.findings]
    unread = len(result.unread)
    aside = [f"{count(unread, 'file')} could not be read"] if unread else []
    summary = _summary(result.findings, files - unread) if unread < files else []
    return "\n".join([*blocks, *summary, *aside])


def _summary(findings: Sequence[Finding], files: int) -> list[str]:
    if not findings:
        return [f"nothing found in {count(files, 'file')}"]
    concerned = {finding.assigned_at.file for finding in findings if finding.assigned_at}
    warnings = sum(finding.severity == "warning" for finding in findings)
    aside = f" ({count(warnings, 'warning')})" if warnings else ""
    last = f"{count(len(findings), 'finding')}{aside} in {count(len(concerned), 'file')}"
    return [last, f"Worked fixes: picklecheck kinds {findings[0].kind}"]


def _block(finding: Finding, width: int, pen: Pen) -> str:
    """Give a finding: where and what in a line, the statement, then why and what to do."""
    place = finding.assigned_at
    assert place is not None  # the reading knows where everything stands
    what, _, why = finding.reason.partition(". ")
    mild = "warning: " if finding.severity == "warning" else ""
    head = _headline(pen.clean(f"{place.file}:{place.line}:"), f"{mild}{pen.clean(what.removeprefix('It '))}", width)
    prose = [line for part in (why, finding.note) if part for line in _wrapped(pen.clean(part), width)]
    advice = _wrapped(pen.clean(finding.advice), width, f"{pen.sign('arrow')} ")
    return "\n".join([*head, _quoted(place.line, place.statement or "", width, pen), *prose, *advice, ""])


def _quoted(line: int, text: str, width: int, pen: Pen) -> str:
    gutter = f"{line:>5} {pen.sign('pipe').strip()} "
    return gutter + pen.clean(text, max(20, width - len(gutter)))


def _headline(place: str, what: str, width: int) -> list[str]:
    """Give the place, in one piece, and what happens there."""
    text = f"{place.replace(' ', _NO_BREAK)} {what.rstrip('.')}"
    lines = textwrap.wrap(text, width, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
    return [line.replace(_NO_BREAK, " ") for line in lines]


def _wrapped(text: str, width: int, lead: str = "") -> list[str]:
    """Give text in lines, its first one behind the lead; the guard at its end is not broken."""
    text, guard, _ = text.partition(GUARD)
    behind = " " * len(lead)
    lines = textwrap.wrap(
        text + guard.replace(" ", _NO_BREAK), width, initial_indent=f"  {lead}", subsequent_indent=f"  {behind}",
        break_long_words=False,
    )  # fmt: skip
    return [line.replace(_NO_BREAK, " ") for line in lines]

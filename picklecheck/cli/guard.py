"""The command that reads files for what a child would do while it imports them."""

from __future__ import annotations

import json
import os
import sys
import textwrap
from collections.abc import Iterator, Sequence

from picklecheck.cli import output
from picklecheck.errors import UsageError
from picklecheck.model import SCHEMA, Finding
from picklecheck.probe import collector_off
from picklecheck.receiver.guard import GUARD, Result, read_files
from picklecheck.render.words import Pen, count

__all__ = ["guard"]

_SKIPPED = frozenset(("node_modules", "build", "dist", "site-packages", "dist-packages", "venv", "__pycache__"))
_NO_BREAK = "\0"


def guard(paths: Sequence[str], *, as_json: bool) -> bool:
    """Read files and folders, print what was found, and tell whether no child is stopped.

    Raises:
        UsageError: a path does not exist, or there is no Python file among them.
    """
    files = list(dict.fromkeys(file for path in paths for file in _files(path)))
    with collector_off():  # the trees hold no cycles, and all are needed
        result = read_files(files)
    told = output.pen(sys.stderr)
    for line in result.unread:
        output.write(sys.stderr, f"picklecheck: not read: {told.clean(line)}")
    output.write(sys.stdout, _json(result) if as_json else _text(result, len(files)))
    return not any(finding.severity == "error" for finding in result.findings)


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
    return "\n".join([*blocks, *_summary(result.findings, files)])


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
    head = pen.clean(f"{place.file}:{place.line}: {mild}{what.removeprefix('It ').rstrip('.')}")
    prose = [line for part in (why, finding.note) if part for line in _wrapped(pen.clean(part), width)]
    advice = _wrapped(f"{pen.sign('arrow')} {pen.clean(finding.advice)}", width)
    return "\n".join([head, _quoted(place.line, place.statement or "", width, pen), *prose, *advice, ""])


def _quoted(line: int, text: str, width: int, pen: Pen) -> str:
    gutter = f"{line:>5} {pen.sign('pipe').strip()} "
    return gutter + pen.clean(text, max(20, width - len(gutter)))


def _wrapped(text: str, width: int) -> list[str]:
    """Give text in lines; the guard at its end is not broken."""
    text, guard, _ = text.partition(GUARD)
    lines = textwrap.wrap(
        text + guard.replace(" ", _NO_BREAK), width, initial_indent="  ", subsequent_indent="  ", break_long_words=False
    )
    return [line.replace(_NO_BREAK, " ") for line in lines]

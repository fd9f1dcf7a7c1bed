"""The command that shows fixes as a diff, and writes them."""

from __future__ import annotations

import os
import shlex
import sys
import textwrap
from collections.abc import Iterable, Mapping
from typing import BinaryIO, TextIO

from picklecheck import api
from picklecheck.cli import output
from picklecheck.cli.explain import rehearsal
from picklecheck.cli.target import load, starts
from picklecheck.cli.writing import write as write_files
from picklecheck.errors import TargetError
from picklecheck.fixes import files
from picklecheck.fixes.edits import CannotEdit, diff, move_under_guard
from picklecheck.model import Failure, Report
from picklecheck.receiver.guard import Unreadable, unguarded
from picklecheck.render.words import count, fixes, place

__all__ = ["fix", "guard"]

Edited = Mapping[str, tuple[str, str]]
_COLORS = {"+": "\x1b[32m", "-": "\x1b[31m", "@": "\x1b[36m"}


def fix(target: str, options: api.Options, again: str, *, write: bool, force: bool) -> bool:
    """Load a target, print the diff of all fixes that were tried or write them, and tell whether nothing remains.

    Args:
        target: what is to cross.
        options: how.
        again: this command, for the next step.
        write: whether to write the files.
        force: whether git need not have what they hold.

    Raises:
        TargetError: the target cannot be loaded, or loading it would start processes.
        WriteError: a file may not or cannot be written.
    """
    stdout, sys.stdout = sys.stdout, sys.stderr
    rehearsal(options)
    started = starts(target)
    if started:
        at = started[0].assigned_at
        assert at is not None  # the reading knows where everything stands
        first = f"picklecheck fix {shlex.quote(at.file)} --guard"
        raise TargetError(f"{at.file}, line {at.line}, starts processes at import: first {first}")
    report = api.run(load(target).obj, options)
    report.release()
    left = [failure for failure in report.failures if failure.severity == "error" and failure.fix is None]
    if report.ok:
        _say(f"Nothing to fix: {report.target} crosses.")
    elif not report.edited:
        _say(f"No fix for {report.target} was found that passes a trial:")
    else:
        for one in fixes(report.failures):
            if one.note:
                _say(f"{one.target[0] or 'Note'}: {one.note}")
        _say(_summary(report, left))
    for line in _lines_of(left):
        _say(line)
    _give(report.edited, stdout, again, write=write, force=force)
    return not left


def guard(file: str, again: str, *, write: bool, force: bool) -> bool:
    """Move what starts processes under the main guard of a program, and tell whether nothing remains.

    Args:
        file: the program; it is read and not run.
        again, write, force: as for `fix`.

    Raises:
        TargetError: the file cannot be read, or its statements cannot be moved.
        WriteError: it may not or cannot be written.
    """
    reading = f"picklecheck guard {shlex.quote(file)}"
    try:
        with open(file, "rb") as stream:
            data = stream.read()
        before, found = files.decoded(data), unguarded(file, data)
        after = move_under_guard(before, found.lines) if found.lines else before
        read_again = unguarded(file, files.encoded(after, data))
    except Unreadable as error:
        raise TargetError(f"not read: {error}") from None
    except (OSError, SyntaxError, UnicodeError) as error:
        raise TargetError(f"cannot read {file!r}: {error}") from None
    except CannotEdit as error:
        raise TargetError(f"{file} cannot be edited: {str(error).rstrip('.')}; {reading}") from None
    left = read_again.findings
    missed = [one for one in read_again.missed if one not in found.missed] if found.lines else []
    if not (found.lines or left):
        _say(f"Nothing to fix: no child that imports {file} would start processes.")
    edited = {file: (before, after)} if found.lines else {}
    for finding in left:
        at = finding.assigned_at
        _say(f"There remains {at.file}:{at.line}: {finding.reason.partition('. ')[0]}" if at else finding.reason)
    for one in missed:
        _say(f"There remains {file}: {one}")
    if left:
        _say(f"What to do: {reading}")
    _give(edited, sys.stdout, again, write=write, force=force)
    return not (left or missed)


def _summary(report: Report, left: list[Failure]) -> str:
    errors = [failure for failure in report.failures if failure.severity == "error"]
    tried = f"{report.target} was sent with {'this fix' if len(fixes(errors)) == 1 else 'these fixes'}"
    if not left:
        return f"Tried: {tried}, and crosses."
    verb = "remains" if len(left) == 1 else "remain"
    return f"Tried: {tried}. Of {count(len(errors), 'object')} that stop it, {len(left):,} {verb}:"


def _lines_of(left: Iterable[Failure]) -> Iterable[str]:
    found = list(left)
    for failure in found[:10]:
        where = f"   {place(failure)}" if failure.assigned_at else ""
        yield f"  {failure.path or failure.name or failure.kind}   {failure.title}{where}"
    if len(found) > 10:
        yield f"  and {len(found) - 10:,} more"
    if found:
        slugs = list(dict.fromkeys(failure.kind for failure in found))
        yield f"What to do: picklecheck kinds {' '.join(slugs[:5])}"


def _give(edited: Edited, stdout: TextIO, again: str, *, write: bool, force: bool) -> None:
    """Print what changes, or write it."""
    if not edited:
        return
    if write:
        write_files(edited, force=force)
        for file in edited:
            output.write(stdout, f"fixed {output.pen(stdout).clean(_short(file))}")
        return
    for file, texts in edited.items():
        _print(file, *texts, stdout)
    _say(f"To apply: {again} --write")


def _print(file: str, before: str, after: str, stdout: TextIO) -> None:
    """Print a diff: for a person as text, for `git apply` in the file's own bytes."""
    if output.is_terminal(stdout):
        color, pen = output.wants_color(stdout), output.pen(stdout)
        for line in diff(file, before, after).splitlines():
            start, text = _COLORS.get(line[:1], "") if color else "", pen.clean(line)
            output.write(stdout, f"{start}{text}\x1b[0m" if start else text)
        return
    buffer: BinaryIO | None = getattr(stdout, "buffer", None)
    if buffer is None:  # what a caller in this process has put in its place
        stdout.write(files.patch(file, before, after))
        return
    buffer.write(files.patch_bytes(file, before, after))
    buffer.flush()


def _short(file: str) -> str:
    """Give a file's name as it is seen from the working directory, where it lies below."""
    return file.removeprefix(os.getcwd() + os.sep)


def _say(text: str) -> None:
    """Write prose to stderr; a line that is indented, as one with a path, is not broken."""
    pen, width = output.pen(sys.stderr), output.width(sys.stderr)
    prose = textwrap.wrap(text, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    output.write(sys.stderr, "\n".join(map(pen.clean, [text] if text.startswith(" ") else prose)))

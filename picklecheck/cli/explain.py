"""The command that explains a target."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable
from typing import TextIO

from picklecheck import api, transports
from picklecheck.cli import output
from picklecheck.cli.target import load, starts
from picklecheck.model import Report

__all__ = ["explain", "rehearsal"]


def explain(
    target: str, options: api.Options, again: str, *, as_json: bool, show_all: bool, hazards: bool = False
) -> bool:
    """Load a target, walk it, print the report, and tell whether it crosses.

    A target whose file would start processes is not loaded: here that would start them too.

    From here to the end of the process what the user's code prints goes to stderr: stdout holds the report alone.

    Args:
        target: what is to cross.
        options: how.
        again: the words that ask about it in the same way, for the next step.
        as_json: whether to print data in place of a screen.
        show_all, hazards: as for `render.text.render`.
    """
    stdout, sys.stdout = sys.stdout, sys.stderr
    told = Report.to_json if as_json else _screen(stdout, again, show_all, hazards)
    watch = _watch(options.name or target)
    told(rehearsal(options))
    started = starts(target)
    report = api.not_loaded(options, started) if started else api.run(load(target).obj, options, watch=watch)
    output.write(stdout, told(report))
    report.release()
    return report.ok


def rehearsal(options: api.Options) -> Report:
    """Answer for something of our own first, so that all that is needed is loaded, and wrong options are told at once.

    When the target is loaded its folder comes first on `sys.path`, and a file in it may have the name of a module that
    we use.
    """
    # what takes loaders only would refuse ours; its name is known to be right then
    unnamed = dataclasses.replace(options, via=None) if transports.find(options.via).known_only else options
    return api.run([_screen, lambda: None, sys], unnamed)


def _screen(stdout: TextIO, target: str, show_all: bool, hazards: bool) -> Callable[[Report], str]:
    """Give what makes a report's text for this output."""
    from picklecheck.render import text

    width, color, encoding = output.width(stdout), output.wants_color(stdout), output.pen(stdout).encoding
    return lambda report: text.render(
        report,
        width=width,
        color=color,
        show_all=show_all,
        hazards=hazards,
        encoding=encoding,
        target=target,
    )


def _watch(name: str) -> api.Watch | None:
    """Give what shows the progress of the walk; None where nobody looks."""
    if not output.is_watched(sys.stderr):
        return None
    from picklecheck.cli import progress

    return progress.watcher(name)

"""The command that lists the kinds of culprits, and shows the page of one."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Sequence

from picklecheck import kinds
from picklecheck.cli import output
from picklecheck.errors import UsageError
from picklecheck.kinds.arrivals import ARRIVAL_ROWS, HAZARD_SLUGS
from picklecheck.kinds.table import ROWS, WITHOUT_OBJECT

__all__ = ["show"]

_STAGES = {
    "pickle": "pickle: what cannot be pickled",
    "bootstrap": "bootstrap: what stops the start of the other process",
    "unpickle": "unpickle: what cannot be unpickled over there",
    "hazards": "hazards: what goes wrong without an exception",
}


def show(slugs: Sequence[str]) -> None:
    """Print the pages of some kinds, or the table of all.

    Raises:
        UsageError: there is no such kind; the text names those most like it.
    """
    output.write(sys.stdout, "\n\n".join(map(_page, slugs)) if slugs else _table())


def _table() -> str:
    """Give the kinds by stage, one in a line with its slug first; all other lines begin with # or are empty."""
    slugs = sorted(kinds.slugs())
    widest = max(map(len, slugs))
    lines: list[str] = []
    for stage, heading in _STAGES.items():
        lines += [f"# {heading}", *(_row(slug, widest) for slug in slugs if _stage(slug) == stage), ""]
    return "\n".join([*lines, "# One of them, with fixes: picklecheck kinds KIND"])


def _row(slug: str, widest: int) -> str:
    """Give a slug, and its title where that says more."""
    title, pen = kinds.get(slug).title, output.pen(sys.stdout)
    same = title.casefold().replace("-", " ") == slug.replace("-", " ")
    return pen.clean(slug) if same else f"{pen.clean(slug):{widest}}  {pen.clean(title)}"


def _stage(slug: str) -> str:
    """Give when a kind goes wrong; what may do so in more than one stage stands in the first."""
    if slug in WITHOUT_OBJECT:
        return "bootstrap"
    if slug in HAZARD_SLUGS:
        return "hazards"
    over_there = {slug for slug, _ in ARRIVAL_ROWS} - {slug for slug, _ in ROWS}
    return "unpickle" if slug in over_there else "pickle"


def _page(slug: str) -> str:
    slugs = kinds.slugs()
    if slug not in slugs:
        alike = difflib.get_close_matches(slug.lower().replace("_", "-").replace(" ", "-"), slugs, 3)
        instead = f"did you mean {' or '.join(alike)}?" if alike else "picklecheck kinds lists them all"
        raise UsageError(f"there is no kind {slug!r}; {instead}")
    source = kinds.page(slug).strip()
    return _drawn(source) if output.is_terminal(sys.stdout) else source


def _drawn(source: str) -> str:
    """Give Markdown as it is to be seen on a terminal."""
    from rich.console import Console
    from rich.markdown import Markdown

    color = output.wants_color(sys.stdout)
    console = Console(width=output.width(sys.stdout), force_terminal=color, no_color=not color)
    with console.capture() as captured:
        console.print(Markdown(source, hyperlinks=False))
    return captured.get().rstrip("\n")

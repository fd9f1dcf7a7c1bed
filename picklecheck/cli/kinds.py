"""The command that lists the kinds of culprits, and shows the page of one."""

from __future__ import annotations

import difflib
import sys

from picklecheck import kinds
from picklecheck.cli import output
from picklecheck.errors import UsageError

__all__ = ["show"]


def show(slug: str | None) -> None:
    """Print the page of a kind, or the table of all.

    Raises:
        UsageError: there is no such kind; the text names those most like it.
    """
    output.write(sys.stdout, _table() if slug is None else _page(slug))


def _table() -> str:
    rows = [(slug, kinds.get(slug).title) for slug in sorted(kinds.slugs())]
    pen, widest = output.pen(sys.stdout), max(len(slug) for slug, _ in rows)
    lines = [f"{pen.clean(slug):{widest}}  {pen.clean(title)}" for slug, title in rows]
    return "\n".join([*lines, "", "One of them, with fixes: picklecheck kinds KIND"])


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

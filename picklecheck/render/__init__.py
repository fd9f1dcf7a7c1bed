"""The forms that a report can take, by name; each is loaded when it is first asked for."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping

from picklecheck.model import Report

__all__ = ["RENDERERS"]


def _text(report: Report) -> str:
    from picklecheck.render import text

    # `print(report)` must not fail where the output cannot hold our signs; in a notebook stdout is UTF-8
    return text.render(report, encoding=getattr(sys.stdout, "encoding", None) or "utf-8")


def _html(report: Report) -> str:
    from picklecheck.render import html

    return html.render(report)


RENDERERS: Mapping[str, Callable[[Report], str]] = {"text": _text, "html": _html}

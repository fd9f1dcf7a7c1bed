"""A report as a piece of HTML: for notebooks and mail. No scripts; everything that an object says is escaped."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator

from picklecheck.model import Finding, Fix, Report
from picklecheck.render.tree import Branch, Group, group_all, groups, grow
from picklecheck.render.words import (
    Pen,
    amount,
    count,
    expression,
    fixes,
    lead,
    next_step,
    other_paths,
    place,
    start_methods,
    subject,
    tried,
    verdict,
)

__all__ = ["render"]

_TREE_LINES = 40
_GROUPS = 20
_PATHS = 5
_PEN = Pen.of("utf-8")
# colours that can be read on white and on black alike; everything else is the page's own
_RED, _GREEN = "#d1453b", "#2e9e5b"
_CARD = (
    "font: 14px/1.5 system-ui, sans-serif; color: inherit; max-width: 60em; padding: .6em 1em; border-radius: 6px; "
    "border: 1px solid rgba(128, 128, 128, .4)"
)
_CODE = "font-family: ui-monospace, Menlo, Consolas, monospace; font-size: .93em"
_TREE = f"{_CODE}; list-style: none; margin: .6em 0; padding: 0"
_BELOW = "list-style: none; margin: 0; padding-left: 1.4em; border-left: 1px solid rgba(128, 128, 128, .4)"
_FAINT = "opacity: .65"


def render(report: Report) -> str:
    """Give the report as one element that can stand in any page."""
    grouped = groups(report)
    sign, colour = ("✓", _GREEN) if report.ok else ("✗", _RED)
    answer = f"{sign} {_say(verdict(report, len(grouped)))}"
    parts = [_tag("p", answer, f"margin: 0; font-weight: 600; color: {colour}")]
    parts += (_tag("p", _say(line), f"margin: 0; {_CODE}; white-space: pre") for line in start_methods(report, _PEN))
    if grouped:
        tree = _branches((grow(report, grouped, _PEN, _TREE_LINES),), grouped)
        parts.append(f'<ul style="{_TREE}">{tree}</ul>')
        parts += (_culprit(group) for group in grouped[:_GROUPS])
        parts += (_fix(report, fix, grouped) for fix in fixes(report.failures)[:_GROUPS])
    if len(grouped) > _GROUPS:
        parts.append(_tag("p", f"… and {amount(len(grouped) - _GROUPS)} different ones more."))
    if report.hazards:
        parts.append(_tag("p", count(len(report.hazards), "hazard"), "margin: .5em 0 0; font-weight: 600"))
        parts += (_culprit(group) for group in group_all(report.hazards)[:_GROUPS])
    parts += (_tag("p", _say(note), "margin: .5em 0") for note in report.notes)
    command = next_step(report)
    if command:
        parts.append(_tag("p", f"{lead(report)}: {_tag('code', _say(command), _CODE)}", "margin: .5em 0 0"))
    return f'<div class="picklecheck" style="{_CARD}">\n' + "\n".join(parts) + "\n</div>"


def _branches(branches: Iterable[Branch], grouped: tuple[Group, ...]) -> str:
    return "".join(_branch(branch, grouped) for branch in branches)


def _branch(branch: Branch, grouped: tuple[Group, ...]) -> str:
    line = [html.escape(branch.label)]
    if branch.like:
        line.append(f"and {amount(branch.like)} more")
    line.append(_tag("span", html.escape(branch.type), _FAINT))
    line += (
        _tag("span", f"{_PEN.circled(number)} {_say(_title(grouped[number - 1].first))}", f"color: {_RED}")
        for number in branch.groups
    )
    below = _branches(branch.children, grouped)
    if branch.hidden:
        below += f"<li>… {amount(branch.hidden)} more below</li>"
    return f"<li>{'&ensp;'.join(line)}" + (f'<ul style="{_BELOW}">{below}</ul>' if below else "") + "</li>"


def _culprit(group: Group) -> str:
    first = group.first
    head = (
        f"{_PEN.circled(group.number)} {_tag('code', html.escape(subject(first, _PEN)), _CODE)} "
        f"{_tag('span', _say(_title(first)), f'color: {_RED}')}"
    )
    opened = " open" if group.number == 1 else ""
    body = "".join(_tag("p", piece, "margin: .3em 0 .3em 1.4em") for piece in _pieces(group) if piece)
    return (
        f'<details{opened} style="margin: .3em 0"><summary style="cursor: pointer; overflow-wrap: anywhere">'
        f"{head}</summary>{body}</details>"
    )


def _fix(report: Report, fix: Fix, grouped: tuple[Group, ...]) -> str:
    """Give a fix that was tried, open: it is what the reader came for."""
    marks = " ".join(_PEN.circled(group.number) for group in grouped if fix in fixes(group.failures))
    head = _tag("span", f"Fix for {marks}", f"color: {_GREEN}; font-weight: 600")
    note = _tag("p", _say(fix.note), "margin: .3em 0 .3em 1.4em") if fix.note else ""
    code = "\n".join(_say(line) for line in fix.code.splitlines())
    return (
        f'<details open style="margin: .3em 0"><summary style="cursor: pointer">{head} ({_say(tried(report))})'
        f"</summary>{note}{_tag('pre', code, f'{_CODE}; margin: .3em 0 .3em 1.4em; overflow-x: auto')}</details>"
    )


def _pieces(group: Group) -> Iterator[str]:
    first = group.first
    where, found = place(first), first.assigned_at
    statement = _tag("code", _say(found.statement), _CODE) if found and found.statement else ""
    yield ": ".join(part for part in (_say(where), statement) if part)
    others = [failure.path for failure in group.failures[1 : _PATHS + 1] if failure.path]
    if len(group.failures) > 1:
        yield f"and {amount(len(group.failures) - 1)} more like it: {_paths(others, len(group.failures) - 1)}"
    yield _prose(first.reason)
    yield _say(first.note)
    yield _prose(f"→ {first.advice}" if first.advice else "")
    others = other_paths(first)
    total = max(first.path_count, len(others) + 1)
    if total > 1:
        yield f"{amount(total)} references lead to it, also {_paths(others[:_PATHS], total - 1)}"
    if first.error:
        yield _tag("span", f"Python says: {_say(first.error[:500])}", _FAINT)


def _prose(text: str) -> str:
    """Give text of a kind's, which may have several lines."""
    return "<br>".join(_say(line) for line in text.split("\n"))


def _paths(shown: Iterable[str], total: int) -> str:
    listed = [_tag("code", html.escape(expression(path, _PEN)), _CODE) for path in shown]
    return ", ".join([*listed, f"… {amount(total - len(listed))} more"] if total > len(listed) else listed)


def _title(failure: Finding) -> str:
    return failure.title or failure.kind


def _say(text: str) -> str:
    return html.escape(_PEN.clean(text))


def _tag(name: str, inner: str, style: str = "") -> str:
    return f'<{name} style="{style}">{inner}</{name}>' if style else f"<{name}>{inner}</{name}>"

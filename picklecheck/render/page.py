"""The screen of a report, line by line: verdict, tree, each culprit once, notes, the next step."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from picklecheck.model import Finding, Fix, Report
from picklecheck.render.tree import Branch, Group, group_all, groups, grow
from picklecheck.render.words import (
    Pen,
    amount,
    expression,
    fixes,
    hazards_line,
    lead,
    next_step,
    other_paths,
    place,
    start_methods,
    subject,
    tried,
    verdict,
)

__all__ = ["Page", "painted"]

_TREE_LINES = 30
_BLOCK_LINES = 64  # of all lines: as long as there are fewer, a culprit is shown in full
_FULL_BLOCKS = 3
_SHORT_BLOCKS = 10
_PATHS = 3
_TYPE_CELLS = 26
_UNBOUNDED = 1_000_000
_MARKS = 6
_CODE_LINES = 40


class Page:
    """Lays out one report."""

    def __init__(
        self,
        report: Report,
        pen: Pen,
        width: int,
        show_all: bool,
        hazards: bool = False,
        target: str | None = None,
    ) -> None:
        self.report, self.pen, self.width, self.show_all = report, pen, width, show_all
        self.hazards, self.target = hazards, target
        self.groups = groups(report)
        self.console = Console(file=io.StringIO(), width=width, legacy_windows=False)
        self.explained: dict[tuple[str, str], int] = {}

    def lines(self) -> list[Text]:
        """Give all lines of the screen."""
        lines = [*self.verdict()]
        if self.groups:
            lines += [Text(), *self.tree(), Text()] if self.has_paths() else [Text()]
            lines += self.blocks(len(lines))
        lines += self.hazard_lines()
        for note in self.report.notes:
            lines += self.wrapped(self.pen.clean(note), 0, 0)
        command = next_step(self.report, self.target)
        if command:
            lines += [Text()] if self.report.notes else []
            lines.append(Text(f"{lead(self.report, self.target)}: ").append(self.pen.clean(command), "bold"))
        return lines

    def verdict(self) -> Iterator[Text]:
        """Give the answer, and with `show_all` the circumstances."""
        sign, style = ("yes", "bold green") if self.report.ok else ("no", "bold red")
        sentence = f"{self.pen.sign(sign)} {self.pen.clean(verdict(self.report, len(self.groups)))}"
        yield from self.wrapped(sentence, 0, 2, style)
        for line in start_methods(self.report, self.pen):
            yield Text(f"  {self.pen.clean(line)}")
        if self.show_all:
            yield Text(f"  protocol {self.report.protocol}, Python {self.report.python}", "dim")

    def has_paths(self) -> bool:
        """Tell whether there is anything to draw a tree of; a main module that cannot be imported is on no path."""
        return any(failure.stage != "bootstrap" for failure in self.report.failures)

    def hazard_lines(self) -> Iterator[Text]:
        """Give how many hazards there are, or where they are wanted each of them."""
        line = hazards_line(self.report)
        if line is None:
            return
        if not self.hazards:
            yield from self.wrapped(line, 2, 4, "yellow")
            return
        yield Text(line.partition(":")[0], "bold yellow")
        for group in group_all(self.report.hazards):
            yield from self.block(group)
        yield Text()

    # -- the tree ----------------------------------------------------------------------------------------------------

    def tree(self) -> Iterator[Text]:
        """Give the tree in three columns: where, what type, which culprit."""
        lines = _UNBOUNDED if self.show_all else _TREE_LINES
        rows = list(self.rows(grow(self.report, self.groups, self.pen, lines), "", ""))
        types = max(min(_TYPE_CELLS, cell_len(row[2])) for row in rows)
        marks = max(cell_len(row[3]) for row in rows)
        room = self.width - types - min(marks, self.width // 3) - 4
        label_cells = min(room, max(cell_len(guide) + cell_len(label) for guide, label, _, _ in rows))
        for guide, whole_label, type_, mark in rows:
            label = self.cut(whole_label, max(8, label_cells - cell_len(guide)))
            left = guide + label
            line = Text().append(guide, "dim").append(label)
            line.append(" " * (label_cells - cell_len(left) + 2))
            line.append(set_cell_size(self.cut(type_, types), types), "cyan").append("  ")
            line.append(self.cut(mark, max(8, self.width - cell_len(line.plain))), "bold red")
            yield line

    def rows(self, branch: Branch, guide: str, below: str) -> Iterator[tuple[str, str, str, str]]:
        """Give guide, label, type and mark of a branch and of those below it; `below` is the guide they go on with."""
        like = f" and {amount(branch.like)} more" if branch.like else ""
        yield guide, branch.label + like, branch.type, self.mark(branch)
        ends = len(branch.children) - (0 if branch.hidden else 1)
        for number, child in enumerate(branch.children):
            last = number == ends
            fork = self.pen.sign("last" if last else "fork")
            yield from self.rows(child, below + fork, below + ("   " if last else self.pen.sign("pipe")))
        if branch.hidden:
            yield below + self.pen.sign("last"), f"{self.pen.sign('dots')} {amount(branch.hidden)} more below", "", ""

    def mark(self, branch: Branch) -> str:
        """Give the circled number and the kind of what stands at a branch."""
        titles = (f"{self.pen.circled(number)} {self.title(self.groups[number - 1].first)}" for number in branch.groups)
        return ", ".join(titles)

    def title(self, failure: Finding) -> str:
        """Give the kind in a word or two."""
        return self.pen.clean(failure.title or failure.kind, 60)

    # -- the culprits ------------------------------------------------------------------------------------------------

    def blocks(self, above: int) -> Iterator[Text]:
        """Give every group once: in full, then as one line each, then as a number."""
        used, short = above, 0
        for at, group in enumerate(self.groups):
            if self.show_all or at < _FULL_BLOCKS or (used < _BLOCK_LINES and not short):
                block = [*self.block(group), *self.fixes_after(group), Text()]
                used += len(block)
                yield from block
            elif short < _SHORT_BLOCKS:
                short += 1
                yield self.short(group)
            else:
                yield Text(f"{self.pen.sign('dots')} and {amount(len(self.groups) - at)} different ones more (--all)")
                break
        if short:
            yield Text()

    def block(self, group: Group) -> Iterator[Text]:
        """Give one group in full."""
        first = group.first
        title = self.title(first) + ("" if first.severity == "error" else " (does not stop it)")
        head = Text(f"{self.pen.circled(group.number)} ", "bold red").append(subject(first, self.pen), "bold")
        if cell_len(head.plain) + cell_len(title) + 3 <= self.width:
            yield head.append(f"   {title}", "bold red")
        else:
            yield from (head, Text(f"   {self.cut(title, self.width - 3)}", "bold red"))
        yield from self.origin(first)
        yield from self.more(group)
        yield from self.why(group)
        yield from self.references(first)
        if first.error:
            yield from self.wrapped(f"Python says: {self.pen.clean(first.error, 240)}", 3, 5, "dim")

    def fixes_after(self, group: Group) -> Iterator[Text]:
        """Give the fixes of which this group is the last one."""
        for fix in fixes(group.failures):
            numbers = [each.number for each in self.groups if fix in fixes(each.failures)]
            if numbers[-1] == group.number:
                yield from self.fix(fix, numbers)

    def fix(self, fix: Fix, numbers: Sequence[int]) -> Iterator[Text]:
        """Give a fix that was tried: for what, how it was tried, what is different, and the code."""
        marks = [self.pen.circled(number) for number in numbers[:_MARKS]]
        marks += [f"{amount(len(numbers) - _MARKS)} more"] if len(numbers) > _MARKS else []
        whose = " and ".join(filter(None, (", ".join(marks[:-1]), marks[-1])))
        yield Text()
        yield from self.wrapped(f"Fix for {whose} ({tried(self.report)})", 3, 5, "bold green")
        yield from self.wrapped(self.pen.clean(fix.note), 5, 5)
        yield Text()
        lines = fix.code.splitlines()
        most = _UNBOUNDED if self.show_all else _CODE_LINES
        for line in lines[:most]:
            yield Text(f"     {self.pen.clean(line)}")
        if len(lines) > most:
            yield Text(f"     {self.pen.sign('dots')} {amount(len(lines) - most)} lines more (--all)")

    def short(self, group: Group) -> Text:
        """Give one group as a line."""
        line = Text(f"{self.pen.circled(group.number)} ", "bold red").append(subject(group.first, self.pen), "bold")
        for fact, style in ((self.title(group.first), "bold red"), (self.pen.clean(place(group.first)), "")):
            if fact and cell_len(line.plain) + cell_len(fact) + 3 <= self.width:
                line.append(f"   {fact}", style)
        return line

    def origin(self, failure: Finding) -> Iterator[Text]:
        """Give the line that set it, and with `show_all` what it is."""
        where, found = place(failure, whole=self.show_all), failure.assigned_at
        statement = self.pen.clean(found.statement) if found and found.statement else ""
        if where and statement and cell_len(where) + cell_len(statement) + 6 <= self.width:
            yield Text(f"   {self.pen.clean(where)}:  ").append(statement, "italic")
        else:
            named = self.pen.clean(where)
            # with --all it holds the path of the file, which is of use in one piece only
            yield from [Text(f"   {named}")] if self.show_all and where else self.wrapped(named, 3, 5)
            yield from [Text("     ").append(self.cut(statement, self.width - 5), "italic")] if statement else ()
        if self.show_all and failure.type:
            value = f", {failure.value}" if failure.value else ""
            yield from self.wrapped(self.pen.clean(f"type {failure.type}{value}"), 3, 5, "dim")

    def more(self, group: Group) -> Iterator[Text]:
        """Give the culprits that are like the first one."""
        others = group.failures[1:]
        if others:
            yield Text(f"   and {amount(len(others))} more like it:")
            yield from self.paths([subject(failure, self.pen) for failure in others[: self.patience()]], len(others))

    def why(self, group: Group) -> Iterator[Text]:
        """Give reason, note and advice; a reason that an earlier culprit has given is not said again."""
        first = group.first
        said = self.explained.setdefault((first.reason, first.advice), group.number)
        again = said != group.number and bool(first.reason)
        if not again:
            yield from self.paragraph(first.reason, 3)
        yield from self.wrapped(self.pen.clean(first.note), 3, 3)
        if again:
            yield Text(f"   Why, and what to do: as {self.pen.circled(said)}")
        else:
            yield from self.paragraph(first.advice, 3, self.pen.sign("arrow") + " ")

    def references(self, failure: Finding) -> Iterator[Text]:
        """Give the other paths to the same object."""
        others = other_paths(failure)
        total = max(failure.path_count, len(others) + 1)
        if total == 2 and others:
            yield Text(f"   Also at {expression(others[0], self.pen)}")
        elif total > 1:
            yield Text(f"   {amount(total)} references lead to it{', also at:' if others else '.'}")
            yield from self.paths([expression(path, self.pen) for path in others[: self.patience()]], total - 1)

    def paths(self, shown: list[str], total: int) -> Iterator[Text]:
        """Give some paths, each on a line of its own, and how many there are besides."""
        for path in shown:
            yield Text(f"     {path}")
        if shown and total > len(shown):
            yield Text(f"     {self.pen.sign('dots')} {amount(total - len(shown))} more")

    def patience(self) -> int:
        """Give how many paths of one kind are listed."""
        return _UNBOUNDED if self.show_all else _PATHS

    # -- lines -------------------------------------------------------------------------------------------------------

    def paragraph(self, text: str, indent: int, lead: str = "") -> Iterator[Text]:
        """Give prose of ours, which may have several paragraphs; indented lines are code and stay as they are."""
        for number, piece in enumerate(text.splitlines()):
            lead_here = lead if number == 0 else " " * cell_len(lead)
            if piece.startswith("  "):
                yield Text(" " * indent + lead_here + self.cut(self.pen.clean(piece), self.width - indent))
            elif piece.strip():
                yield from self.wrapped(lead_here + self.pen.clean(piece), indent, indent + cell_len(lead))

    def wrapped(self, text: str, indent: int, hang: int, style: str = "") -> Iterator[Text]:
        """Give a paragraph, its first line indented by `indent` and the others by `hang`."""
        for number, line in enumerate(Text(text).wrap(self.console, self.width - hang) if text else ()):
            yield Text(" " * (hang if number else indent) + line.plain.strip(), style)

    def cut(self, text: str, cells: int) -> str:
        """Cut a text to so many columns."""
        if cell_len(text) <= cells:
            return text
        dots = self.pen.sign("dots")
        return set_cell_size(text, max(0, cells - len(dots))) + dots


def painted(lines: Iterable[Text]) -> str:
    """Give the lines with terminal colours."""
    console = Console(
        file=io.StringIO(), width=10_000, force_terminal=True, color_system="standard", no_color=False,
        legacy_windows=False,
    )  # fmt: skip
    with console.capture() as captured:
        for line in lines:
            line.rstrip()
            console.print(line, soft_wrap=True, markup=False, highlight=False, emoji=False)
    return captured.get().rstrip("\n")

"""From the paths of a report to what can be drawn: like culprits grouped, paths merged, chains and siblings folded.

The paths are merged into one tree of steps. It is folded from the leaves up: a plain container with one branch is
joined to that branch, and siblings that look alike and differ only in an index or key become one with a count. Then it
is cut from the root down, so that no branch starves another, to as many lines as the reader has patience for.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from picklecheck.model import Crumb, Finding, Report
from picklecheck.paths import Step, attribute
from picklecheck.render.words import Pen, amount

__all__ = ["Branch", "Group", "group_all", "groups", "grow"]

_ANY = frozenset({"item", "value", "key"})
_PLAIN = frozenset({"list", "tuple", "dict", "set", "frozenset", "deque", "OrderedDict", "defaultdict", "cell"})
_FOLD_FROM = 4
_CHAIN = 4
_LABEL_STEPS = 8
_DEPTH = 10
_TYPE_LETTERS = 60
_INDEX = re.compile(r"\d+|'[^']*'|\"[^\"]*\"")  # a note may hold a path: what differs between two that are alike
_CYCLE_START = "__import__('functools').reduce(lambda o, _: "


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Culprits that are alike in everything but the indices of their paths."""

    number: int
    failures: tuple[Finding, ...]

    @property
    def first(self) -> Finding:
        """The one that is shown for all."""
        return self.failures[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """One line of the tree.

    Attributes:
        label: the steps to it.
        type: what stands there.
        groups: the numbers of the groups that have a culprit here.
        like: how many branches that look the same stand for this one besides it.
        hidden: how many culprits below were left out.
    """

    label: str
    type: str
    groups: tuple[int, ...] = ()
    like: int = 0
    children: tuple[Branch, ...] = ()
    hidden: int = 0


def groups(report: Report) -> tuple[Group, ...]:
    """Group what failed."""
    return group_all(report.failures)


def group_all(findings: Iterable[Finding]) -> tuple[Group, ...]:
    """Group findings: same kind, type, owner, attribute, place and note.

    A note is made for some of many and not for all: a failure without one joins those that are otherwise alike.
    """
    found: list[list[Finding]] = []
    known: dict[Hashable, dict[str, list[Finding]]] = {}
    for failure in findings:
        by_note = known.setdefault(_likeness(failure), {})
        note = _INDEX.sub("", failure.note) or next(iter(by_note), "")
        if note not in by_note:
            by_note[note] = []
            found.append(by_note[note])
        by_note[note].append(failure)
    return tuple(Group(number=number, failures=tuple(alike)) for number, alike in enumerate(found, 1))


def _likeness(failure: Finding) -> Hashable:
    place = failure.assigned_at
    where = place and (place.file, place.line)
    texts = (failure.severity, failure.kind, failure.type, failure.owner, failure.reason, failure.advice)
    return texts, where, tuple(_tail(failure.trail)), failure.path is None


def _tail(trail: tuple[Crumb, ...]) -> Iterable[Hashable]:
    """Yield the last attribute's step and, without their indices, the steps behind it."""
    for crumb in reversed(trail):
        yield _general(crumb.step)
        if crumb.step.kind not in _ANY:
            return


def _general(step: Step) -> Hashable:
    return step.kind if step.kind in _ANY or step.kind == "repeat" else (step.before, step.after)


_NONE: list[_Node] = []  # shared by all leaves, never filled


class _Node:
    """A place in the merged paths; once folded it stands for all that was joined to it.

    `way` holds the steps to it with the last one first, `weight` counts the culprits here and below, `shape` is equal
    for those that look alike, and `like` counts the ones that were left out because they look like this one.
    """

    __slots__ = ("below", "folded", "groups", "like", "shape", "type", "way", "weight")

    def __init__(self, way: list[Step], type_: str) -> None:
        self.way, self.type = way, type_
        self.groups: tuple[int, ...] = ()
        self.below: dict[Hashable, _Node] | None = None
        self.folded: list[_Node] = _NONE
        self.weight = self.like = self.shape = 0


def grow(report: Report, grouped: Iterable[Group], pen: Pen, lines: int = 30) -> Branch:
    """Give the tree from the target to every culprit, cut to about so many lines."""
    root = _merged(report, grouped)
    _fold(root)
    return _Cutter(pen).branch(root, pen.clean(report.target, 200), lines, _DEPTH)


def _merged(report: Report, grouped: Iterable[Group]) -> _Node:
    root = _Node([], report.target_type)
    is_call = report.target == report.target_type == "call"
    numbers = {id(failure): group.number for group in grouped for failure in group.failures}
    for failure in report.failures:
        if failure.path is None:
            continue
        node = root
        for at, crumb in enumerate(failure.trail):
            node = _below(node, _argument(crumb.step) if is_call and not at else crumb.step, crumb.type)
        node.weight += 1
        number = numbers[id(failure)]
        if number not in node.groups:
            node.groups += (number,)
    return root


def _below(node: _Node, step: Step, type_: str) -> _Node:
    if node.below is None:
        node.below = {}
    at = (step.before, step.after)
    below = node.below.get(at)
    if below is None:
        below = node.below[at] = _Node([step], type_)
    return below


def _argument(step: Step) -> Step:
    """Give the step to a part of a call as its path begins: ``target``, ``args``."""
    return attribute(step.after[2:-2])


def _fold(root: _Node) -> None:
    """Fold from the leaves up, without recursion: a path may have any length."""
    order, waiting = [], [root]
    while waiting:
        node = waiting.pop()
        order.append(node)
        if node.below:
            waiting.extend(node.below.values())
    shapes: dict[Hashable, int] = {}
    for node in reversed(order):
        below = _alike(list(node.below.values())) if node.below else _NONE
        node.below = None
        if len(below) == 1 and _joins(node, below[0]):
            _join(node, below[0], shapes)
            continue
        node.folded = below
        node.weight += sum(child.weight for child in below)
        look = (_general(node.way[-1]) if node.way else "", node.type, node.groups, *(child.shape for child in below))
        node.shape = shapes.setdefault(look, len(shapes))


def _joins(node: _Node, only: _Node) -> bool:
    """Tell whether a node is worth no line of its own, given that one branch leaves it."""
    repeats = any(step.kind == "repeat" for step in (node.way[-1:] + only.way[-1:]))
    return bool(node.way) and not node.groups and not repeats and node.type.rpartition(".")[2] in _PLAIN


def _join(node: _Node, only: _Node, shapes: dict[Hashable, int]) -> None:
    """Make a node stand for the one branch that leaves it."""
    step = node.way[-1]
    only.way.append(step)
    node.way, node.type, node.groups, node.folded = only.way, only.type, only.groups, only.folded
    node.weight, node.like = only.weight, only.like
    node.shape = shapes.setdefault((_general(step), only.shape), len(shapes))


def _alike(nodes: list[_Node]) -> list[_Node]:
    """Make one of the nodes that look the same and differ only in an index or key."""
    sets: dict[Hashable, list[_Node]] = {}
    for node in nodes:
        kind = node.way[-1].kind
        sets.setdefault(node.shape if kind in _ANY or kind == "repeat" else (id(node),), []).append(node)
    folded = {id(node): alike for alike in sets.values() if len(alike) >= _FOLD_FROM for node in alike}
    kept = []
    for node in nodes:
        alike = folded.get(id(node), [])
        if alike and node is not alike[0]:
            continue
        if alike:
            node.like = sum(1 + other.like for other in alike) - 1
            node.weight = sum(other.weight for other in alike)
        kept.append(node)
    return kept


@dataclass(frozen=True, slots=True)
class _Cutter:
    pen: Pen

    def branch(self, node: _Node, label: str, lines: int, depth: int) -> Branch:
        """Make the branch of a node, with at most about so many lines below it."""
        shown: list[Branch] = []
        fit = min(len(node.folded), max(1, lines * 2 // 3)) if depth > 0 and lines > 0 else 0
        spare = lines - fit
        for number, child in enumerate(node.folded[:fit]):
            share = spare // (fit - number)
            below = self.chain(child, share, depth - 1)
            spare -= min(share, _lines(below) - 1)
            shown.append(below)
        hidden = sum(child.weight for child in node.folded[fit:])
        return self.line(label, node, tuple(shown), hidden)

    def chain(self, node: _Node, lines: int, depth: int) -> Branch:
        """Make the branch of a node; where it begins a long chain without side branches, join the chain's middle."""
        run = [node]
        while len(run[-1].folded) == 1 and not run[-1].groups and not run[-1].like:
            run.append(run[-1].folded[0])
        if len(run) > _CHAIN:
            middle = run[1:-2]
            joined = _Node([step for part in reversed(middle) for step in part.way], middle[-1].type)
            run = [run[0], joined, *run[-2:]]
        above = len(run) - 1
        branch = self.branch(run[-1], self.label(run[-1].way), lines - above, depth - above)
        for part in reversed(run[:-1]):
            branch = self.line(self.label(part.way), part, (branch,), 0)
        return branch

    def line(self, label: str, node: _Node, children: tuple[Branch, ...], hidden: int) -> Branch:
        """Make a branch of what is known about it."""
        type_ = self.pen.clean(node.type, _TYPE_LETTERS)
        return Branch(label=label, type=type_, groups=node.groups, like=node.like, children=children, hidden=hidden)

    def label(self, way: list[Step]) -> str:
        """Join steps to the text of a line: "transform.steps[2]"; where there are many, the middle ones are counted."""
        dots, text = self.pen.sign("dots"), ""
        steps = way[::-1]
        if len(steps) > _LABEL_STEPS:
            left_out = sum(step.length for step in steps[3:-3])
            steps = [*steps[:3], Step("gap", f" {dots} {amount(left_out)} steps {dots} "), *steps[-3:]]
        for step in steps:
            if step.kind == "gap":
                text += step.after
            elif step.kind == "repeat":
                text += f" {self.repeated(step)} "
            elif step.before:
                inner = self.bare(text) or dots
                text = self.pen.clean(step.before) + inner + self.pen.clean(step.after)
            else:
                text += self.pen.clean(step.after)
        return self.bare(text)

    def bare(self, text: str) -> str:
        """Take the dot off that joins an expression to what is before it."""
        text = text.strip()
        return text if text.startswith(self.pen.sign("dots")) else text.removeprefix(".")

    def repeated(self, step: Step) -> str:
        """Give a folded cycle of steps: how often, and what."""
        cycle = step.before.removeprefix(_CYCLE_START).removesuffix(f", range({step.count}), ")
        shown = self.pen.clean(cycle.removeprefix("o"), 60)
        return f"{self.pen.sign('dots')} {amount(step.count)} {self.pen.sign('times')} {shown}"


def _lines(branch: Branch) -> int:
    return 1 + sum(map(_lines, branch.children)) + bool(branch.hidden)

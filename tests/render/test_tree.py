"""Grouping of like culprits, merging and folding of their paths."""

import re

import pytest

from picklecheck.render.tree import Branch, groups, grow
from picklecheck.render.words import Pen
from tests.render import reports
from tests.render.reports import failure, report

PEN = Pen.of("utf-8")


def outline(branch, depth=0):
    """Give a tree as lines: label, type, groups, and what was left out."""
    marks = "".join(f" ({number})" for number in branch.groups)
    like = f" +{branch.like}" if branch.like else ""
    below = [line for child in branch.children for line in outline(child, depth + 1)]
    more = [f"{'  ' * (depth + 1)}... {branch.hidden}"] if branch.hidden else []
    return [f"{'  ' * depth}{branch.label}{like}: {branch.type}{marks}", *below, *more]


def tree_of(*failures, lines=30):
    made = report(*failures)
    return outline(grow(made, groups(made), PEN, lines))


def lock(way, types, **more):
    return failure("lock", way, types, **more)


def branches(branch: Branch):
    yield branch
    for child in branch.children:
        yield from branches(child)


@pytest.mark.parametrize(
    ("failures", "expected"),
    [
        # plain containers are joined to the one branch that leaves them, objects are not
        ([(".a.b", "list lock")], ["dataset: CropDataset", "  a.b: lock (1)"]),
        ([(".a.b", "A lock")], ["dataset: CropDataset", "  a: A", "    b: lock (1)"]),
        ([(".a[0]['k']", "list dict lock")], ["dataset: CropDataset", "  a[0]['k']: lock (1)"]),
        ([(".d{0}", "dict lock")], ["dataset: CropDataset", "  list(d)[0]: lock (1)"]),
        ([("{0}", "lock")], ["dataset: CropDataset", "  list(…)[0]: lock (1)"]),
        # a container with two different branches has its own line
        (
            [(".a[0]", "list lock"), (".a[1].x", "list A lock")],
            ["dataset: CropDataset", "  a: list", "    [0]: lock (1)", "    [1]: A", "      x: lock (2)"],
        ),
        # three of a kind are shown, four are folded
        ([(f".a[{n}]", "list lock") for n in range(3)], ["dataset: CropDataset", "  a: list",
         "    [0]: lock (1)", "    [1]: lock (1)", "    [2]: lock (1)"]),
        ([(f".a[{n}]", "list lock") for n in range(4)], ["dataset: CropDataset", "  a[0] +3: lock (1)"]),
        # attributes are never folded
        ([(f".a{n}", "lock") for n in range(4)], ["dataset: CropDataset", *(f"  a{n}: lock ({n + 1})" for n in range(4))]),
        # what looks different is not folded with the rest
        (
            [*((f".a[{n}].x", "list A lock") for n in range(5)), (".a[5].y", "list A lock"), (".a[6].x", "list B lock")],
            ["dataset: CropDataset", "  a: list", "    [0] +4: A", "      x: lock (1)", "    [5]: A", "      y: lock (2)",
             "    [6]: B", "      x: lock (1)"],
        ),
        # containers of containers: the counts are multiplied
        (
            [(f".a[{n}][{m}]", "list list lock") for n in range(5) for m in range(6)],
            ["dataset: CropDataset", "  a[0][0] +29: lock (1)"],
        ),
        # few that look alike stay where they are
        (
            [(".a[0]", "list lock"), (".a[1].x", "list A lock"), (".a[2]", "list lock")],
            ["dataset: CropDataset", "  a: list", "    [0]: lock (1)", "    [1]: A", "      x: lock (2)", "    [2]: lock (1)"],
        ),
        # a culprit that leads to another one
        ([(".a", "A"), (".a.x", "A lock")], ["dataset: CropDataset", "  a: A (1)", "    x: lock (2)"]),
        ([("", ""), (".x", "lock")], ["dataset: CropDataset (1)", "  x: lock (2)"]),
    ],
)  # fmt: skip
def test_tree(failures, expected):
    assert tree_of(*(lock(way, types, type="t") for way, types in failures)) == expected


def test_a_culprit_without_path_is_not_in_the_tree():
    assert tree_of(lock("", "", path=None), lock(".x", "lock")) == ["dataset: CropDataset", "  x: lock (2)"]


@pytest.mark.parametrize("lines", [1, 2, 5, 10, 30])
@pytest.mark.parametrize("name", sorted(reports.MAKERS))
def test_tree_is_cut_and_says_what_it_hides(name, lines):
    made = reports.MAKERS[name]()
    tree = grow(made, groups(made), PEN, lines)
    everything = list(branches(tree))
    assert len(everything) + sum(bool(branch.hidden) for branch in everything) <= 2 * lines + 12
    counted = sum(branch.hidden for branch in everything)
    assert counted <= sum(failure.path is not None for failure in made.failures)
    if name not in ("fine", "hazards", "not_started"):  # these have no tree
        assert any(branch.groups or branch.hidden for branch in everything)


def test_no_branch_starves_another():
    many = [lock(f".a.x{number}", "A lock") for number in range(100)]
    shown = "\n".join(tree_of(*many, lock(".b.c.d", "B C lock"), lines=12))
    assert "x0: lock" in shown
    assert "d: lock" in shown
    assert re.search(r"\.\.\. 9\d$", shown, re.MULTILINE)


def test_a_path_of_any_length():
    names = "".join(f".n{number}" for number in range(30_000))
    [root, first, middle, *_, last] = tree_of(lock(names, " ".join(f"T{number}" for number in range(30_000))))
    assert (root, first, last.strip()) == ("dataset: CropDataset", "  n0: T0", "n29999: T29999 (1)")
    assert middle == "    n1.n2.n3 … 29,991 steps … .n29995.n29996.n29997: T29997"


@pytest.mark.parametrize(
    ("changes", "alike"),
    [
        ({}, True),
        ({"note": "at x[17]['k'] and 5 more"}, True),
        ({"note": "something else"}, False),
        ({"note": ""}, True),
        ({"owner": "m.B"}, False),
        ({"type": "RLock"}, False),
        ({"severity": "warning"}, False),
        ({"error": "TypeError: 2"}, True),
        ({"value": "<other>"}, True),
    ],
)
def test_what_is_grouped(changes, alike):
    facts = {"owner": "m.A", "type": "lock", "note": "at x[3]['m'] and 4 more", "error": "TypeError: 1"}
    one, two = lock(".rows[0].x", "list A lock", **facts), lock(".rows[1].x", "list A lock", **{**facts, **changes})
    assert len(groups(report(one, two))) == (1 if alike else 2)


def test_attribute_tells_groups_apart():
    found = groups(report(*(lock(way, "list lock") for way in (".a[0]", ".a[1]", ".b[0]"))))
    assert [len(group.failures) for group in found] == [2, 1]
    assert [group.number for group in found] == [1, 2]

"""The words that all forms of a report share."""

import pytest

from picklecheck.model import Place, Size
from picklecheck.render import words
from picklecheck.render.words import Pen
from tests.render.reports import failure, report


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (1000, "1.0 kB"), (1234, "1.2 kB"), (9949, "9.9 kB"),
        (9951, "10 kB"), (999_499, "999 kB"), (999_500, "1.0 MB"), (412_000_000, "412 MB"), (3_300_000_000, "3.3 GB"),
        (5 * 10**15, "5,000 TB"),
    ],
)  # fmt: skip
def test_size(number, expected):
    assert words.size(number) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("größe 日本 😀", "größe 日本 😀"),
        ("a\nb\tc\r", r"a\nb\tc\r"),
        ("\x1b[31m\x07\x9b", r"\x1b[31m\x07\x9b"),
        ("\u202e\u200b\ufeff\u2028\xa0", r"\u202e\u200b\ufeff\u2028\xa0"),
        ("\ud800", r"\ud800"),
    ],
)
def test_clean(text, expected):
    assert Pen.of("utf-8").clean(text) == expected


@pytest.mark.parametrize(
    ("encoding", "limit", "expected"),
    [("utf-8", 5, "aaaa…"), ("ascii", 5, "aa..."), ("utf-8", 10, "a" * 10), ("utf-8", None, "a" * 10)],
)
def test_clean_cuts(encoding, limit, expected):
    assert Pen.of(encoding).clean("a" * 10, limit) == expected


def test_clean_cuts_what_it_has_escaped():
    assert Pen.of("utf-8").clean("\x1b" * 10, 8) == r"\x1b\x1" + "…"


@pytest.mark.parametrize(
    ("owner", "place", "expected"),
    [
        (None, None, ""),
        ("m.Cache", None, "held by Cache"),
        (None, Place(file="/a/b.py", line=3), "b.py:3"),
        ("m.Cache", Place(file="/a/b.py", line=3), "b.py:3, held by Cache"),
        ("m.Cache", Place(file="/a/b.py", line=3, function="Cache.__init__"), "b.py:3 in Cache.__init__"),
        ("m.Cache", Place(file="/a/b.py", line=3, function="Base.__init__"), "b.py:3 in Base.__init__, held by Cache"),
    ],
)
def test_place(owner, place, expected):
    assert words.place(failure("lock", ".x", "lock", owner=owner, assigned_at=place)) == expected


def test_owner_is_compared_as_a_name():
    found = failure("lock", ".x", "lock", owner="m.Box", assigned_at=Place(file="/Box.py", line=3, function="Boxer.f"))
    assert words.place(found) == "Box.py:3 in Boxer.f, held by Box"


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (("x.a", "x.b", "x.c"), ["x.b", "x.c"]),
        (("x[0].__class__", "x[1].__class__", "x[0]", "x[1]"), ["x[1].__class__"]),
        (("type(x)", "x"), []),
        (("x[2]", "x[0].__class__", "x[0]"), ["x[0].__class__"]),
        ((), []),
    ],
)
def test_other_paths_are_paths_to_the_same_object(paths, expected):
    assert words.other_paths(failure("lock", ".x", "lock", paths=paths)) == expected


def test_whole_place():
    found = failure("lock", ".x", "lock", assigned_at=Place(file="C:\\a\\b.py", line=3, function="f"))
    assert words.place(found, whole=True) == "C:\\a\\b.py:3 in f"


@pytest.mark.parametrize(
    ("number", "different", "expected"),
    [
        (1, 1, "1 object stops it"),
        (2, 2, "2 objects stop it"),
        (2, 1, "2 objects stop it (all alike)"),
        (20_000, 3, "20,000 objects stop it (3 different)"),
    ],
)
def test_stopped_by(number, different, expected):
    made = report(*(failure("lock", ".x", "lock") for _ in range(number)))
    assert words.stopped_by(made, different) == expected


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({}, "dataset (CropDataset) pickles (process, spawn)"),
        ({"size": Size(objects=1, bytes=70)}, "dataset (CropDataset, 1 object, 70 bytes) pickles (process, spawn)"),
        ({"size": Size(objects=0, bytes=7)}, "dataset (CropDataset, 7 bytes) pickles (process, spawn)"),
        ({"transport": "pickle", "start_method": None}, "dataset (CropDataset) pickles (pickle)"),
        ({"target": "call", "target_type": "call"}, "call pickles (process, spawn)"),
        ({"arrived": True}, "dataset (CropDataset) crosses: pickled, sent to a spawned process, loaded there"),
    ],
)
def test_verdict(facts, expected):
    assert words.verdict(report(**facts), 0) == expected


def test_a_very_long_path_is_cut_in_its_middle():
    path = f"obj{'.next' * 1000}.lock"
    shown = words.subject(failure("lock", "", "", path=path), Pen.of("utf-8"))
    assert len(shown) < 700
    assert shown.startswith("obj.next.next")
    assert shown.endswith(".next.lock")
    assert " … " in shown


# what starts processes


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"size": Size(objects=3, bytes=1200)}, "can start: 3 objects, 1.2 kB for each process"),
        ({"size": Size(objects=0, bytes=5)}, "can start"),
        ({"failures": (failure("lock", ".x", "lock"),)}, "cannot start: 1 object stops it"),
    ],
)
def test_verdict_of_what_starts_processes(more, expected):
    made = report(target="loader", title="torch DataLoader, 4 workers", **more)
    assert words.verdict(made, 1) == f"loader (torch DataLoader, 4 workers, spawn) {expected}"


def test_no_start_method_is_named_where_nothing_starts():
    made = report(target="loader", title="torch DataLoader, no workers", start_method=None)
    assert words.verdict(made, 0) == "loader (torch DataLoader, no workers) can start"


@pytest.mark.parametrize(("encoding", "yes", "no"), [("utf-8", "✓", "✗"), ("ascii", "ok", "FAIL")])
def test_a_line_for_each_start_method(encoding, yes, no):
    made = report(verdicts={"fork": True, "spawn": False})
    assert words.start_methods(made, Pen.of(encoding)) == [
        f"{yes} fork   the default on Linux up to Python 3.13; nothing is pickled",
        f"{no} spawn  the default on macOS and Windows",
    ]
    assert words.start_methods(report(), Pen.of(encoding)) == []

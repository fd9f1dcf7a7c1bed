"""`picklecheck kinds`."""

import sys

import pytest

from picklecheck import kinds
from picklecheck.cli import main
from tests.cli.test_explain import ANSI, on_a_terminal, terminal


def listed(capsys):
    """Give the slugs that are listed below each heading, and the lines with them."""
    assert main(["kinds"]) == 0
    *lines, last = capsys.readouterr().out.splitlines()
    assert last == "# One of them, with fixes: picklecheck kinds KIND"
    found = {}
    for line in filter(None, lines):
        if line.startswith("# "):
            rows = found[line[2:].partition(":")[0]] = {}
        else:
            rows[line.split()[0]] = line
    return found


def test_all_kinds_are_listed_by_stage(capsys):
    found = listed(capsys)
    assert list(found) == ["pickle", "bootstrap", "unpickle", "hazards"]
    assert sorted(slug for rows in found.values() for slug in rows) == sorted(kinds.slugs())
    assert all(list(rows) == sorted(rows) for rows in found.values())
    assert {"lambda", "lock", "unexplained"} <= set(found["pickle"])
    assert "no-main-guard" in found["bootstrap"]
    assert "missing-module" in found["unpickle"]
    assert "lost-attribute" in found["hazards"]


def test_a_title_is_listed_where_it_says_more(capsys):
    rows = {slug: line for rows in listed(capsys).values() for slug, line in rows.items()}
    assert rows["lambda"] == "lambda"
    assert rows["non-leaf-tensor"] == "non-leaf-tensor"
    assert rows["mp-lock"].split(maxsplit=1)[1] == "process lock"
    starts = {len(row) - len(row.partition(" ")[2].lstrip()) for row in rows.values() if " " in row}
    assert len(starts) == 1


@pytest.mark.parametrize("slug", kinds.slugs())
def test_page_in_a_pipe_is_its_source(capsys, slug):
    assert main(["kinds", slug]) == 0
    assert capsys.readouterr().out == kinds.page(slug).strip() + "\n"


def test_pages_of_several(capsys):
    assert main(["kinds", "lock", "lambda"]) == 0
    assert capsys.readouterr().out == f"{kinds.page('lock').strip()}\n\n{kinds.page('lambda').strip()}\n"
    assert main(["kinds", "lock", "lambada"]) == 2
    assert capsys.readouterr() == ("", "picklecheck: there is no kind 'lambada'; did you mean lambda?\n")


@pytest.mark.parametrize(
    ("slug", "expected"),
    [
        ("wekref", "there is no kind 'wekref'; did you mean weakref?"),
        ("Local_Function", "there is no kind 'Local_Function'; did you mean local-function?"),
        ("zzzzzz", "there is no kind 'zzzzzz'; picklecheck kinds lists them all"),
        ("a\nb\x1b", "there is no kind 'a\\nb\\x1b'; picklecheck kinds lists them all"),
    ],
)
def test_unknown_kind(capsys, slug, expected):
    assert main(["kinds", slug]) == 2
    written = capsys.readouterr()
    assert written.out == ""
    assert written.err.startswith(f"picklecheck: {expected[:-1]}")
    assert written.err.count("\n") == 1


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_page_in_any_encoding(project, encoding):
    done = project.run("kinds", "weakref", text=False, PYTHONIOENCODING=encoding)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode(encoding).startswith("# Weak reference")


@terminal
def test_page_is_drawn_on_a_terminal(project):
    written = on_a_terminal(project, "kinds", "weakref")
    assert ANSI.search(written)
    plain = ANSI.sub("", written)
    assert "Weak reference" in plain
    assert "```" not in plain
    assert max(map(len, plain.split("\n"))) <= 80


@terminal
def test_page_without_colour_is_drawn_plainly(project):
    written = on_a_terminal(project, "kinds", "weakref", NO_COLOR="1")
    assert "\x1b" not in written
    assert "```" not in written


def test_a_kind_of_the_users_is_listed(capsys, monkeypatch):
    monkeypatch.setattr(sys.modules["picklecheck.kinds.registry"], "_own", {})
    kinds.register_kind(
        "tile-cache", lambda subject: False, title="tile cache", reason="r", advice="a", page="# Mine\n"
    )
    assert main(["kinds"]) == 0
    assert "\ntile-cache\n" in capsys.readouterr().out
    assert main(["kinds", "tile-cache"]) == 0
    assert capsys.readouterr().out == "# Mine\n"

"""The screen of a report, and the text of a failed assertion."""

import io
import re
import subprocess
import sys

import pytest
from rich.cells import cell_len

from picklecheck.render import RENDERERS, text
from picklecheck.render.words import Pen
from tests.render import reports
from tests.screens import same_as_file

NAMES = sorted(reports.MAKERS)
ANSI = re.compile(r"\x1b\[[0-9;]*m")


def lines_of(name, **options):
    return text.render(reports.MAKERS[name](), **options).split("\n")


@pytest.mark.parametrize("name", NAMES)
def test_screen(name):
    same_as_file(f"text/{name}.txt", text.render(reports.MAKERS[name]()))


@pytest.mark.parametrize("name", ["three", "deep", "unlike"])
def test_screen_with_all(name):
    same_as_file(f"text/{name}-all.txt", text.render(reports.MAKERS[name](), show_all=True))


def test_screen_with_hazards():
    same_as_file("text/hazards-shown.txt", text.render(reports.hazards(), hazards=True))


@pytest.mark.parametrize("name", ["three", "deep", "many", "fine"])
def test_screen_in_ascii(name):
    screen = text.render(reports.MAKERS[name](), encoding="ascii")
    assert screen.isascii()
    same_as_file(f"text/{name}-ascii.txt", screen)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("fine", "hazards")])
def test_assertion(name):
    same_as_file(f"assertion/{name}.txt", text.assertion(reports.MAKERS[name]()))


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("name", NAMES)
def test_only_a_path_is_wider_than_the_screen(name, width):
    report = reports.MAKERS[name]()
    paths = {Pen.of("utf-8").clean(path) for failure in report.failures for path in failure.paths}
    for line in lines_of(name, width=width):
        if cell_len(line) > width:
            assert any(path in line for path in paths), line


@pytest.mark.parametrize("name", NAMES)
def test_no_line_moves_the_cursor_or_ends_in_space(name):
    for line in lines_of(name):
        assert line.isprintable()
        assert line == line.rstrip()


@pytest.mark.parametrize("name", NAMES)
def test_colour_only_adds_colour(name):
    report = reports.MAKERS[name]()
    coloured = text.render(report, color=True)
    assert ANSI.search(coloured)
    assert ANSI.sub("", coloured) == text.render(report)


def test_markup_of_strangers_is_not_interpreted():
    report = reports.report(reports.failure("lock", ".lock", "lock", note="[red]bold[/red] :smile: [link=x]y[/link]"))
    assert "[red]bold[/red] :smile: [link=x]y[/link]" in ANSI.sub("", text.render(report, color=True))


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "latin-1", "cp437", "utf-8", "no-such-encoding"])
@pytest.mark.parametrize("name", ["three", "hostile", "deep"])
def test_screen_fits_the_encoding(name, encoding):
    screen = text.render(reports.MAKERS[name](), encoding=encoding)
    assert screen.encode("ascii" if encoding == "no-such-encoding" else encoding)


def test_a_key_that_cannot_be_encoded_is_still_an_expression():
    failure = reports.failure("lock", "['größe']", "lock", root="obj")
    [path] = {line for line in text.render(reports.report(failure), encoding="ascii").split("\n") if "(1) obj" in line}
    expression = path.removeprefix("(1) ").removesuffix("   lock")
    assert expression.isascii()
    assert eval(expression, {"obj": {"größe": 7}}) == 7


@pytest.mark.parametrize("name", ["many", "unlike_names", "unlike", "nested"])
def test_thousands_of_culprits_stay_readable(name):
    lines = lines_of(name)
    assert len(lines) < 120
    assert sum(map(len, lines)) < 8_000


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("many", "└─ key                      function     ② lambda"),
        ("many", "├─ rows[0] and 19,999 more  Row"),
        ("deep", "└─ … 999,998 × .next  Node"),  # noqa: RUF001  # the sign is the screen's
        ("pathless", "└─ list(cache)[0]  lock         ② lock"),
        ("pathless", "   200,000 references lead to it."),
        ("three", "   Also at dataset.sampler.guard"),
    ],
)
def test_line_of_the_screen(name, expected):
    assert expected in lines_of(name)


def test_every_path_with_all():
    screen = text.render(reports.many(50), show_all=True)
    assert all(f"dataset.rows[{row}].lock" in screen for row in range(50))


def test_a_warning_does_not_decide():
    report = reports.report(reports.failure("lock", ".lock", "lock", severity="warning"))
    screen = text.render(report)
    assert screen.startswith("✓ dataset (CropDataset) pickles (process, spawn)\n")
    assert "(does not stop it)" in screen


@pytest.mark.parametrize(("encoding", "sign"), [("utf-8", "✗"), ("ascii", "FAIL"), ("cp1252", "FAIL"), (None, "✗")])
def test_renderer_fits_what_it_is_printed_to(monkeypatch, encoding, sign):
    output = io.TextIOWrapper(io.BytesIO(), encoding=encoding) if encoding else None
    monkeypatch.setattr(sys, "stdout", output)
    assert RENDERERS["text"](reports.three()).split(" ")[0] == sign


@pytest.mark.parametrize("module", ["picklecheck.render", "picklecheck.render.text", "picklecheck.render.html"])
def test_import_loads_no_rich(module):
    program = f"import sys, {module}; sys.exit(any(name.partition('.')[0] == 'rich' for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", program], check=False, timeout=60).returncode == 0


def test_the_assertion_says_what_cannot_start():
    made = reports.report(
        reports.failure("lock", ".cache", "Lock"), target="loader", title="torch DataLoader, 4 workers"
    )
    first = text.assertion(made).splitlines()[0]
    assert first == "loader (torch DataLoader, 4 workers) cannot start (process, spawn): 1 object stops it"

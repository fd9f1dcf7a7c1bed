"""A report as HTML."""

from html.parser import HTMLParser

import pytest

from picklecheck.render import RENDERERS, html
from tests.render import reports
from tests.screens import same_as_file

NAMES = sorted(reports.MAKERS)
TAGS = {"div", "p", "ul", "li", "details", "summary", "code", "span", "br"}


class Reader(HTMLParser):
    """Reads a piece of HTML as a browser would: its tags, its attributes, what it shows."""

    def __init__(self, piece):
        super().__init__()
        self.tags, self.attributes, self.shown, self.open = [], [], [], []
        self.deepest = 0
        self.feed(piece)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag != "br":
            self.open.append(tag)
        self.deepest = max(self.deepest, self.open.count("ul"))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.shown.append(data)

    @property
    def text(self):
        return "".join(self.shown)


def read(name):
    return Reader(html.render(reports.MAKERS[name]()))


@pytest.mark.parametrize("name", ["three", "hostile", "fine", "hazards"])
def test_page(name):
    same_as_file(f"html/{name}.html", html.render(reports.MAKERS[name]()))


@pytest.mark.parametrize("name", NAMES)
def test_tags_are_few_closed_and_do_nothing(name):
    page = read(name)
    assert set(page.tags) <= TAGS
    assert page.open == []
    assert {attribute for attribute, _ in page.attributes} <= {"style", "class", "open"}
    assert not any("url(" in (value or "") for _, value in page.attributes)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("fine", "hazards")])
def test_every_group_has_its_details(name):
    page = read(name)
    assert page.tags.count("details") == page.tags.count("summary")
    assert ("open", None) in page.attributes
    assert page.attributes.count(("open", None)) == 1


def test_a_stranger_s_name_is_shown_and_not_run():
    piece = html.render(reports.hostile())
    assert "<img" not in piece
    assert "</script" not in piece
    assert r"\x1b[31mred\x1b[0m\n[red]bold[/red] \u202eevil \ud800 </script><img src=x onerror=alert(1)>" in (
        Reader(piece).text
    )
    assert piece.encode("utf-8").decode("utf-8") == piece


def test_tree_is_nested_lists():
    page = read("three")
    assert page.deepest == 3
    assert "dataset\u2002CropDataset" in page.text
    assert "steps[2]\u2002function\u2002③ lambda" in page.text


@pytest.mark.parametrize("name", ["many", "unlike", "unlike_names", "nested"])
def test_thousands_of_culprits_stay_small(name):
    assert len(html.render(reports.MAKERS[name]())) < 30_000


def test_report_s_own_html_is_this():
    report = reports.report(renderers=RENDERERS)
    assert report.to_html() == html.render(report)
    assert set(report._repr_mimebundle_()) == {"text/plain", "text/html"}


def test_start_methods_have_a_line_each():
    shown = html.render(reports.report(title="a <b> loader", verdicts={"fork": True, "spawn": False}))
    assert "a &lt;b&gt; loader" in shown
    assert "✓ fork " in shown
    assert "✗ spawn " in shown

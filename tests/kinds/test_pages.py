import ast
import importlib.resources
import importlib.util
import re
import subprocess
import sys

import pytest

from picklecheck import kinds

PAGES = importlib.resources.files("picklecheck.kinds") / "pages"
WHY = ("Why it cannot be pickled", "Why it cannot be unpickled", "Why it does not come back")
SECTIONS = ["What it is", "Why", "Three fixes", "See also"]
SECONDS = 60
# Each block is a program of its own, with classes of __main__ that it pickles; one interpreter runs a page's three.
RUNNER = "import runpy, sys\nfor path in sys.argv[1:]:\n    runpy.run_path(path, run_name='__main__')\n"


def blocks_of(slug):
    return re.findall(r"^```python\n(.*?)^```$", kinds.page(slug), re.MULTILINE | re.DOTALL)


def runs_here(block):
    needs = re.match(r"# needs: (.*)\n", block)
    return needs is None or all(importlib.util.find_spec(name.strip()) for name in needs[1].split(","))


RUNNABLE = {slug: [block for block in blocks_of(slug) if runs_here(block)] for slug in kinds.slugs()}


@pytest.mark.parametrize("slug", kinds.slugs())
def test_front_matter_says_what_a_report_says(slug):
    text = (PAGES / f"{slug}.md").read_text(encoding="utf-8")
    assert re.match(r"---\ntitle: \S.*\nreason: \S.*\nadvice: \S.*\n---\n# \S", text)
    kind = kinds.get(slug)
    assert kind.slug == slug
    for sentence in (kind.reason, kind.advice):
        assert sentence[0].isupper()
        assert sentence.endswith(".")


@pytest.mark.parametrize("slug", kinds.slugs())
def test_page_has_its_sections_in_order(slug):
    page = kinds.page(slug)
    assert page.startswith("# ")
    found = re.findall(r"^## (.*)$", page, re.MULTILINE)
    assert ["Why" if heading in WHY else heading for heading in found] == SECTIONS
    assert re.findall(r"^### (\d)\. \S", page, re.MULTILINE) == ["1", "2", "3"]
    assert "https://docs.python.org/3/" in page.partition("## See also")[2]


@pytest.mark.parametrize("slug", kinds.slugs())
def test_each_fix_has_a_block_that_compiles(slug):
    fixes = re.split(
        r"^### ", kinds.page(slug).partition("## Three fixes")[2].partition("\n## ")[0], flags=re.MULTILINE
    )[1:]
    assert [fix.count("```python\n") for fix in fixes] == [1, 1, 1]
    for block in blocks_of(slug):
        ast.parse(block)


@pytest.mark.parametrize("slug", kinds.slugs())
def test_page_refers_to_kinds_that_are_there(slug):
    named = set(re.findall(r"`picklecheck kinds ([a-z-]+)`", kinds.page(slug)))
    assert named - set(kinds.slugs()) == set()


# A page whose blocks all need a package that is not installed here is collected elsewhere.
@pytest.mark.parametrize("slug", [slug for slug, blocks in RUNNABLE.items() if blocks])
def test_blocks_run_as_they_stand(slug, tmp_path):
    files = []
    for number, block in enumerate(RUNNABLE[slug]):
        files.append(tmp_path / f"fix_{number}.py")
        files[-1].write_text(block, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", RUNNER, *map(str, files)], check=False, cwd=tmp_path, capture_output=True, text=True,
        timeout=SECONDS, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]


def test_no_page_without_a_kind():
    assert {page.name for page in PAGES.iterdir()} == {f"{slug}.md" for slug in kinds.slugs()}

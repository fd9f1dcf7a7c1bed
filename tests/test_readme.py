"""Every block of the README is run as a reader would run it, and prints what the README shows.

A `python` block is a program; it is saved under the name that its first comment gives, and a `text` block after it is
what it prints. In a `console` block a line with "$ " is a command, and what follows is its output. A line "..." stands
for any lines, and "..." in a line for any text. The blocks of a section share one folder, which has the examples in it.
"""

import os
import re
import shutil
import subprocess
import sysconfig
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
FIRST_SCREEN = README.partition("\n## ")[0]
LONGEST_FIRST_SCREEN = 55
SET_UP = r"""pip install \. && (picklecheck explain examples/\w+\.py:\w+)
pip install '\.\[test\]' && pytest
"""
# what CPython 3.14 prints, and what older ones do
NEWER = [
    (r"^when serializing .*\n", ""),  # notes that a pickler adds to its error
    (
        r"\(process, forkserver\)(.* stop)\n  it$",
        r"(process, spawn)\1 it",
    ),  # the default on Linux; it breaks a full line
    (r"\(process, forkserver\)", "(process, spawn)"),
    (r"a(\s+)forkserver process", r"a\1spawned process"),
]


class Block(NamedTuple):
    language: str
    text: str


class Run(NamedTuple):
    command: str
    shown: str


def blocks(text):
    return [Block(*found) for found in re.findall(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)]


def sections():
    first, *others = README.split("\n## ")
    return [pytest.param(first, id="first screen")] + [
        pytest.param(text, id=text.partition("\n")[0]) for text in others if any(map(is_run, blocks(text)))
    ]


def is_run(block):
    return block.language in ("python", "console")


def runs(section, folder):
    """Yield what a section's blocks run, in their order, and save its programs."""
    found = blocks(section)
    for number, block in enumerate(found):
        if block.language == "console":
            yield from console_runs(block.text)
        elif block.language == "python":
            name = program_name(block.text)
            (folder / name).write_text(block.text, encoding="utf-8")
            after = found[number + 1] if number + 1 < len(found) else Block("", "")
            yield Run(f"python {name}", after.text if after.language == "text" else "...\n")


def console_runs(text):
    assert text.startswith("$ ")
    for piece in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, shown = piece.partition("\n")
        yield Run(command, shown)


def program_name(text):
    named = re.match(r"# (\w+\.py)\n", text)
    return named[1] if named else "program.py"


def output_of(command, folder):
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "COVERAGE_", "FORCE_"))}
    env |= {"PATH": sysconfig.get_path("scripts") + os.pathsep + env["PATH"], "COLUMNS": "80", "PYTHONUTF8": "1"}
    done = subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    output = done.stdout
    for pattern, older in NEWER:
        output = re.sub(pattern, older, output, flags=re.MULTILINE)
    return output


def assert_shows(output, shown):
    lines = [line.rstrip() for line in output.splitlines()]
    pattern = "".join(
        r"(?:.*\n)*?" if line == "..." else re.escape(line).replace(re.escape("..."), ".*") + r"\n"
        for line in shown.splitlines()
    )
    matched = re.fullmatch(pattern, "".join(f"{line}\n" for line in lines)) is not None
    assert matched, f"shown:\n{shown}\nprinted:\n{output}"


@pytest.mark.parametrize("section", sections())
def test_blocks_print_what_is_shown(section, tmp_path):
    shutil.copytree(ROOT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    for command, shown in runs(section, tmp_path):
        assert_shows(output_of(command, tmp_path), shown)


def test_first_screen_is_one_screen():
    assert len(FIRST_SCREEN.splitlines()) <= LONGEST_FIRST_SCREEN


def test_two_commands_set_up_everything():
    [set_up] = [block.text for block in blocks(FIRST_SCREEN) if block.language == "sh"]
    matched = re.fullmatch(SET_UP, set_up)
    assert matched
    shown = [
        run.command for block in blocks(FIRST_SCREEN) if block.language == "console" for run in console_runs(block.text)
    ]
    assert matched[1] in shown
    assert len(re.findall(r"^pip install ", README, re.MULTILINE)) == 2


def test_every_face_has_a_section_that_is_run():
    titles = {parameters.id for parameters in sections()}
    assert {"From Python", "From the command line", "In tests", "In a notebook"} <= titles


def test_notebook_cell_ends_with_what_displays_itself():
    [cell] = blocks(README.partition("## In a notebook")[2].partition("\n## ")[0])
    *lines, last = cell.text.splitlines()
    names = {}
    exec("\n".join(lines), names)
    assert {"text/plain", "text/html"} <= set(eval(last, names)._repr_mimebundle_())


def test_links_lead_to_files():
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", README)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


@pytest.mark.parametrize(
    ("output", "shown"),
    [
        ("a\nb\n", "a\nb\n"),
        ("a\nb\nc\n", "a\n...\n"),
        ("a\nb\nc\n", "...\nc\n"),
        ("a\nb\nc\n", "a\n...\nc\n"),
        ("done in 0.12s\n", "done in ...s\n"),
    ],
)
def test_comparison_lets_pass(output, shown):
    assert_shows(output, shown)


@pytest.mark.parametrize(
    ("output", "shown"),
    [("a\nb\n", "a\n"), ("a\n", "a\nb\n"), ("b\na\n", "a\nb\n"), ("a.b\n", "a-b\n"), ("a\nb\n", "a...b\n")],
)
def test_comparison_refuses(output, shown):
    with pytest.raises(AssertionError):
        assert_shows(output, shown)

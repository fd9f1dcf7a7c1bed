"""docs/transports.md, the command line and the docstring name every built-in transport."""

import re
from pathlib import Path

import pytest

from picklecheck import explain
from picklecheck.cli import main
from picklecheck.transports import registry

DOCUMENT = (Path(__file__).parents[2] / "docs" / "transports.md").read_text(encoding="utf-8")
NAMES = list(registry._TABLE)


def test_the_table_has_a_row_for_each():
    assert re.findall(r"^\| `([\w-]+)` \|", DOCUMENT, re.MULTILINE) == ["via", *NAMES]


@pytest.mark.parametrize("name", NAMES)
def test_each_is_named_where_one_looks(name, capsys):
    assert main(["explain", "--help"]) == 0
    assert f" {name}," in re.sub(
        r"(-?)\s+", lambda end: end[1] or " ", capsys.readouterr().out
    )  # lines are broken there
    assert f'"{name}"' in explain.__doc__


def test_the_example_of_a_loader_of_one_s_own_can_be_run(monkeypatch):
    monkeypatch.setattr(registry, "_own", {})
    [program] = re.findall(r"```python\n(.*?)```", DOCUMENT, re.DOTALL)
    exec(program, {})
    assert list(registry._own) == ["tile-loader"]

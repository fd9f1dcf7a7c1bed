"""The reading survives any Python, ends, and is quiet about code that does no harm."""

import ast
import os
import sys
from pathlib import Path

import pytest

from picklecheck.receiver.guard import read_files

LIBRARY = Path(os.__file__).parent
FOLDERS = [".", "asyncio", "concurrent/futures", "email", "importlib", "json", "logging", "multiprocessing", "unittest"]


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_standard_library(folder):
    files = sorted(str(path) for path in (LIBRARY / folder).glob("*.py"))
    result = read_files(files)
    assert result.unread == ()
    assert [(f.assigned_at.file, f.assigned_at.line) for f in result.findings] == []


def test_its_own_files():
    root = Path(__file__).parents[2]
    files = [*root.glob("picklecheck/**/*.py"), *root.glob("tests/**/*.py"), *root.glob("examples/*.py")]
    found = read_files(sorted(map(str, files))).findings
    assert [(Path(f.assigned_at.file).name, f.kind) for f in found] == [("cifar10.py", "no-main-guard")]


ODD = {
    "deep": "import multiprocessing\nx = " + "(" * 80 + "1" + ")" * 80,
    "deep-attributes": "import multiprocessing\nx = multiprocessing" + ".a" * 500,
    "deep-calls": "import multiprocessing\nx = multiprocessing.f" + "()" * 300,
    "long-sum": "import multiprocessing\nx = " + " + ".join(["1"] * 500),
    "many-branches": "import multiprocessing\n" + "if multiprocessing.a:\n x = 1\nelse:\n x = 2\n" * 300,
    "nested-branches": "import multiprocessing\n"
    + "".join(" " * n + "if multiprocessing.a:\n" for n in range(60))
    + " " * 60
    + "x = 1\n",
    "calls-that-double": "import multiprocessing\ndef f0(): pass\n"
    + "".join(f"def f{n}():\n f{n - 1}()\n f{n - 1}()\n" for n in range(1, 40))
    + "f39()\n",
    "recursion-of-two": "import multiprocessing\ndef a(f): return f(b)\ndef b(f): return f(a)\na(b)\n",
    "class-of-itself": "import multiprocessing\nclass A: pass\nclass A(A): pass\nclass A(A): pass\nA().x()\n",
    "bases-in-a-ring": "import multiprocessing\nclass A: pass\nclass B(A): pass\nA.__bases__ = (B,)\nB().go()\n",
    "iterates-itself": "import multiprocessing\nx = []\nx.append(x)\nfor y in x:\n for z in y:\n  x.append(z)\n",
    "made-of-itself": "import multiprocessing\nx = multiprocessing.a()\nfor n in range(9):\n x = multiprocessing.b(x, x)\nlist(x)\n",
    "star-of-itself": "from main import *\nimport multiprocessing\n",
    "all-the-syntax": """
import multiprocessing
async def f():
    async with multiprocessing.x() as y, multiprocessing.z():
        async for a in y:
            await a
    return [b async for b in y if await b]
def g(a, /, b=1, *c, d=2, **e):
    global h
    nonlocal_ = yield
    yield from g(*c, **e)
    del a
    assert b, d
lambda *x, **y: (x, y)
match multiprocessing:
    case {"a": 1, **rest} if rest: pass
    case [1, *others]: pass
    case int(real=3) | None: pass
    case _: pass
x: int = 1
x += 1
x = y = [*"ab"]; x[0:1:2] = "c"; (x, *y), z = ("a", "b"), 3
f"{x!r:>{x}} {y}"
with open(__file__) as (a): pass
while x: break
else: pass
try: pass
except* ValueError: pass
""",
}


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in ODD.items()])
def test_odd_programs(text, tmp_path):
    if "except*" in text and sys.version_info < (3, 11):
        text = text.replace("except*", "except")
    path = tmp_path / "main.py"
    path.write_text(text)
    ast.parse(text)
    result = read_files([str(path)])
    assert result.findings == ()
    assert result.unread == ()


def test_a_file_that_is_gone_or_no_file(tmp_path):
    result = read_files([str(tmp_path), str(tmp_path / "gone.py")])
    assert result.findings == ()
    assert len(result.unread) == 2


def test_a_nest_that_the_parser_refuses(tmp_path):
    path = tmp_path / "main.py"
    path.write_text("import multiprocessing\nx = " + "(" * 5000 + "1" + ")" * 5000)
    [line] = read_files([str(path)]).unread
    assert line.startswith(str(path))
    assert "\n" not in line

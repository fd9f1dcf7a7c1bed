"""Names that a child would miss, since only the guarded block has them."""

import textwrap

import pytest

from picklecheck.receiver.guard import unguarded

GUARDED = """
import multiprocessing

{top}

if __name__ == "__main__":
    N = 3
    pool = multiprocessing.Pool()
{block}
"""


def missed(top, block, tmp_path, encoding="utf-8"):
    file = tmp_path / "work.py"
    text = GUARDED.format(top=textwrap.dedent(top), block=textwrap.indent(textwrap.dedent(block), "    "))
    head = "" if encoding == "utf-8" else f"# -*- coding: {encoding} -*-\n"
    file.write_bytes((head + text).encode(encoding))
    return [(one.name, one.reader) for one in unguarded(str(file)).missed]


@pytest.mark.parametrize(
    ("top", "block", "expected"),
    [
        ("def f(x): return x * N", "pool.map(f, [1])", [("N", "f")]),
        ("def f(x):\n    return [N for _ in x]", "multiprocessing.Process(target=f).start()", [("N", "f")]),
        ("def g(x): return x * N\ndef f(x): return g(x)", "pool.map(f, [1])", [("N", "g")]),
        ("class Data:\n    def get(self): return N", "pool.map(len, Data())", [("N", "Data")]),
        ("", "def f(x): return x\npool.map(f, [1])", [("f", "")]),
        ("", "for _ in range(2):\n    class A: pass\n    pool.apply(print, A())", [("A", "")]),
        # what runs in the program itself has them
        ("def f(): return N", "print(f())", []),
        ("", "def f(x): return x\nf(1)", []),
        # names of their own, or set elsewhere
        ("def f(N): return N", "pool.map(f, [1])", []),
        ("def f(x):\n    N = x\n    return N", "pool.map(f, [1])", []),
        ("N = 1\ndef f(x): return x * N", "pool.map(f, [1])", []),
        ("def start(n):\n    global N\n    N = n\ndef f(x): return x * N", "pool.map(f, [1])", []),
        ("def f(x): return x * len(x)", "pool.map(f, [[1]])", []),
    ],
)
def test_what_is_missed(top, block, expected, tmp_path):
    assert missed(top, block, tmp_path) == expected


def test_in_another_encoding(tmp_path):
    assert missed("def größe(x): return x * N", "pool.map(größe, [1])", tmp_path, "latin-1") == [("N", "größe")]


def test_a_deep_expression(tmp_path):
    assert missed(f"def f(x): return {' + '.join(['N'] * 900)}", "pool.map(f, [1])", tmp_path) == [("N", "f")]

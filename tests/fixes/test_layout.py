"""Long new lines are broken as ruff's formatter breaks them: what is expected here is what it gave."""

import pytest

from picklecheck.fixes.layout import laid_out, width_for

BROKEN = {
    "a call": (
        "        self._opener = urllib.request.build_opener(urllib.request.HTTPSHandler(context=ssl.create_default_context()))\n",
        """\
        self._opener = urllib.request.build_opener(
            urllib.request.HTTPSHandler(context=ssl.create_default_context())
        )
""",
    ),
    "a call whose arguments do not fit in a line": (
        '        self.pool = concurrent.futures.ThreadPoolExecutor(max_workers=self.number_of_workers, thread_name_prefix="fetch-", initializer=start)\n',
        """\
        self.pool = concurrent.futures.ThreadPoolExecutor(
            max_workers=self.number_of_workers,
            thread_name_prefix="fetch-",
            initializer=start,
        )
""",
    ),
    "a condition": (
        "        self.fn = weakref.WeakMethod(self.fn) if isinstance(self.fn, types.MethodType) else weakref.ref(self.fn)\n",
        """\
        self.fn = (
            weakref.WeakMethod(self.fn)
            if isinstance(self.fn, types.MethodType)
            else weakref.ref(self.fn)
        )
""",
    ),
    "a comprehension": (
        "        self.locks = [threading.RLock() if each is None else each for each in self.locks]\n",
        """\
        self.locks = [
            threading.RLock() if each is None else each for each in self.locks
        ]
""",
    ),
    "a longer comprehension": (
        '        state["locks"] = [None if isinstance(each, type(threading.RLock())) else each for each in self.locks]\n',
        """\
        state["locks"] = [
            None if isinstance(each, type(threading.RLock())) else each
            for each in self.locks
        ]
""",
    ),
    "a dictionary": (
        '        state["pending"] = {key: each for key, each in self.pending.items() if not isinstance(each, asyncio.Future)}\n',
        """\
        state["pending"] = {
            key: each
            for key, each in self.pending.items()
            if not isinstance(each, asyncio.Future)
        }
""",
    ),
}


@pytest.mark.parametrize(("line", "lines"), BROKEN.values(), ids=BROKEN)
def test_a_long_new_line_is_broken(line, lines):
    header = "class A:\n    def f(self):\n"
    assert laid_out(header, header + line, 88) == header + lines
    assert laid_out(header, (header + line).replace("\n", "\r\n"), 88) == (header + lines).replace("\n", "\r\n")
    assert laid_out(header, header + line, 200) == header + line


def test_lines_that_were_there_are_left_alone():
    text = "x = f(" + "a, " * 40 + "a)\n"
    assert laid_out(text, text + "y = 1\n", 88) == text + "y = 1\n"


@pytest.mark.parametrize(
    "line",
    [
        "x = " + "a" * 100 + "\n",
        "x = f(" + "a" * 100 + ")  # why\n",
        "def f(" + "a" * 50 + ", " + "b" * 50 + "):\n    pass\n",
        'x = """' + "a" * 100 + '\n"""\n',
        "x = f('" + "ä" * 100 + "')\n",
    ],
)
def test_what_is_not_understood_is_left_alone(line):
    assert laid_out("", line, 88) == line


def test_the_width_is_the_one_of_the_nearest_configuration(tmp_path):
    inner = tmp_path / "package" / "inner"
    inner.mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text("[tool.ruff]\nline-length = 100\n")
    (inner / "ruff.toml").write_text("line-length = 79\n")
    assert width_for(str(inner / "module.py")) == 79
    assert width_for(str(tmp_path / "package" / "module.py")) == 100

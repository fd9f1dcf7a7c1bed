"""What is shown of an edit: the new lines, and the headers that say where they belong."""

from picklecheck.fixes.edits import diff
from picklecheck.fixes.shown import first_line, pasted

BEFORE = """\
import os


class Cache:
    size = 1

    def __init__(self):
        self.a = 1
        self.key = lambda x: x
        self.b = 2


def make():
    return Cache()
"""


def test_a_method_stands_under_its_class():
    after = BEFORE.replace(
        "        self.b = 2\n", "        self.b = 2\n\n    def __getstate__(self):\n        return {}\n"
    )
    assert pasted(BEFORE, after) == "class Cache:\n    def __getstate__(self):\n        return {}"
    assert first_line(BEFORE, after) == 12


def test_a_new_function_and_the_line_that_uses_it():
    after = BEFORE.replace("class Cache", "def _key(x):\n    return x\n\n\nclass Cache")
    after = after.replace("lambda x: x", "_key")
    assert pasted(BEFORE, after) == (
        "def _key(x):\n    return x\n\nclass Cache:\n    def __init__(self):\n        ...\n        self.key = _key\n        ..."
    )


def test_an_import_stands_by_itself():
    after = BEFORE.replace("import os\n", "import os\nimport threading\n").replace("self.b = 2", "self.b = 3")
    assert pasted(BEFORE, after) == (
        "import threading\n\nclass Cache:\n    def __init__(self):\n        ...\n        self.b = 3"
    )


def test_nothing_new_is_nothing():
    assert pasted(BEFORE, BEFORE) == ""
    assert first_line(BEFORE, BEFORE) == 1


def test_a_method_that_goes_on_behind_new_lines_says_so():
    after = BEFORE.replace("        self.a = 1\n", "        self.a = 1\n        self.new = 2\n")
    assert pasted(BEFORE, after) == (
        "class Cache:\n    def __init__(self):\n        ...\n        self.new = 2\n        ..."
    )


def test_a_line_that_a_new_method_repeats_is_that_methods():
    after = BEFORE.replace(
        "        self.b = 2\n", "        self.b = 2\n\n    def __setstate__(self, state):\n        self.b = 2\n"
    )
    assert pasted(BEFORE, after) == "class Cache:\n    def __setstate__(self, state):\n        self.b = 2"
    added = [line[1:] for line in diff("x.py", BEFORE, after).splitlines()[2:] if line.startswith("+")]
    assert added == ["", "    def __setstate__(self, state):", "        self.b = 2"]

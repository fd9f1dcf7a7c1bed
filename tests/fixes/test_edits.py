"""Edits of source files. What is expected here is what `ruff format` would leave as it is."""

import ast
import difflib
import os
import random
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from picklecheck.fixes.base import AddDecorator, AddImports, AddMethods, ExtendMethod, Insert, Replace
from picklecheck.fixes.edits import CannotEdit, apply, diff, move_under_guard

METHOD = "def __getstate__(self):\n    return {}"


def source(text):
    return textwrap.dedent(text).lstrip("\n")


def methods(qualname="A", *, line=1, of=(METHOD,)):
    return AddMethods(qualname=qualname, line=line, methods=of)


def extend(method="f", body=("state['x'] = 1",), result="state", qualname="A"):
    return ExtendMethod(qualname=qualname, line=1, method=method, body=body, result=result)


def imports(*statements):
    return AddImports(statements=statements)


def replace(text, part, new, *, nth=0):
    """Replace a part of a text that stands there once (or the nth one)."""
    start = -1
    for _ in range(nth + 1):
        start = text.index(part, start + 1)
    end = start + len(part)
    places = [(text.count("\n", 0, at) + 1, at - (text.rfind("\n", 0, at) + 1)) for at in (start, end)]
    (line, column), (end_line, end_column) = places
    return Replace(line=line, column=column, end_line=end_line, end_column=end_column, text=new)


CASES = {
    "methods at the end of a class": (
        """
        class A:
            x = 1

            def f(self):
                return 1


        y = 2
        """,
        [methods(), methods(of=("@staticmethod\ndef g():\n    if 1:\n        pass",))],
        """
        class A:
            x = 1

            def f(self):
                return 1

            def __getstate__(self):
                return {}

            @staticmethod
            def g():
                if 1:
                    pass


        y = 2
        """,
    ),
    "a lone pass goes": (
        """
        class A:
            pass
        """,
        [methods()],
        """
        class A:
            def __getstate__(self):
                return {}
        """,
    ),
    "a comment behind a lone pass stays": (
        """
        class A:
            pass  # for now
        """,
        [methods()],
        """
        class A:
            # for now

            def __getstate__(self):
                return {}
        """,
    ),
    "a docstring stays": (
        '''
        class A:
            """Doc."""

            ...
        ''',
        [methods()],
        '''
        class A:
            """Doc."""

            def __getstate__(self):
                return {}
        ''',
    ),
    "a class of one line": (
        """
        class A: pass  # why
        class B: x = 1; y = 2
        """,
        [methods(), methods("B")],
        """
        class A:  # why
            def __getstate__(self):
                return {}
        class B:
            x = 1; y = 2

            def __getstate__(self):
                return {}
        """,
    ),
    "comments at the end of a class are part of it": (
        """
        class A:
            x = 1

            # y = 2


        # of the file
        """,
        [methods()],
        """
        class A:
            x = 1

            # y = 2

            def __getstate__(self):
                return {}


        # of the file
        """,
    ),
    "classes in classes and functions": (
        """
        class A:
            class B:
                pass


        def make():
            if True:

                class Local:
                    x = 1

                return Local
        """,
        [methods(), methods("A.B"), methods("make.<locals>.Local")],
        """
        class A:
            class B:
                def __getstate__(self):
                    return {}

            def __getstate__(self):
                return {}


        def make():
            if True:

                class Local:
                    x = 1

                    def __getstate__(self):
                        return {}

                return Local
        """,
    ),
    "of two classes of one name, the nearer": (
        """
        try:

            class A:
                x = 1
        except ImportError:

            class A:
                x = 2
        """,
        [methods(line=8)],
        """
        try:

            class A:
                x = 1
        except ImportError:

            class A:
                x = 2

                def __getstate__(self):
                    return {}
        """,
    ),
    "the inside of strings is not indented": (
        """
        class A:
            x = 1
        """,
        [methods(of=('def f(self):\n    return """\na\n  b"""',))],
        '''
        class A:
            x = 1

            def f(self):
                return """
        a
          b"""
        ''',
    ),
    "a method that returns the name itself": (
        """
        class A:
            def f(self):
                state = {}

                # done
                return state  # it
        """,
        [extend(body=("if state:\n    state['x'] = 1",))],
        """
        class A:
            def f(self):
                state = {}
                if state:
                    state['x'] = 1

                # done
                return state  # it
        """,
    ),
    "a method that returns something else": (
        """
        class A:
            def f(self):
                return {
                    "a": 1,
                }

            def g(self):
                return 1
        """,
        [extend(), extend("g", result="other", body=("other += 1",)), extend(body=("state['y'] = 2",))],
        """
        class A:
            def f(self):
                state = {
                    "a": 1,
                }
                state['x'] = 1
                state['y'] = 2
                return state

            def g(self):
                other = 1
                other += 1
                return other
        """,
    ),
    "methods of one line": (
        """
        class A:
            def f(self): return {}  # c
            def g(self, state): return state
            def h(self): pass
        """,
        [extend(), extend("g"), extend("h", result="", body=("self.x = 1",))],
        """
        class A:
            def f(self):
                state = {}  # c
                state['x'] = 1
                return state
            def g(self, state):
                state['x'] = 1
                return state
            def h(self):
                self.x = 1
        """,
    ),
    "a method that returns nothing": (
        """
        class A:
            def f(self, state):
                self.__dict__.update(state)
        """,
        [extend(body=("self.x = 1", "self.y = 2"), result=""), methods()],
        """
        class A:
            def f(self, state):
                self.__dict__.update(state)
                self.x = 1
                self.y = 2

            def __getstate__(self):
                return {}
        """,
    ),
    "imports are sorted in": (
        '''
        """Doc."""

        from __future__ import annotations

        import os
        import sys
        from typing import Any

        import numpy as np

        import mine

        x = 1
        ''',
        [
            imports(
                "import threading",
                "from weakref import ref",
                "import mine.inner",
                "from typing import Final",
                "import abc",
            )
        ],
        '''
        """Doc."""

        from __future__ import annotations

        import abc
        import os
        import sys
        import threading
        from typing import Any, Final
        from weakref import ref

        import numpy as np

        import mine
        import mine.inner

        x = 1
        ''',
    ),
    "what is imported is not imported again": (
        """
        import os.path
        import threading as th
        from typing import TYPE_CHECKING, Any

        if TYPE_CHECKING:
            import weakref
        """,
        [imports("import os", "import threading", "from typing import Any", "import weakref", "import weakref")],
        """
        import os.path
        import threading
        import threading as th
        import weakref
        from typing import TYPE_CHECKING, Any

        if TYPE_CHECKING:
            import weakref
        """,
    ),
    "a section of its own": (
        """
        # License.
        import numpy

        x = 1
        """,
        [imports("import os", "from . import sister", "from __future__ import annotations")],
        """
        # License.
        from __future__ import annotations

        import os

        import numpy

        from . import sister

        x = 1
        """,
    ),
    "names in brackets": (
        """
        from typing import (
            TYPE_CHECKING,
            Any,
            cast,
        )
        from weakref import ref as weak

        __all__ = ["x"]

        import mine

        x = 1
        """,
        [imports("from typing import overload, ClassVar, IO", "from weakref import ref", "import another")],
        """
        from typing import (
            IO,
            TYPE_CHECKING,
            Any,
            ClassVar,
            cast,
            overload,
        )
        from weakref import ref
        from weakref import ref as weak

        __all__ = ["x"]

        import another
        import mine

        x = 1
        """,
    ),
    "the first import": (
        '''
        #!/usr/bin/env python
        # License.

        """Doc."""


        def f():
            pass
        ''',
        [imports("import os")],
        '''
        #!/usr/bin/env python
        # License.

        """Doc."""

        import os


        def f():
            pass
        ''',
    ),
    "the first import without a docstring": (
        """
        # License.

        # about f
        def f():
            pass
        """,
        [imports("import os", "import numpy")],
        """
        # License.

        import os

        import numpy


        # about f
        def f():
            pass
        """,
    ),
    "a function beside others": (
        """
        import os


        # about g
        @os.fspath
        def g():
            pass


        x = 1
        y = 2
        """,
        [
            Insert(line=6, text="def before():\n    pass"),
            Insert(line=7, text="def behind():\n    pass", after=True),
            Insert(line=11, text="def last():\n    pass", after=True),
        ],
        """
        import os


        def before():
            pass


        # about g
        @os.fspath
        def g():
            pass


        def behind():
            pass


        x = 1
        y = 2


        def last():
            pass
        """,
    ),
    "comments at the end of a function are part of it": (
        """
        def f():
            pass
            # or so


        x = 1
        """,
        [Insert(line=1, text="def g():\n    pass", after=True)],
        """
        def f():
            pass
            # or so


        def g():
            pass


        x = 1
        """,
    ),
    "nothing goes above the imports": (
        '''
        """Doc."""

        import os

        x = os
        ''',
        [Insert(line=1, text="def f():\n    pass"), imports("import sys")],
        '''
        """Doc."""

        import os
        import sys


        def f():
            pass


        x = os
        ''',
    ),
    "a decorator": (
        """
        class A:
            @property
            # why
            def f(self):
                pass
        """,
        [AddDecorator(line=4, text="@cache"), AddDecorator(line=4, text="other")],
        """
        class A:
            @property
            # why
            @cache
            @other
            def f(self):
                pass
        """,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_edits(case):
    before, edits, after = CASES[case]
    assert apply(source(before), edits) == source(after)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("case", CASES)
def test_line_ends_and_the_end_of_the_file_are_kept(case, newline):
    before, edits, after = (source(part) if isinstance(part, str) else part for part in CASES[case])
    assert apply(before.replace("\n", newline), edits) == after.replace("\n", newline)
    assert apply("\ufeff" + before.rstrip("\n").replace("\n", newline), edits) == (
        "\ufeff" + after.rstrip("\n").replace("\n", newline)
    )


@pytest.mark.parametrize("case", [case for case in CASES if '"""' not in CASES[case][2]])
def test_tabs(case):
    before, edits, after = (source(part) if isinstance(part, str) else part for part in CASES[case])
    if "    " in before:  # else nothing says that it is tabs
        assert apply(before.replace("    ", "\t"), edits) == after.replace("    ", "\t")


REPLACED = {
    "an expression": ("f(lambda x: x, 1)\n", "lambda x: x", "double", "f(double, 1)\n"),
    "an expression of several lines": ("f(\n    lambda x: (\n        x\n    ),\n)\n", "lambda x: (\n        x\n    )", "g", "f(\n    g,\n)\n"),
    "in an f-string": ("x = f'{f(1)!r:>{w}}'\n", "x = f'{f(1)!r:>{w}}'", "x = 1", "x = 1\n"),
    "in brackets": ("x = (\n    a\n)\n", "a", "b", "x = (\n    b\n)\n"),
    "behind what is wider in bytes": ("ä = 'ö', lambda: 1\n", "lambda: 1", "f", "ä = 'ö', f\n"),
    "a statement becomes a function": (
        "x = 1\n# doubles\nf = lambda x: x * 2\ny = 2\n",
        "f = lambda x: x * 2",
        "def f(x):\n    return x * 2",
        "x = 1\n\n\n# doubles\ndef f(x):\n    return x * 2\n\n\ny = 2\n",
    ),
    "in a function": (
        "def g():\n    y = 1\n    f = lambda x: x * 2\n    return f\n",
        "f = lambda x: x * 2",
        "def f(x):\n    return x * 2",
        "def g():\n    y = 1\n\n    def f(x):\n        return x * 2\n\n    return f\n",
    ),
    "in an if, at its end": (
        "if x:\n    f = lambda: 1\nelse:\n    f = None\ny = 1\n",
        "f = lambda: 1",
        "def f():\n    return 1",
        "if x:\n\n    def f():\n        return 1\nelse:\n    f = None\ny = 1\n",
    ),
    "in an else, at its end": (
        "if x:\n    f = None\nelse:\n    f = lambda: 1\ny = 1\n",
        "f = lambda: 1",
        "def f():\n    return 1",
        "if x:\n    f = None\nelse:\n\n    def f():\n        return 1\n\n\ny = 1\n",
    ),
    "with its decorators": (
        "@a\n@b\ndef f():\n    pass\n",
        "@a\n@b\ndef f():\n    pass",
        "class f:\n    pass",
        "class f:\n    pass\n",
    ),
    "taken away": ("x = 1\n\n# c\ny = 2\n\nz = 3\n", "y = 2", "", "x = 1\n\nz = 3\n"),
    "not the comment further off": ("x = 1\n# c\n\ny = 2\nz = 3\n", "y = 2", "", "x = 1\n# c\n\nz = 3\n"),
    "a function taken away": ("x = 1\n\n\ndef f():\n    pass\n\n\ny = 2\n", "def f():\n    pass", "", "x = 1\n\n\ny = 2\n"),
    "the first": ("x = 1\n\n\ndef f():\n    pass\n", "x = 1", "", "def f():\n    pass\n"),
    "the last": ("def f():\n    pass\n\n\nx = 1\n", "x = 1", "", "def f():\n    pass\n"),
    "all of a block": ("if x:\n    y = 1  # c\n", "y = 1", "", "if x:\n    pass  # c\n"),
    "behind a colon": ("if x: y = 1\n", "y = 1", "", "if x: pass\n"),
    "the first in a line": ("x = 1; y = 2\n", "x = 1", "", "y = 2\n"),
    "the last in a line": ("x = 1; y = 2\n", "y = 2", "", "x = 1\n"),
}  # fmt: skip


@pytest.mark.parametrize("case", REPLACED)
def test_replace(case):
    before, part, new, after = REPLACED[case]
    assert apply(before, [replace(before, part, new)]) == after


def test_neighbours_that_are_replaced_share_their_blank_lines():
    text = "a = lambda: 1\n\nb = lambda: 2\nc = 3\n"
    edits = [
        replace(text, f"{name} = lambda: {n}", f"def {name}():\n    return {n}") for name, n in (("a", 1), ("b", 2))
    ]
    after = "def a():\n    return 1\n\n\ndef b():\n    return 2\n\n\nc = 3\n"
    assert apply(text, edits) == after
    assert apply(text, edits[::-1]) == after


def test_all_of_a_block_taken_away_at_once():
    text = "def f():\n    x = 1\n    y = 2\n"
    assert apply(text, [replace(text, "x = 1", ""), replace(text, "y = 2", "")]) == "def f():\n    pass\n"


def test_an_expression_in_a_method_that_is_extended():
    text = "class A:\n    def f(self):\n        return g(lambda: 1)\n"
    edits = [replace(text, "lambda: 1", "one"), extend(), imports("import os"), methods()]
    assert apply(text, edits) == source("""
        import os


        class A:
            def f(self):
                state = g(one)
                state['x'] = 1
                return state

            def __getstate__(self):
                return {}
        """)


REFUSED = {
    "the method is there": ("class A:\n    def __getstate__(self): ...\n", [methods()], "has __getstate__ already"),
    "the name is bound": ("class A:\n    if 1:\n        __getstate__ = None\n", [methods()], "already"),
    "twice the same": ("class A:\n    pass\n", [methods(of=(METHOD, METHOD))], "already"),
    "no such class": ("class B:\n    pass\n", [methods()], "no class A"),
    "several returns": ("class A:\n    def f(self):\n        if 1:\n            return 1\n        return 2\n", [extend()], "at its end"),
    "a nested return": ("class A:\n    def f(self):\n        with x:\n            return 2\n", [extend()], "at its end"),
    "no return": ("class A:\n    def f(self):\n        pass\n", [extend()], "returns nothing"),
    "an empty return": ("class A:\n    def f(self):\n        return\n", [extend()], "returns nothing"),
    "a return in the way": ("class A:\n    def f(self):\n        return 1\n", [extend(result="")], "has a return"),
    "a generator": ("class A:\n    def f(self):\n        yield 1\n        return 1\n", [extend()], "generator"),
    "a coroutine": ("class A:\n    async def f(self):\n        return 1\n", [extend()], "coroutine"),
    "an exception": ("class A:\n    def f(self):\n        raise E\n", [extend(result="")], "raising"),
    "not a method": ("class A:\n    f = g\n", [extend()], "no method f"),
    "two methods": ("class A:\n    def f(self): ...\n    def f(self): ...\n", [extend()], "several times"),
    "no function": ("x = 1\n", [AddDecorator(line=1, text="@a")], "No function"),
    "a method that is not Python": ("class A:\n    pass\n", [methods(of=("def f(:",))], "cannot be parsed"),
    "an import that is not Python": ("x = 1\n", [imports("import")], "cannot be parsed"),
    "not Python": ("x = 1\n", [Replace(line=1, column=4, end_line=1, end_column=5, text="(")], "not be Python"),
    "not Python before": ("x = (\n", [imports("import os")], "cannot be parsed"),
    "too deep": ("if x:\n    pass\n" + "elif y:\n    pass\n" * 2000, [imports("import os")], "too deeply"),
    "too deep an expression": ("x = 1" + " + 1" * 3000 + "\n", [imports("import os")], "too deeply"),
    "no such place": ("x = 1\n", [Replace(line=7, column=4, end_line=8, end_column=5, text="(")], "no line 7"),
    "one in another": ("f(g(1))\n", [replace("f(g(1))\n", "g(1)", "x"), replace("f(g(1))\n", "1", "x")], "same place"),
    "in what goes": (
        "class A:\n    pass\n",
        [methods(), replace("class A:\n    pass\n", "class A:\n    pass", "x = 1")],
        "same place",
    ),
    "a block behind a colon": ("if x: y = 1\n", [replace("if x: y = 1\n", "y = 1", "def y():\n    pass")], "colon"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case):
    text, edits, why = REFUSED[case]
    with pytest.raises(CannotEdit, match=why) as caught:
        apply(text, edits)
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize(
    ("before", "edit", "after"),
    [
        ("", imports("import os"), "import os\n"),
        ("# License.\n", imports("import os"), "# License.\n\nimport os\n"),
        ("", Insert(line=1, text="x = 1"), "x = 1\n"),
        ("x = 1\n", Insert(line=9, text="def f():\n    pass", after=True), "x = 1\n\n\ndef f():\n    pass\n"),
        ("import sys\nimport re\nfrom a import b\n", imports("import os"), "import sys\nimport re\nimport os\nfrom a import b\n"),
        ("from a import z, b\n", imports("from a import c"), "from a import z, b, c\n"),
    ],
)  # fmt: skip
def test_small_files(before, edit, after):
    assert apply(before, [edit]) == after


@pytest.mark.parametrize(
    ("line", "after"),
    [
        (1, 'if __name__ == "__main__":\n    one()\n    main()\ntwo()\n'),
        (3, 'one()\nif __name__ == "__main__":\n    main()\n    two()\n'),
    ],
)
def test_a_guard_of_one_line(line, after):
    assert move_under_guard('one()\nif __name__ == "__main__": main()\ntwo()\n', [(line, line)]) == after


def test_no_edits():
    assert apply("x = (", []) == "x = ("


def test_the_inside_of_an_f_string_is_not_indented():
    method = 'def f(self):\n    return f"""\n{\nself}\n  b"""'
    after = 'class A:\n    def f(self):\n        return f"""\n{\nself}\n  b"""\n'
    assert apply("class A:\n    pass\n", [methods(of=(method,))]) == after


@pytest.mark.skipif(sys.version_info < (3, 12), reason="quotes in f-strings")
def test_quotes_in_an_f_string():
    text = 'x = f"{f("a", lambda: 1)}"\n'
    assert apply(text, [replace(text, "lambda: 1", "one"), imports("import os")]) == (
        'import os\n\nx = f"{f("a", one)}"\n'
    )


def test_a_return_of_a_function_in_the_method_is_not_its_own():
    text = "class A:\n    def f(self):\n        g = lambda: (yield)\n\n        def h():\n            return 2\n"
    assert apply(text, [extend(result="")]).endswith("            return 2\n\n        state['x'] = 1\n")


# moved under the guard

GUARDED = {
    "a new guard": (
        '''
        """Doc."""

        import os

        # how many
        N = 4
        pool = make(
            """
        text
        """,
        )


        def f():
            return N


        f()
        ''',
        [(1, 99)],
        '''
        """Doc."""

        import os


        def f():
            return N


        if __name__ == "__main__":
            # how many
            N = 4
            pool = make(
                """
        text
        """,
            )

            f()
        ''',
    ),
    "a guard that is there": (
        """
        def f():
            pass


        x = f()

        if __name__ == "__main__":
            # first
            print(x)
            # last

        print(2)
        """,
        [(5, 5), (12, 12)],
        """
        def f():
            pass


        if __name__ == "__main__":
            x = f()
            # first
            print(x)
            # last
            print(2)
        """,
    ),
    "an empty guard": (
        """
        run()
        if "__main__" == __name__:
            pass
        """,
        [(1, 1)],
        """
        if "__main__" == __name__:
            run()
        """,
    ),
    "what the file starts with stays": (
        """
        # License.
        run()


        def f():
            pass
        """,
        [(2, 2)],
        """
        # License.
        def f():
            pass


        if __name__ == "__main__":
            run()
        """,
    ),
    "what is defined behind the guard": (
        """
        if __name__ == "__main__":
            print(1)


        def f():
            pass


        f()
        """,
        [(9, 9)],
        """
        if __name__ == "__main__":
            print(1)


        def f():
            pass


        if __name__ == "__main__":
            f()
        """,
    ),
    "what only imports and defines stays": (
        """
        try:
            import numpy
        except ImportError:
            numpy = None

        for x in range(3):
            print(x)
        """,
        [(1, 7)],
        """
        try:
            import numpy
        except ImportError:
            numpy = None


        if __name__ == "__main__":
            for x in range(3):
                print(x)
        """,
    ),
}


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("case", GUARDED)
def test_move_under_guard(case, newline):
    before, ranges, after = GUARDED[case]
    found = move_under_guard(source(before).replace("\n", newline), ranges)
    assert found == source(after).replace("\n", newline)


def test_what_is_needed_at_import_is_not_moved():
    with pytest.raises(CannotEdit, match="N is needed in line 4 when the file is imported"):
        move_under_guard("N = 1\n\n\nclass A:\n    n = N\n", [(1, 1)])
    with pytest.raises(CannotEdit, match="no statement to move"):
        move_under_guard("import os\n", [(1, 1)])
    left = "class A:\n    x = [i for i in y]\n"
    assert move_under_guard("print([i for i in y])\n\n\n" + left, [(1, 1)]).startswith(left)
    assert move_under_guard("N = 1\n\n\ndef f():\n    return N\n", [(1, 1)]).startswith("def f")


# the text of a diff


def test_diff(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = diff(str(tmp_path / "dir" / "a.py"), "a\nb", "a\nc\n")
    assert found == "--- a/dir/a.py\n+++ b/dir/a.py\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n"
    assert diff("dir/a.py", "a\n", "a\n") == ""
    assert diff("/elsewhere/a.py", "", "a").startswith("--- a/elsewhere/a.py\n")


@pytest.mark.parametrize(
    ("before", "after"), [("a\nb", "a\nc"), ("a\r\nb\r\n", "a\r\nc\r\n"), ("a\x0cb\u2028\nb", "x\nb")]
)
def test_git_reads_the_diff(tmp_path, monkeypatch, before, after):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "a.py"
    file.write_bytes(before.encode())
    try:
        subprocess.run(["git", "apply", "-"], input=diff(str(file), before, after).encode(), check=True)
    except FileNotFoundError:
        pytest.skip("git is not installed")
    assert file.read_bytes() == after.encode()


# many files

SAMPLE = random.Random(1).sample(sorted(Path(os.__file__).parent.glob("*.py")), 40)


def _text(path):
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()


@pytest.mark.parametrize("path", SAMPLE, ids=lambda path: path.name)
def test_every_other_line_is_left_alone(path):
    text = _text(path)
    tree = ast.parse(text)
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    edits = [methods(node.name, line=node.lineno, of=("def picklecheck_new(self):\n    pass",)) for node in classes]
    edits.append(imports("import picklecheck_new", "import threading"))
    after = apply(text, edits)
    ast.parse(after)
    old, new = text.splitlines(), after.splitlines()
    gone = [
        line
        for tag, first, last, *_ in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        if tag in ("replace", "delete")
        for line in old[first:last]
    ]
    assert all(line.strip() in ("pass", "...") or line.startswith("class") for line in gone), gone
    assert after.count("def picklecheck_new") == len(classes)
    assert apply(after, [edits[-1]]) == after


def test_a_long_file_takes_no_time():
    text = "".join(f"class A{n}:\n    def f(self):\n        return [1, 2]\n\n\n" for n in range(600))
    start = time.perf_counter()
    apply(text, [methods("A300"), imports("import os")])
    assert time.perf_counter() - start < 60  # it was minutes once


def test_libcst_is_loaded_by_the_first_edit_only():
    code = "import sys, picklecheck.fixes.edits; raise SystemExit('libcst' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

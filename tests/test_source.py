"""Each sample marks the line that is to be found with ``# <- function`` (``-`` for import and class level)."""

from __future__ import annotations

import asyncio
import collections
import datetime
import doctest
import functools
import gc
import importlib.util
import itertools
import linecache
import os
import re
import subprocess
import sys
import textwrap
import threading
import time
import timeit
import types
import warnings
import weakref
import zipfile
from pathlib import Path

import pytest

from picklecheck import source
from picklecheck.model import Place
from picklecheck.source import where_defined, where_set

NUMBERS = itertools.count()
MARK = re.compile(r"# <- (\S+)")


@pytest.fixture(autouse=True)
def nothing_known():
    source._answers.clear()


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Write a module, import it, and give it."""

    def write_and_import(text, name=None, encoding="utf-8"):
        name = name or f"sample_{next(NUMBERS)}"
        path = tmp_path / f"{name}.py"
        path.write_text(textwrap.dedent(text), encoding=encoding)
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, name, module)
        spec.loader.exec_module(module)
        return module

    return write_and_import


def marked(file, text=None):
    """Give the place that a file's mark stands for."""
    lines = (Path(file).read_text() if text is None else textwrap.dedent(text)).split("\n")
    ((number, found),) = [(n, mark) for n, line in enumerate(lines, 1) if (mark := MARK.search(line))]
    function = None if found[1] == "-" else found[1]
    return Place(file=str(file), line=number, statement=lines[number - 1].strip(), function=function)


def cases(**texts):
    return pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in texts.items()])


# --- where_set: the statements -----------------------------------------------------------------------------------------


@cases(
    plain="""
        class A:
            def __init__(self):
                self.x = object()  # <- A.__init__
        """,
    annotated="""
        class A:
            def __init__(self):
                self.x: object = object()  # <- A.__init__
        """,
    annotation_alone_sets_nothing="""
        class A:
            def __init__(self):
                self.x: object
                self.x = object()  # <- A.__init__
        """,
    augmented="""
        class A:
            def run(self, n):
                self.x += n  # <- A.run
        """,
    tuple="""
        class A:
            def __init__(self):
                self.a, (self.b, self.x) = unpack()  # <- A.__init__
        """,
    list_target="""
        class A:
            def __init__(self):
                [self.a, self.x] = unpack()  # <- A.__init__
        """,
    starred="""
        class A:
            def __init__(self):
                a, *self.x = unpack()  # <- A.__init__
        """,
    chained="""
        class A:
            def __init__(self):
                a = self.x = b = object()  # <- A.__init__
        """,
    many_lines="""
        class A:
            def __init__(self):
                (  # <- A.__init__
                    self.a,
                    self.x,
                ) = unpack(
                    1,
                )
        """,
    with_target="""
        class A:
            def open(self):
                with open("a") as a, open("b") as self.x:  # <- A.open
                    pass
        """,
    async_with_target="""
        class A:
            async def open(self):
                async with connect() as (a, self.x):  # <- A.open
                    pass
        """,
    for_target="""
        class A:
            def run(self, rows):
                for number, self.x in rows:  # <- A.run
                    pass
        """,
    async_for_target="""
        class A:
            async def run(self, rows):
                async for self.x in rows:  # <- A.run
                    pass
        """,
    setattr="""
        class A:
            def __init__(self):
                setattr(self, "x", object())  # <- A.__init__
        """,
    builtins_setattr="""
        import builtins
        class A:
            def __init__(self):
                builtins.setattr(self, "x", object())  # <- A.__init__
        """,
    object_setattr="""
        class A:
            def __init__(self):
                object.__setattr__(self, "x", object())  # <- A.__init__
        """,
    super_setattr="""
        class A:
            def __init__(self):
                super().__setattr__("x", object())  # <- A.__init__
            def run(self):
                self.x = object()
        """,
    own_setattr="""
        class A:
            def __init__(self):
                self.__setattr__("x", object())  # <- A.__init__
        """,
    dict_item="""
        class A:
            def __init__(self):
                self.__dict__["x"] = object()  # <- A.__init__
        """,
    vars_item="""
        class A:
            def __init__(self):
                vars(self)["x"] = object()  # <- A.__init__
        """,
    dict_update_keyword="""
        class A:
            def __init__(self, **more):
                self.__dict__.update(more, y=1, x=object())  # <- A.__init__
        """,
    dict_update_mapping="""
        class A:
            def __init__(self, **more):
                self.__dict__.update({**more, 1: 2, "x": object()})  # <- A.__init__
        """,
    vars_update="""
        class A:
            def __init__(self):
                vars(self).update(x=object())  # <- A.__init__
        """,
    dict_setdefault="""
        class A:
            def run(self):
                self.__dict__.setdefault("x", object())  # <- A.run
        """,
    other_first_parameter="""
        class A:
            def __init__(me, self):
                self.x = object()
                me.x = object()  # <- A.__init__
        """,
    positional_only="""
        class A:
            def __init__(this, /, other):
                this.x = object()  # <- A.__init__
        """,
    function_in_a_method="""
        class A:
            def __init__(self):
                def later():
                    async def much_later():
                        self.x = object()  # <- A.__init__.<locals>.later.<locals>.much_later
        """,
    new="""
        class A:
            def __new__(cls):
                made = super().__new__(cls)
                made.x = object()  # <- A.__new__
                return made
            def run(self):
                self.x = object()
        """,
    another_constructor="""
        class A:
            @classmethod
            def load(cls):
                made = cls()
                made.x = object()  # <- A.load
                return made
            def run(self):
                self.x = object()
        """,
    in_every_block="""
        class A:
            def run(self):
                while True:
                    try:
                        pass
                    except ValueError:
                        pass
                    else:
                        match unpack():
                            case 1:
                                if self:
                                    pass
                                elif not self:
                                    for _ in ():
                                        pass
                                    else:
                                        self.x = object()  # <- A.run
        """,
    in_except="""
        class A:
            def run(self):
                try:
                    pass
                except ValueError:
                    self.x = object()  # <- A.run
        """,
    in_finally="""
        class A:
            def run(self):
                try:
                    pass
                finally:
                    self.x = object()  # <- A.run
        """,
    class_level="""
        class A:
            if True:
                x = object()  # <- -
        """,
    class_level_annotation="""
        class A:
            x: object  # <- -
        """,
    class_level_tuple="""
        class A:
            a, x = object(), object()  # <- -
        """,
    dataclass_factory="""
        from dataclasses import dataclass, field
        @dataclass
        class A:
            x: object = field(default_factory=object)  # <- -
            def reset(self):
                self.x = object()
        """,
    dataclass_without_default="""
        from dataclasses import dataclass
        @dataclass(frozen=True)
        class A:
            x: object  # <- -
            def reset(self):
                self.x = object()
        """,
    dataclass_post_init="""
        from dataclasses import dataclass, field
        @dataclass
        class A:
            x: object = field(init=False)
            def __post_init__(self):
                self.x = object()  # <- A.__post_init__
        """,
    plain_annotation_sets_nothing="""
        class A:
            x: object
            def reset(self):
                self.x = object()  # <- A.reset
        """,
    plain_class_level_comes_last="""
        class A:
            x = object()
            def reset(self):
                self.x = object()  # <- A.reset
        """,
    named_tuple="""
        from typing import NamedTuple
        class A(NamedTuple):
            a: int
            x: object  # <- -
        """,
    cached_property="""
        import functools
        class A:
            @functools.cached_property
            def x(self):  # <- -
                return object()
        """,
    property_with_arguments="""
        def lazy_property(**options):
            return property
        class A:
            @lazy_property(lock=True)
            def x(self):  # <- -
                return object()
        """,
    decorated_method_sets_nothing="""
        import functools
        class A:
            @functools.lru_cache
            def x(self):
                pass
            @[staticmethod][0]
            def x():
                pass
            def reset(self):
                self.x = object()  # <- A.reset
        """,
)
def test_statement(load, text):
    module = load(text)
    assert where_set(module.A, "x") == marked(module.__file__)


def test_attrs_class(load):
    pytest.importorskip("attr")
    module = load(
        """
        import attr
        @attr.s(slots=True)
        class A:
            x = attr.ib(factory=object)  # <- -
            def reset(self):
                self.x = object()
        """
    )
    assert where_set(module.A, "x") == marked(module.__file__)


@pytest.mark.parametrize(
    "mark",
    [
        "__dataclass_fields__",
        "__attrs_attrs__",
        "_fields",
        "__pydantic_decorators__",
        "__fields__",
        "__struct_fields__",
    ],
)
def test_class_whose_init_is_made_from_its_body(load, mark):
    module = load(
        f"class A:\n    {mark} = ('x',)\n    x: object  # <- -\n    def run(self):\n        self.x = object()"
    )
    assert where_set(module.A, "x") == marked(module.__file__)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("_A__x", "class A:\n    def run(self):\n        self.__x = object()  # <- A.run"),
        ("_A__x", "class __A:\n    def run(self):\n        self.__x = object()  # <- __A.run\nA = __A"),
        ("_A__x", "class A:\n    def run(self):\n        def f():\n            self.__x = f  # <- A.run.<locals>.f"),
        ("_A__x", "class A:\n    __x = object()  # <- -"),
        ("_B__x", "class B:\n    def run(self):\n        self.__x = object()  # <- B.run\nclass A(B):\n    pass"),
        (
            "__x",
            "class A:\n    def run(self):\n        self.__x = 1\n        setattr(self, '__x', object())  # <- A.run",
        ),
        ("__x", "class __:\n    def run(self):\n        self.__x = object()  # <- __.run\nA = __"),
        ("__x__", "class A:\n    def run(self):\n        self.__x__ = object()  # <- A.run"),
    ],
)
def test_private_name(load, name, text):
    module = load(text)
    assert where_set(module.A, name) == marked(module.__file__)


# --- where_set: the choice ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "constant",
    [
        "None",
        "1",
        "-1.5",
        "'text'",
        "f'{a}'",
        "60 * 60",
        "()",
        "[]",
        "{}",
        "{'a': [1, None]}",
        "set()",
        "dict()",
        "list()",
        "tuple()",
        "frozenset()",
        "bytearray()",
        "...",
    ],
)
@pytest.mark.parametrize("statement", ["self.x = {}", "setattr(self, 'x', {})", "self.a, self.x = self, {}"])
def test_value_wins_over_a_constant(load, constant, statement):
    before = statement.format(constant)
    module = load(
        f"class A:\n    def __init__(self, a):\n        {before}\n    def run(self):\n        self.x = object()  # <- A.run"
    )
    assert where_set(module.A, "x") == marked(module.__file__)


@pytest.mark.parametrize("value", ["object()", "a", "[a]", "lambda: 0", "list(a)", "[n for n in ()]", "a[0]", "-a"])
def test_first_value_wins(load, value):
    module = load(
        f"class A:\n    def __init__(self, a):\n        self.x = {value}  # <- A.__init__\n        self.x = object()"
    )
    assert where_set(module.A, "x") == marked(module.__file__)


@pytest.mark.parametrize(
    "name",
    ["__init__", "__new__", "__post_init__", "__attrs_post_init__", "_setup", "setUp", "set_up_cache", "initialise"],
)
def test_methods_that_set_up_come_first(load, name):
    module = load(
        "class A:\n    def run(self):\n        self.x = object()\n"
        f"    def {name}(self):\n        self.x = object()  # <- A.{name}"
    )
    assert where_set(module.A, "x") == marked(module.__file__)


@pytest.mark.parametrize(
    "decorator", ["property", "reify", "lazy_attribute", "names.cached_property", "lazyproperty()"]
)
def test_property(load, decorator):
    names = "reify = lazy_attribute = property\nnames = type('N', (), {'cached_property': property})\n"
    module = load(
        f"{names}def lazyproperty():\n    return property\nclass A:\n    @{decorator}\n"
        "    def x(self):  # <- -\n        pass\n    def run(self):\n        self.x = object()\n"
    )
    assert where_set(module.A, "x") == marked(module.__file__)


@cases(
    starred_value_is_not_taken_apart="""
        class A:
            def __init__(self, a):
                self.a, self.x = *a, None  # <- A.__init__
            def run(self):
                self.x = object()
        """,
    container_wins_over_none="""
        class A:
            x = None
            def __init__(self):
                self.x = None
            def run(self):
                self.x = []  # <- A.run
        """,
    init_over_an_earlier_method="""
        class A:
            def run(self):
                self.x = object()
            def __init__(self):
                self.x = object()  # <- A.__init__
        """,
    setup_over_an_earlier_method="""
        class A:
            def run(self):
                self.x = object()
            def _setup_cache(self):
                self.x = object()  # <- A._setup_cache
        """,
    first_in_file="""
        class A:
            def run(self):
                self.x = object()  # <- A.run
            def stop(self):
                self.x = object()
        """,
    constant_where_there_is_nothing_else="""
        class A:
            def run(self):
                self.x = 1
            def __init__(self):
                self.x = None  # <- A.__init__
        """,
    subclass_wins="""
        class B:
            def __init__(self):
                self.x = object()
        class A(B):
            def run(self):
                self.x = object()  # <- A.run
        """,
    base="""
        class B:
            def __init__(self):
                self.x = object()  # <- B.__init__
        class A(B):
            def __init__(self):
                self.y = object()
        """,
    diamond="""
        class D:
            def __init__(self):
                self.x = object()
        class B(D):
            pass
        class C(D):
            def __init__(self):
                self.x = object()  # <- C.__init__
        class A(B, C):
            pass
        """,
    first_class_where_there_are_constants_only="""
        class B:
            def __init__(self):
                self.x = 1
        class A(B):
            def stop(self):
                self.x = None  # <- A.stop
        """,
    constant_of_a_base_over_an_annotation="""
        class B:
            def __init__(self):
                self.x = 1  # <- B.__init__
        class A(B):
            x: int
        """,
    class_without_a_definition="""
        class B:
            def __init__(self):
                self.x = object()
        A = type("A", (), {})
        def build(a):
            a.x = object()  # <- build
        """,
    value_of_a_base_over_none="""
        class B:
            def __init__(self):
                self.x = object()  # <- B.__init__
        class A(B):
            x: object
            def stop(self):
                self.x = None
        """,
    empty_list_of_a_subclass_stays="""
        class B:
            def __init__(self):
                self.x = object()
        class A(B):
            def __init__(self):
                self.x = []  # <- A.__init__
        """,
    elsewhere="""
        class A:
            pass
        def build():
            made = A()
            made.x = None
            made.x = object()  # <- build
        """,
    elsewhere_at_import="""
        class A:
            pass
        def build(a):
            a.x = 1
        setattr(A, "x", object())  # <- -
        """,
    elsewhere_over_none="""
        class A:
            x = None
        def build(a):
            a.child.x = object()  # <- build
        """,
    elsewhere_not_over_a_list="""
        class A:
            def __init__(self):
                self.x = []  # <- A.__init__
        def build(a):
            a.x = object()
        """,
    elsewhere_not_over_a_field="""
        from dataclasses import dataclass
        @dataclass
        class A:
            x: object  # <- -
        def build(a):
            a.x = object()
        """,
    elsewhere_at_what_a_call_gives="""
        class A:
            def run(self):
                self.make().x = object()  # <- A.run
        def build(a):
            a.x = object()
        """,
    elsewhere_first_within_the_class="""
        def build(a):
            a.x = object()
        class A:
            @staticmethod
            def build(self):
                self.x = object()  # <- A.build
        """,
    static_method_has_no_self="""
        class A:
            @staticmethod
            def build(self):
                self.x = object()
            def run(self):
                self.x = object()  # <- A.run
        """,
    what_a_method_makes_of_self_is_another="""
        class A:
            def run(self):
                other = wrap(self)
                other.x = object()
            def stop(self):
                self.x = object()  # <- A.stop
        """,
    inner_function_with_a_self_of_its_own="""
        class A:
            def __init__(self):
                def inner(self):
                    self.x = object()
            def run(self):
                self.x = object()  # <- A.run
        """,
    nested_class_is_another="""
        class A:
            class B:
                def __init__(self):
                    self.x = object()
            def run(self):
                self.x = object()  # <- A.run
        """,
)
def test_choice(load, text):
    module = load(text)
    assert where_set(module.A, "x") == marked(module.__file__)


@cases(
    item_of_another_mapping="class A:\n    def run(self):\n        self.rows['x'] = f(self)['x'] = vars()['x'] = 1",
    annotation_alone="class A:\n    def __init__(self):\n        self.x: object",
    wrong_calls="class A:\n    def run(self):\n        setattr(self, 'x')\n        self.__setattr__('x')\n        vars(self).setdefault('x')",
    another_class="class A:\n    pass\nclass B:\n    def __init__(self):\n        self.x = object()",
    deletion="class A:\n    def run(self):\n        del self.x",
    reading="class A:\n    def run(self):\n        y = self.x",
    local_name="class A:\n    def run(self):\n        x = object()",
    module_name="x = object()\nclass A:\n    pass",
    plain_method="class A:\n    def x(self):\n        pass",
    other_name="class A:\n    def run(self, name):\n        setattr(self, name, 1)\n        self.__dict__[name] = 1",
    no_setattr="class A:\n    def run(self, f):\n        f(self, 'x', 1)\n        getattr(self, 'x', 1)",
    plain_dict="class A:\n    def run(self, d):\n        d.update(x=1)\n        d['x'] = 1\n        d.setdefault('x', 1)",
)
def test_no_statement(load, text):
    assert where_set(load(text).A, "x") is None


def test_base_in_another_module(load):
    base = load("class B:\n    def __init__(self):\n        self.x = object()  # <- B.__init__")
    module = load(f"from {base.__name__} import B\nclass A(B):\n    pass")
    assert where_set(module.A, "x") == marked(base.__file__)


def test_base_of_the_standard_library():
    class Worker(threading.Thread):
        pass

    place = where_set(Worker, "_started")
    assert (place.file, place.statement, place.function) == (
        threading.__file__,
        "self._started = Event()",
        "Thread.__init__",
    )


def test_long_elif_chain(load):
    branches = "\n".join(f"        elif n == {n}:\n            self.y = n" for n in range(400))
    module = load(
        f"class A:\n    def run(self, n):\n        if n:\n            pass\n{branches}\n"
        "        else:\n            self.x = n  # <- A.run"
    )
    assert where_set(module.A, "x") == marked(module.__file__)


# --- which class, which file -------------------------------------------------------------------------------------------


def test_local_and_nested_classes(load):
    module = load(
        """
        class Dataset:
            def __init__(self):
                self.x = object()
        class Outer:
            class Inner:
                def __init__(self):
                    self.x = object()
        def make():
            class Dataset:
                y = object()
                def __init__(self):
                    self.x = object()
            return Dataset
        """
    )
    local = module.make()
    assert [where_set(cls, "x").line for cls in (module.Dataset, module.Outer.Inner, local)] == [4, 8, 13]
    assert where_set(local, "x").function == "make.<locals>.Dataset.__init__"
    assert where_set(local, "y") == Place(file=module.__file__, line=11, statement="y = object()", function="make")
    assert [where_defined(cls).line for cls in (module.Dataset, module.Outer.Inner, local)] == [2, 6, 10]
    assert [where_defined(cls).function for cls in (module.Outer.Inner, local)] == [None, "make"]


@pytest.mark.parametrize("kind", ["def {}(self):", "@staticmethod\n    def {}(self):", "@property\n    def {}(self):"])
@pytest.mark.parametrize("taken", [True, False])
def test_class_defined_twice(load, kind, taken):
    text = (
        "class A:\n    def __init__(self):\n        self.x = object()\n    " + kind.format("run") + "\n        pass\n"
    )
    both = f"if {taken}:\n{textwrap.indent(text, '    ')}else:\n{textwrap.indent(text, '    ')}"
    module = load(both)
    first = 2 if taken else 2 + both.split("\n").index("else:")
    assert where_defined(module.A).line == first
    assert where_set(module.A, "x").line == first + 2


@pytest.mark.parametrize("kind", ["staticmethod", "classmethod", "property", "functools.cached_property", "dress"])
def test_kinds_of_methods_tell_definitions_of_one_name_apart(load, kind):
    text = f"class A:\n    x = object()\n    @{kind}\n    def run(self):\n        pass\n"
    module = load(f"import functools\ndress = functools.wraps(len)\n{text}B = A\n{text}")
    for cls in (module.A, module.B):
        cls.__firstlineno__ = None  # as before Python 3.13
    assert [where_set(cls, "x").line for cls in (module.B, module.A)] == [4, 10]


def test_redefined_class_keeps_its_own_lines(load):
    text = "class A:\n    def __init__(self):\n        self.x = object()\n"
    module = load(f"{text}B = A\n{text}C = A\ndef A():\n    pass\n")
    assert [where_defined(found).line for found in (module.B, module.C, module.A)] == [1, 5, 9]
    assert [where_set(cls, "x").line for cls in (module.B, module.C)] == [3, 7]


def test_redefined_class_without_methods(load):
    module = load("class A:\n    x = object()\nB = A\nclass A:\n    x = object()\n")
    assert where_set(module.A, "x").line == 5
    assert where_set(module.B, "x").line == (2 if sys.version_info >= (3, 13) else 5)


def test_class_of_another_module_s_name(load):
    module = load("class A:\n    def __init__(self):\n        self.x = object()  # <- A.__init__")
    public = load("")
    module.A.__module__ = public.__name__
    assert where_set(module.A, "x") == marked(module.__file__)


def test_method_of_another_file_does_not_mislead(load):
    other = load("class A:\n    def __init__(self):\n        self.x = object()\n    def run(self):\n        pass")
    module = load(
        f"import {other.__name__} as other\nclass A:\n    run = other.A.run\n    stop = other.A.__init__\n"
        "    def __init__(self):\n        self.x = object()  # <- A.__init__\n    def start(self):\n        pass\n"
        "    def go(self):\n        pass"
    )
    assert where_set(module.A, "x") == marked(module.__file__)


def test_decorated_methods_name_the_file_of_the_class(load):
    dressing = load(
        "import functools\ndef dress(f):\n    @functools.wraps(f)\n    def inner(*a):\n        pass\n    return inner"
    )
    module = load(
        f"from {dressing.__name__} import dress\nclass A:\n    @dress\n    def run(self):\n"
        "        self.x = object()  # <- A.run"
    )
    module.A.__module__ = "gone"
    assert where_set(module.A, "x") == marked(module.__file__)


# --- where there is no source, or a strange one ------------------------------------------------------------------------


@pytest.mark.parametrize("cls", [object, int, type, dict, types.FunctionType, type("Made", (), {})])
def test_no_source(cls):
    assert (where_set(cls, "x"), where_defined(cls)) == (None, None)


@pytest.mark.parametrize("cls", [functools.partial, collections.OrderedDict, datetime.datetime])
def test_substitute_of_a_class_made_in_c_is_not_its_source(cls):
    assert (where_set(cls, "func"), where_set(cls, "_year"), where_defined(cls)) == (None, None, None)


def test_methods_lent_by_c_make_no_class_in_c(load):
    module = load(SAMPLE + "    __hash__ = object.__hash__\n    get = dict.get\n")
    assert where_set(module.A, "x") == marked(module.__file__)


def test_executed_text_has_no_source():
    names = {"__name__": "nowhere"}
    exec("class A:\n    def __init__(self):\n        self.x = object()\ndef f():\n    pass\ng = (i for i in ())", names)
    assert [where_set(names["A"], "x"), *(where_defined(names[name]) for name in "Afg")] == [None] * 4


SAMPLE = "class A:\n    def __init__(self):\n        self.x = object()  # <- A.__init__\n"


@pytest.mark.parametrize(
    "contents",
    [
        b"class A(\n",
        b"\0" + SAMPLE.encode(),
        b"# -*- coding: no-such-encoding -*-\n" + SAMPLE.encode(),
        b"# \xff\n" + SAMPLE.encode(),
        SAMPLE.encode("utf-16"),
        b"",
        SAMPLE.encode() + b"#" * 4_000_000,
    ],
)
def test_file_that_cannot_be_read_any_more(load, contents):
    module = load(SAMPLE)
    Path(module.__file__).write_bytes(contents)
    assert (where_set(module.A, "x"), where_defined(module.A), where_defined(module.A.__init__)) == (None,) * 3


def test_file_too_deep_for_the_parser(load):
    module = load(SAMPLE)
    Path(module.__file__).write_text(SAMPLE + "y = " + "-" * 100_000 + "1\n")
    assert where_set(module.A, "x") is None


def test_file_that_is_gone(load):
    module = load(SAMPLE)
    os.remove(module.__file__)
    assert (where_set(module.A, "x"), where_defined(module.A), where_defined(module.A.__init__)) == (None,) * 3


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_named_pipe_is_not_waited_for(load):
    module = load(SAMPLE)
    os.remove(module.__file__)
    os.mkfifo(module.__file__)
    assert where_set(module.A, "x") is None


@pytest.mark.parametrize("file", [None, 7, "", "\0", ".", "/dev/null"])
def test_strange_file_name(load, file):
    module = load("class A:\n    x = object()\n")
    module.__file__ = file
    assert where_set(module.A, "x") is None


@pytest.mark.skipif(os.name == "nt", reason="no such file names")
def test_file_that_is_called_like_no_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "nowhere"}
    exec(SAMPLE, names)
    Path("<string>").write_text(SAMPLE)
    assert (where_set(names["A"], "x"), where_defined(names["A"].__init__)) == (None, None)


def test_other_encoding(load):
    module = load("# -*- coding: latin-1 -*-\nclass A:\n    x = ['é', object()]  # <- -\n", encoding="latin-1")
    expected = marked(module.__file__, Path(module.__file__).read_text("latin-1"))
    assert where_set(module.A, "x") == expected


def test_line_ends_that_only_str_knows(load):
    module = load('class A:\n    a = "\x0b\x1c\u2028"\n\x0c\n    x = object()\n')
    assert where_set(module.A, "x").line == 4


def test_changed_file(load):
    module = load(SAMPLE + "def f():\n    pass\n")
    Path(module.__file__).write_text("# new\n" * 50 + SAMPLE + "\n\n@staticmethod\ndef f():\n    pass\n")
    assert where_set(module.A, "x").line == 53
    assert [where_defined(found).line for found in (module.A, module.A.__init__, module.f)] == [51, 52, 57]


def test_edit_is_seen_after_a_second(load, monkeypatch):
    module = load(SAMPLE)
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now)
    assert (where_set(module.A, "x").line, where_defined(module.A).line) == (3, 1)
    Path(module.__file__).write_text("\n" + SAMPLE)
    now += 2
    assert (where_set(module.A, "x").line, where_defined(module.A).line) == (4, 2)


def test_backslashes_warn_nobody_and_filters_stay(load):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = load(SAMPLE + "y = '\\d'\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        before = list(warnings.filters)
        assert where_set(module.A, "x") == marked(module.__file__)
        assert warnings.filters == before


def test_module_in_a_zip_file(tmp_path, monkeypatch):
    name = f"zipped_{next(NUMBERS)}"
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.writestr(f"{name}.py", SAMPLE)
    monkeypatch.syspath_prepend(str(tmp_path / "all.zip"))
    module = importlib.import_module(name)
    monkeypatch.setitem(sys.modules, name, module)
    assert where_set(module.A, "x") == marked(module.__file__, SAMPLE)
    assert where_defined(module.A.__init__).line == 2


class _Loader:
    asked = False

    def get_source(self, name):
        self.asked = True
        return SAMPLE


def test_strange_loader_is_not_asked(load):
    module = load(SAMPLE)
    os.remove(module.__file__)
    module.__loader__ = module.__spec__.loader = loader = _Loader()
    assert (where_set(module.A, "x"), loader.asked) == (None, False)


# --- notebooks, doctests, the REPL -------------------------------------------------------------------------------------


@pytest.fixture
def cell(monkeypatch):
    """Run text as a notebook runs a cell: its source is in linecache alone, its module is a main module without file."""
    main = types.ModuleType("__main__")
    monkeypatch.setitem(sys.modules, "__main__", main)
    monkeypatch.setattr(linecache, "cache", dict(linecache.cache))

    def run(text, file):
        linecache.cache[file] = (len(text), None, text.splitlines(True), file)
        exec(compile(text, file, "exec"), vars(main))
        return main

    return run


@pytest.mark.parametrize("file", ["/tmp/ipykernel_1/2.py", "<ipython-input-1-abc>", "<python-input-0>"])
def test_cell(cell, file):
    main = cell("\n" + SAMPLE + "f = lambda: 0\n", file)
    assert where_set(main.A, "x") == marked(file, "\n" + SAMPLE)
    assert (where_defined(main.A).line, where_defined(main.f).line) == (2, 5)


def test_cell_without_methods_is_the_latest_that_defines_the_class(cell):
    text = "from dataclasses import dataclass\n@dataclass\nclass A:\n    x: object  # <- -\n"
    cell(text, "/tmp/cells/1.py")
    main = cell(text, "/tmp/cells/2.py")
    cell("# of the class A\n", "/tmp/cells/3.py")
    linecache.cache["/tmp/lazy.py"] = (lambda: text,)
    linecache.cache["/tmp/file.py"] = (len(text), 1.0, text.splitlines(True), "/tmp/file.py")
    assert where_set(main.A, "x") == marked("/tmp/cells/2.py", text)


def test_cell_is_not_preferred_to_the_file_of_the_main_module(cell, load):
    module = load("class A:\n    x = object()  # <- -\n")
    main = cell("class A:\n    x = object()\n", "/tmp/cells/1.py")
    main.__file__ = module.__file__
    assert where_set(main.A, "x") == marked(module.__file__)


def test_redefined_in_another_cell(cell):
    first = cell(SAMPLE, "/tmp/cells/1.py").A
    second = cell("\n\n" + SAMPLE, "/tmp/cells/2.py").A
    assert [(where_set(cls, "x").file, where_set(cls, "x").line) for cls in (first, second)] == [
        ("/tmp/cells/1.py", 3),
        ("/tmp/cells/2.py", 5),
    ]


def test_source_that_the_newest_repl_keeps(monkeypatch):
    main = types.ModuleType("__main__")
    monkeypatch.setitem(sys.modules, "__main__", main)
    file = "<python-input-7>"
    entry = (len(SAMPLE), None, SAMPLE.splitlines(True), file)
    monkeypatch.setattr(linecache, "_interactive_cache", {(file, "A.__init__", 2): entry}, raising=False)
    exec(compile(SAMPLE, file, "exec"), vars(main))
    assert where_set(main.A, "x") == marked(file, SAMPLE)


def test_doctest():
    found = {}
    text = """
    >>> class A:
    ...     def __init__(self):
    ...         self.x = object()
    >>> f = lambda: 0
    >>> note(where_set(A, "x"), where_defined(A), where_defined(f))
    """

    def note(*places):
        found["lines"] = [(place.file, place.line) for place in places]

    names = {"note": note, "where_set": where_set, "where_defined": where_defined, "__name__": "nowhere"}
    test = doctest.DocTestParser().get_doctest(text, names, "sample", "sample.txt", 0)
    assert doctest.DocTestRunner().run(test).failed == 0
    first, second = "<doctest sample[0]>", "<doctest sample[1]>"
    assert found["lines"] == [(first, 3), (first, 1), (second, 1)]


def test_ipython(tmp_path):
    pytest.importorskip("IPython")
    program = tmp_path / "program.py"
    program.write_text(
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "shell = InteractiveShell.instance()\n"
        "shell.run_cell('import dataclasses\\n@dataclasses.dataclass\\nclass A:\\n    x: object')\n"
        "shell.run_cell('%config\\nclass B:\\n    def run(self):\\n        self.x = object()')\n"
        "shell.run_cell('from picklecheck.source import where_set')\n"
        'shell.run_cell(\'print(where_set(A, "x").line, where_set(B, "x").line)\')\n'
    )
    root = str(Path(source.__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": root, "IPYTHONDIR": str(tmp_path)}
    out = subprocess.check_output([sys.executable, program], env=environment, text=True, timeout=120)
    assert out.splitlines()[-1] == "4 4"


# --- where_defined -----------------------------------------------------------------------------------------------------

DEFINITIONS = """
import contextlib, functools

def plain():
    def inner():
        pass
    return inner, lambda: 0

def dress(function):
    @functools.wraps(function)
    def dressed(*args):
        return function(*args)
    return dressed

@contextlib.contextmanager
@dress
def decorated():
    yield

def bare(function):
    def wrapper():
        pass
    return wrapper

@bare
def replaced():
    pass

class Outer:
    f = lambda: 0

    @property
    def value(self):
        return 1

    @value.setter
    @dress
    def value(self, new):
        pass

    async def wait(self):
        pass

    async def many(self):
        yield 1

    def some(self):
        yield from ()

@dress
class Dressed:
    pass

@functools.total_ordering
class Ordered:
    def __lt__(self, other):
        return True

table = [
    1,
    lambda a, key=lambda: 1: (
        a
    ),
]
pieces = (
    n for n in ()
)

def with_default(key=[lambda: 0]):
    return (n for n in ()), key[0]
"""


@pytest.fixture
def definitions(load):
    return load(DEFINITIONS)


@pytest.mark.parametrize(
    ("expression", "line", "function"),
    [
        ("plain", 4, None),
        ("plain()[0]", 5, "plain"),
        ("plain()[1]", 7, "plain"),
        ("dress", 9, None),
        ("decorated", 17, None),
        ("replaced", 21, "bare"),
        ("Outer", 29, None),
        ("Outer.f", 30, None),
        ("Outer.value.fget", 33, None),
        ("Outer.value.fset", 38, None),
        ("Outer.wait", 41, None),
        ("Outer().some()", 47, None),
        ("Outer().many()", 44, None),
        ("Outer.some.__code__", 47, None),
        ("Dressed.__wrapped__", 51, None),
        ("Ordered", 55, None),
        ("table[1]", 61, None),
        ("table[1].__defaults__[0]", 61, None),
        ("pieces", 65, None),
        ("with_default()[0]", 70, "with_default"),
    ],
)
def test_definition(definitions, expression, line, function):
    found = where_defined(eval(expression, vars(definitions)))
    statement = DEFINITIONS.split("\n")[line - 1].strip()
    assert found == Place(file=definitions.__file__, line=line, statement=statement, function=function)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="code objects have no qualified name")
def test_lambda_in_a_default_stands_outside_of_the_function(definitions):
    assert where_defined(definitions.with_default()[1]).function is None


def test_coroutine_and_frame(definitions):
    waiting = definitions.Outer().wait()
    assert where_defined(waiting).line == 41
    assert where_defined(waiting.cr_frame).line == 41
    asyncio.run(waiting)
    assert where_defined(waiting).line == 41  # there is no frame any more


def test_function_with_the_names_of_another_module(definitions, load):
    lent = types.FunctionType(definitions.plain.__code__, vars(load(SAMPLE)))
    assert (where_defined(lent).file, where_defined(lent).line) == (definitions.__file__, 4)


def test_frozen_module_has_its_file():
    assert (where_defined(os.path.join).file, where_defined(os.path.join).statement) == (
        os.path.__file__,
        "def join(a, *p):",
    )
    assert where_defined(os.walk(".")).file == os.__file__


@pytest.mark.parametrize(
    "obj",
    [None, 1, "text", len, [].append, functools.partial(print), functools.partial(textwrap.dedent), textwrap, object()],
    ids=lambda obj: type(obj).__name__,
)
def test_not_a_definition(obj):
    assert where_defined(obj) is None


def test_frozen_code_without_a_file():
    assert where_defined(test_frozen_code_without_a_file.__code__.replace(co_filename="<frozen nothing>")) is None


def test_lambda_on_the_last_line(load):
    module = load("\nf = lambda: 0")
    assert where_defined(module.f).line == 2


@pytest.mark.skipif(sys.version_info < (3, 11), reason="code objects have no qualified name")
def test_moved_method_is_told_from_its_namesakes(load):
    module = load("class A:\n    def run(self):\n        pass\n")
    namesake = "\nclass B:\n    def run(self):\n        pass\n"
    Path(module.__file__).write_text(f"{namesake}class A:\n    def run(self):  # <- -\n        pass\n")
    assert where_defined(module.A.run) == marked(module.__file__)


def test_generated_method_has_no_place(load):
    module = load("from dataclasses import dataclass\n@dataclass\nclass A:\n    x: int\n")
    assert where_defined(module.A.__init__) is None


def test_function_that_was_edited_away(load):
    module = load("f = lambda: 0\n\ng = lambda: 0\ndef h():\n    pass\n")
    Path(module.__file__).write_text("f = None\n")
    assert (where_defined(module.f), where_defined(module.g), where_defined(module.h)) == (None, None, None)


# --- strangers ---------------------------------------------------------------------------------------------------------

HOSTILE = """
def lie(*args):
    raise AssertionError("a stranger was run")

class Meta(type):
    __getattribute__ = __eq__ = __hash__ = __bool__ = __len__ = __repr__ = __str__ = __instancecheck__ = lie
    __module__ = __mro__ = __dict__ = property(lie)

class Base(metaclass=Meta):
    def __init__(self):
        self.x = object()

class A(Base):
    __getattribute__ = __eq__ = __hash__ = __bool__ = __repr__ = lie
    __class__ = property(lie)

made = object.__new__(A)
"""


def test_hostile_class(load):
    module = load(HOSTILE)
    assert where_set(module.A, "x") == Place(
        file=module.__file__, line=11, statement="self.x = object()", function="Base.__init__"
    )
    assert where_defined(module.A).line == 13
    assert where_defined(module.made) is None


def test_text_of_a_hostile_class(load):
    class Text(str):
        def __hash__(self):
            raise AssertionError("a stranger was run")

        __eq__ = __str__ = __len__ = __hash__

    module = load(SAMPLE)
    module.A.__qualname__ = Text("A")
    module.A.__init__.__code__ = module.A.__init__.__code__.replace(
        co_name=Text("__init__"),
        co_filename=Text(module.__file__),
        **({"co_qualname": Text("A.__init__")} if sys.version_info >= (3, 11) else {}),
    )
    assert where_set(module.A, Text("x")) == marked(module.__file__)
    assert where_defined(module.A.__init__).line == 2


def test_hostile_globals(load):
    class Names(dict):
        def __getitem__(self, key):
            raise AssertionError("a stranger was run")

        get = __contains__ = __getitem__

    module = load(SAMPLE)
    code = module.A.__init__.__code__.replace(co_filename="<frozen nothing>")
    assert where_defined(types.FunctionType(code, Names(__file__=module.__file__))).line == 2


def test_forged_first_line(load):
    class Line(int):
        def __eq__(self, other):
            raise AssertionError("a stranger was run")

        __hash__ = int.__hash__

    module = load(SAMPLE)
    module.A.__firstlineno__ = Line(1)
    assert where_set(module.A, "x") == marked(module.__file__)


def test_wrappers_in_a_circle(definitions):
    definitions.plain.__wrapped__ = definitions.dress
    definitions.dress.__wrapped__ = definitions.plain
    assert where_defined(definitions.plain).line in (4, 9)


# --- what is remembered ------------------------------------------------------------------------------------------------


def test_repeated_question_reads_nothing(load, monkeypatch):
    module = load(SAMPLE)
    expected = [where_set(module.A, "x"), where_set(module.A, "y"), where_defined(module.A)]
    monkeypatch.setattr(time, "monotonic", lambda: source._answered_since)
    for name in ("_home", "_load"):
        monkeypatch.setattr(source, name, None)  # would fail if it were called
    assert [where_set(module.A, "x"), where_set(module.A, "y"), where_defined(module.A)] == expected


def test_file_is_parsed_once(load, monkeypatch):
    module = load(SAMPLE + "        self.y = self.z = object()\n")
    parsed = []
    index = source.Index
    monkeypatch.setattr(source, "Index", lambda *args: parsed.append(args) or index(*args))
    assert [where_set(module.A, name).line for name in "xyz"] == [3, 4, 4]
    assert where_defined(module.A.__init__).line == 2
    assert len(parsed) == 1


@pytest.mark.skipif(sys.gettrace() is not None, reason="a tracer is what would be measured")
@pytest.mark.parametrize("question", ["where_set(A, 'x')", "where_set(A, 'y')", "where_defined(A)", "where_defined(f)"])
def test_repeated_question_is_cheap(load, question):
    module = load(SAMPLE)
    names = {"A": module.A, "f": module.A.__init__, "where_set": where_set, "where_defined": where_defined}
    seconds = min(timeit.repeat(question, globals=names, number=100, repeat=50))  # so short that some are undisturbed
    assert seconds / 100 < 10e-6


def test_class_is_not_kept_alive(load):
    module = load("def make():\n    class A:\n        x = object()\n    return A\n")
    cls = module.make()
    assert where_set(cls, "x").line == 3
    assert where_defined(cls).line == 2
    gone = weakref.ref(cls)
    del cls
    gc.collect()
    assert gone() is None


def test_identity_that_was_used_before_is_another_class(load):
    module = load(SAMPLE)
    source._known(module.A)["x"] = None
    other = load("\n" + SAMPLE)
    source._answers[id(other.A)] = source._answers[id(module.A)]
    assert where_set(other.A, "x") == marked(other.__file__)

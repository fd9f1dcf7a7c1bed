"""What the source says about an attribute, and the expression that makes it anew."""

import importlib.util
import sys
import textwrap

import pytest

from picklecheck.fixes.carrying import remake
from picklecheck.fixes.setting import Life, life, made_on_demand, optional, setting


@pytest.fixture
def module(tmp_path, request):
    """Give a function that makes a module of source text."""
    made = []

    def make(text):
        name = f"setting_module_{len(made)}"
        path = tmp_path / f"{name}.py"
        path.write_text(textwrap.dedent(text))
        spec = importlib.util.spec_from_file_location(name, path)
        made.append(name)
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
        return sys.modules[name]

    yield make
    for name in made:
        del sys.modules[name]


CARRIED = [
    ("self.x = threading.Lock()", "threading.Lock()"),
    ("self.x: object = threading.Lock()", "threading.Lock()"),
    ("self.x = open(path)\n        self.path = path", "open(self.path)"),
    ("self.path = path\n        self.x = open(os.path.join(path, 'a'))", "open(os.path.join(self.path, 'a'))"),
    ("self.path = Path(path)\n        self.x = open(path)", "open(self.path)"),
    ("self.x = open(path)", None),
    ("where = '/tmp'\n        self.x = Box(where)", "Box('/tmp')"),
    ("a = Box(1)\n        b = Box(a)\n        self.x = Box([b])", "Box([Box(Box(1))])"),
    ("a = Box(1)\n        a.start()\n        self.x = Box(a)", None),
    ("self.x = lock or threading.Lock()", "threading.Lock()"),
    ("self.x = lock if lock is not None else threading.Lock()", "threading.Lock()"),
    ("self.x = threading.Lock() if lock is None else lock", "threading.Lock()"),
    ("if lock is None:\n            lock = threading.Lock()\n        self.x = lock", "threading.Lock()"),
    ("self.x = lock", None),
    ("self.n = n\n        self.x = [Box(i) for i in range(n)]", "[Box(i) for i in range(self.n)]"),
    ("self.n = n\n        self.x = Box(\n            n,\n            1,\n        )", "Box(self.n, 1)"),
    ("self.n = n\n        self.x = Box(f'a{n}')", "Box(f'a{self.n}')"),
    ("self.x = Box(lambda n: n + 1)", "Box(lambda n: n + 1)"),
    ("self.n = n\n        self.x = Box(n + 1, *[n])", "Box(self.n + 1, *[self.n])"),
    ("self.n = n\n        m = n + 1\n        self.x = Box(m * 2)", "Box((self.n + 1) * 2)"),
    ("self.x = Box(self.method)", "Box(self.method)"),
    ("self.x = Box(self.absent) if n else Box()", None),
    ("import json\n        self.x = json.JSONDecoder()", "json.JSONDecoder()"),
    ("self.x = Box(y := 3)", None),
    ("self.a, self.x = 1, Box(2)", "Box(2)"),
    ("object.__setattr__(self, 'x', Box(3))", "Box(3)"),
    ("for i in range(3):\n            self.x = Box(i)", None),
    ("with Box(1) as b:\n            self.x = Box(b)", "Box(b)"),
    ("self.__n = n\n        self.x = Box(n)", "Box(self.__n)"),
    ("self.n = n\n        self.x = Box('é', n)", "Box('é', self.n)"),
]


@pytest.mark.parametrize(("body", "expected"), CARRIED)
def test_an_expression_is_carried(module, body, expected):
    made = module(f"""
    import os, threading
    from pathlib import Path

    def open(path): return Box(path)

    class Box:
        def __init__(self, *args): self.args = args
        def start(self): pass
        def __enter__(self): return self
        def __exit__(self, *exc): pass

    class A:
        def __init__(self, path=__file__, lock=None, n=0):
            {body.replace(chr(10), chr(10) + "    ")}

        def method(self): pass
    """)
    owner = made.A()
    found = remake(made.A, "x", owner)
    assert (found and found.text) == expected


def test_a_name_of_another_module_is_imported(module):
    base = module("""
    import json as js
    import threading
    def make(): return threading.Lock()
    class Base:
        def __init__(self):
            self.a = make()
            self.__b = 1
            self.c = js.loads("[]"), self.__b
    """)
    sys.modules["based"] = base
    made = module("""
    from based import Base
    class Derived(Base): pass
    """)
    del sys.modules["based"]
    owner = made.Derived()
    first, second = remake(made.Derived, "a", owner), remake(made.Derived, "c", owner)
    assert (first.text, first.imports) == ("make()", (f"from {base.__name__} import make",))
    assert (second.text, second.imports) == ('(js.loads("[]"), self._Base__b)', ("import json as js",))


def test_factories_of_fields(module):
    made = module("""
    import threading, attr, attrs
    from dataclasses import dataclass, field
    @dataclass
    class D:
        lock: object = field(default_factory=threading.Lock)
        other: object = field(default_factory=lambda: [threading.Lock()])
        plain: object = None
    @attrs.define
    class E:
        lock = attrs.field(factory=threading.Lock)
    @attr.s
    class F:
        lock = attr.ib(default=attr.Factory(threading.Lock))
    """)
    assert remake(made.D, "lock", made.D()).text == "threading.Lock()"
    assert remake(made.D, "other", made.D()).text == "[threading.Lock()]"
    assert remake(made.E, "lock", made.E()).text == "threading.Lock()"
    assert remake(made.F, "lock", made.F()).text == "threading.Lock()"
    assert life(made.D, "lock") == Life(True, False, "")
    assert life(made.D, "plain") == Life(True, True, "")


def test_what_a_class_makes_must_be_the_thing(module):
    made = module("""
    class A:
        def __init__(self): self.x = dict()
    class B:
        def __init__(self): self.x = A()
    """)
    assert remake(made.B, "x", made.B(), made.A()).text == "A()"
    assert remake(made.B, "x", made.B(), object()) is None


LIVES = [
    ("def __init__(self): self.x = object()", Life(True, False, "")),
    ("def __init__(self, x=None): self.x = x", Life(True, True, "")),
    ("def __init__(self):\n        self.x = None\n    def get(self):\n        if self.x is None: self.x = object()", Life(True, True, "none")),
    ("def __init__(self):\n        self.x = None\n    def start(self):\n        if self.x is None: self.x = object()", Life(True, True, "")),
    ("def __init__(self):\n        self.x = None\n    def start(self): self.x = object()", Life(True, True, "")),
    ("def __init__(self):\n        self.x = None\n    def start(self): self.x = object()\n    def get(self):\n        if not self.x: self.start()", Life(True, True, "none")),
    ("def get(self):\n        if not hasattr(self, 'x'): self.x = object()", Life(False, False, "absent")),
    ("def __init__(self): self._make()\n    def _make(self): self.x = object()", Life(True, False, "")),
    ("def setup(self): self.x = object()", Life(False, False, "")),
    ("def open(self): self.x = object()", Life(False, False, "")),
    ("x = None\n    def get(self):\n        if self.x is None: self.x = object()", Life(False, True, "none")),
    ("@functools.cached_property\n    def x(self): return object()", Life(False, False, "absent")),
    ("def __init__(self):\n        if True: self.x = object()", Life(False, False, "")),
    ("def __init__(self): self.x = object()\n    def close(self):\n        if self.x is not None: self.x = None", Life(True, True, "")),
]  # fmt: skip


@pytest.mark.parametrize(("body", "expected"), LIVES)
def test_how_an_attribute_lives(module, body, expected):
    made = module(f"import functools\nclass A:\n    {body}\n")
    assert life(made.A, "x") == expected
    assert optional(made.A, "x") == expected.nullable
    assert made_on_demand(made.A, "x") == bool(expected.demand)


def test_without_source_nothing_is_known():
    made = type("Made", (), {})
    assert setting(made, "x") is None
    assert life(made, "x") == Life(always=False)
    assert remake(made, "x", made()) is None

"""Objects that pickle and cannot be unpickled."""

import pytest

from picklecheck.fixes.base import Spot
from picklecheck.fixes.recipes.arrival import enum_value, getattr_hook, hash_too_early, new_arguments
from picklecheck.fixes.recipes.restoring import setstate
from tests.fixes.arrival_tools import fixed

NEW = {
    "int": ("int", "cls, position, low, high", "super().__new__(cls, position)", "self.low, self.high = low, high",
            "(10, 8, 12)", "return (int(self), self.low, self.high)"),
    "str with a derived value": ("str", "cls, text, tag", "super().__new__(cls, text + tag)", "self.tag = tag",
                                 "('a', 'b')", "return str.__new__, (type(self), str(self)), self.__dict__"),
    "tuple of arguments": ("tuple", "cls, one, other", "tuple.__new__(cls, (one, other))", "pass",
                           "(1, 2)", "return (self[0], self[1])"),
    "tuple": ("tuple", "cls, items, unit", "super().__new__(cls, items)", "self.unit = unit",
              "([1, 2], 'm')", "return (tuple(self), self.unit)"),
    "float by keyword": ("float", "cls, *, of", "super().__new__(cls, of / 2)", "pass",
                         "of=3", "return float.__new__, (type(self), float(self))"),
    "keyword": ("float", "cls, value, *, unit", "super().__new__(cls, value)", "self.unit = unit",
                "2.5, unit='m'", 'return (float(self),), {"unit": self.unit}'),
    "object": ("object", "cls, number", "super().__new__(cls)", "self.number = number",
               "4", "return (self.number,)"),
    "frozenset": ("frozenset", "cls, items, label", "super().__new__(cls, items)", "pass",
                  "[1], 'l'", "frozenset.__new__, (type(self), frozenset(self))"),
    "frozenset with all": ("frozenset", "cls, items, label", "super().__new__(cls, items)", "self.label = label",
                           "[1], 'l'", "return type(self), (frozenset(self), self.label), self.__dict__"),
    "changed afterwards": ("int", "cls, value, *more", "super().__new__(cls, value)", "self.more = more[:1]",
                           "3, 4, 5", "return int.__new__, (type(self), int(self)), self.__dict__"),
    "namedtuple": ("collections.namedtuple('Point', 'x y')", "cls, x", "super().__new__(cls, x, x)", "pass",
                   "1", "return (self.x,)"),
}  # fmt: skip


@pytest.mark.parametrize("name", NEW)
def test_new_is_given_its_arguments(load, name):
    base, parameters, made, then, given, has = NEW[name]
    given = given[1:-1] if given.startswith("(") and name in ("int", "str with a derived value", "tuple",
                                                              "tuple of arguments") else given  # fmt: skip
    module = load(f"""
    import collections


    class Made({base}):
        def __new__({parameters}):
            self = {made}
            {then}
            return self
    """)
    obj = eval(f"Made({given})", vars(module))
    assert has in fixed(new_arguments, obj)


def test_a_text_that_shows_itself_otherwise(load):
    module = load("""
    class Shown(str):
        def __new__(cls, text, tag):
            self = str.__new__(cls, text)
            self.tag = tag
            return self

        def __str__(self):
            return "<" + self.tag + ">"
    """)
    assert "str(str.__str__(self))" in fixed(new_arguments, module.Shown("a", "b"))


HOOKS = {
    "proxy": ("return getattr(self._inner, name)", "self._inner = inner",
              'if name.startswith("__") or name == "_inner":'),
    "private": ("return getattr(self.__inner, name)", "self.__inner = inner",
                'if name.startswith("__") or name == "_Proxy__inner":'),
    "two": ("return self._a[name] if name in self._a else self._b[name]", "self._a, self._b = {'x': 1}, inner",
            'if name.startswith("__") or name in ("_a", "_b"):'),
    "dictionary": ("return self.__dict__[name]", "self.x = 1", 'if name.startswith("__"):'),
}  # fmt: skip


@pytest.mark.parametrize("name", HOOKS)
def test_a_hook_takes_care(load, name):
    body, setup, has = HOOKS[name]
    module = load(f'''
    class Proxy:
        def __init__(self, inner):
            {setup}

        def __getattr__(self, name):
            """Look elsewhere."""
            {body}
    ''')
    text = fixed(getattr_hook, module.Proxy([1]))
    assert has in text
    assert text.index("Look elsewhere") < text.index("startswith")


def test_a_hook_that_answers_for_everything(load):
    module = load("""
    class Mock:
        def __getattr__(self, item): return 3
    """)
    assert 'if item.startswith("__"):' in fixed(getattr_hook, module.Mock(), stage="pickle")


def test_enum_members_go_by_name(load):
    module = load("""
    import enum


    class Marker(enum.Enum):
        NOT_GIVEN = object()
    """)
    text = fixed(enum_value, module.Marker.NOT_GIVEN)
    assert "return getattr, (type(self), self.name)" in text


def test_composed_flags_have_no_recipe(load):
    module = load("""
    import enum


    class Mode(enum.Flag):
        A = 1
        B = 2
    """)
    assert enum_value(Spot(obj=module.Mode.A | module.Mode.B, kind="enum-value", stage="unpickle")) is None


NODES = {
    "plain": """
    class Node:
        def __init__(self, name):
            self.name = name
            self.edges = {}

        def __hash__(self):
            return hash(self.name)

        def __eq__(self, other):
            return self.name == other.name
    """,
    "dataclass": """
    from dataclasses import dataclass, field


    @dataclass(unsafe_hash=True)
    class Node:
        name: str
        edges: dict = field(default_factory=dict, compare=False)
    """,
    "frozen": """
    from dataclasses import dataclass, field


    @dataclass(frozen=True)
    class Node:
        name: str
        edges: dict = field(default_factory=dict, compare=False)
    """,
}


@pytest.mark.parametrize("name", NODES)
def test_the_hash_has_what_it_needs(load, name):
    module = load(NODES[name])
    one, other = module.Node("one"), module.Node("other")
    one.edges[other] = other.edges[one] = 4
    assert "return type(self), (self.name,), self.__dict__" in fixed(hash_too_early, one)


def test_a_hash_of_what_leads_back_has_no_recipe(load):
    module = load("""
    class Node:
        def __init__(self, name, near):
            self.name, self.near = name, near

        def __hash__(self):
            return hash(self.name)
    """)
    assert hash_too_early(Spot(obj=module.Node("a", {}), kind="hash-too-early", stage="unpickle")) is None


STATES = {
    "frozen dataclass": ("""
    import dataclasses


    @dataclasses.dataclass(frozen=True)
    class Batch:
        rows: tuple
        size: int = 3

        def __getstate__(self):
            return {"rows": self.rows, "size": 2}

        def __setstate__(self, state):
            self.rows, self.size = state["rows"], (
                state["size"] + 1)
    """, "Batch((1, 2))", 'object.__setattr__(self, "rows", state["rows"])'),
    "slots base": ("""
    from dataclasses import dataclass


    class Tagged:
        __slots__ = ("tag",)


    @dataclass(frozen=True)
    class Point(Tagged):
        x: float

        def __post_init__(self):
            object.__setattr__(self, "tag", "t")
    """, "Point(1.0)", "object.__setattr__(self, name, value)"),
    "slots that are read only": ("""
    class Fixed:
        __slots__ = ("x", "__y")

        def __init__(self):
            object.__setattr__(self, "x", 1)

        def __setattr__(self, name, value):
            raise AttributeError(name)
    """, "Fixed()", "object.__setattr__(self, name, value)"),
    "dict": ("""
    class Notifying(dict):
        def __init__(self, parent=None, **values):
            self.parent = parent
            super().__init__(**values)

        def __setitem__(self, key, value):
            assert self.parent is None
            super().__setitem__(key, value)
    """, "Notifying(None, b=1, a=2)", "return dict.__new__, (type(self),), (self.__dict__, dict(self))"),
    "list": ("""
    class Owned(list):
        def __init__(self, owner):
            super().__init__([1, 2])
            self.owner = owner

        def append(self, item):
            super().append((self.owner, item))

        def extend(self, items):
            super().extend((self.owner, item) for item in items)
    """, "Owned(1)", "list.extend(self, items)"),
}  # fmt: skip


@pytest.mark.parametrize("name", STATES)
def test_the_state_is_restored(load, name):
    source, made, has = STATES[name]
    assert has in fixed(setstate, eval(made, vars(load(source))))


def test_a_state_that_is_missing_a_key_has_no_recipe(load):
    module = load("""
    class Raises:
        def __setstate__(self, state):
            self.x = state["nothing"]
    """)
    assert setstate(Spot(obj=module.Raises(), kind="setstate", stage="unpickle")) is None

"""Exceptions, and other objects whose class is called with the wrong arguments."""

import pytest

from picklecheck.fixes.base import Spot
from picklecheck.fixes.recipes.exceptions import init_arguments
from tests.fixes.arrival_tools import fixed

BARE = "return type(self).__new__, (type(self), *self.args), self.__dict__"


def case(*lines, base="Exception", made, call, has, before=""):
    return before + f"\nclass Wrong({base}):\n" + "\n".join(f"    {line}" for line in lines) + "\n", made, call, has


CASES = {
    "joined": case(
        "def __init__(self, table, key):", "    super().__init__(f'no {key!r} in {table!r}')",
        "    self.table, self.key = table, key",
        made=("users", "bob"), call={}, has="return type(self), (self.table, self.key), self.__dict__",
    ),
    "annotated and private": case(
        "def __init__(self, table: str, key: str) -> None:", "    self.__table: str = table", "    self._key = key",
        "    super().__init__(f'no {key!r} in {table!r}')",
        made=("users", "bob"), call={}, has="(self.__table, self._key)",
    ),
    "keyword-only": case(
        "def __init__(self, *, code):", "    super().__init__(f'code {code}')", "    self.code = code",
        made=(), call={"code": 3}, has="return functools.partial(type(self), code=self.code), (), self.__dict__",
    ),
    "nothing kept": case(
        "def __init__(self, ticket):", "    super().__init__(ticket.upper())", "    assert ticket.islower()",
        made=("a",), call={}, has=BARE,
    ),
    "no call of the base": case(
        "def __init__(self, user, limit):", "    self.user = user", "    self.limit = limit",
        made=(), call={"user": "ann", "limit": 3}, has=BARE,
    ),
    "too many": case(
        "def __init__(self, code, reason):", "    super().__init__(code, reason, f'{code}: {reason}')",
        made=(7, "closed"), call={}, has="return type(self), (self.args[0], self.args[1]), self.__dict__",
    ),
    "a default that is not kept": case(
        "def __init__(self, table, key, retry=0):", "    super().__init__(f'{table} {key} {retry}')",
        "    self.table, self.key = table, key",
        made=("t", "k"), call={"retry": 2}, has=BARE,
    ),
    "changed before it is kept": case(
        "def __init__(self, table, key):", "    table = table * 2", "    super().__init__(table + key)",
        "    self.table, self.key = table, key",
        made=("t", "k"), call={}, has=BARE,
    ),
    "through a base": case(
        "def __init__(self, where, key):", "    super().__init__(f'at {where}', where)", "    self.key = key",
        base="Base", before="class Base(Exception):\n    def __init__(self, text, where):\n"
        "        super().__init__(text)\n        self.where = where\n",
        made=("here", 2), call={}, has="(self.where, self.key)",
    ),
    "changed after it is kept": case(
        "def __init__(self, table, key):", "    super().__init__(table + key)",
        "    self.table, self.key = table, key", "    self.key = self.key * 2",
        made=("t", "k"), call={}, has=BARE,
    ),
    "kept under a condition": case(
        "def __init__(self, table, key):", "    super().__init__(table + key)", "    self.key = ''",
        "    self.table = table", "    if table == 'x':", "        self.key = key",
        made=("t", "k"), call={}, has=BARE,
    ),
    "own arguments": case(
        "def __init__(self, table, key):", "    super().__init__(table, key)", "    self.args = (table + key,)",
        "    self.table, self.key = table, key",
        made=("t", "k"), call={}, has=BARE,
    ),
    "all arguments": case(
        "def __init__(self, *parts, sep):", "    super().__init__(*parts)", "    self.sep = sep",
        made=(1, 2), call={"sep": "-"}, has="functools.partial(type(self), sep=self.sep), (*self.args,)",
    ),
    "own reduce": case(
        "def __init__(self, a, b):", "    super().__init__(f'{a}{b}')", "    self.a, self.b = a, b", "",
        "def __reduce__(self):", "    return type(self), (self.a,), {'extra': self.extra}",
        made=(1, 2), call={}, has="return type(self), (self.a, self.b), {'extra': self.extra}",
    ),
    "a reduce method of the library": case(
        "def __init__(self, text, doc):", "    super().__init__(text, doc, 0)",
        base="json.JSONDecodeError", before="import json\n\n",
        made=("t", "d"), call={}, has=BARE,
    ),
    "oserror": case(
        "def __init__(self, path, number):", "    super().__init__(number, 'gone', path)", "    self.path = path",
        "    self.number = number", base="OSError",
        made=("a/b", 2), call={}, has="(self.path, self.number)",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_an_exception_makes_the_trip(load, name):
    source, made, call, has = CASES[name]
    error = load(source).Wrong(*made, **call)
    error.extra = [1]
    assert has in fixed(init_arguments, error)


def test_a_subclass_that_inherits_init(load):
    module = load("""
    class Base(Exception):
        def __init__(self, a, b):
            super().__init__(f"{a}{b}")
            self.a, self.b = a, b


    class Sub(Base, KeyError):
        pass
    """)
    text = fixed(init_arguments, module.Sub(1, 2))
    assert text.index("__reduce__") < text.index("class Sub")


def test_an_own_reduce_that_calls_something_else_is_left_alone(load):
    module = load("""
    class Wrong(Exception):
        def __init__(self, a):
            self.a = a

        def __reduce__(self):
            return rebuilt, (self.a, 1)


    def rebuilt(a):
        return Wrong(a)
    """)
    assert init_arguments(Spot(obj=module.Wrong(1), kind="init-arguments", stage="unpickle")) is None


def test_an_exception_of_the_library_has_no_recipe():
    assert init_arguments(Spot(obj=KeyError(1), kind="init-arguments", stage="unpickle")) is None


CONTAINERS = [
    ("defaultdict", "def __init__(self, name, kind):", "super().__init__(int)"),
    ("OrderedDict", "def __init__(self, name, kind):", "super().__init__()"),
    ("Counter", "def __init__(self, name, kind):", "super().__init__()"),
    ("deque", "def __init__(self, name, kind):", "super().__init__()"),
]


@pytest.mark.parametrize(("base", "head", "first"), CONTAINERS)
def test_a_container_makes_the_trip(load, base, head, first):
    module = load(f"""
    import collections


    class Filled(collections.{base}):
        {head}
            {first}
            self.name = (name, kind)
    """)
    made = module.Filled("a", 1)
    made.extend([3, 1]) if base == "deque" else made.update(b=1, a=2)
    fixed(init_arguments, made)


def test_a_set_makes_the_trip(load):
    module = load("""
    class Tags(set):
        def __init__(self, owner, sep):
            super().__init__()
            self.owner = owner + sep
    """)
    made = module.Tags("a", "-")
    made.add(1)
    assert "set.update(self, items)" in fixed(init_arguments, made)

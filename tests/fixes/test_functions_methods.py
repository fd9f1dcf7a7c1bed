import functools
import textwrap
import types

import pytest

from picklecheck.fixes.recipes.functions import split_decorated
from picklecheck.fixes.recipes.methods import cache_anew, move_cached, name_cached, rebind
from tests.fixes.fixing import Program


def with_state(program, change):
    """Give the class with the state methods that a change stands for."""
    out, back = (textwrap.indent("\n".join(lines), "    ") for lines in (change.out, change.back))
    text = f"def __getstate__(self):\n    state = self.__dict__.copy()\n{out}\n    return state\n"
    text += f"def __setstate__(self, state):\n    self.__dict__.update(state)\n{back}\n"
    space = vars(program.module)
    for line in change.imports:
        exec(line, space)
    exec(text, space, made := {})
    return made["__getstate__"], made["__setstate__"]


def crossed(program, owner, remedy):
    (change,) = remedy.changes
    out, back = with_state(program, change)
    new = object.__new__(type(owner))
    back(new, out(owner))
    return new


METHOD = "import types\ndef forward(module, x, scale=1):\n    return module.k * x * scale\nclass Net:\n    def __init__(self, fn):\n        self.k = 3\n        self.forward = types.MethodType(fn, self)\n"


def test_a_method_bound_by_hand_is_bound_anew(tmp_path):
    program = Program(tmp_path, METHOD)
    net = program.module.Net(functools.partial(program.module.forward, scale=2))
    remedy = program.remedy(rebind, net.forward, "nameless-method", owner=net, attribute="forward", value=net.forward)
    new = crossed(program, net, remedy)
    assert new.forward(1) == 6
    assert new.forward.__self__ is new


def test_a_method_of_another_is_left_alone(tmp_path):
    program = Program(tmp_path, METHOD)
    net, other = (program.module.Net(functools.partial(program.module.forward)) for _ in range(2))
    net.forward = other.forward
    assert program.remedy(rebind, net.forward, "nameless-method", owner=net, attribute="forward") is None


CACHES = {
    "as it is made": ("functools.lru_cache(maxsize=self.size)(self._inverse)", "self.size = 8", 8),
    "with a local size": ("functools.lru_cache(maxsize=n)(self._inverse)", "n = 9", 9),
    "without a size": ("functools.lru_cache(self._inverse)", "pass", 128),
    "cache": ("functools.cache(self._inverse)", "pass", None),
}


@pytest.mark.parametrize("case", CACHES)
def test_a_cache_is_made_anew(tmp_path, case):
    made, before, size = CACHES[case]
    program = Program(
        tmp_path,
        f"import functools\nclass Distance:\n    def __init__(self):\n        self.k = 2\n        {before}\n        self._inverse = {made}\n\n    def _inverse(self, n):\n        return self.k / n\n",
    )
    owner = program.module.Distance()
    remedy = program.remedy(cache_anew, owner._inverse, "lru-cache", owner=owner, attribute="_inverse")
    new = crossed(program, owner, remedy)
    assert new._inverse(4) == 0.5
    assert new._inverse.cache_info()[2] == size
    assert new._inverse is not owner._inverse
    assert new._inverse.__wrapped__.__self__ is new


def test_a_cache_of_what_only_the_constructor_knows_is_left_alone(tmp_path):
    program = Program(
        tmp_path, "import functools\nclass A:\n    def __init__(self, f):\n        self.f = functools.lru_cache(f)\n"
    )
    owner = program.module.A(len)
    assert program.remedy(cache_anew, owner.f, "lru-cache", owner=owner, attribute="f") is None


def test_a_cache_with_another_name_gets_its_own(tmp_path):
    program = Program(
        tmp_path, "import functools\ndef slow(n):\n    return n\nfast = functools.lru_cache(slow)\nobj = [fast]\n"
    )
    remedy = program.remedy(name_cached, program.module.fast, "lru-cache")
    assert program.again([remedy], "cross(m.obj)[0] is m.fast") == "True"
    assert program.crosses(program.module.obj, [remedy], "got[0] is fast") == "True"


def test_a_cached_local_function_moves_with_its_cache(tmp_path):
    program = Program(
        tmp_path,
        "import functools\ndef make():\n    @functools.lru_cache(maxsize=3)\n    def f(n):\n        return n\n    return f\nobj = [make()]\n",
    )
    remedy = program.remedy(move_cached, program.module.obj[0], "lru-cache")
    assert program.again([remedy], "cross(m.obj)[0](5), m.obj[0].cache_info()[2]") == "(5, 3)"
    assert program.crosses(program.module.obj, [remedy], "got[0](4)") == "4"


HIDDEN = """
RAW = []
def bounded(fn):
    RAW.append(fn)
    def wrapper(*a):
        return fn(*a) + 1
    {naming}
    return wrapper

@bounded
def mutate(n, k=2):
    # doubled
    return n * k

def after():
    return mutate(1)
obj = [RAW[0], mutate]
"""


def test_a_function_hidden_by_its_decorator_gets_a_name(tmp_path):
    program = Program(
        tmp_path, HIDDEN.replace("{naming}", "wrapper.__name__ = fn.__name__; wrapper.__qualname__ = fn.__qualname__")
    )
    remedy = program.remedy(split_decorated, program.module.RAW[0], "shadowed-function")
    edited = program.edited(remedy)
    assert "def _mutate(n, k=2):\n    # doubled\n    return n * k\n" in edited
    assert "mutate = bounded(_mutate)" in edited
    assert program.again([remedy], "cross(m.obj)[0](3), cross(m.obj)[1](3), m.after()") == "(6, 7, 3)"
    assert program.crosses(program.module.obj, [remedy], "got[0](3), got[1](3)") == "(6, 7)"


def test_a_function_defined_twice_is_left_alone(tmp_path):
    program = Program(tmp_path, "def f(): return 1\nold = f\ndef f(): return 2\n")
    assert program.remedy(split_decorated, program.module.old, "shadowed-function") is None
    assert isinstance(program.module.old, types.FunctionType)

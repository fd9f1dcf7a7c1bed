import collections
import enum
import functools
import io
import pickle
import sys
import types

import pytest

from picklecheck.probe.byname import Judge

PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)


def top():
    return None


class Top:
    class Inner:
        def method(self):
            return None

        @staticmethod
        def static():
            return None

    @classmethod
    def made(cls):
        return cls()


class Meta(type):
    pass


class WithMeta(metaclass=Meta):
    pass


def local():
    return lambda: None


def local_class():
    class Local:
        pass

    return Local


def renamed(**names):
    def function():
        return None

    for name, value in names.items():
        setattr(function, name, value)
    return function


@functools.wraps(top)
def shadowing():
    return None


def gone_module():
    module = types.ModuleType("picklecheck_gone")
    exec("def function(): pass", module.__dict__)
    return module.function


def dotted():
    return type("Dotted", (), {"__qualname__": "Top.Missing", "__module__": __name__})


CASES = {
    "function": lambda: top,
    "class": lambda: Top,
    "inner-class": lambda: Top.Inner,
    "method": lambda: Top.Inner.method,
    "static": lambda: Top.Inner.static,
    "builtin-function": lambda: len,
    "builtin-class": lambda: dict,
    "metaclass": lambda: WithMeta,
    "standard-library": lambda: collections.OrderedDict,
    "local": local,
    "local-class": local_class,
    "shadowing": lambda: shadowing,
    "gone-module": gone_module,
    "module-none": lambda: renamed(__module__=None, __qualname__="nowhere_at_all"),
    "module-none-but-found": lambda: renamed(__module__=None, __qualname__="top"),
    "module-odd": lambda: renamed(__module__=3, __qualname__="top"),
    "module-not-there": lambda: renamed(__module__="no.such.module", __qualname__="top"),
    "module-main": lambda: renamed(__module__="__main__", __qualname__="no_such_name"),
    "name-empty": lambda: renamed(__qualname__=""),
    "name-of-another": lambda: renamed(__qualname__="top"),
    "dotted": dotted,
    "not-ascii": lambda: renamed(__qualname__="größe"),
    "surrogate": lambda: type("Odd", (), {"__qualname__": "\ud800", "__module__": __name__}),
    "none-type": lambda: type(None),
    "ellipsis-type": lambda: type(...),
    "extension-type": lambda: type(iter([])),
}


def really(obj, protocol):
    try:
        pickle.Pickler(io.BytesIO(), protocol).dump(obj)
    except Exception as error:
        return error
    return None


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("name", CASES)
def test_the_verdict_and_the_words_are_the_pickler_s(name, protocol):
    obj = CASES[name]()
    expected, found = really(obj, protocol), Judge(protocol).refuses(obj)
    assert (type(found), str(found)) == (type(expected), str(expected))


def test_one_judge_judges_many():
    judge = Judge(4)
    objects = [make() for make in CASES.values()] * 2
    assert [judge.refuses(obj) is None for obj in objects] == [really(obj, 4) is None for obj in objects]


def test_verdicts_are_not_remembered():
    """A name may come and go."""
    judge, function = Judge(4), renamed(__module__=__name__, __qualname__="comes_and_goes")
    assert judge.refuses(function) is not None
    globals()["comes_and_goes"] = function
    assert judge.refuses(function) is None
    del globals()["comes_and_goes"]
    assert judge.refuses(function) is not None


def test_nothing_is_kept_alive():
    judge, function = Judge(4), local()
    before = sys.getrefcount(function)
    error = judge.refuses(function)
    judge.refuses(top)
    del error
    assert sys.getrefcount(function) == before


# objects whose reduce value is a name


class ByName:
    def __init__(self, name):
        self.name = name

    def __reduce__(self):
        return self.name


FOUND = ByName("FOUND")
Top.held = ByName("Top.held")


class Colour(enum.Enum):
    RED = 1


@pytest.mark.parametrize(
    "obj",
    [FOUND, Top.held, ByName("NOWHERE"), ByName("FOUND"), ByName(""), ByName("Top.nothing")],
    ids=lambda obj: obj.name,
)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_an_object_that_gives_a_name_is_looked_up_by_it(obj, protocol):
    found, expected = Judge(protocol).refuses(obj, obj.name), really(obj, protocol)
    assert (found is None) is (expected is None)
    assert found is None or type(found) is type(expected)


def test_the_object_s_own_repr_is_not_asked():
    class Loud(type):
        def __repr__(cls):
            raise LookupError("asked")

    cls = Loud("Nowhere", (), {"__module__": __name__})
    error = Judge(4).refuses(cls)
    assert type(error) is pickle.PicklingError
    assert "Nowhere" in str(error)


def test_a_class_with_a_repr_of_its_own_is_found_all_the_same():
    class Loud(type):
        def __repr__(cls):
            raise LookupError("asked")

    cls = Loud("Quiet", (), {"__module__": __name__, "__qualname__": "Quiet"})
    globals()["Quiet"] = cls
    try:
        assert Judge(4).refuses(cls) is None
    finally:
        del globals()["Quiet"]

import functools
import sys
import types

import pytest

from picklecheck.kinds.names import look_up, lookup_note

HERE = __name__


def at_the_top():
    pass


class AtTheTop:
    class Inner:
        @staticmethod
        def method():
            pass

        @functools.lru_cache
        def cached(self):
            pass


def local_function():
    def inside():
        pass

    return inside


def local_class():
    class Inside:
        pass

    return Inside


def replaced():
    pass


REPLACED = replaced


def replaced(again):  # as a reload does
    pass


class Reloaded:
    pass


OLD = Reloaded


class Reloaded:  # as a reload does
    pass


def deleted():
    pass


DELETED = deleted
del deleted


@functools.lru_cache
def cached():
    pass


def elsewhere():
    pass


elsewhere.__module__ = "module.that.is.nowhere"


def of_no_module():
    pass


of_no_module.__module__ = None


class Unreadable:
    __module__ = property(lambda self: "x")


def renamed():
    pass


renamed.__qualname__ = renamed.__name__ = "another_name"


# what look_up sees


@pytest.mark.parametrize(
    "obj", [at_the_top, AtTheTop, AtTheTop.Inner, AtTheTop.Inner.method, cached, AtTheTop.Inner.cached, len, int]
)
def test_finds_what_is_under_its_name(obj):
    seen = look_up(obj)
    assert (seen.importable, seen.there) == (True, True)
    assert seen.found is obj


def test_says_what_is_there_in_its_place():
    seen = look_up(REPLACED)
    assert (seen.module, seen.qualname, seen.there, seen.alias) == (HERE, "replaced", True, "REPLACED")
    assert seen.found is replaced


@pytest.mark.parametrize(
    ("obj", "importable"),
    [
        pytest.param(DELETED, True, id="deleted"),
        pytest.param(local_function(), True, id="local"),
        pytest.param(elsewhere, False, id="module-nowhere"),
        pytest.param(of_no_module, False, id="module-none"),
        pytest.param(Unreadable, False, id="module-property"),
    ],
)
def test_says_where_the_look_up_ended(obj, importable):
    seen = look_up(obj)
    assert (seen.importable, seen.there, seen.found) == (importable, False, None)


@pytest.mark.parametrize(
    "obj", [None, 3, "name", object(), functools.partial(print), types.SimpleNamespace(), [].append.__self__]
)
def test_other_objects_have_no_name_to_look_up(obj):
    assert look_up(obj) is None
    assert lookup_note(obj) == ""


# what is said about it


@pytest.mark.parametrize(
    ("obj", "note"),
    [
        (at_the_top, ""),
        (AtTheTop.Inner, ""),
        (local_function(), f"It was made inside local_function() and has no name at the top level of {HERE}."),
        (local_class(), f"It was made inside local_class() and has no name at the top level of {HERE}."),
        (of_no_module, "Its __module__ is no string, so there is no module to look it up in."),
        (Unreadable, "Its __module__ is no string, so there is no module to look it up in."),
        (
            elsewhere,
            "Its module is said to be 'module.that.is.nowhere', and no such module is loaded or can be imported.",
        ),
        (DELETED, f"Module {HERE} has nothing named deleted. It is there as DELETED."),
        (renamed, f"Module {HERE} has nothing named another_name. It is there as renamed."),
    ],
    ids=lambda value: "" if type(value) is str else getattr(value, "__name__", "?"),
)
def test_note(obj, note):
    assert lookup_note(obj) == note


def test_note_shows_both_functions_that_share_a_name():
    note = lookup_note(REPLACED)
    line = replaced.__code__.co_firstlineno
    assert (
        note
        == f"{HERE}.replaced is <function replaced> from test_names.py:{line}, not this one. It is there as REPLACED."
    )


def test_note_tells_two_classes_of_one_name_apart():
    note = lookup_note(OLD)
    assert note.startswith(f"{HERE}.Reloaded is another class")
    assert note.endswith("not this one. It is there as OLD.")


# nothing of a module's is run


class Loud:
    def __eq__(self, other):
        raise AssertionError("never compared")

    __hash__ = None


class LoudModule(types.ModuleType):
    def __getattribute__(self, name):
        raise AssertionError("never asked")


@pytest.fixture
def loud(monkeypatch):
    module = LoudModule("loud_module")
    vars_of = types.ModuleType.__dict__["__dict__"].__get__(module)
    vars_of.update(first=Loud(), inside=Loud())
    monkeypatch.setitem(sys.modules, "loud_module", module)


@pytest.mark.usefixtures("loud")
@pytest.mark.parametrize(("qualname", "there"), [("inside", True), ("inside.deeper", False), ("gone", False)])
def test_asks_neither_modules_nor_what_they_hold(qualname, there):
    obj = local_function()
    obj.__module__, obj.__qualname__ = "loud_module", qualname
    assert look_up(obj).there is there
    assert "loud_module" in lookup_note(obj)


@pytest.mark.parametrize("module", [None, 3, object()])
def test_an_entry_of_the_module_table_that_is_no_module(monkeypatch, module):
    monkeypatch.setitem(sys.modules, "odd_module", module)
    obj = local_function()
    obj.__module__, obj.__qualname__ = "odd_module", "f"
    assert look_up(obj).importable is False


@pytest.mark.parametrize("name", ["__module__", "__qualname__"])
def test_a_cache_may_have_any_object_for_a_name(name):
    wrapper = functools.lru_cache(at_the_top)
    setattr(wrapper, name, Loud())
    assert type(lookup_note(wrapper)) is str

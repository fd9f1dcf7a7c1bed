import array
import collections
import functools
import itertools
import threading
import types
import weakref

import pytest

from picklecheck import safe


class Lying(type):
    """Answers wrongly to everything that a class can be asked."""

    def __getattribute__(cls, name):
        if name in ("__mro__", "__bases__", "__dict__", "__qualname__", "__module__", "__name__"):
            raise RuntimeError("asked")
        return super().__getattribute__(name)

    @property
    def __mro__(cls):
        raise RuntimeError("asked")

    def __eq__(cls, other):
        raise RuntimeError("asked")

    __hash__ = None


class Base:
    common = 1


def liar():
    return Lying("Liar", (object,), {"__module__": "tests.liars", "own": 2})


class Touchy:
    """Raises wherever it is touched."""

    def refuse(self, *args):
        raise RuntimeError("asked")

    __getattribute__ = __eq__ = __hash__ = __bool__ = __len__ = __repr__ = __str__ = __iter__ = refuse


class Slotted:
    __slots__ = ("__weakref__", "empty", "full")

    def __init__(self):
        self.full = 1


class SlottedBelow(Slotted):
    __slots__ = ("full", "more")

    def __init__(self):
        super().__init__()
        Slotted.full.__set__(self, "of the base")
        self.more = 2


# classes


def test_a_lying_metaclass_is_not_asked():
    cls = liar()
    first, second = safe.mro(cls)
    assert first is cls
    assert second is object
    assert safe.class_dict(cls)["own"] == 2
    assert safe.qualified_name(cls) == "tests.liars.Liar"
    assert safe.find_in_class(cls, "own") == 2
    assert safe.short_repr(cls) == "<class tests.liars.Liar>"
    assert safe.is_class(cls)


def test_the_nearest_base_wins():
    class Child(Base):
        common = 2

    assert safe.find_in_class(Child, "common") == 2
    assert safe.find_in_class(Base, "common") == 1
    assert safe.find_in_class(Child, "missing") is None


@pytest.mark.skipif(not hasattr(types.CodeType, "co_lines"), reason="there is no such type")
def test_a_type_that_was_never_made_ready_has_an_order_all_the_same():
    kind = type((lambda: None).__code__.co_lines())
    assert safe.mro(kind)[0] is kind
    assert safe.mro(kind)[-1] is object


class ClaimsToBeAClass:
    __class__ = type


@pytest.mark.parametrize(
    ("obj", "expected"), [(int, True), (type, True), (ClaimsToBeAClass(), False), (list[int], False)]
)
def test_a_class_is_what_its_type_says(obj, expected):
    assert safe.is_class(obj) is expected


@pytest.mark.parametrize(
    ("cls", "name"),
    [
        (int, "int"),
        (type(None), "NoneType"),
        (threading.Thread, "threading.Thread"),
        (Touchy, f"{__name__}.Touchy"),
        (collections.OrderedDict, "collections.OrderedDict"),
    ],
)
def test_full_names(cls, name):
    assert safe.qualified_name(cls) == name


def test_a_module_name_that_is_no_string_is_none():
    odd = type("Odd", (), {"__module__": 3})
    assert safe.module_of(odd) is None
    assert safe.qualified_name(odd) == "Odd"


def test_labels_leave_out_where_a_class_stands():
    class Inner:
        pass

    assert safe.type_name(Inner()) == "Inner"
    assert safe.type_name(Touchy()) == "Touchy"


def test_under_looks_at_bases_of_the_real_type():
    class Worker(threading.Thread):
        pass

    class Pretender:
        __class__ = threading.Thread

    assert safe.under(Worker(), "queue.Queue", "threading.Thread")
    assert not safe.under(Pretender(), "threading.Thread")


@pytest.mark.parametrize(
    ("cls", "expected"), [(dict, True), (functools.partial, True), (array.array, True), (Base, False), (Slotted, False)]
)
def test_classes_made_in_c(cls, expected):
    assert safe.is_made_in_c(cls) is expected


def test_a_python_class_on_a_c_base_is_not_made_in_c():
    assert not safe.is_made_in_c(type("Mine", (dict,), {"__init__": lambda self: None}))


# instances


def test_the_dictionary_is_read_past_everything():
    touchy = Touchy()
    object.__getattribute__(touchy, "__dict__")["x"] = 1
    assert safe.instance_dict(touchy) == {"x": 1}


class BehindAProperty(Base):
    @property
    def __dict__(self):
        raise RuntimeError("asked")


def test_a_property_named_like_the_dictionary_is_not_called():
    obj = BehindAProperty()
    obj.x = 1
    assert safe.instance_dict(obj) == {"x": 1}


@pytest.mark.parametrize("obj", [1, "text", [], (), object(), Slotted(), len], ids=lambda obj: type(obj).__name__)
def test_what_has_no_dictionary(obj):
    assert safe.instance_dict(obj) is None


def test_a_proxy_is_not_followed():
    target = Base()
    target.x = 1
    proxy = weakref.proxy(target)
    assert safe.instance_dict(proxy) is None
    assert list(safe.members(proxy)) == []
    del target
    assert safe.instance_dict(proxy) is None


def test_a_class_s_dictionary_is_no_dict():
    assert safe.instance_dict(Base) is None


def test_filled_slots_are_members():
    assert dict(safe.members(Slotted())) == {"full": 1}


def test_a_slot_that_a_subclass_has_again_is_the_subclass_s():
    obj = SlottedBelow()
    obj.full = "own"
    assert dict(safe.members(obj)) == {"full": "own", "more": 2}


def test_members_of_c_types():
    found = dict(safe.members(functools.partial(int, "7", base=8)))
    assert (found["func"], found["args"], found["keywords"]) == (int, ("7",), {"base": 8})


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        (Base(), True),
        (Slotted(), True),
        (functools.partial(int), True),
        (Touchy(), False),
        (super(Slotted, Slotted()), False),
        (weakref.proxy(Base), False),
        (list[int], False),
    ],
    ids=safe.type_name,
)
def test_whose_attribute_access_is_the_interpreter_s_own(obj, expected):
    assert safe.plain_access(type(obj)) is expected


# short text


class Text(str):
    __slots__ = ()

    def __repr__(self):
        raise RuntimeError("asked")


class Endless(list):
    def __iter__(self):
        return itertools.count()

    __repr__ = Text.__repr__


class SameHash:
    """Has the hash of a name, so that looking the name up compares with it."""

    def __hash__(self):
        return hash("name")

    asked = 0

    def __eq__(self, other):
        type(self).asked += 1
        return False


def test_keys_are_not_compared():
    obj = {SameHash(): 1, "name": 2}
    before = SameHash.asked
    assert "'name'" in safe.short_repr(obj)
    assert SameHash.asked == before


@pytest.mark.parametrize(
    ("obj", "text"),
    [
        (7, "7"),
        (-0.5, "-0.5"),
        (True, "True"),
        (None, "None"),
        (..., "Ellipsis"),
        ("it's", '"it\'s"'),
        (b"raw", "b'raw'"),
        ([1, "a"], "[1, 'a']"),
        ({"k": 1, 2: None}, "{'k': 1, 2: None}"),
        ([1, 2, 3, 4, 5], "[1, 2, 3, 4, ...]"),
        (int, "<class int>"),
        (Touchy, f"<class {__name__}.Touchy>"),
        (Touchy(), f"<{__name__}.Touchy object>"),
        (Text("x"), f"<{__name__}.Text object>"),
        (Endless(), f"<{__name__}.Endless object>"),
        (len, "<function len>"),
        (types, "<module types>"),
        (1 << 300, "<int of 301 bits>"),
        (1 << 100_000, "<int of 100001 bits>"),
        ([Touchy()], f"[<{__name__}.Touchy object>]"),
    ],
    ids=lambda found: found if type(found) is str else "",
)
def test_short_representations(obj, text):
    assert safe.short_repr(obj) == text or (len(text) > 60 and safe.short_repr(obj) == text[:57] + "...")


@pytest.mark.parametrize(
    "obj", ["x" * 10_000_000, b"x" * 10_000_000, list(range(10**6)), {"k" * 1000: "v" * 1000}, [["deep" * 50] * 9] * 9]
)
def test_representations_are_short(obj):
    assert len(safe.short_repr(obj)) <= 60
    assert safe.short_repr(obj).endswith(("...", "]", "}"))


def test_a_list_that_holds_itself_is_represented():
    obj = []
    obj.append(obj)
    assert safe.short_repr(obj) == "[[<list object>]]"


def test_a_set_that_changes_meanwhile_is_represented(monkeypatch):
    obj = {1, 2, 3}
    numbers = itertools.count(10)
    original = safe.short_repr

    def adding(part, depth=2):
        obj.add(next(numbers))
        return original(part, depth)

    monkeypatch.setattr(safe, "short_repr", adding)
    assert original(obj).endswith("...}")

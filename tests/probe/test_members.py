"""Every sort of step: it is said in the plainest way that gives the object, and evaluating it gives the object."""

import array
import collections
import enum
import functools
import threading
import types

import pytest

from picklecheck.paths import join
from picklecheck.probe.members import inside, listing, step_inside
from tests.probe.walking import first_paths
from tests.specimens import Box

HELD = object()


def said(obj, held=HELD):
    """Give the expressions for `held` in an object, after trying each."""
    found = [join("obj", steps) for steps, thing in listing(obj) if thing is held]
    for path in found:
        assert eval(path, {"obj": obj}) is held, path
    return found


class Slots:
    __slots__ = ("__private", "empty", "plain")

    def __init__(self):
        self.plain = self.__private = HELD


class SlotsBelow(Slots):
    __slots__ = ("plain",)

    def __init__(self):
        Slots.plain.__set__(self, HELD)


class SlotsAndDict(Slots):
    def __init__(self):
        self.extra = HELD


class Private:
    def __init__(self):
        self.__guard = HELD


class Shadowing:
    def __init__(self):
        self.__dict__["cache"] = HELD

    @property
    def cache(self):
        raise LookupError("asked")


class NotShadowing:
    """A function and a class attribute of the name do not hide the instance's."""

    held = None

    def method(self):
        return None

    def __init__(self):
        self.held = self.method = HELD


class Guarded:
    def __init__(self):
        object.__getattribute__(self, "__dict__")["cache"] = HELD

    def __getattribute__(self, name):
        raise LookupError("asked")


class GuardedSlot:
    __slots__ = ("cache",)

    def __init__(self):
        GuardedSlot.cache.__set__(self, HELD)

    __getattribute__ = Guarded.__getattribute__


class LazyMissing:
    def __init__(self):
        self.cache = HELD

    def __getattr__(self, name):
        raise LookupError("asked")


class Failing(Exception):
    pass


class Colour(enum.Enum):
    RED = HELD


def odd_names():
    return Box(**{"class": HELD, "two words": HELD, "ﬁ": HELD})


def closure():
    held = HELD
    return (lambda: held).__closure__[0]


Point = collections.namedtuple("Point", "x y")


class Renamed(Point):
    @property
    def x(self):
        raise LookupError("asked")


@pytest.mark.parametrize(
    ("factory", "paths"),
    [
        (lambda: Box(x=HELD), ["obj.x"]),
        (Private, ["obj._Private__guard"]),
        (Slots, ["obj._Slots__private", "obj.plain"]),
        (
            SlotsBelow,
            [],
        ),  # the base's slot is out of reach, and so not pickled: the subclass has its own, and it is empty
        (SlotsAndDict, ["obj.extra"]),
        (Shadowing, ["obj.__dict__['cache']"]),
        (NotShadowing, ["obj.held", "obj.method"]),
        (Guarded, ["object.__getattribute__(obj, 'cache')"]),
        (GuardedSlot, ["object.__getattribute__(obj, 'cache')"]),
        (LazyMissing, ["obj.cache"]),
        (odd_names, ["obj.__dict__['class']", "obj.__dict__['two words']", "obj.__dict__['ﬁ']"]),
        (lambda: types.SimpleNamespace(x=HELD), ["obj.x"]),
        (lambda: Failing(1, HELD), ["obj.args[1]"]),
        (lambda: Colour.RED, ["obj._value_"]),
        (lambda: functools.partial(print, 1, HELD), []),
        (lambda: functools.partial(print).func, []),
        (closure, ["obj.cell_contents"]),
        (lambda: [1, HELD], ["obj[1]"]),
        (lambda: (HELD,), ["obj[0]"]),
        (lambda: Point(1, HELD), ["obj.y"]),
        (lambda: collections.deque([0, HELD]), ["obj[1]"]),
        (lambda: {"k": HELD}, ["obj['k']"]),
        (lambda: {HELD: 1}, ["list(obj)[0]"]),
        (lambda: {float("nan"): HELD}, ["list(obj.values())[0]"]),
        (lambda: {1: 0, float("inf"): HELD}, ["list(obj.values())[1]"]),
        (lambda: {HELD}, ["list(obj)[0]"]),
        (lambda: frozenset({HELD}), ["list(obj)[0]"]),
        (lambda: collections.OrderedDict(k=HELD), ["obj['k']"]),
        (lambda: array.array("d", [1.0]), []),
    ],
)
def test_what_holds_an_object(factory, paths):
    assert said(factory()) == paths


def test_a_field_that_a_property_hides_is_reached_by_its_number():
    assert said(Renamed(HELD, 2)) == ["obj[0]"]


def test_the_parts_of_partials_and_methods():
    partial = functools.partial(print, HELD, key=HELD)
    assert said(partial, partial.args) == ["obj.args"]
    assert said(partial, partial.keywords) == ["obj.keywords"]
    assert said(partial, print)[0] == "obj.func"
    items = [1]
    assert said(items.append, items) == ["obj.__self__"]
    assert said(items.__len__, items) == ["obj.__self__"]
    box = Box()
    box.method = types.MethodType(print, box)
    assert "obj.__self__" in said(box.method, box)


def test_the_class_is_reached_past_what_it_says():
    class Lying:
        __class__ = int

    assert said(Box(), Box) == ["obj.__class__"]
    assert said(Lying(), Lying) == ["type(obj)"]
    assert said(Guarded(), Guarded) == ["type(obj)"]


def refuse(self, *args):
    raise LookupError("asked")


@pytest.mark.parametrize(
    ("base", "content", "path"),
    [
        (list, [1, HELD], "list.__getitem__(obj, 1)"),
        (tuple, (1, HELD), "tuple.__getitem__(obj, 1)"),
        (dict, {"k": HELD}, "list(dict.values(obj))[0]"),
        (set, {HELD}, "list(set.__iter__(obj))[0]"),
        (frozenset, {HELD}, "list(frozenset.__iter__(obj))[0]"),
        (collections.deque, [1, HELD], "__import__('collections').deque.__getitem__(obj, 1)"),
        (collections.OrderedDict, {"k": HELD}, "list(dict.values(obj))[0]"),
    ],
)
def test_containers_that_answer_otherwise(base, content, path):
    cls = type("Odd", (base,), {})
    obj = cls(content)
    cls.__getitem__ = cls.__iter__ = cls.__len__ = cls.__contains__ = cls.values = cls.items = cls.keys = refuse
    assert said(obj) == [path]


class Keyless(dict):
    __iter__ = refuse


class Defaulting(dict):
    def __missing__(self, key):
        raise LookupError("asked")


def test_keys_of_dict_subclasses():
    assert said(Keyless({HELD: 1})) == ["list(dict.__iter__(obj))[0]"]
    assert said(Defaulting({HELD: 1})) == ["list(obj)[0]"]
    assert said(Defaulting(a=HELD)) == ["obj['a']"]


# plain containers


KEYS = [
    "a",
    1,
    -1,
    None,
    True,
    b"x",
    0.5,
    (1, "a"),
    (),
    float("nan"),
    float("inf"),
    frozenset(),
    2j,
    "x" * 200,
    10**200,
    ...,
]


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_any_key_leads_to_its_value(key):
    lock = threading.Lock()
    for obj in ({"first": 1, key: lock}, Box(table={key: [lock]}), collections.OrderedDict({0.25: 1, key: lock})):
        first_paths(obj)


@pytest.mark.parametrize("box", [[HELD, 1], (1, HELD), {HELD}, frozenset({HELD}), {"k": HELD}, {HELD: 1}, {HELD: HELD}])
def test_the_spots_of_plain_containers(box):
    spots = [spot for spot, thing in inside(box) if thing is HELD]
    for spot in spots:
        assert eval(join("obj", [step_inside(box, spot)]), {"obj": box}) is HELD
    assert len(spots) == sum(each is HELD for each in box) + (isinstance(box, dict) and list(box.values()).count(HELD))

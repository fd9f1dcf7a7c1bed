"""Specimens of the other side: objects that pickle, and what a child makes of them.

The classes stand at the top level, so that a child imports them from here.
"""

import collections
import copyreg
import dataclasses
import enum
import pathlib
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass

from picklecheck.kinds.arrivals import ARRIVAL_ROWS, HAZARD_SLUGS
from picklecheck.standins import absent

OVER_THERE = tuple(dict.fromkeys((*(slug for slug, _ in ARRIVAL_ROWS), *HAZARD_SLUGS)))
TABLE = []


@dataclass(frozen=True)
class Specimen:
    """An object with what must be found in it: pairs of kind and path; hazards likewise."""

    id: str
    factory: Callable[[], object]
    culprits: tuple[tuple[str, str], ...]
    hazards: tuple[tuple[str, str], ...]


def specimen(*culprits, hazards=()):
    def enter(factory):
        TABLE.append(Specimen(factory.__name__.replace("_", "-"), factory, culprits, hazards))
        return factory

    return enter


class Box:
    def __init__(self, **held):
        self.__dict__.update(held)


# exceptions and their arguments


class Joined(Exception):
    def __init__(self, table, key):
        super().__init__(f"no {key} in {table}")
        self.table, self.key = table, key


class KeywordOnly(Exception):
    def __init__(self, *, code):
        super().__init__(f"code {code}")


class TooMany(Exception):
    def __init__(self, code):
        super().__init__(code, "text")


class ReadsItsArgument(Exception):
    def __init__(self, ticket):
        super().__init__(ticket.label)


class Both(Joined, KeyError):
    pass


class PassedOn(Exception):
    def __init__(self, table, key, retry=0):
        super().__init__(table, key, retry)
        self.table = table


@specimen(("init-arguments", "obj"))
def exception_that_joins_its_arguments():
    return Joined("users", "bob")


@specimen(("init-arguments", "obj[0].cause"), ("init-arguments", "obj[1]"), ("init-arguments", "obj[2]['k']"))
def several_exceptions_in_one_run():
    return [Box(cause=Joined(1, 2)), KeywordOnly(code=3), {"k": TooMany(7)}]


@specimen(("init-arguments", "obj[1]"))
def exception_that_reads_its_argument():
    return [1, ReadsItsArgument(Box(label="T-1"))]


@specimen(("init-arguments", "obj"))
def exception_with_two_bases():
    return Both("users", "bob")


@specimen()
def exception_with_all_arguments():
    return PassedOn("users", "bob", retry=2)


class Tally(collections.defaultdict):
    def __init__(self, name, kind):
        super().__init__(int)
        self.name = (name, kind)


@specimen(("init-arguments", "obj.tally"))
def defaultdict_with_arguments():
    return Box(tally=Tally("a", "b"))


# __new__


class FuzzyInt(int):
    def __new__(cls, value, low, high):
        self = super().__new__(cls, value)
        self.low = low
        return self


class Tagged(str):
    def __new__(cls, text, tag):
        return super().__new__(cls, text + tag)


class Pair(tuple):
    def __new__(cls, one, other):
        return tuple.__new__(cls, (one, other))


class Half(float):
    def __new__(cls, *, of):
        return super().__new__(cls, of / 2)


class Counted:
    def __new__(cls, number):
        return super().__new__(cls)

    def __init__(self, number):
        self.number = number


class Labels(frozenset):
    def __new__(cls, items, label):
        return super().__new__(cls, items)


class Known(int):
    def __new__(cls, value, low):
        self = super().__new__(cls, value)
        self.low = low
        return self

    def __getnewargs__(self):
        return int(self), self.low


Point = collections.namedtuple("Point", "x y")


class Strict(Point):
    def __new__(cls, x):
        return super().__new__(cls, x, x)


@specimen(*(("new-arguments", f"obj[{number}]") for number in range(6)))
def subclasses_of_immutable_types():
    return [FuzzyInt(1, 0, 2), Tagged("a", "b"), Pair(1, 2), Half(of=3), Counted(4), Labels([1], "l")]


@specimen(("new-arguments", "obj.p"))
def namedtuple_with_its_own_new():
    return Box(p=Strict(1))


@specimen()
def new_arguments_that_travel():
    return [Known(3, 1), Point(1, 2)]


# states


@dataclasses.dataclass(frozen=True)
class FrozenBatch:
    rows: tuple

    def __getstate__(self):
        return {"rows": self.rows}

    def __setstate__(self, state):
        self.rows = state["rows"]


class SlotsBase:
    __slots__ = ("tag",)


@dataclasses.dataclass(frozen=True)
class FrozenOnSlots(SlotsBase):
    x: int

    def __post_init__(self):
        object.__setattr__(self, "tag", "t")


@dataclasses.dataclass(frozen=True, slots=True)
class FrozenSlots:
    x: int


class Raises:
    def __init__(self):
        self.x = 1

    def __setstate__(self, state):
        raise LookupError("no such state")


class Leaves(Raises):
    def __setstate__(self, state):
        sys.exit(4)


class Notifying(dict):
    def __init__(self, parent=None, **values):
        self.parent = parent
        super().__init__(**values)

    def __setitem__(self, key, value):
        assert self.parent is None
        super().__setitem__(key, value)


class OwnedList(list):
    def __init__(self, owner):
        super().__init__()
        self.owner = owner

    def append(self, item):
        super().append((self.owner, item))

    def extend(self, items):
        for item in items:
            self.append(item)


class OwnedOrder(collections.OrderedDict):
    def __init__(self, owner):
        super().__init__()
        self.owner = owner

    def __setitem__(self, key, value):
        super().__setitem__(key, (self.owner, value))


class ReadOnlySlots:
    __slots__ = ("x",)

    def __init__(self):
        object.__setattr__(self, "x", 1)

    def __setattr__(self, name, value):
        raise AttributeError(f"{name} cannot be set")


def _filled(made, *items):
    for item in items:
        made.append(item)
    return made


def _order():
    made = OwnedOrder(1)
    made["a"] = 2
    return made


@specimen(("setstate", "obj[0]"), ("setstate", "obj[1]"), ("setstate", "obj[2].x"), ("setstate", "obj[3]"))
def states_that_are_refused():
    return [FrozenBatch((1,)), FrozenOnSlots(1), Box(x=Raises()), ReadOnlySlots()]


@specimen(("setstate", "obj['leaves']"))
def state_that_leaves():
    return {"leaves": Leaves()}


@specimen(("setstate", "obj.fields"), ("setstate", "obj.rows"), ("init-arguments", "obj.order"))
def items_before_attributes():
    return Box(fields=Notifying(None, a=1), rows=_filled(OwnedList(1), 2), order=_order())


@specimen()
def frozen_with_slots():
    return [FrozenSlots(1), pathlib.PurePosixPath("a/b"), collections.UserDict(a=1)]


# hooks


class Proxy:
    def __init__(self, inner):
        self._inner = inner

    def __getattr__(self, name):
        return getattr(self._inner, name)


class KeyErrorHook(Proxy):
    def __getattr__(self, name):
        if name in ("__getstate__", "__slots__", "__getnewargs__"):
            raise AttributeError(name)  # what the sender asks for
        return self.__dict__[name]


class CarefulProxy(Proxy):
    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._inner, name)


@specimen(("getattr-hook", "obj[0]"), ("getattr-hook", "obj[1]"), ("getattr-hook", "obj[0]._inner[0]"))
def hooks_that_recurse():
    return [Proxy([KeyErrorHook(1)]), Proxy(2)]


@specimen()
def hook_that_takes_care():
    return CarefulProxy([1])


# hashes


class Node:
    def __init__(self, name):
        self.name = name
        self.near = set()
        self.far = {}

    def __hash__(self):
        return hash(self.name)

    def __eq__(self, other):
        return self.name == other.name


@dataclasses.dataclass(unsafe_hash=True)
class Stop:
    name: str
    edges: dict = dataclasses.field(default_factory=dict, compare=False)


@specimen(("hash-too-early", "obj"))
def members_of_sets_in_a_cycle():
    one, other = Node("one"), Node("other")
    one.near.add(other)
    other.near.add(one)
    return one


@specimen(("hash-too-early", "obj[0]"), ("init-arguments", "obj[1]"))
def keys_in_a_cycle_and_more():
    one, other = Stop("one"), Stop("other")
    one.edges[other] = other.edges[one] = 1
    return [one, Joined(1, 2)]


@specimen(("hash-too-early", "obj"))
def key_of_an_ordered_dict_in_a_cycle():
    one, other = Stop("one"), Stop("other")
    one.edges = collections.OrderedDict({other: 1})
    other.edges = collections.OrderedDict({one: 1})
    return one


@specimen()
def hashes_without_a_cycle():
    return [{Node("a"), Node("b")}, {Node("c"): 1}]


# enums


class Marker(enum.Enum):
    NOT_GIVEN = object()


class Colour(enum.Enum):
    RED = 1


@specimen(("enum-value", "obj['timeout']"))
def enum_with_an_object_for_its_value():
    return {"timeout": Marker.NOT_GIVEN, "colour": Colour.RED}


# names


def _module(name, **held):
    module = sys.modules[name] = types.ModuleType(name)
    vars(module).update(held)
    for value in held.values():
        value.__module__ = name
    return module


@specimen(("missing-module", "obj[0].__class__"), ("missing-module", "obj[1]"))
def module_made_at_run_time():
    made = type("Made", (), {})
    return [_module("picklecheck_made_module", Made=made).Made(), _with_function()]


def _with_function():
    def job():
        return 1

    job.__qualname__ = "job"
    return _module("picklecheck_other_module", job=job).job


@specimen(("missing-name", "obj.__class__"))
def name_put_there_afterwards():
    made = type("PutThere", (), {"__module__": __name__})
    globals()["PutThere"] = made
    return made()


@specimen(("main-name", "obj[0].__class__"))
def class_of_the_main_module():
    made = type("InMain", (), {"__module__": "__main__"})
    sys.modules["__main__"].InMain = made
    return [made()]


# whatever else


def fail_to_rebuild(number):
    raise OSError(f"no device {number}")


class Device:
    def __reduce__(self):
        return fail_to_rebuild, (3,)


@specimen(("unpickle-error", "obj[0]"), ("unpickle-error", "obj[1].d"))
def function_that_cannot_rebuild():
    return [Device(), Box(d=Device())]


class OnDevice:
    """Stands for a tensor on a device, for which the transports write a stand-in."""

    def __reduce__(self):
        return absent, ()


class NeedsDevice:
    def __init__(self, *parts):
        self.parts = parts

    def __setstate__(self, state):
        self.__dict__.update(state)
        assert type(self.parts[0]) is OnDevice


# hazards


class Order:
    def __init__(self, name):
        self.name = name


FALLING = Order("falling")
MISSING = object()


class Sized:
    def __init__(self, size):
        self.size = size

    def __eq__(self, other):
        return self.size == other.size

    __hash__ = None


BIG = Sized(3)


@specimen(hazards=(("identity", "obj.order"), ("identity", "obj.default")))
def constants_of_a_module():
    return Box(order=FALLING, default=MISSING, big=BIG, own=Order("own"))


@specimen()
def constant_that_is_the_root():
    return FALLING


class Drops:
    def __init__(self):
        self.kept, self.dropped = 1, 2

    def __getstate__(self):
        return {"kept": self.kept}


class DropsWithDefault(Drops):
    dropped = None


class DropsAndRestores(Drops):
    def __setstate__(self, state):
        self.__dict__.update(state, dropped=3)


class Recent(collections.deque):
    def __reduce__(self):
        return type(self), (list(self),)


def _recent():
    made = Recent([1])
    made.unit = "s"
    return made


@specimen(hazards=(("lost-attribute", "obj[0]"), ("lost-attribute", "obj[3]")))
def attributes_that_are_dropped():
    return [Drops(), DropsWithDefault(), DropsAndRestores(), _recent()]


class Money:
    def __init__(self, amount):
        self.amount = amount

    def __reduce__(self):
        return Money, (self.amount,)


class Euro(Money):
    pass


@specimen(hazards=(("changed-type", "obj[1]"),))
def subclass_that_becomes_its_base():
    return [Money(1), Euro(2)]


class Registered:
    def __init__(self):
        self.x = 1


copyreg.pickle(Registered, lambda obj: (Registered, ()))


@specimen()
def rule_in_copyreg():
    return [Registered()]


class Name:
    def __init__(self, text):
        self.text = text

    def __hash__(self):
        return hash(self.text)

    def __eq__(self, other):
        return self.text == other.text


class TakesTheFirst:
    """Cannot take another name than the one that came first here."""

    def __init__(self, count):
        self.names = {Name(str(number)) for number in range(count)}
        self.first = next(iter(self.names)).text

    def __setstate__(self, state):
        self.__dict__.update(state)
        if next(iter(self.names)).text != self.first:
            raise LookupError("another name came first")

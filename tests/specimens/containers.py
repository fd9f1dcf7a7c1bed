"""Where a culprit can lie: in keys, members, subclasses of builtin types, slots, shared places, cycles."""

import array
import collections
import copyreg
import dataclasses
import enum
import fractions
import functools
import threading

from tests.specimens import REDUCED, Box, culprit, specimen


class Lamp:
    def __init__(self):
        self.lock = threading.Lock()


class Colour(enum.Enum):
    RED = 1


@dataclasses.dataclass(frozen=True)
class Key:
    name: str
    guard: object = None


# dictionaries


@specimen(
    culprit("lock", "obj['a']"),
    culprit("lock", "obj[1]"),
    culprit("lock", "obj[('t', 2)]"),
    culprit("lock", "obj[1.5]"),
    culprit("lock", "obj[None]"),
    culprit("lock", "obj[b'x']"),
    culprit("lock", "obj[True, 'y']", "obj[(True, 'y')]"),
)
def values_under_keys_with_a_literal():
    return {key: threading.Lock() for key in ("a", 1, ("t", 2), 1.5, None, b"x", (True, "y"))}


@specimen(
    culprit("lock", "list(obj.values())[0]"),
    culprit("lock", "list(obj.values())[1]"),
    culprit("lock", "list(obj.values())[2]"),
    culprit("lock", "list(obj.values())[3]"),
    culprit("lock", "list(obj.values())[4]"),
    culprit("lock", "list(obj.values())[5]"),
)
def values_under_keys_without_a_literal():
    keys = (Colour.RED, float("nan"), Key("k"), frozenset({1}), fractions.Fraction(1, 2), (1, Colour.RED))
    return {key: threading.Lock() for key in keys}


@specimen(
    culprit("lambda", "list(obj.table)[0]"),
    culprit("lock", "list(obj.table)[1].guard"),
    culprit("lambda", "list(obj.table)[2][1]"),
)
def keys_that_are_culprits():
    return Box(table={(lambda: 0): 1, Key("k", threading.Lock()): 2, ("pair", lambda: 1): 3})


@specimen(culprit("lambda", "list(obj)[0]"), culprit("lock", "list(obj.values())[0]"))
def key_and_value_that_are_culprits():
    return {(lambda: 0): threading.Lock()}


@specimen(culprit("lock", "obj[list(obj)[0]]", "list(obj.values())[0]"))
def long_key():
    return {"k" * 200: threading.Lock()}


@specimen(culprit("lock", "obj['it\\'s \"quoted\"\\n']", "obj['it\\'s \"quoted\"\\n']"))
def key_with_quotes():
    return {'it\'s "quoted"\n': threading.Lock()}


@specimen(
    culprit("lambda", "list(obj.order)[1]", "list(dict.__iter__(obj.order))[1]"), culprit("lock", "obj.order['b']")
)
def ordered_dictionary():
    order = collections.OrderedDict(b=threading.Lock())
    order[lambda: 0] = 1
    return Box(order=order)


@specimen(culprit("lock", "obj.tree['a']['b']['c']"))
def chain_of_default_dictionaries():
    tree = collections.defaultdict(Tree)
    tree["a"]["b"]["c"] = threading.Lock()
    return Box(tree=tree)


class Tree(collections.defaultdict):
    def __init__(self):
        super().__init__(Tree)

    def __reduce__(self):
        return Tree, (), None, None, iter(self.items())


@specimen(culprit("local-function", "obj.default_factory", also=("obj['a'].default_factory",)))
def default_dictionaries_of_a_local_factory():
    def deeper():
        return collections.defaultdict(deeper)

    tree = deeper()
    tree["a"]["b"] = 1
    return tree


@specimen(culprit("lock", "obj.scopes.maps[1]['guard']"))
def chain_map():
    return Box(scopes=collections.ChainMap({}, {"guard": threading.Lock()}))


@specimen(culprit("lock", "obj.user.data['k']"), culprit("lock", "obj.list.data[0]"))
def user_dictionary_and_list():
    return Box(user=collections.UserDict(k=threading.Lock()), list=collections.UserList([threading.Lock()]))


class Config(dict):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.guard = threading.Lock()


@specimen(culprit("lock", "obj.guard"), culprit("lambda", "obj['hook']"))
def subclass_of_dict_with_an_attribute():
    return Config(hook=lambda: None)


class Attributes(dict):
    """The usual dictionary with attribute access."""

    __getattr__ = dict.__getitem__
    __setattr__ = dict.__setitem__


@specimen(culprit("getattr-hook", "obj.conf"), until=(3, 10))
def dictionary_that_answers_for_every_attribute():
    # until 3.10 an object has no __getstate__, and the question for it gives a KeyError
    return Box(conf=Attributes(a=1))


@specimen(since=(3, 11))
def ok_dictionary_that_answers_for_every_attribute():
    return Box(conf=Attributes(a=1))


class Lower(dict):
    def __getitem__(self, key):
        return super().__getitem__(key.lower())

    def items(self):
        return super().items()


@specimen(culprit("lock", "list(dict.values(obj.table))[0]"))
def subclass_of_dict_with_its_own_look_up():
    return Box(table=Lower(guard=threading.Lock()))


@specimen(culprit("lock", "obj.counts[('a', 1)]"))
def counter_that_counts_no_numbers():
    counts = collections.Counter()
    counts["a", 1] = threading.Lock()
    return Box(counts=counts)


# sequences and sets


class Rows(list):
    pass


class Pair(tuple):
    __slots__ = ()


class Path(str):
    pass


class Level(int):
    pass


class Tags(frozenset):
    pass


class Ratio(float):
    pass


@specimen(
    culprit("lock", "obj.rows[1]"),
    culprit("lock", "obj.rows.guard"),
    culprit("lock", "obj.pair[0]"),
    culprit("lock", "obj.path.guard"),
    culprit("lock", "obj.level.guard"),
    culprit("lock", "obj.tags.guard"),
    culprit("lambda", "list(frozenset.__iter__(obj.tags))[0]"),
    culprit("lock", "obj.ratio.guard"),
)
def subclasses_of_builtin_types():
    box = Box(
        rows=Rows([1, threading.Lock()]),
        pair=Pair((threading.Lock(),)),
        path=Path("p"),
        level=Level(3),
        tags=Tags([lambda: 0]),
        ratio=Ratio(0.5),
    )
    for held in (box.rows, box.path, box.level, box.tags, box.ratio):
        held.guard = threading.Lock()
    return box


class Reversed(list):
    def __getitem__(self, number):
        return super().__getitem__(-1 - number)


@specimen(culprit("lock", "list.__getitem__(obj.rows, 0)"))
def subclass_of_list_with_its_own_look_up():
    return Box(rows=Reversed([threading.Lock(), 1, 2]))


Point = collections.namedtuple("Point", "x label")


@specimen(culprit("lock", "obj.at.label"))
def named_tuple():
    return Box(at=Point(1, threading.Lock()))


@specimen(culprit("lock", "obj.last", also=("obj.recent[1]",)))
def deque_with_a_limit():
    lock = threading.Lock()
    return Box(recent=collections.deque([1, lock], maxlen=2), last=lock)


@specimen(culprit("lambda", "list(obj[0])[0]"), culprit("lambda", "list(list(obj[1])[0])[0]"))
def sets_and_sets_in_sets():
    return [{lambda: 0}, {frozenset({lambda: 1})}]


@specimen()
def ok_array_of_numbers():
    return array.array("d", [1, 2]), bytearray(b"x"), b"x" * 100


@specimen(culprit("lock", "obj[0][1][0][1]"))
def nested_tuples():
    return ((0, [(1, threading.Lock())]), ())


# one culprit in several places, and cycles


@specimen(culprit("lock", "obj.guard", also=("obj.cache.guard", "obj.pool[0]", "obj.pool[1]['lock']")))
def one_lock_in_four_places():
    lock = threading.Lock()
    return Box(guard=lock, cache=Box(guard=lock), pool=[lock, {"lock": lock}])


@specimen(culprit("lock", "obj.a.lock", also=("obj.b.lock",)))
def one_holder_in_two_places():
    lamp = Lamp()
    return Box(a=lamp, b=lamp)


@specimen(culprit("lock", "obj[2]"))
def list_that_holds_itself():
    ring = [1, []]
    ring[1].append(ring)
    ring.append(threading.Lock())
    return ring


@specimen(culprit("lock", "obj.me.guard", "obj.guard", also=("obj.guard",)))
def object_that_holds_itself():
    box = Box(guard=threading.Lock())
    box.me = box
    return box


@specimen(culprit("lock", "obj.after.after.guard"))
def ring_of_three():
    first, second, third = Box(), Box(), Box(guard=threading.Lock())
    first.after, second.after, third.after = second, third, first
    return first


@specimen(culprit("lambda", "obj[0]"), culprit("lambda", "obj[1]"), culprit("lambda", "obj[2]"))
def equal_culprits_that_are_three():
    return [lambda: 0, lambda: 0, lambda: 0]


# attributes of every sort


class Slotted:
    __slots__ = ("__hidden", "__weakref__", "empty", "shown")

    def __init__(self):
        self.__hidden = threading.Lock()
        self.shown = [threading.Lock()]


class SlottedToo(Slotted):
    __slots__ = ("__dict__", "more")

    def __init__(self):
        super().__init__()
        self.more = threading.Lock()
        self.loose = threading.Lock()


@specimen(
    culprit("lock", "obj._Slotted__hidden"),
    culprit("lock", "obj.shown[0]"),
    culprit("lock", "obj.more"),
    culprit("lock", "obj.loose"),
)
def slots_with_private_names():
    return SlottedToo()


class Account:
    def __init__(self):
        self.__lock = threading.Lock()

    @property
    def lock(self):
        raise AssertionError("a property is never asked")


@specimen(culprit("lock", "obj._Account__lock"))
def private_attribute_beside_a_property():
    return Account()


class Covered:
    def __init__(self):
        self.__dict__["guard"] = threading.Lock()

    @property
    def guard(self):
        raise AssertionError("a property is never asked")


@specimen(culprit("lock", "obj.__dict__['guard']"))
def attribute_behind_a_property():
    return Covered()


@specimen(culprit("lock", "obj.__dict__['not an identifier']"), culprit("lock", "obj.__dict__['class']"))
def attributes_whose_names_are_no_identifiers():
    return Box(**{"not an identifier": threading.Lock(), "class": threading.Lock()})


@dataclasses.dataclass
class Frame:
    index: int
    guard: object = dataclasses.field(default_factory=threading.Lock)


@dataclasses.dataclass(slots=True, frozen=True)
class FrozenFrame:
    index: int
    guard: object = dataclasses.field(default_factory=threading.Lock)


@specimen(culprit("lock", "obj[0].guard"), culprit("lock", "obj[1].guard"))
def data_classes():
    return [Frame(0), FrozenFrame(1)]


class Failed(Exception):
    def __init__(self, message, guard):
        super().__init__(message, guard)
        self.lamp = Lamp()


@specimen(culprit("lock", "obj.args[1]"), culprit("lock", "obj.lamp.lock"))
def exception_with_locks():
    return Failed("no", threading.Lock())


@specimen(culprit("lock", "obj.exceptions[1].args[0]", "obj.args[1][1].args[0]"), since=(3, 11))
def exception_group():
    return ExceptionGroup("several", [ValueError(1), TypeError(threading.Lock())])  # noqa: F821  # since 3.11


@specimen(culprit("lock", "obj.method.__self__.lock"), culprit("lock", "obj.bound.func.__self__.lock"))
def methods_of_objects_with_locks():
    return Box(method=Bulb().light, bound=functools.partial(Bulb().light, 1))


class Bulb(Lamp):
    def light(self, times=1):
        return times


@specimen(culprit("lock", "obj.start.__self__"))
def method_of_a_lock():
    return Box(start=threading.Lock().acquire)


@specimen(culprit("lock", "obj.append.__self__[0]"))
def method_of_a_list_with_a_lock():
    return Box(append=[threading.Lock()].append)


# what only the reduce protocol shows


class Registered:
    def __init__(self):
        self.parts = [threading.Lock()]


copyreg.pickle(Registered, lambda thing: (Registered, (), {"parts": thing.parts}))


@specimen(culprit("lock", "obj.parts[0]"))
def class_with_an_entry_in_copyreg():
    return Registered()


class Counted:
    def __getstate__(self):
        return {"fresh": [lambda: 0]}


@specimen(culprit("lambda", f"obj.counted.{REDUCED}[2]['fresh'][0]"))
def culprit_made_for_the_state():
    return Box(counted=Counted())


class Renaming:
    def __init__(self):
        self._guard = threading.Lock()

    def __getstate__(self):
        return {"guard": self._guard}


@specimen(culprit("lock", "obj._guard"))
def attribute_under_another_name_in_the_state():
    return Renaming()


class Arguments:
    def __init__(self, guard):
        self._inside = guard

    def __getnewargs_ex__(self):
        return (self._inside,), {"hook": HOOK}


HOOK = lambda: None


@specimen(culprit("lock", "obj._inside"), culprit("lambda", f"obj.{REDUCED}[1][2]['hook']"))
def arguments_for_new():
    return Arguments(threading.Lock())


class Listed:
    def __reduce__(self):
        return Listed, (), None, iter([1, lambda: 0]), iter([("k", lambda: 1)])

    def append(self, item):
        pass

    def __setitem__(self, key, value):
        pass


@specimen(
    culprit("lambda", f"list(obj.{REDUCED}[3])[1]"),
    culprit("lambda", f"list(obj.{REDUCED}[4])[0][1]"),
)
def items_that_an_iterator_gives():
    return Listed()

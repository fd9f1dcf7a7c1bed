"""Objects that lie, raise, hang, grow, or break when they are looked at. `test_hostile` asks for a report on each.

A factory is entered into `OBJECTS` by the decorator `hostile`, with what must be found. Those that could take the
interpreter with them when something is wrong are asked about in an interpreter of their own, with a time limit.
"""

import asyncio
import collections
import functools
import itertools
import sys
import threading
import weakref
from collections.abc import Callable
from dataclasses import dataclass

from tests.specimens import REDUCED

OBJECTS: dict[str, "Hostile"] = {}
RUN: list[str] = []  # what was run that must never be


@dataclass(frozen=True, slots=True)
class Hostile:
    """An object that does not want to be looked at.

    Attributes:
        factory: makes it.
        found: path -> kind of every failure; None where chance decides.
        alone: whether it is asked about in an interpreter of its own.
        seconds: what `explain` gets as its time limit.
        run_by_pickle: whether pickle itself runs some of what must never be run; then that much is allowed.
    """

    factory: Callable[[], object]
    found: dict[str, str] | None
    alone: bool
    seconds: float
    run_by_pickle: bool


def hostile(found=None, *, chance=False, alone=False, seconds=30.0, run_by_pickle=False):
    def enter(factory):
        name = factory.__name__.replace("_", "-")
        OBJECTS[name] = Hostile(factory, None if chance else found or {}, alone, seconds, run_by_pickle)
        return factory

    return enter


def never(name):
    """Make a method that must not be called."""

    def method(*args, **kwargs):
        RUN.append(name)
        raise AssertionError(f"{name} was called")

    return method


class Refusing:
    def __reduce__(self):
        raise TypeError("no")


# classes that lie


class SaysInt:
    __class__ = property(lambda self: int)


class SaysNothing:
    @property
    def __class__(self):
        raise LookupError("no class")


@hostile({"obj[0]": "reduce-error", "obj[1]": "reduce-error"})
def classes_that_lie():
    return [SaysInt(), SaysNothing()]


class Everything(type):
    def __instancecheck__(cls, instance):
        RUN.append("__instancecheck__")
        return True

    def __subclasscheck__(cls, subclass):
        RUN.append("__subclasscheck__")
        return True


class Anything(metaclass=Everything):
    pass


@hostile({"obj[2]": "reduce-error"})
def class_that_everything_is_an_instance_of():
    return [Anything(), Anything, AnythingThatRefuses()]


class AnythingThatRefuses(Refusing, metaclass=Everything):
    pass


class Unhashable(type):
    __hash__ = None


class OfUnhashable(metaclass=Unhashable):
    pass


@hostile({"obj[1]": "unexplained"}, chance=True)
def class_that_has_no_hash():
    return [1, OfUnhashable(), OfUnhashable]


class Alike(type):
    def __eq__(cls, other):
        return True

    def __hash__(cls):
        return hash(Plain)


class Plain:
    pass


class LooksPlain(Refusing, metaclass=Alike):
    pass


@hostile(chance=True)
def class_that_equals_another():
    return [Plain(), Plain(), LooksPlain()]


class Quarrelsome(type):
    def __eq__(cls, other):
        raise ValueError("never equal")

    def __hash__(cls):
        return 1


class OfQuarrelsome(metaclass=Quarrelsome):
    pass


class OfQuarrelsomeToo(Refusing, metaclass=Quarrelsome):
    pass


@hostile(chance=True)
def classes_that_cannot_be_compared():
    return [OfQuarrelsome(), OfQuarrelsomeToo(), OfQuarrelsome()]


class Masked(type):
    __mro__ = property(never("__mro__"))
    __bases__ = property(never("__bases__"))
    __call__ = never("__call__")
    __repr__ = never("__repr__ of a class")
    __len__ = never("__len__ of a class")
    __bool__ = never("__bool__ of a class")
    __iter__ = never("__iter__ of a class")

    def mro(cls):
        return [cls, Refusing, object]


class OfMasked(metaclass=Masked):
    pass


@hostile({"obj[0]": "reduce-error"})
def class_that_hides_what_it_is():
    return [object.__new__(OfMasked), OfMasked]


class Sealed(type):
    def __getattribute__(cls, name):
        raise LookupError(name)


class OfSealed(metaclass=Sealed):
    pass


@hostile(chance=True)
def class_whose_attributes_cannot_be_read():
    return [OfSealed(), OfSealed]


# objects that do not answer, and that must not be asked


class Untouchable:
    """Everything that a careless look would call."""

    __repr__ = never("__repr__")
    __str__ = never("__str__")
    __format__ = never("__format__")
    __eq__ = never("__eq__")
    __ne__ = never("__ne__")
    __lt__ = never("__lt__")
    __hash__ = never("__hash__")
    __bool__ = never("__bool__")
    __len__ = never("__len__")
    __iter__ = never("__iter__")
    __next__ = never("__next__")
    __contains__ = never("__contains__")
    __getitem__ = never("__getitem__")
    __call__ = never("__call__")
    __dir__ = never("__dir__")
    __index__ = never("__index__")
    __float__ = never("__float__")
    __fspath__ = never("__fspath__")
    __enter__ = never("__enter__")
    __array__ = never("__array__")
    __rich_repr__ = never("__rich_repr__")
    _repr_html_ = never("_repr_html_")
    _repr_mimebundle_ = never("_repr_mimebundle_")
    name = property(never("name"))
    shape = property(never("shape"))
    dtype = property(never("dtype"))
    is_cuda = property(never("is_cuda"))
    requires_grad = property(never("requires_grad"))
    closed = property(never("closed"))
    args = property(never("args"))
    func = property(never("func"))
    __wrapped__ = property(never("__wrapped__"))
    __self__ = property(never("__self__"))
    _fields = property(never("_fields"))

    def __init__(self):
        self.__dict__["name"] = threading.Lock()
        self.__dict__["other"] = [threading.Lock()]


class UntouchableThatRefuses(Untouchable):
    def __reduce_ex__(self, protocol):
        raise TypeError(self)  # the exception holds it too


@hostile({"obj.__dict__['name']": "lock", "obj.other[0]": "lock"})
def object_that_must_not_be_touched():
    return Untouchable()


@hostile({"obj['a'][1]": "reduce-error"})
def refusal_that_must_not_be_touched():
    return {"a": [1, UntouchableThatRefuses()]}


class Endless:
    def __repr__(self):
        while True:
            pass


class Long:
    def __repr__(self):
        return "x" * 100_000_000


class Sealing(Refusing):
    def __getattribute__(self, name):
        raise LookupError(name)


@hostile({"obj[0]": "reduce-error", "obj[1]": "reduce-error", "obj[2]": "getattr-hook"}, alone=True)
def representations_without_end():
    endless, long = type("Endless", (Endless, Refusing), {}), type("Long", (Long, Refusing), {})
    return [endless(), long(), Sealing()]


class Moody:
    """A key whose hash and comparison stop working once it lies in a dictionary."""

    mood = True

    def __init__(self):
        self.guard = threading.Lock()

    def __hash__(self):
        if not Moody.mood:
            RUN.append("__hash__ of a key")
            raise TypeError("no hash any more")
        return 1

    def __eq__(self, other):
        RUN.append("__eq__ of a key")
        raise TypeError("not comparable")


@hostile({"list(obj)[0].guard": "lock", "list(obj.values())[0]": "lock"})
def key_that_lost_its_hash():
    Moody.mood = True
    table = {Moody(): threading.Lock()}
    Moody.mood = False
    return table


class Spying:
    asked: list[str]

    def __init__(self):
        self.__dict__["asked"] = []
        self.__dict__["guard"] = threading.Lock()

    def __getattr__(self, name):
        # what an object has not: pickle itself asks for some names of its protocol
        if not (name.startswith("__") and name.endswith("__")):
            RUN.append(name)
        raise AttributeError(name)


@hostile({"obj.guard": "lock"})
def object_that_notes_what_it_is_asked_for():
    return Spying()


# subclasses of builtin types with methods that must not be used


class Rows(list):
    __len__ = never("list.__len__")
    __getitem__ = never("list.__getitem__")
    __repr__ = never("list.__repr__")
    __bool__ = never("list.__bool__")
    __contains__ = never("list.__contains__")


class Table(dict):
    __len__ = never("dict.__len__")
    __getitem__ = never("dict.__getitem__")
    __repr__ = never("dict.__repr__")
    keys = never("keys")
    values = never("values")
    get = never("get")


class Row(tuple):
    __slots__ = ()
    __len__ = never("tuple.__len__")
    __getitem__ = never("tuple.__getitem__")
    __repr__ = never("tuple.__repr__")
    __iter__ = never("tuple.__iter__")


class Text(str):
    __slots__ = ("guard",)
    __len__ = never("str.__len__")
    __getitem__ = never("str.__getitem__")
    __repr__ = never("str.__repr__")
    __str__ = never("str.__str__")
    __eq__ = never("str.__eq__")
    __hash__ = str.__hash__
    split = never("split")
    isidentifier = never("isidentifier")
    partition = never("partition")
    rpartition = never("rpartition")
    startswith = never("startswith")
    replace = never("replace")
    __contains__ = never("str.__contains__")
    __add__ = never("str.__add__")
    __format__ = never("str.__format__")
    encode = never("encode")


@hostile(
    {
        "list.__getitem__(obj[0], 0)": "lock",
        "list(dict.values(obj[1]))[0]": "lock",
        "tuple.__getitem__(obj[2], 0)": "lock",
        "obj[3].guard": "lock",
    }
)
def containers_that_must_not_be_asked():
    text = Text("text")
    text.guard = threading.Lock()
    return [Rows([threading.Lock()]), Table(k=threading.Lock()), Row([threading.Lock()]), text]


@hostile({"list(obj.values())[0]": "lock", "list(obj[1])[0]": "lambda"}, chance=True)
def dictionary_with_keys_that_are_odd_strings():
    return {Text("name"): threading.Lock(), 1: {lambda: 0}}


class Items(dict):
    def items(self):
        raise LookupError("items are not for everyone")


class Steps(list):
    def __iter__(self):
        raise LookupError("no iteration")


@hostile({"obj[0]": "reduce-error", "obj[1]": "reduce-error"})
def containers_that_refuse_to_be_iterated():
    return [Items(a=1), Steps([1])]


# reduce methods that make new objects without end


class Fresh:
    def __reduce__(self):
        return Fresh, (Fresh(),)


class Twins:
    def __reduce__(self):
        return Twins, (Twins(), Twins())


class FreshItems:
    def __reduce__(self):
        return list, (), None, (FreshItems() for _ in range(2))


@hostile({"obj": "reduce-error"}, alone=True)
def chain_of_fresh_objects():
    return Fresh()


@hostile({"obj": "reduce-error"}, alone=True)
def tree_of_fresh_objects():
    return Twins()


@hostile({"obj": "reduce-error"}, alone=True)
def tree_of_fresh_items():
    return FreshItems()


@hostile({"obj[0]": "lock", "obj[1].held": "reduce-error", "obj[2]": "lock"}, alone=True)
def chain_of_fresh_objects_among_others():
    return [threading.Lock(), Holder(Fresh()), threading.Lock()]


class Holder:
    def __init__(self, held):
        self.held = held


class FreshState:
    def __getstate__(self):
        return {"next": FreshState()}


@hostile({"obj[0]": "reduce-error"}, alone=True)
def chain_of_fresh_states():
    return [FreshState()]


class OfItself:
    def __reduce__(self):
        return OfItself, (self,)


@hostile({"obj[0]": "reduce-error"}, alone=True)
def object_that_is_made_of_itself():
    return [OfItself()]


class Counting:
    def __reduce__(self):
        return list, (), None, itertools.count()


@hostile({"obj[0]": "reduce-error"}, alone=True)
def items_without_end():
    return [Counting()]


class CountingPairs:
    def __reduce__(self):
        return dict, (), None, None, zip(itertools.count(), itertools.repeat(1), strict=False)


@hostile({"obj[0]": "reduce-error"}, alone=True)
def pairs_without_end():
    return [CountingPairs()]


class Growing:
    def __init__(self, rows):
        self.rows = rows

    def __reduce__(self):
        self.rows.append(Growing(self.rows))
        return str, ()


@hostile(chance=True, alone=True, seconds=3.0)
def list_that_grows_without_end():
    rows = []
    rows.append(Growing(rows))
    return rows


# reduce methods that do not come back, or not as they should


class Busy:
    def __reduce__(self):
        while True:
            pass


class BusyState:
    def __getstate__(self):
        return [number for number in itertools.count() if number < 0]


@hostile({"obj[0]": "reduce-error", "obj[1]": "lock"}, alone=True, seconds=0.5)
def method_that_never_returns():
    return [Busy(), threading.Lock()]


@hostile({"obj[0]": "getstate-error"}, alone=True, seconds=0.5)
def state_that_never_comes():
    return [BusyState()]


class Deepening:
    def __reduce__(self):
        return self.__reduce__()


@hostile({"obj[0]": "reduce-error", "obj[1]": "lock"})
def method_that_calls_itself():
    return [Deepening(), threading.Lock()]


class Comparing:
    """Recurses in C, not in Python."""

    def __reduce__(self):
        inner = []
        inner.append(inner)
        other = []
        other.append(other)
        return str, (inner == other,)


@hostile({"obj[0]": "reduce-error"})
def method_that_recurses_in_c():
    return [Comparing()]


class Shallow:
    def __reduce__(self):
        depth, frame = 0, sys._getframe()
        while frame:
            depth, frame = depth + 1, frame.f_back
        sys.setrecursionlimit(depth + 20)
        return str, ()


@hostile({"obj[1]": "lock"}, alone=True)
def method_that_lowers_the_recursion_limit():
    return [Shallow(), threading.Lock(), Holder([1])]


class Deep:
    def __reduce__(self):
        sys.setrecursionlimit(1_000_000)
        return str, ()


@hostile({"obj[1]": "lock"}, alone=True)
def method_that_raises_the_recursion_limit():
    return [Deep(), threading.Lock()]


class Nested:
    def __reduce__(self):
        import pickle

        return str, (pickle.dumps([Plain(), 1]),)


@hostile()
def method_that_pickles_something_itself():
    return [Nested(), Nested()]


# what leaves a reduce method


class Raising:
    def __init__(self, error):
        self.error = error

    def __reduce__(self):
        raise self.error


class Unprintable(Exception):
    __str__ = never("__str__ of an exception")
    __repr__ = never("__repr__ of an exception")
    __eq__ = never("__eq__ of an exception")
    __bool__ = never("__bool__ of an exception")
    __hash__ = never("__hash__ of an exception")


class ArgsHidden(Exception):
    args = property(never("args of an exception"))


class Faceless(Exception):
    __class__ = property(lambda self: KeyboardInterrupt)


Odd = type(Exception)("Odd\n\x1b[31m</script>" + "x" * 10_000, (Exception,), {})


@hostile({f"obj[{number}]": "reduce-error" for number in range(11)})
def exceptions_that_must_not_be_printed():
    return [
        Raising(error)
        for error in (
            Unprintable("x"),
            Unprintable(Untouchable()),
            TypeError(Untouchable(), 1),
            ArgsHidden("x"),
            Faceless("x"),
            Odd("x"),
            ValueError("y" * 10_000_000),
            ValueError("\udcff \x1b[2J </script><b> \r\n\x00 \u202e"),
            ValueError(*range(100_000)),
            ValueError(10**10_000),
            KeyError(Text("text")),
        )
    ]


class Strange(BaseException):
    pass


@hostile({f"obj[{number}]": "reduce-error" for number in range(5)})
def exceptions_that_are_no_exceptions():
    errors = SystemExit(3), GeneratorExit(), Strange("x"), asyncio.CancelledError(), StopIteration(1)
    return [Raising(error) for error in errors]


class Answering:
    def __init__(self, value):
        self.value = value

    def __reduce_ex__(self, protocol):
        return self.value


class Liar(tuple):
    """Has other items than it says."""

    __slots__ = ()

    def __len__(self):
        return 2

    def __getitem__(self, number):
        return (list, ())[number]

    def __iter__(self):
        return iter((list, ()))


class Name(str):
    __slots__ = ()
    split = never("split of a name")


def breaking():
    yield 1
    raise LookupError("half way")


class NotIterable:
    def __next__(self):
        raise LookupError("no next")


def __newobj__(*args):
    pass


def __newobj_ex__(*args):
    pass


WRONG = [
    None, 3, b"bytes", (), [], (list,), (list, ()) * 4, (3, ()), (list, []), (list, None), (list, (), None, [1]),
    (list, (), None, None, {}), (list, (), None, None, iter([1])), (list, (), None, None, iter([(1,)])),
    (list, (), None, None, None, 3), NotImplemented, "", ".", "..", "nowhere", "a.<locals>.b", "\udcff", "x" * 100_000,
    Name("nowhere"), Liar((3, 4)), Liar((list,)), Liar(), (list, (), None, breaking()), (list, (), None, NotIterable()),
    (__newobj__, ()), (__newobj__, (3,)), (__newobj__, (int,)), (__newobj_ex__, (int, 1, 2)), (__newobj_ex__, ()),
    (Untouchable, Untouchable()), Untouchable,
]  # fmt: skip


@hostile({f"obj[{number}]": "reduce-error" for number in range(len(WRONG))})
def reduce_values_of_every_wrong_sort():
    return [Answering(value) for value in WRONG]


class NoMethod:
    __reduce_ex__ = None


class NoMethodEither:
    __reduce__ = 3


class NoState:
    __getstate__ = None


@hostile({"obj[0]": "reduce-error", "obj[1]": "reduce-error", "obj[2]": "getstate-error"})
def methods_that_are_none():
    return [NoMethod(), NoMethodEither(), NoState()]


class GeneratorState:
    def __reduce__(self):
        return GeneratorState, (), (number for number in range(3))


@hostile({f"obj[0].{REDUCED}[2]": "generator"})
def state_that_is_a_generator():
    return [GeneratorState()]


class HostileState:
    def __getstate__(self):
        return Untouchable()


@hostile({f"obj[0].{REDUCED}[2].__dict__['name']": "lock", f"obj[0].{REDUCED}[2].other[0]": "lock"})
def state_that_must_not_be_touched():
    # C asks whether the state is None, never whether it is true
    return [HostileState()]


# what changes while it is looked at


class Clearing:
    def __init__(self, held):
        self.held = held

    def __reduce__(self):
        self.held.clear()
        return str, ()


@hostile(chance=True)
def containers_that_are_emptied_meanwhile():
    rows, table, recent, members = [], {}, collections.deque(), set()
    rows.extend([Clearing(rows), threading.Lock(), threading.Lock()])
    table.update(a=Clearing(table), b=threading.Lock(), c=threading.Lock())
    recent.extend([Clearing(recent), threading.Lock()])
    members.update([Clearing(members), Clearing(members), Clearing(members)])
    return [rows, table, recent, members]


class Adding:
    def __init__(self, table):
        self.table = table

    def __reduce__(self):
        self.table[len(self.table)] = 1
        return str, ()


@hostile({"obj['adds']": "unexplained"})
def dictionary_that_grows_meanwhile():
    table = {}
    table.update(adds=Adding(table), other=1)
    return table


class Turning:
    def __reduce__(self):
        self.__class__ = Refusing
        return str, ()


class Vanishing:
    def __init__(self):
        self.guard = threading.Lock()

    def __reduce__(self):
        state = dict(self.__dict__)
        self.__dict__.clear()
        return Vanishing, (), state


@hostile(chance=True)
def objects_that_become_something_else():
    return [Turning(), Vanishing()]


@hostile({"obj[0]": "weakref", "obj[1]": "weakref", "obj[2]": "weakref"})
def proxies_of_what_is_gone():
    class Gone:
        def __call__(self):
            pass

    return [weakref.proxy(Gone()), weakref.proxy(Holder(1)), weakref.ref(Holder(1))]


@hostile({"obj[0].name": "lock"}, chance=True)
def proxy_of_what_must_not_be_touched():
    KEPT.append(Untouchable())
    return [weakref.proxy(KEPT[0])]


KEPT: list[object] = []


@hostile(chance=True, alone=True)
def dictionary_that_another_thread_changes():
    table = {number: Holder(number) for number in range(20_000)}

    def change():
        for number in itertools.count(20_000):
            table[number] = Holder(number)
            table.pop(number - 20_000, None)

    threading.Thread(target=change, daemon=True, name="changing").start()
    return table


@hostile(chance=True, alone=True)
def attributes_that_another_thread_changes():
    holders = [Holder(number) for number in range(2_000)]

    def change():
        for number in itertools.count():
            holder = holders[number % 2_000]
            setattr(holder, f"a{number % 7}", threading.Lock() if number % 3 else lambda: 0)
            holder.__dict__.pop(f"a{(number + 3) % 7}", None)

    threading.Thread(target=change, daemon=True, name="changing").start()
    return holders


# names of every sort


def local():
    def function():
        pass

    return function


def named(module, qualname):
    made = local()
    made.__module__, made.__qualname__ = module, qualname
    return made


def class_named(module, qualname):
    made = type("Made", (), {})
    made.__module__ = module
    made.__qualname__ = qualname
    return made


MODULES = [
    3,
    None,
    "",
    "a\x00b",
    "..",
    "\udcff",
    "x" * 100_000,
    [],
    object(),
    Text("tests.hostile"),
    "a\nb",
    "<b>\x1b[31m",
]
NAMES = [
    "",
    ".",
    "a..b",
    "<locals>",
    "x.<locals>.y",
    "\ud800",
    "x" * 100_000,
    Text("x"),
    "a\nb",
    "</script>\x1b[31m",
    "9",
]


@hostile(chance=True, run_by_pickle=True)
def functions_with_odd_names():
    return [named(module, "f") for module in MODULES] + [named("tests.hostile", name) for name in NAMES]


@hostile(chance=True, run_by_pickle=True)
def classes_with_odd_names():
    classes = [class_named(module, "C") for module in MODULES] + [class_named("tests.hostile", name) for name in NAMES]
    return [*classes, *(made() for made in classes)]


@hostile(chance=True, run_by_pickle=True)
def caches_with_odd_names():
    caches = []
    for name in (3, None, [], Text("x"), Untouchable(), "\udcff", ""):
        for attribute in ("__qualname__", "__module__", "__name__"):
            caches.append(functools.lru_cache(local()))
            setattr(caches[-1], attribute, name)
    return caches


@hostile(
    {
        "obj['\\ud800']": "lock",
        "obj['\\x1b[31m\\n\\x00\\r\\u202e']": "lock",
        "obj['</script>']": "lock",
        "list(obj.values())[3]": "lock",
        "list(obj.values())[4]": "lock",
        "list(obj.values())[5]": "lock",
        "list(obj.values())[6]": "lock",
        "list(obj.values())[7]": "lock",
        "list(obj.values())[8]": "lock",
    }
)
def keys_of_every_sort():
    nested = ()
    for _ in range(400):
        nested = (nested,)
    keys = [
        "\ud800", "\x1b[31m\n\x00\r\u202e", "</script>", 10**10_000, (1, 10**10_000), "x" * 10_000_000, float("nan"), nested,
        b"x" * 10_000_000,
    ]  # fmt: skip
    return {key: threading.Lock() for key in keys}


@hostile(
    {
        "obj.__dict__['\\ud800']": "lock",
        "obj.__dict__['a b\\n\\x1b[31m']": "lock",
        "obj.__dict__['']": "lock",
        "obj.__dict__['class']": "lock",
        "obj.__dict__['\N{LATIN SMALL LIGATURE FI}t']": "lock",
        "obj.größe": "lock",
    }
)
def attributes_of_every_sort():
    holder = Holder(1)
    for name in ("\ud800", "a b\n\x1b[31m", "", "class", "\N{LATIN SMALL LIGATURE FI}t", "größe"):
        holder.__dict__[name] = threading.Lock()
    return holder


@hostile(chance=True)
def attributes_whose_names_are_no_names():
    holder = Holder(1)
    holder.__dict__.update({3: threading.Lock(), Text("t"): threading.Lock(), ("a", 1): threading.Lock()})
    return holder


@hostile({"obj[1]": "lock"})
def numbers_that_are_huge():
    return [10**100_000, threading.Lock(), -(10**100_000), {10**50_000: 10**50_000}, float("inf"), 1e308j]


# depth


@hostile(
    {"obj": "recursion", "__import__('functools').reduce(lambda o, _: o[0], range(100000), obj)": "lock"}, alone=True
)
def lists_in_lists():
    return functools.reduce(lambda inner, _: [inner], range(100_000), threading.Lock())


@hostile(
    {"obj": "recursion", "__import__('functools').reduce(lambda o, _: o['k'], range(100000), obj)": "lock"}, alone=True
)
def dictionaries_in_dictionaries():
    return functools.reduce(lambda inner, _: {"k": inner}, range(100_000), threading.Lock())


@hostile(
    {"obj": "recursion", "__import__('functools').reduce(lambda o, _: o[0], range(100000), obj)": "lock"}, alone=True
)
def tuples_in_tuples():
    return functools.reduce(lambda inner, _: (inner,), range(100_000), threading.Lock())


@hostile(
    {"obj": "recursion", "__import__('functools').reduce(lambda o, _: o.held, range(1000000), obj)": "lock"}, alone=True
)
def chain_of_a_million():
    return functools.reduce(lambda inner, _: Holder(inner), range(1_000_000), threading.Lock())

"""Graphs to pickle, drawn by hypothesis, with a record of what the pickler has to see in them.

A blueprint is a sequence of specs, so that hypothesis can print and shrink it; `build` makes the objects. Each node says for
itself what it holds in the pickler's eyes and whether it is refused, so that the expected culprits come from how the graph
was made, and from no pickler.
"""

from __future__ import annotations

import _thread
import collections
import contextvars
import copyreg
import dataclasses
import enum
import functools
import io
import multiprocessing
import multiprocessing.managers  # registers a reducer for dict views, whoever imports it, for good
import operator
import pickle
import sys
import threading
import types
import weakref
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from hypothesis import strategies as st

try:
    import numpy
except ImportError:  # an extra of the tests; everything else is drawn without it
    numpy = None


# the classes of the objects in the graphs


class Thing:
    def method(self):
        raise AssertionError("nobody calls it")


class Slotted:
    __slots__ = ("left", "right")


class SlottedAndDict(Slotted):
    __slots__ = ("__dict__", "__weakref__")


@dataclasses.dataclass(eq=False)
class Record:
    first: Any
    rest: Any


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class FrozenRecord:
    first: Any
    rest: Any


class Pair(NamedTuple):
    first: Any
    rest: Any


class ListWithAttributes(list):
    __hash__ = object.__hash__


class DictWithAttributes(dict):
    __hash__ = object.__hash__


class SetWithAttributes(set):
    __hash__ = object.__hash__


class TupleWithAttributes(tuple):
    __hash__ = object.__hash__


class GuardedList(list):
    """Its items are not to be had by index."""

    __hash__ = object.__hash__

    def __getitem__(self, index):
        raise AssertionError("the probe has no business here")


class Shadowed:
    """Ordinary access to the attribute calls a property."""

    @property
    def held(self):
        raise AssertionError("the probe has no business here")


class Secretive:
    """Does not give its attribute away."""

    def __getattribute__(self, name):
        if name == "held":
            raise AttributeError(name)
        return object.__getattribute__(self, name)


class Trouble(Exception):
    pass


class Reducing:
    """Gives all six parts of a reduce value from what it keeps in attributes."""

    def __init__(self, *held):
        self.held = held

    def __reduce__(self):
        args, state, items, pairs = (*self.held, *[None] * 4)[:4]
        return set_up, (args,), [state], iter([items]), iter([("key", pairs)]), set_up


class Hiding:
    """What it holds is reached through its reduce value only."""

    __slots__ = ("number",)
    inner: dict[int, Any] = {}

    def __init__(self, number):
        self.number = number

    def __reduce__(self):
        return set_up, (self.inner[self.number],)


class Stating:
    """Its state is a container that it keeps elsewhere."""

    states: dict[int, Any] = {}

    def __init__(self, number):
        self.number = number

    def __getstate__(self):
        return self.states[self.number]


class Dropping:
    """Keeps an attribute out of its state."""

    def __init__(self, dropped, kept):
        self.dropped = dropped
        self.kept = kept

    def __getstate__(self):
        return {"kept": self.kept}


class Refusing:
    """A culprit by its own reduce method."""

    def __init__(self, tag):
        self.tag = tag

    def __reduce_ex__(self, protocol):
        raise ValueError(f"number {self.tag} does not want to")


class Making:
    """Its state holds a culprit that is made for each answer."""

    def __init__(self, tag):
        self.tag = tag

    def __getstate__(self):
        return {"made": [Refusing(self.tag)]}


class Registered:
    """Reduced by a function that `copyreg` knows."""

    def __init__(self, held):
        self.held = held


class BadValue:
    def __reduce__(self):
        return set_up, [1, 2]


class BadName:
    def __reduce__(self):
        return "no_such_name_in_this_module"


class BadState:
    def __getstate__(self):
        raise LookupError("no state today")


class BadBase(BaseException):
    def __reduce_ex__(self, protocol):
        raise SystemExit("leaving")


class WrongNew:
    def __reduce_ex__(self, protocol):
        return copyreg.__newobj__, (Thing,)


class Lying:
    @property
    def __class__(self):
        return Thing


class Colour(enum.Enum):
    RED = 1


class Meta(type):
    pass


class WithMeta(metaclass=Meta):
    pass


def set_up(*parts):
    raise AssertionError("nobody unpickles here")


def reduce_registered(obj):
    return set_up, (obj.held,)


copyreg.pickle(Registered, reduce_registered)


def misnamed():
    pass


misnamed.__qualname__ = "named_otherwise"
nameless = lambda: None

# one of each: the collector of 3.11 crashes over a cycle that holds a buffer over a memoryview
BUFFER = pickle.PickleBuffer(bytearray(8))
TORN_BUFFER = pickle.PickleBuffer(memoryview(bytearray(8))[::2])


# the nodes


@dataclasses.dataclass(eq=False)
class Node:
    """An object of the graph.

    Attributes:
        obj: the object.
        holds: the nodes that the pickler meets in it, as often as it has references to them.
        refused: whether the pickler refuses it, given the protocol and the transport.
        add: puts a reference to another node into it; None where nothing can be added.
        process_holds: what ForkingPickler meets in it, where that is less.
    """

    obj: Any
    holds: list[Node] = dataclasses.field(default_factory=list)
    refused: Callable[[int, str], bool] = lambda protocol, via: False
    add: Callable[[Node], object] | None = None
    process_holds: list[Node] | None = None

    def met(self, via: str) -> list[Node]:
        return self.holds if via == "pickle" or self.process_holds is None else self.process_holds

    @property
    def key(self) -> object:
        """What tells it from others: two culprits that are made anew are the same when their maker is."""
        return key_of(self.obj)


def key_of(obj: object) -> object:
    return ("tag", obj.tag) if type(obj) is Refusing else id(obj)


def always(protocol: int, via: str) -> bool:
    return True


def below(number: int) -> Callable[[int, str], bool]:
    return lambda protocol, via: protocol < number


def from_two_on(protocol: int, via: str) -> bool:
    return protocol >= 2


def plain_only(protocol: int, via: str) -> bool:
    return via == "pickle"


def not_while_spawning(protocol: int, via: str) -> bool:
    return via != "process"


# culprits: name -> maker, given a number that no other node has, and the objects before it


def _local_function(number: int) -> Any:
    def inner():
        return number

    return inner


def _local_class(number: int) -> Any:
    class Inner:
        pass

    return Inner


def _generator(number: int) -> Iterator[int]:
    yield number


def _context(number: int) -> contextvars.Context:
    return contextvars.Context()


@functools.cache
def _spawned_lock() -> Any:
    return multiprocessing.get_context("spawn").Lock()


CULPRITS: dict[str, Callable[[int], Any]] = {
    "lambda": lambda number: lambda: number,
    "local function": _local_function,
    "local class": _local_class,
    "misnamed": lambda number: misnamed,
    "nameless": lambda number: nameless,
    "rlock": lambda number: threading.RLock(),
    "thread local": lambda number: threading.local(),
    "generator": _generator,
    "module": lambda number: operator,
    "weak reference": lambda number: weakref.ref(Thing),
    "text file": lambda number: io.TextIOWrapper(io.BytesIO()),
    "memoryview": lambda number: memoryview(b"abc"),
    "mapping proxy": lambda number: types.MappingProxyType({}),
    "code": lambda number: _generator.__code__,
    "frame": lambda number: sys._getframe(),
    "cell": types.CellType,
    "context": _context,
    "context variable": lambda number: contextvars.ContextVar("name"),
    "cached local function": lambda number: functools.lru_cache(_local_function(number)),
    "refusing": Refusing,
    "bad value": lambda number: BadValue(),
    "bad name": lambda number: BadName(),
    "bad state": lambda number: BadState(),
    "bad base": lambda number: BadBase(),
    "torn buffer": lambda number: TORN_BUFFER,
}
REFUSED = {
    "buffer": (below(5), lambda number: BUFFER),
    "spawned lock": (not_while_spawning, lambda number: _spawned_lock()),
    "slots": (below(2), lambda number: Slotted()),
    "dict view": (plain_only, lambda number: {number: number}.keys()),
    "wrong class to make": (from_two_on, lambda number: WrongNew()),
    "lying about its class": (from_two_on, lambda number: Lying()),
}
# no object is met twice under two names: these are one each
BENIGN: tuple[Any, ...] = (
    None, True, 7, 10**30, 1.5, "text", b"bytes", bytearray(b"array"), 1j, ..., NotImplemented, range(3), print, len, int, Thing,
    Colour.RED, WithMeta, Meta, Thing.method, [].append, {}.get, collections.OrderedDict.fromkeys, frozenset(), (), "text".join,
    operator.itemgetter(1), type(None), types.SimpleNamespace, Pair(1, 2), list[int], slice(1, 2),
)  # fmt: skip


def shared() -> tuple[Any, ...]:
    """What more than one graph refers to."""
    return (*BENIGN, BUFFER, TORN_BUFFER, misnamed, nameless, weakref.ref(Thing), _spawned_lock())


# containers: name -> maker, given a number and the nodes that it shall hold; a node that cannot go in is left out


def hashable(nodes: list[Node]) -> list[Node]:
    found = []
    for node in nodes:
        try:
            hash(node.obj)
        except TypeError:
            continue
        found.append(node)
    return found


def distinct(nodes: list[Node]) -> list[Node]:
    """Those that do not fall together as members of a set."""
    return list({node.obj: node for node in hashable(nodes)}.values())


def objects(nodes: list[Node]) -> list[Any]:
    return [node.obj for node in nodes]


def appending(obj: Any, held: list[Node], append: Callable[[Any], object]) -> Node:
    node = Node(obj, list(held))

    def add(other: Node) -> None:
        append(other.obj)
        node.holds.append(other)

    node.add = add
    return node


def by_number(mapping: Any, held: list[Node], **others: Any) -> Node:
    """A mapping with a key of its own for each value."""
    for number, one in enumerate(held):
        mapping[number] = one.obj
    node = Node(mapping, list(held), **others)

    def add(other: Node) -> None:
        mapping[len(mapping)] = other.obj
        node.holds.append(other)

    node.add = add
    return node


def by_attribute(obj: Any, held: list[Node], first: tuple[Node, ...] = (), **others: Any) -> Node:
    """An instance with an attribute of its own for each value."""
    node = Node(obj, [*first, *held], **others)
    for number, one in enumerate(held):
        vars(obj)[f"at{number}"] = one.obj

    def add(other: Node) -> None:
        vars(obj)[f"more{len(node.holds)}"] = other.obj
        node.holds.append(other)

    node.add = add
    return node


def _keys(number: int, held: list[Node]) -> Node:
    held = distinct(held)
    mapping = {one.obj: at for at, one in enumerate(held)}
    node = Node(mapping, held)

    def add(other: Node) -> None:
        if hashable([other]) and other.obj not in mapping:
            mapping[other.obj] = None
            node.holds.append(other)

    node.add = add
    return node


def _members(made: Any, held: list[Node]) -> Node:
    node = Node(made, held)

    def add(other: Node) -> None:
        if hashable([other]) and other.obj not in made:
            made.add(other.obj)
            node.holds.append(other)

    node.add = add
    return node


def _set(number: int, held: list[Node]) -> Node:
    held = distinct(held)
    return _members(set(objects(held)), held)


def _set_with_attributes(number: int, held: list[Node]) -> Node:
    held = distinct(held)
    return _members(SetWithAttributes(objects(held)), held)


def _frozenset(number: int, held: list[Node]) -> Node:
    held = distinct(held)
    return Node(frozenset(objects(held)), held)


def _default_dict(number: int, held: list[Node]) -> Node:
    factory = next((one for one in held if callable(one.obj)), None)
    mapping = collections.defaultdict(factory and factory.obj)
    node = by_number(mapping, [one for one in held if one is not factory])
    node.holds.extend([factory] if factory else [])
    return node


def _slotted(cls: type, number: int, held: list[Node]) -> Node:
    obj = cls()
    for name, one in zip(Slotted.__slots__, held, strict=False):
        setattr(obj, name, one.obj)
    if cls is Slotted:
        return Node(obj, held[:2], below(2))
    return by_attribute(obj, held[2:], tuple(held[:2]), refused=below(2))


def _record(cls: Any, number: int, held: list[Node]) -> Node:
    rest = objects(held[1:])
    return Node(cls(held[0].obj if held else None, rest), held)


def _partial(number: int, held: list[Node]) -> Node:
    # a partial of a partial is flattened, and would hold what that one holds
    func = next((one for one in held if callable(one.obj) and type(one.obj) is not functools.partial), None)
    rest = [one for one in held if one is not func]
    half = len(rest) // 2
    words = {f"word{at}": one.obj for at, one in enumerate(rest[half:])}
    obj = functools.partial(func.obj if func else print, *objects(rest[:half]), **words)
    held = [func, *rest] if func else rest
    node = Node(obj, held, process_holds=list(held))

    def add(other: Node) -> None:
        vars(obj)[f"more{len(node.holds)}"] = other.obj
        node.holds.append(other)  # multiprocessing's own reducer leaves the attributes of a partial out

    node.add = add
    return node


def _method(number: int, held: list[Node]) -> Node:
    owner = by_attribute(Thing(), held)
    return Node(owner.obj.method, [owner])


def _builtin_method(number: int, held: list[Node]) -> Node:
    owner = Node(objects(held), held)
    return Node(owner.obj.append, [owner])


def _with_attributes(obj: Any, held: list[Node], count: int) -> Node:
    """An instance of a container's subclass, that has the first `count` nodes in it, and the others as attributes."""
    return by_attribute(obj, held[count:], tuple(held[:count]))


def _list_with_attributes(number: int, held: list[Node]) -> Node:
    return _with_attributes(ListWithAttributes(objects(held[:2])), held, 2)


def _dict_with_attributes(number: int, held: list[Node]) -> Node:
    return _with_attributes(DictWithAttributes(enumerate(objects(held[:2]))), held, 2)


def _tuple_with_attributes(number: int, held: list[Node]) -> Node:
    return _with_attributes(TupleWithAttributes(objects(held[:2])), held, 2)


def _exception(number: int, held: list[Node]) -> Node:
    return _with_attributes(Trouble(*objects(held[:2])), held, 2)


def _array(number: int, held: list[Node]) -> Node:
    array = numpy.empty(len(held), dtype=object)
    for at, one in enumerate(held):
        array[at] = one.obj
    return Node(array, held)


def _wide_array(number: int, held: list[Node]) -> Node:
    array = numpy.empty((2, len(held)), dtype=object)
    for at, one in enumerate(held):
        array[at % 2, at] = one.obj
    return Node(array, held)


def _reducing(number: int, held: list[Node]) -> Node:
    return Node(Reducing(*objects(held[:4])), held[:4])


def _hiding(number: int, held: list[Node]) -> Node:
    Hiding.inner[number] = objects(held)
    return Node(Hiding(number), held)


def _stating(number: int, held: list[Node]) -> Node:
    Stating.states[number] = dict(enumerate(objects(held))) or None
    return Node(Stating(number), held)


def _lock(number: int, held: list[Node]) -> Node:
    """Before 3.13, protocols 0 and 1 find a way for a lock, and stop at its class: `_thread.lock` is not to be found."""
    lock = threading.Lock()
    if hasattr(_thread, "lock"):
        return Node(lock, refused=always)
    return Node(lock, [Node(type(lock), refused=always)], from_two_on)


def _making(number: int, held: list[Node]) -> Node:
    return Node(Making(number), [Node(Refusing(number), refused=always)])


def _dropping(number: int, held: list[Node]) -> Node:
    dropped, kept = held[:1], held[1:]
    return Node(Dropping(objects(dropped), objects(kept)), kept)


def _registered(number: int, held: list[Node]) -> Node:
    return Node(Registered(objects(held)), held)


def _only_attribute(cls: type, number: int, held: list[Node]) -> Node:
    obj = cls()
    object.__getattribute__(obj, "__dict__")["held"] = objects(held)
    return Node(obj, held)


def _of_local_class(number: int, held: list[Node]) -> Node:
    local = Node(_local_class(number), refused=always)
    return by_attribute(local.obj(), held, (local,))


def _nested(number: int, held: list[Node]) -> Node:
    half = len(held) // 2
    return Node([objects(held[:half]), {"deep": [tuple(objects(held[half:]))]}], held)


CONTAINERS: dict[str, Callable[[int, list[Node]], Node]] = {
    "list": lambda number, held: appending(made := objects(held), held, made.append),
    "dict": lambda number, held: by_number({}, held),
    "dict keys": _keys,
    "set": _set,
    "tuple": lambda number, held: Node(tuple(objects(held)), held),
    "frozenset": _frozenset,
    "deque": lambda number, held: appending(made := collections.deque(objects(held)), held, made.append),
    "OrderedDict": lambda number, held: by_number(collections.OrderedDict(), held),
    "defaultdict": _default_dict,
    "UserDict": lambda number, held: by_number(collections.UserDict(), held),
    "nested": _nested,
    "thing": lambda number, held: by_attribute(Thing(), held),
    "namespace": lambda number, held: by_attribute(types.SimpleNamespace(), held),
    "slotted": functools.partial(_slotted, Slotted),
    "slotted and dict": functools.partial(_slotted, SlottedAndDict),
    "dataclass": functools.partial(_record, Record),
    "frozen dataclass": functools.partial(_record, FrozenRecord),
    "named tuple": functools.partial(_record, Pair),
    "partial": _partial,
    "bound method": _method,
    "builtin method": _builtin_method,
    "list subclass": _list_with_attributes,
    "dict subclass": _dict_with_attributes,
    "set subclass": _set_with_attributes,
    "tuple subclass": _tuple_with_attributes,
    "guarded list": lambda number, held: Node(GuardedList(objects(held)), held),
    "exception": _exception,
    "shadowed": functools.partial(_only_attribute, Shadowed),
    "secretive": functools.partial(_only_attribute, Secretive),
    "reducing": _reducing,
    "hiding": _hiding,
    "stating": _stating,
    "lock": _lock,
    "making": _making,
    "dropping": _dropping,
    "registered": _registered,
    "of a local class": _of_local_class,
    "slice": lambda number, held: Node(slice(*(*objects(held), None, None, None)[:3]), held[:3]),
    "generic alias": lambda number, held: Node(types.GenericAlias(list, tuple(objects(held))), held),
    "list iterator": lambda number, held: Node(iter(objects(held)), held or []),
    "enumerate": lambda number, held: Node(enumerate(objects(held)), held),
    "method caller": lambda number, held: Node(operator.methodcaller("name", *objects(held)), held),
}
if numpy is not None:
    CONTAINERS["object array"] = _array
    CONTAINERS["wide object array"] = _wide_array


# blueprints


class Spec(NamedTuple):
    """How one node is made: what it is, which earlier nodes it holds, and which nodes are put into it at the end."""

    kind: str
    holds: tuple[int, ...] = ()
    later: tuple[int, ...] = ()


@dataclasses.dataclass
class Graph:
    root: Any
    nodes: list[Node]

    def reached(self, protocol: int, via: str) -> Iterator[Node]:
        """The nodes that the pickler meets, each once."""
        waiting, seen = [self.nodes[-1]], set()
        while waiting:
            node = waiting.pop()
            if node in seen:
                continue
            seen.add(node)
            yield node
            if not node.refused(protocol, via):
                waiting.extend(node.met(via))

    def culprits(self, protocol: int, via: str) -> dict[object, Any]:
        """What has to be found: key -> object."""
        return {node.key: node.obj for node in self.reached(protocol, via) if node.refused(protocol, via)}

    def ways(self, protocol: int, via: str, most: int) -> collections.Counter[object] | None:
        """How many ways lead to each culprit without meeting an object twice; None where there are too many to count."""
        counted: collections.Counter[object] = collections.Counter()
        waiting: list[tuple[Node, frozenset[Node]]] = [(self.nodes[-1], frozenset())]
        for _ in range(most):
            if not waiting:
                return counted
            node, above = waiting.pop()
            if node.refused(protocol, via):
                counted[node.key] += 1
            else:
                waiting.extend(
                    (held, above | {node}) for held in node.met(via) if held not in above and held is not node
                )
        return None


def build(blueprint: list[Spec]) -> Graph:
    nodes: list[Node] = []
    for number, spec in enumerate(blueprint):
        nodes.append(_node(number, spec, [nodes[-1 - at % len(nodes)] for at in spec.holds if nodes]))
    held = {id(other) for node in nodes for other in node.holds}
    loose = [node for node in nodes if id(node) not in held]
    root = CONTAINERS["list"](len(nodes), loose) if len(loose) > 1 else loose[0] if loose else nodes[-1]
    for node, spec in zip(nodes, blueprint, strict=True):
        for at in spec.later:
            if node.add is not None:
                node.add(nodes[at % len(nodes)])
    return Graph(root.obj, [*nodes, root])


def _node(number: int, spec: Spec, held: list[Node]) -> Node:
    if spec.kind in CULPRITS:
        return Node(CULPRITS[spec.kind](number), refused=always)
    if spec.kind in REFUSED:
        refused, make = REFUSED[spec.kind]
        return Node(make(number), refused=refused)
    if spec.kind in CONTAINERS:
        return CONTAINERS[spec.kind](number, held)
    return Node(BENIGN[int(spec.kind.rpartition(" ")[2])])


def specs(kinds: st.SearchStrategy[str]) -> st.SearchStrategy[Spec]:
    numbers = st.lists(st.integers(0, 12), max_size=5).map(tuple)
    return st.builds(Spec, kinds, numbers, st.one_of(st.just(()), st.lists(st.integers(0, 30), max_size=3).map(tuple)))


def blueprints(
    most: int = 14, *, culprits: bool = True, containers: tuple[str, ...] = tuple(CONTAINERS)
) -> st.SearchStrategy[list[Spec]]:
    leaves = st.sampled_from([f"benign {number}" for number in range(len(BENIGN))])
    bad = st.sampled_from([*CULPRITS, *REFUSED])
    boxes = st.sampled_from(containers)
    kinds = st.one_of(boxes, boxes, bad, leaves) if culprits else st.one_of(boxes, boxes, leaves)
    return st.lists(specs(kinds), min_size=1, max_size=most)


VIAS = ("pickle", "process", "pool")
vias = st.sampled_from(VIAS)
protocols = st.integers(0, pickle.HIGHEST_PROTOCOL)

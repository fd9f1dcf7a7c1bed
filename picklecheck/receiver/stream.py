"""A data stream read without being run: what it would make, as a tree, and where in it something lies.

Nothing is imported, called or looked up: each opcode is followed on a stack as `pickletools` describes it. So the bytes
that a process could not unpickle can still say which name, call or state it was, and by which path.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from picklecheck.paths import Step, attribute, call, index, item

__all__ = ["Made", "Name", "Tree", "read"]


@dataclass(eq=False, slots=True)
class Name:
    """A function or class by its name, as the stream asks for it."""

    module: str
    name: str


@dataclass(eq=False, slots=True)
class Plain:
    """A string, number, bytes or the like; `value` is None for all that is not needed."""

    value: Any = None


@dataclass(eq=False, slots=True)
class Made:
    """What is made by a call, or a container.

    Attributes:
        kind: "call" (REDUCE), "new" (`cls.__new__`), "tuple", "list", "dict" or "set".
        func: what is called.
        args: with what: a tuple.
        state: what is set afterwards.
        members: the members of a tuple, list or set, or what is appended to an object.
        pairs: the items of a dict, or what is set in an object.
    """

    kind: str
    func: Any = None
    args: Any = None
    state: Any = None
    members: list[Any] = field(default_factory=list)
    pairs: list[tuple[Any, Any]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Tree:
    """What a stream says, as far as it could be read.

    Attributes:
        root: what it makes; None where it was cut off.
        names: every name, in the order in which they are looked up.
        made: every call, in the order in which they are made.
        built: every object whose state is set, in that order.
    """

    root: Any
    names: list[Name]
    made: list[Made]
    built: list[Made]

    def ways(self, wanted: Any) -> list[tuple[Step, ...]]:
        """Give the ways from the root to a node, the shortest first; only one through each object on the way."""
        found: list[tuple[Step, ...]] = []
        queue: list[tuple[Any, tuple[Step, ...]]] = [(self.root, ())]
        seen: set[int] = set()
        for node, steps in queue:  # grows while it is gone through
            if node is wanted or (isinstance(node, Made) and node.func is wanted and node.kind in ("call", "new")):
                found.append(steps)
                continue
            if isinstance(node, Made) and id(node) not in seen:
                seen.add(id(node))
                queue += [(child, (*steps, step)) for step, child in _children(node)]
        return found


def _children(node: Made) -> Iterator[tuple[Step, Any]]:
    """Yield what lies below an object, each with the step to it."""
    for number, member in enumerate(node.members):
        yield index(number), member
    for key, value in node.pairs:
        step = item(key.value) if isinstance(key, Plain) else None
        yield step or Step("value", "[...]"), value
        if isinstance(key, Made):
            yield Step("key", ")[...]", "list("), key
    yield from _attributes(node.state)
    if isinstance(node.args, Made):
        for number, member in enumerate(node.args.members):
            yield call(f".__reduce_ex__(4)[1][{number}]"), member


def _attributes(state: Any) -> Iterator[tuple[Step, Any]]:
    """Yield the attributes that a state sets: a dict, or a tuple of that and the slots."""
    if not isinstance(state, Made):
        return
    if state.kind == "dict":
        for key, value in state.pairs:
            if isinstance(key, Plain) and type(key.value) is str:
                yield attribute(key.value), value
    elif state.kind == "tuple" and len(state.members) == 2:
        for member in state.members:
            yield from _attributes(member)
    else:
        yield call(".__reduce_ex__(4)[2]"), state


def read(data: bytes) -> Tree:
    """Read a stream of any protocol; one that is cut off or broken is read as far as it goes."""
    import pickletools

    reader = _Reader()
    try:
        for opcode, arg, _ in pickletools.genops(data):
            reader.follow(opcode.name, arg)
    except Exception:  # cut off, or no pickle at all: what was read so far is what there is
        reader.root = reader.stack[0] if len(reader.stack) == 1 else reader.root
    return Tree(reader.root, reader.names, reader.made, reader.built)


_MARK = object()
_ENDS = {"TUPLE": "tuple", "LIST": "list", "DICT": "dict", "FROZENSET": "set"}
_EMPTY = {"EMPTY_TUPLE": "tuple", "EMPTY_LIST": "list", "EMPTY_DICT": "dict", "EMPTY_SET": "set"}
_SHORT = {"TUPLE1": 1, "TUPLE2": 2, "TUPLE3": 3}
_CONSTANTS = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False}
_NOTHING = frozenset({"PROTO", "FRAME", "READONLY_BUFFER"})


class _Reader:
    """The stack, the memo, and what was met."""

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self.memo: dict[int, Any] = {}
        self.root: Any = None
        self.names: list[Name] = []
        self.made: list[Made] = []
        self.built: list[Made] = []

    def follow(self, name: str, arg: Any) -> None:
        """Follow one opcode."""
        special = getattr(self, f"_{name.lower()}", None)
        if special is not None:
            special(arg)
        elif name in _EMPTY:
            self.stack.append(Made(_EMPTY[name]))
        elif name in _ENDS:
            self._ended(_ENDS[name])
        elif name in _SHORT:
            members = [self.stack.pop() for _ in range(_SHORT[name])]
            self.stack.append(Made("tuple", members=members[::-1]))
        elif name.endswith("PUT"):
            self.memo[arg] = self.stack[-1]
        elif name.endswith("GET"):
            self.stack.append(self.memo[arg])
        elif name not in _NOTHING:  # strings, numbers, buffers, extension codes
            self.stack.append(Plain(_CONSTANTS.get(name, arg)))

    def _since_mark(self) -> list[Any]:
        at = len(self.stack) - 1
        while self.stack[at] is not _MARK:
            at -= 1
        found = self.stack[at + 1 :]
        del self.stack[at:]
        return found

    def _ended(self, kind: str) -> None:
        found = self._since_mark()
        made = Made(kind, members=found)
        if kind == "dict":
            made = Made(kind, pairs=list(zip(found[::2], found[1::2], strict=True)))
        self.stack.append(made)

    def _named(self, module: str, name: str) -> None:
        found = Name(module, name)
        self.names.append(found)
        self.stack.append(found)

    def _call(self, kind: str, func: Any, args: Any) -> None:
        made = Made(kind, func=func, args=args)
        self.made.append(made)
        self.stack.append(made)

    def _mark(self, arg: Any) -> None:
        self.stack.append(_MARK)

    def _memoize(self, arg: Any) -> None:
        self.memo[len(self.memo)] = self.stack[-1]

    def _global(self, arg: str) -> None:
        module, _, name = arg.partition(" ")
        self._named(module, name)

    def _stack_global(self, arg: Any) -> None:
        name, module = self.stack.pop(), self.stack.pop()
        self._named(str(module.value), str(name.value))

    def _reduce(self, arg: Any) -> None:
        args = self.stack.pop()
        self._call("call", self.stack.pop(), args)

    def _newobj(self, arg: Any) -> None:
        args = self.stack.pop()
        self._call("new", self.stack.pop(), args)

    def _newobj_ex(self, arg: Any) -> None:
        self.stack.pop()
        self._newobj(arg)

    def _obj(self, arg: Any) -> None:
        func, *args = self._since_mark()
        self._call("call", func, Made("tuple", members=args))

    def _inst(self, arg: str) -> None:
        args = self._since_mark()
        self._global(arg)
        self._call("call", self.stack.pop(), Made("tuple", members=args))

    def _build(self, arg: Any) -> None:
        state = self.stack.pop()
        made = self.stack[-1]
        if isinstance(made, Made):
            made.state = state
            self.built.append(made)

    def _append(self, arg: Any) -> None:
        self._add([self.stack.pop()])

    def _appends(self, arg: Any) -> None:
        self._add(self._since_mark())

    _additems = _appends

    def _add(self, members: list[Any]) -> None:
        if isinstance(self.stack[-1], Made):
            self.stack[-1].members += members

    def _setitem(self, arg: Any) -> None:
        value, key = self.stack.pop(), self.stack.pop()
        self._set([key, value])

    def _setitems(self, arg: Any) -> None:
        self._set(self._since_mark())

    def _set(self, found: list[Any]) -> None:
        if isinstance(self.stack[-1], Made):
            self.stack[-1].pairs += zip(found[::2], found[1::2], strict=True)

    def _pop(self, arg: Any) -> None:
        self.stack.pop()

    def _pop_mark(self, arg: Any) -> None:
        self._since_mark()

    def _dup(self, arg: Any) -> None:
        self.stack.append(self.stack[-1])

    def _persid(self, arg: Any) -> None:
        self.stack.append(Made("call"))

    def _binpersid(self, arg: Any) -> None:
        self.stack[-1] = Made("call", args=self.stack[-1])

    def _stop(self, arg: Any) -> None:
        self.root = self.stack.pop()

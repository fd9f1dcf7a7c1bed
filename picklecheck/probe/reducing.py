"""One object's reduce value, asked for as the C pickler asks for it, and judged as the C pickler judges it.

Source of the order and of the checks: `save` and `save_reduce` in Modules/_pickle.c (docs: pickle, "Pickling Class
Instances" and "Custom Reduction for Types, Functions, and Other Objects").
"""

from __future__ import annotations

import copyreg
import itertools
import pickle
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from picklecheck.probe.buffers import measure_for
from picklecheck.probe.byname import Judge
from picklecheck.safe import find_in_class, mro, plain_access, short_repr, type_name

__all__ = ["ASK", "BY_NAME", "PLAIN", "Invalid", "Reducer", "parts_of"]

# What is done with objects of a type: looked up by name; asked with __reduce_ex__; or left to C, because `object`'s own
# reduce methods cannot fail for one instance where they did not for another.
BY_NAME, ASK, PLAIN = "by name", "ask", "plain"
_MOST_ITEMS = 10_000_000
_BUILTIN_ITERATORS: tuple[type, ...] = (
    type(iter([])), type(iter(())), type(iter({})), type(iter({}.items())), type(iter(set())), type(reversed([])),
)  # fmt: skip
_OBJECT = vars(object)
_OWN_STATE = ("__getnewargs__", "__getnewargs_ex__", "__getattr__")


UNSEEN = object()


class Invalid(Exception):
    """A reduce value that C refuses; the text says what is wrong with it, in words that hold for every version.

    Attributes:
        value: the reduce value; UNSEEN where C must not be shown it (an iterator without end).
    """

    value: Any = UNSEEN


class Reducer:
    """Gives reduce values of single objects for one pickler and protocol; remembers what each type wants.

    Attributes:
        plans: type -> BY_NAME, ASK, PLAIN, or the callable of the dispatch table. Read directly by the pass, which is
            why it is not private.
        measured: bytes of the large buffers that were replaced.
        table: the pickler's dispatch table.
    """

    def __init__(
        self,
        pickler: pickle.Pickler,
        protocol: int,
        stand_in: Callable[[Callable[[Any], Any]], Callable[[Any], Any] | None],
    ) -> None:
        self.plans: dict[type, Any] = {}
        self.measured = 0
        self.judge = Judge(protocol)
        self._protocol = protocol
        self._stand_in = stand_in
        self.table: Mapping[type, Any] = getattr(pickler, "dispatch_table", copyreg.dispatch_table)
        chained = getattr(pickler, "reducer_override", None)
        self._chained: Callable[[Any], Any] | None = chained
        self._chained_plan = self._ask_chained  # one bound method, so that `is` holds

    def learn(self, cls: type) -> Any:
        """Give and remember what is done with objects of a type."""
        plan = self._find_plan(cls)
        self.plans[cls] = plan  # a class that cannot be a key raises here, as it does in C
        return plan

    def _find_plan(self, cls: type) -> Any:
        if self._chained is not None:
            return self._chained_plan
        if cls is type or cls is types.FunctionType:
            return BY_NAME
        reducer = self._lookup(cls)
        if reducer is not None:
            replacement = self._stand_in(reducer)
            return replacement or reducer
        if issubclass(cls, type):
            return BY_NAME
        measure = measure_for(cls)
        if measure is None:
            return ASK
        return lambda obj: self._measured(measure(obj)) or self.ask(obj)

    def _lookup(self, cls: type) -> Any:
        try:
            return self.table[cls]
        except KeyError:
            return None

    def _measured(self, found: tuple[int, Any] | None) -> Any:
        if found is None:
            return None
        self.measured += found[0]
        return found[1]

    def _ask_chained(self, obj: Any) -> Any:
        value = self._chained(obj) if self._chained else NotImplemented
        if value is not NotImplemented:
            return value
        cls = type(obj)
        if cls is type or cls is types.FunctionType:
            return NotImplemented
        reducer = self._lookup(cls)
        if reducer is not None:
            return reducer(obj)
        return NotImplemented if issubclass(cls, type) else self.ask(obj)

    def ask(self, obj: Any) -> Any:
        """Call `__reduce_ex__`, or `__reduce__` where there is none."""
        try:
            reduce = obj.__reduce_ex__
        except AttributeError:
            return obj.__reduce__()
        return reduce(self._protocol)

    def value(self, obj: Any, plan: Any) -> Any:
        """Give the reduce value that C would go on with: a tuple whose iterators are lists, or a name as a string.

        Args:
            obj: any object that is not pickled by name.
            plan: what `plans` has for its type.

        Returns:
            None for an object that is found by name after all (a pickler with a `reducer_override` of its own).

        Raises:
            Invalid: C would refuse the value.
            BaseException: whatever the object's own methods raise.
        """
        if plan is PLAIN:
            return self.ask(obj)
        value = self.ask(obj) if plan is ASK else plan(obj)
        if value is NotImplemented and plan is self._chained_plan:
            error = self.judge.refuses(obj)
            if error is not None:
                raise error
            return None
        if issubclass(type(value), str):
            error = self.judge.refuses(obj, value)
            if error is not None:
                raise error
            return value
        try:
            value = self._checked(obj, value)
        except Invalid as invalid:
            invalid.value = value
            raise
        if plan is ASK and self._is_plain(type(obj)):
            self.plans[type(obj)] = PLAIN
        return _with_lists(value)

    def _is_plain(self, cls: type) -> bool:
        if self._protocol < 2 or not plain_access(cls) or any(base is list or base is dict for base in mro(cls)):
            return False
        same = ("__reduce_ex__", "__reduce__", "__class__")
        if any(find_in_class(cls, name) is not _OBJECT[name] for name in same):
            return False
        getstate = find_in_class(cls, "__getstate__")
        if getstate is not None and getstate is not _OBJECT.get("__getstate__"):
            return False
        return all(find_in_class(cls, name) is None for name in _OWN_STATE)

    def _checked(self, obj: Any, given: Any) -> tuple[Any, ...]:
        if not issubclass(type(given), tuple):
            raise Invalid(f"the reduce value must be a string or tuple, not {type_name(given)}")
        value: tuple[Any, ...] = tuple.__getitem__(given, slice(None))  # C reads the tuple itself, whatever it says
        if not 2 <= len(value) <= 6:
            raise Invalid(f"the reduce value must have 2 to 6 items, not {len(value)}")
        func, args, _, items, pairs, setter = value + (None,) * (6 - len(value))
        if not callable(func):
            raise Invalid(f"the reduce value's first item must be callable, and {type_name(func)} is not")
        if not issubclass(type(args), tuple):
            raise Invalid(f"the reduce value's second item must be a tuple of arguments, not {type_name(args)}")
        for place, iterator in (("fourth", items), ("fifth", pairs)):
            if iterator is not None and find_in_class(type(iterator), "__next__") is None:
                raise Invalid(f"the reduce value's {place} item must be an iterator, not {type_name(iterator)}")
        if setter is not None and not callable(setter):
            raise Invalid(f"the reduce value's sixth item must be a function, not {type_name(setter)}")
        if self._protocol >= 2:
            _check_new(obj, func, args)
        return value


def _check_new(obj: Any, func: Any, args: tuple[Any, ...]) -> None:
    name = getattr(func, "__name__", None)
    if type(name) is not str or name not in ("__newobj__", "__newobj_ex__"):
        return
    if name == "__newobj_ex__" and (
        len(args) != 3 or not issubclass(type(args[1]), tuple) or not issubclass(type(args[2]), dict)
    ):
        raise Invalid("__newobj_ex__ takes a class, a tuple of arguments and a dict of keywords")
    if not args:
        raise Invalid("__newobj__ takes the class as its first argument")
    if not hasattr(args[0], "__new__"):
        raise Invalid(f"the first argument of {name} must be a class")
    said = obj.__class__
    if said is not args[0]:
        raise Invalid(f"its __class__ says {short_repr(said)}, and its type is {short_repr(type(obj))}")


def _with_lists(value: Any) -> Any:
    """Turn the iterators into lists: they run once, and their items are needed again for the paths."""
    if len(value) < 4 or (value[3] is None and (len(value) == 4 or value[4] is None)):
        return value
    items, pairs = value[3], value[4] if len(value) > 4 else None
    listed = None if items is None else _listed(items)
    paired = None if pairs is None else _listed(pairs)
    for pair in paired or ():
        if not issubclass(type(pair), tuple) or tuple.__len__(pair) != 2:
            raise Invalid("the reduce value's fifth item must give pairs of key and value")
    return (*value[:3], listed, paired, *value[5:])


def _listed(iterator: Iterator[Any]) -> list[Any]:
    if type(iterator) in _BUILTIN_ITERATORS:
        return list(iterator)
    found = list(itertools.islice(iterator, _MOST_ITEMS))
    if len(found) == _MOST_ITEMS:
        raise Invalid(f"an iterator of the reduce value gave {_MOST_ITEMS:,} items and did not end")
    return found


def parts_of(value: Any) -> list[Any]:
    """Give what C saves of a reduce value with lists, in its order, as one list."""
    return [part for part in value if part is not None] if isinstance(value, tuple) else []

"""What an object holds, with the step of a path that leads to each: found without running the object's own code."""

from __future__ import annotations

import collections
import itertools
import sys
import types
from collections.abc import Iterator
from typing import Any

from picklecheck import paths
from picklecheck.paths import Step
from picklecheck.safe import find_in_class, instance_dict, members, mro, plain_access

__all__ = ["ATOM_IDS", "CONTAINER_IDS", "cells", "inside", "listing", "step_inside"]

Steps = tuple[Step, ...]
# by id, because a class may have a metaclass that defines __hash__ or __eq__
ATOM_IDS = frozenset(map(id, (type(None), bool, int, float, str, bytes)))
CONTAINER_IDS = frozenset(map(id, (list, tuple, dict, set, frozenset)))
_OBJECT_CLASS = vars(object)["__class__"]
# C attributes that are computed by the interpreter's own getters, for exactly these types
_GETTERS: dict[type, tuple[str, ...]] = {
    types.BuiltinFunctionType: ("__self__",),
    type([].__len__): ("__self__",),
    types.CellType: ("cell_contents",),
    types.GenericAlias: ("__origin__", "__args__"),
    types.UnionType: ("__args__",),
}


def listing(obj: object) -> Iterator[tuple[Steps, Any]]:
    """Yield steps and value for everything that `obj` holds directly, the plainest way to say it first."""
    cls = type(obj)
    yield (_class_step(cls),), cls
    computed = [name for kind, names in _GETTERS.items() if issubclass(cls, kind) for name in names]
    for name in computed:
        try:
            yield (paths.attribute(name),), getattr(obj, name)
        except ValueError:  # an empty cell
            continue
    yield from ((steps, held) for name, steps, held in _attributes(obj) if name not in computed)
    yield from _contents(obj)


def _attributes(obj: object) -> Iterator[tuple[str, Steps, Any]]:
    cls = type(obj)
    plain = plain_access(cls)
    own = instance_dict(obj)
    for name, held in list(own.items()) if own else ():
        if type(name) is not str:
            continue
        shadow = find_in_class(cls, name)
        if not plain:
            step = paths.raw_attribute(name)
        elif shadow is not None and _is_data_descriptor(shadow):
            step = Step("attribute", f".__dict__[{name!r}]")
        else:
            step = paths.attribute(name)
        yield name, (step,), held
    for name, held in sorted(members(obj), key=lambda member: member[0].startswith("__")):
        found = type(find_in_class(cls, name)) is types.MemberDescriptorType
        yield name, ((paths.attribute(name) if plain and found else paths.raw_attribute(name)),), held


def _is_data_descriptor(found: object) -> bool:
    return any(find_in_class(type(found), name) is not None for name in ("__set__", "__delete__"))


def _class_step(cls: type) -> Step:
    if find_in_class(cls, "__class__") is _OBJECT_CLASS and plain_access(cls):
        return Step("class", ".__class__")
    return Step("class", ")", "type(")


_BASES: tuple[Any, ...] = (dict, list, tuple, collections.deque, set, frozenset, BaseException)


def _contents(obj: object) -> Iterator[tuple[Steps, Any]]:
    """Yield what a container, or a subclass of one, holds."""
    bases = set(map(id, mro(type(obj))))
    base = next((base for base in _BASES if id(base) in bases), None)
    if base is dict:
        yield from _mapping_contents(obj)
    elif base in (list, tuple, collections.deque):
        yield from _sequence_contents(obj, base)
    elif base in (set, frozenset):
        for number, held in enumerate(list(base.__iter__(obj))):
            yield (paths.key(number, None if type(obj) is base else base.__name__),), held
    elif base is BaseException:
        for number, held in enumerate(vars(BaseException)["args"].__get__(obj)):
            yield (paths.attribute("args"), paths.index(number)), held
    else:
        yield from _array_contents(obj)


def _mapping_contents(obj: Any) -> Iterator[tuple[Steps, Any]]:
    cls = type(obj)
    base = None if cls is dict else "dict"
    direct = find_in_class(cls, "__getitem__") is dict.__getitem__
    for number, (key, held) in enumerate(list(dict.items(obj))):
        step = paths.item(key) if direct else None
        yield (step or paths.value(number, base),), held
        yield (paths.key(number, None if find_in_class(cls, "__iter__") is dict.__iter__ else base),), key


def _sequence_contents(obj: Any, base: Any) -> Iterator[tuple[Steps, Any]]:
    cls = type(obj)
    direct = find_in_class(cls, "__getitem__") is base.__getitem__
    names = find_in_class(cls, "_fields") if base is tuple else None
    fields = names if type(names) is tuple and all(type(name) is str for name in names) else ()
    name = "tuple" if base is tuple else "list" if base is list else "__import__('collections').deque"
    for number, held in enumerate(list(base.__iter__(obj))):
        if number < len(fields) and type(find_in_class(cls, fields[number])).__name__ == "_tuplegetter":
            yield (paths.attribute(fields[number]),), held
        else:
            yield (paths.index(number) if direct else paths.raw_item(name, number),), held


def _array_contents(obj: Any) -> Iterator[tuple[Steps, Any]]:
    ndarray = getattr(sys.modules.get("numpy"), "ndarray", None)
    if ndarray is None or not any(base is ndarray for base in mro(type(obj))):
        return
    own = vars(ndarray)
    shape, dtype = own["shape"].__get__(obj), own["dtype"].__get__(obj)
    if not dtype.hasobject or dtype.names or find_in_class(type(obj), "__getitem__") is not own["__getitem__"]:
        return
    places = itertools.product(*map(range, shape))
    for place, held in zip(places, own["flat"].__get__(obj), strict=False):
        yield ((paths.index(*place) if place else Step("item", "[()]")),), held


def cells(obj: object) -> Iterator[tuple[Steps, Any]]:
    """Yield the objects in the cells and labels of a pandas table, which lie deep inside its own containers."""
    pandas = sys.modules.get("pandas")
    table: Any = obj
    if type(obj) is getattr(pandas, "DataFrame", ()):
        for column, dtype in enumerate(table.dtypes):
            if dtype.name == "object":
                for row, held in enumerate(table.iloc[:, column].tolist()):
                    yield (Step("item", f".iloc[{row}, {column}]"),), held
        yield from _labels(table, "index", "columns")
    elif type(obj) is getattr(pandas, "Series", ()):
        if table.dtype.name == "object":
            for row, held in enumerate(table.tolist()):
                yield (Step("item", f".iloc[{row}]"),), held
        yield from _labels(table, "index")


def _labels(table: Any, *names: str) -> Iterator[tuple[Steps, Any]]:
    for name in names:
        labels = getattr(table, name)
        if labels.dtype.name == "object":
            for number, held in enumerate(labels.tolist()):
                yield (paths.attribute(name), paths.index(number)), held


def inside(box: Any) -> Iterator[tuple[Any, Any]]:
    """Yield a spot and what lies there for a plain container.

    A spot is a number; for a dict it is the number, the key, and whether the key is meant.
    """
    if type(box) is dict:
        for number, (key, held) in enumerate(list(box.items())):
            yield (number, key, True), key
            yield (number, key, False), held
    else:
        yield from enumerate(list(box))


def step_inside(box: Any, spot: Any) -> Step:
    """Give the step for a spot of `inside`."""
    kind = type(box)
    if kind is dict:
        number, key, is_key = spot
        return paths.key(number) if is_key else paths.item(key) or paths.value(number)
    return paths.key(spot) if kind in (set, frozenset) else paths.index(spot)

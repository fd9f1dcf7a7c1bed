"""Containers whose items are set before their attributes: both travel as the state."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from dataclasses import dataclass
from typing import Any

from picklecheck import safe
from picklecheck.fixes.recipes.standing import python_method
from picklecheck.fixes.spelling import spell

__all__ = ["Carried", "carried"]

_KINDS = (OrderedDict, defaultdict, deque, dict, list, set)
_READERS = ("__iter__", "keys", "items", "__getitem__", "__len__", "__new__")
_ASKED = ("__reduce__", "__reduce_ex__", "__getstate__", "__setstate__", "__getnewargs__", "__getnewargs_ex__")


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """Methods that carry attributes and items, and the imports that they need."""

    methods: tuple[str, ...]
    imports: tuple[str, ...]


def carried(obj: Any) -> Carried | None:
    """Give the methods for an instance of a class that derives from a builtin container; None for other classes.

    Pickle sets items before the state (docs, pickle, `object.__reduce__`), through the methods of the class.
    """
    cls = type(obj)
    kind = next((base for base in safe.mro(cls) if any(base is each for each in _KINDS)), None)
    if kind is None or safe.instance_dict(obj) is None or _has_members(kind, obj):
        return None
    methods = [found[0] for name in (*_READERS, *_ASKED) if (found := python_method(cls, name))]
    if any(base is not Counter for base in methods):  # whose `__reduce__` calls the class, too
        return None
    if kind is deque and deque.maxlen.__get__(obj) is not None:
        return None
    module = "builtins" if kind in (dict, list, set) else "collections"
    name, imports = spell(cls, module, kind.__name__)
    factory = kind is defaultdict
    plain = "list" if kind in (list, deque) else "set" if kind is set else "dict"
    state = f"(self.__dict__, {'self.default_factory, ' if factory else ''}{plain}(self))"
    reduce = f"def __reduce__(self):\n    return {name}.__new__, (type(self),), {state}"
    lines = [
        f"def __setstate__(self, state):\n    attributes, {'factory, ' if factory else ''}items = state",
        "    self.__dict__.update(attributes)",
        *(["    self.default_factory = factory"] if factory else []),
        *_filled(kind, name),
    ]
    return Carried(methods=(reduce, "\n".join(lines)), imports=imports)


def _filled(kind: type, name: str) -> list[str]:
    if kind is OrderedDict:
        return ["    for key, value in items.items():", f"        {name}.__setitem__(self, key, value)"]
    return [f"    {name}.{'extend' if kind in (list, deque) else 'update'}(self, items)"]


def _has_members(kind: type, obj: Any) -> bool:
    """Tell whether the instance has slots, which the methods do not carry; `default_factory` is none."""
    return any(kind is not defaultdict or name != "default_factory" for name, _ in safe.members(obj))

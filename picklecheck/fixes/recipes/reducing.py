"""Recipes for objects whose own methods of pickling fail."""

from __future__ import annotations

import sys
from typing import Any

from picklecheck import safe
from picklecheck.fixes.base import Remedy, Spot
from picklecheck.fixes.classfile import class_file
from picklecheck.fixes.recipes.exceptions import added, is_free
from picklecheck.fixes.recipes.standing import method, python_method, replaced

__all__ = ["reduce_error", "slots"]


def reduce_error(spot: Spot) -> Remedy | None:
    """Have a decorated function found by its name, where its module holds it under that name.

    A reduce value that is a string is such a name (docs, pickle, `object.__reduce__`); it is looked up in the module
    that the object's ``__module__`` names.
    """
    own = safe.instance_dict(spot.obj) or {}
    name = _name_of(own)
    if name is None:
        return None
    attribute, wrapped = name
    found = python_method(type(spot.obj), "__reduce_ex__") or python_method(type(spot.obj), "__reduce__")
    place = class_file(found[0]) if found else None
    if found is None or place is None:
        return None
    module = own.get("__module__", safe.module_of(type(spot.obj)))
    space = safe.instance_dict(sys.modules.get(module or "")) or {}
    if space.get(wrapped) is not spot.obj:
        return None
    reducer = found[1].__name__
    node = method(place, reducer)
    if node is None or node.decorator_list:
        return None
    parameters = "self, protocol" if reducer == "__reduce_ex__" else "self"
    text = f"def {reducer}({parameters}):\n    return self.{attribute}.__qualname__"
    return Remedy(edits=((place.file, replaced(node, place, text)),), methods=((found[0], (reducer,)),))


def _name_of(own: dict[str, Any]) -> tuple[str, str] | None:
    """Give the attribute that holds the wrapped function, and the function's name."""
    for attribute in ("__wrapped__", "func", "function", "fn", "_func", "_function", "_fn", "wrapped", "_wrapped"):
        name = safe.name_of(own.get(attribute))
        if name and "." not in name:
            return attribute, name
    return None


def slots(spot: Spot) -> Remedy | None:
    """Have an object with slots reduced as from protocol 2 on, which older pickles can hold too.

    Source: copyreg._reduce_ex refuses slots; `object.__reduce_ex__(2)` has them in the state.
    """
    cls = type(spot.obj)
    if not is_free(cls, ("__reduce__", "__getstate__")):
        return None
    found = python_method(cls, "__reduce_ex__")
    text = "def __reduce_ex__(self, protocol):\n    return super().__reduce_ex__(max(protocol, 2))"
    place = class_file(found[0] if found else cls)
    if place is None:
        return None
    if found is None:
        return added(cls, place, (text,), ("__reduce_ex__",))
    node = method(place, "__reduce_ex__")
    if node is None or node.decorator_list:
        return None
    return Remedy(edits=((place.file, replaced(node, place, text)),), methods=((found[0], ("__reduce_ex__",)),))

"""What may come back unlike what was sent, or by chance only: what is asked about, and what its shape there says.

Nothing is compared by the user's own ``__eq__``: names of attributes, names of types, and whether a module's constant
is still the one.
"""

from __future__ import annotations

import copyreg
import os
import sys
import types
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from picklecheck.probe import Walk
from picklecheck.safe import class_dict, find_in_class, instance_dict, members, module_of, mro, qualified_name

__all__ = ["Candidate", "Loss", "candidates", "compare", "may_depend_on_order"]

_MOST = 10_000
_MISSING = object()


@dataclass(frozen=True, slots=True)
class Candidate:
    """An object whose counterpart is looked at.

    Attributes:
        obj: the object.
        attributes: names that it has here.
        module, name: the module's constant that it is here; None for an object that is none.
    """

    obj: Any
    attributes: tuple[str, ...]
    module: str | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Loss:
    """A difference: the hazard's kind, and what it is in this case."""

    kind: str
    note: str


def candidates(walk: Walk) -> list[Candidate]:
    """Choose the objects that may come back different: those with a rule of their own, and constants of modules."""
    constants = dict(_constants(walk))
    found = []
    for obj, (module, name) in constants.values():
        found.append(Candidate(obj, (), module, name))
    for index, value in list(walk.values.items()):
        obj = walk.objects[index]
        if len(found) >= _MOST:
            break
        if type(value) is tuple and id(obj) not in constants and is_users(type(obj)) and _has_a_rule(type(obj), value):
            found.append(Candidate(obj, tuple(_attributes(obj))))
    return found


def may_depend_on_order(walk: Walk) -> bool:
    """Tell whether code of the user's runs over there, and objects with a hash of the user's are in what is sent.

    Such code may go through a set in the order that the hash seed of the process gives it.
    """
    if os.environ.get("PYTHONHASHSEED", "random") != "random":
        return False
    classes = [cls for cls in set(map(type, walk.objects)) if is_users(cls)]
    hashed = any(type(find_in_class(cls, "__hash__")) is types.FunctionType for cls in classes)
    return hashed and any(
        type(value) is tuple and is_users(type(walk.objects[index])) and _has_a_rule(type(walk.objects[index]), value)
        for index, value in list(walk.values.items())
    )


def _has_a_rule(cls: type, value: tuple[Any, ...]) -> bool:
    """Tell whether anything but `object`'s own methods takes part in pickling and unpickling it."""
    own = vars(object)
    same = all(find_in_class(cls, name) is own[name] for name in ("__reduce__", "__reduce_ex__"))
    plain = same and value[0] is copyreg.__newobj__  # type: ignore[attr-defined]
    return not plain or any(find_in_class(cls, name) is not own.get(name) for name in ("__getstate__", "__setstate__"))


def compare(sent: Candidate, shape: dict[str, Any]) -> Loss | None:
    """Say what is different over there; None where nothing is."""
    cls = type(sent.obj)
    if sent.module is not None:
        if shape["same"] is not False:
            return None
        return Loss(
            "identity", f"It is {sent.module}.{sent.name} here, and over there a second object beside that one."
        )
    became = shape["type"].replace("__mp_main__.", "__main__.")
    if became != qualified_name(cls):
        if _is_deliberate(cls):
            return None
        return Loss("changed-type", f"It is a {qualified_name(cls)} here, and over there a {became}.")
    gone = [name for name in sent.attributes if name not in shape["attributes"] and not _is_answered(cls, name)]
    if not gone:
        return None
    names = ", ".join(f".{name}" for name in gone)
    return Loss("lost-attribute", f"Gone over there: {names}.")


def is_users(cls: type) -> bool:
    """Tell whether a class was written by the user: neither in the standard library nor in an installed package."""
    module = module_of(cls) or ""
    top = module.partition(".")[0]
    if top in sys.stdlib_module_names and top != "__main__":
        return False
    file = (instance_dict(sys.modules.get(module)) or {}).get("__file__")
    return module == "__main__" or (type(file) is str and "-packages" not in file)


def _attributes(obj: Any) -> Iterator[str]:
    """Yield the attributes that the user's own classes have given it."""
    yield from (name for name in instance_dict(obj) or {} if type(name) is str)
    slots = {name for base in mro(type(obj)) if is_users(base) for name in class_dict(base)}
    yield from (name for name, _ in members(obj) if name in slots)


def _is_answered(cls: type, name: str) -> bool:
    """Tell whether reading the attribute gives something without it: a default in the class, or a hook."""
    found = find_in_class(cls, name, _MISSING)
    default = found is not _MISSING and type(found) is not types.MemberDescriptorType
    return default or find_in_class(cls, "__getattr__") is not None


def _is_deliberate(cls: type) -> bool:
    """Tell whether the class itself says what it becomes, and has not just inherited it."""
    return any(name in class_dict(cls) for name in ("__reduce__", "__reduce_ex__"))


def _constants(walk: Walk) -> Iterator[tuple[int, tuple[Any, tuple[str, str]]]]:
    """Yield the objects that are constants of a module of the user's, and are told apart by `is`."""
    kinds = {cls for cls in set(map(type, walk.objects)) if _is_kept_apart(cls)}
    named: dict[int, tuple[Any, tuple[str, str]]] = {}
    for module, obj, name in _named_constants(kinds):
        if obj is not walk.root:
            named.setdefault(id(obj), (obj, (module, name)))
    present = named.keys() & set(map(id, walk.objects)) if named else ()
    yield from ((key, named[key]) for key in present)


def _is_kept_apart(cls: type) -> bool:
    """Tell whether objects of the class are equal only to themselves, and may be the user's constants."""
    return cls is object or (is_users(cls) and find_in_class(cls, "__eq__") is vars(object)["__eq__"])


def _named_constants(kinds: set[type]) -> Iterator[tuple[str, Any, str]]:
    """Yield module, value and name of each constant of these types, in the module that defines the type."""
    modules = {module_of(cls) for cls in kinds if cls is not object}
    everywhere = object in kinds
    for name in list(sys.modules) if everywhere else modules:
        space = instance_dict(sys.modules.get(name or ""))
        if space is None or name is None:
            continue
        file = space.get("__file__")
        if name != "__main__" and (type(file) is not str or "-packages" in file):
            continue
        for word, value in list(space.items()):
            named = type(value) in kinds and type(word) is str and word.strip("_").isupper()
            if named and (type(value) is object or module_of(type(value)) == name):
                yield name, value, word

"""Recipes for objects that pickle and cannot be unpickled, but for what `exceptions` does."""

from __future__ import annotations

import ast
import enum
import types
from collections.abc import Iterator
from typing import Any

from picklecheck import safe
from picklecheck.fixes.base import BeginMethod, Remedy, Spot
from picklecheck.fixes.classfile import ClassFile, class_file
from picklecheck.fixes.recipes.exceptions import added, call, is_free
from picklecheck.fixes.recipes.parameters import Parameter, parameters
from picklecheck.fixes.recipes.standing import (
    attributes_of,
    base_type,
    home,
    method,
    plain_value,
    python_method,
)
from picklecheck.fixes.spelling import stored_name

__all__ = ["enum_value", "getattr_hook", "hash_too_early", "new_arguments"]

_REDUCERS = ("__reduce__", "__reduce_ex__")
_NEW = (*_REDUCERS, "__getnewargs_ex__", "__getnewargs__")
_STATE = ("__getstate__", "__setstate__")


# -- __new__


def new_arguments(spot: Spot) -> Remedy | None:
    """Give ``__new__`` what it was given; where that is lost, have the builtin base make the object.

    Source: docs, pickle, `object.__getnewargs_ex__`.
    """
    cls = type(spot.obj)
    found, known = home(cls, "__new__"), None
    if found is None or not is_free(cls, _REDUCERS):
        return None
    owner, place = found
    named = [name for name in _NEW if name in safe.class_dict(owner)]
    if not named and is_free(owner, ("__getnewargs_ex__",)):
        known = parameters(spot.obj, "__new__", owner)
    if known and all(each.exact for each in known):
        if safe.find_in_class(cls, "__reduce__") is vars(object)["__reduce__"]:
            return _with_new_arguments(known, owner, place)
        return _called(known, owner, place)
    return _past_new(spot.obj, owner, place)


def _with_new_arguments(known: list[Parameter], owner: type, place: ClassFile) -> Remedy:
    arguments = [f"*{each.source}" if each.kind == "rest" else str(each.source) for each in known
                 if each.kind in ("positional", "rest")]  # fmt: skip
    keywords = [f'"{each.name}": {each.source}' for each in known if each.kind == "keyword"]
    given = f"({', '.join(arguments)}{',' if len(arguments) == 1 else ''})"
    if not keywords:
        body = f"def __getnewargs__(self):\n    return {given}"
        return added(owner, place, (body,), ("__getnewargs__",))
    body = f"def __getnewargs_ex__(self):\n    return {given}, {{{', '.join(keywords)}}}"
    return added(owner, place, (body,), ("__getnewargs_ex__",))


def _called(known: list[Parameter], owner: type, place: ClassFile) -> Remedy | None:
    """Do without ``__getnewargs__`` where the builtin base has a ``__reduce__`` that does not ask for it."""
    made = call(known, owner)
    if made is None:
        return None
    body = f"def __reduce__(self):\n    return {made[0]}, self.__dict__"
    return added(owner, place, (body,), ("__reduce__",), made[1])


def _past_new(obj: Any, owner: type, place: ClassFile) -> Remedy | None:
    cls = type(obj)
    kind = base_type(cls)
    own = safe.instance_dict(obj)
    if any(name in safe.class_dict(owner) for name in _REDUCERS) or not is_free(cls, _STATE):
        return None
    if any(type(value) is types.MemberDescriptorType for base in safe.mro(cls) if not safe.is_made_in_c(base)
           for value in safe.class_dict(base).values()):  # fmt: skip
        return None
    if kind is None and any(safe.is_made_in_c(base) for base in safe.mro(cls)[:-1]):
        return None
    value = f", {plain_value(cls, kind)}" if kind else ","
    state = ", self.__dict__" if own is not None else ""
    name = kind.__name__ if kind else "object"
    body = f"def __reduce__(self):\n    return {name}.__new__, (type(self){value}){state}"
    return added(owner, place, (body,), ("__reduce__",))


# -- __getattr__


def getattr_hook(spot: Spot) -> Remedy | None:
    """Have ``__getattr__`` answer neither for special methods nor for the attributes that it needs itself.

    They are missing while the object is made anew, and looking for them calls ``__getattr__`` again.
    """
    cls = type(spot.obj)
    found = python_method(cls, "__getattr__")
    place = class_file(found[0]) if found else None
    node = method(place, "__getattr__") if place else None
    if found is None or place is None or node is None or len(node.args.args) != 2:
        return None
    if not safe.plain_access(cls):
        return None
    receiver, name = (argument.arg for argument in node.args.args)
    needed = _reads(node, receiver, found[0], spot.obj)
    tests = [f'{name}.startswith("__")']
    if needed:
        tests.append(f'{name} == "{needed[0]}"' if len(needed) == 1 else f"{name} in {_tuple(needed)}")
        if spot.stage == "unpickle" and _answers_special(node):
            del tests[0]
    test = " or ".join(tests)
    edit = BeginMethod(
        qualname=place.qualname, line=place.line, method="__getattr__",
        body=(f"if {test}:\n    raise AttributeError({name})",),
    )  # fmt: skip
    return Remedy(edits=((place.file, edit),), methods=((found[0], ("__getattr__",)),))


def _answers_special(node: ast.FunctionDef) -> bool:
    """Tell whether a hook mentions special names, which it may answer for on purpose."""
    held = [part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    return any(len(text) > 4 and text.startswith("__") and text.endswith("__") for text in held)


def _reads(node: ast.FunctionDef, receiver: str, owner: type, obj: Any) -> list[str]:
    """Give the attributes of an instance that a method reads, as they are stored."""
    read = [stored_name(attribute, owner) for attribute in _attributes(node, receiver)]
    held = attributes_of(obj)
    return sorted({name for name in read if name in held and not name.startswith("__")})


def _attributes(node: ast.AST, receiver: str) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Attribute) and getattr(part.value, "id", "") == receiver:
            yield part.attr


def _tuple(names: list[str]) -> str:
    return f"({', '.join(chr(34) + name + chr(34) for name in names)}{',' if len(names) == 1 else ''})"


# -- enums


def enum_value(spot: Spot) -> Remedy | None:
    """Have the members of an enum found by their name, where their value equals nothing over there."""
    cls = type(spot.obj)
    place = class_file(cls)
    if place is None or issubclass(cls, enum.Flag):
        return None
    if any(_has(place, name) for name in _REDUCERS):
        return None
    members = safe.class_dict(cls).get("_member_map_") or {}
    if not any(member is spot.obj for member in dict.values(members)):
        return None
    body = "def __reduce_ex__(self, protocol):\n    return getattr, (type(self), self.name)"
    return added(cls, place, (body,), ("__reduce_ex__",))


def _has(place: ClassFile, name: str) -> bool:
    return any(isinstance(part, ast.FunctionDef) and part.name == name for part in place.node.body)


# -- hashes


def hash_too_early(spot: Spot) -> Remedy | None:
    """Have the object made with what its hash needs; the rest follows as the state.

    In a cycle an object is a key or member before its state is there (docs, pickle, "Stateful objects").
    """
    cls = type(spot.obj)
    found = home(cls, "__init__")
    if found is None or safe.instance_dict(spot.obj) is None or not is_free(cls, (*_NEW, "__getstate__")):
        return None
    if next(safe.members(spot.obj), None) is not None or safe.is_made_in_c(safe.mro(cls)[-2]):
        return None
    owner, place = found
    known, hashed = parameters(spot.obj, "__init__", owner), _hashed(cls, spot.obj)
    if not known or not hashed or any(each.required and each.attribute not in hashed for each in known):
        return None
    given = [each for each in known if each.attribute in hashed]
    if not hashed <= {each.attribute for each in given} or not all(each.exact for each in given):
        return None
    skips = [each if each in given else _left_out(each) for each in known]
    made = call(skips, owner)
    if made is None:
        return None
    body = f"def __reduce__(self):\n    return {made[0]}, self.__dict__"
    return added(owner, place, (body,), ("__reduce__",), made[1])


def _left_out(given: Parameter) -> Parameter:
    kind = given.kind if given.kind != "rest" else "named"
    return Parameter(name=given.name, source=None, exact=False, kind=kind, required=False)


def _hashed(cls: type, obj: Any) -> set[str]:
    """Give the attributes that the hash is made of, as they are stored."""
    found = python_method(cls, "__hash__")
    if found is None:
        return set()
    owner = found[0]
    place = class_file(owner)
    node = method(place, "__hash__") if place else None
    if node is not None and node.args.args:
        return set(_reads(node, node.args.args[0].arg, owner, obj))
    fields = safe.class_dict(owner).get("__dataclass_fields__") or {}
    return {
        name for name, field in fields.items() if (field.compare if field.hash is None else field.hash)
    }  # fmt: skip

"""Recipes for objects whose class is called with other arguments than it wants: exceptions above all."""

from __future__ import annotations

import ast
import types
from collections.abc import Sequence
from typing import Any

from picklecheck import safe
from picklecheck.fixes.base import AddImports, AddMethods, Edit, Remedy, Spot
from picklecheck.fixes.classfile import ClassFile, class_file
from picklecheck.fixes.recipes.containers import carried
from picklecheck.fixes.recipes.parameters import Parameter, calls_base, parameters, sets
from picklecheck.fixes.recipes.standing import home, method, python_method, replaced
from picklecheck.fixes.spelling import spell

__all__ = ["added", "call", "init_arguments", "is_free"]

_REDUCERS = ("__reduce__", "__reduce_ex__")


def init_arguments(spot: Spot) -> Remedy | None:
    """Have the class called with what it was called with; where that is lost, rebuild the object without the call.

    Source: docs, pickle, `object.__reduce__`; `BaseException.__reduce__` (Objects/exceptions.c) calls the class with
    ``args``, which `BaseException.__new__` sets.
    """
    cls = type(spot.obj)
    found = home(cls, "__init__")
    if found is None:
        return None
    owner, place = found
    if not is_free(cls, _REDUCERS) and not (issubclass(cls, BaseException) and _comes_first(owner, cls)):
        return _with_own_reduce(spot.obj) or _of_container(spot.obj, owner, place)
    if issubclass(cls, BaseException):
        return _of_exception(spot.obj, owner, place)
    return _of_container(spot.obj, owner, place)


def _of_exception(obj: BaseException, owner: type, place: ClassFile) -> Remedy | None:
    known = parameters(obj, "__init__", owner)
    if known is None:
        return None
    exact = calls_base(type(obj)) and all(each.exact for each in known) and not sets(type(obj), "args")
    if not exact and _is_plain(type(obj)):
        body = "return type(self).__new__, (type(self), *self.args), self.__dict__"
        return added(owner, place, (f"def __reduce__(self):\n    {body}",), ("__reduce__",))
    made = call(known, owner)
    if made is None:
        return None
    text, imports = made
    method = f"def __reduce__(self):\n    return {text}, self.__dict__"
    return added(owner, place, (method,), ("__reduce__",), imports)


def _comes_first(owner: type, cls: type) -> bool:
    """Tell whether a new method of a class is asked before those of libraries, and there are no others."""
    order = safe.mro(cls)
    found = [base for name in _REDUCERS if (held := python_method(cls, name)) for base in held[:1]]
    return all(
        base is not owner and class_file(base) is None and order.index(owner) < order.index(base) for base in found
    )


def _is_plain(cls: type) -> bool:
    """Tell whether ``__new__`` alone restores all that such an exception has besides its dictionary."""
    kinds = (types.MemberDescriptorType, types.GetSetDescriptorType)
    for base in safe.mro(cls):
        if base is BaseException:
            return True
        held = safe.class_dict(base)
        if type(held.get("__new__")) in (staticmethod, types.FunctionType):
            return False
        if any(type(value) in kinds for name, value in held.items() if name not in ("__weakref__", "__dict__")):
            return False
    return False


def _of_container(obj: Any, owner: type, place: ClassFile) -> Remedy | None:
    made = carried(obj)
    return added(owner, place, made.methods, ("__reduce__",), made.imports) if made else None


def _with_own_reduce(obj: Any) -> Remedy | None:
    """Have an own ``__reduce__`` that returns the class and its arguments return those that are wanted."""
    cls = type(obj)
    for name in _REDUCERS:
        found = python_method(cls, name)
        place = class_file(found[0]) if found else None
        node = method(place, name) if place else None
        if found is None or place is None or node is None or not isinstance(node.body[-1], ast.Return):
            continue
        value, known = node.body[-1].value, parameters(obj, "__init__", found[0])
        if not isinstance(value, ast.Tuple) or not 2 <= len(value.elts) <= 3 or known is None:
            continue
        makes = ast.unparse(value.elts[0])
        made = call(known, found[0])
        if made and makes in ("type(self)", "self.__class__", cls.__name__) and made[0].startswith("type(self), "):
            edit = replaced(value.elts[1], place, made[0].removeprefix("type(self), "))
            return Remedy(edits=((place.file, edit),), methods=((found[0], (name,)),))
    return None


# -- used by other recipes


def call(known: Sequence[Parameter], owner: type) -> tuple[str, tuple[str, ...]] | None:
    """Give "type(self), (self.table, self.key)" and the imports that it needs; None where a required one is lost."""
    if any(each.required and each.source is None for each in known):
        return None
    arguments, keywords, skipped = [], [], False
    for each in known:
        if each.source is None or each.kind == "named":
            skipped = skipped or each.kind == "positional"
        elif each.kind == "rest":
            if skipped:
                return None
            arguments.append(f"*{each.source}")
        elif each.kind == "keyword" or skipped:
            keywords.append(f"{each.name}={each.source}")
        else:
            arguments.append(each.source)
    given = ", ".join(arguments) + ("," if len(arguments) == 1 else "")
    if not keywords:
        return f"type(self), ({given})", ()
    partial, imports = spell(owner, "functools", "partial")
    return f"{partial}(type(self), {', '.join(keywords)}), ({given})", imports


def is_free(cls: type, names: Sequence[str]) -> bool:
    """Tell whether no class of Python has one of these methods, so that new ones are asked and replace nothing."""
    return all(python_method(cls, name) is None for name in names)


def added(
    owner: type,
    place: ClassFile,
    methods: tuple[str, ...],
    names: tuple[str, ...] = (),
    imports: tuple[str, ...] = (),
    note: str = "",
) -> Remedy:
    """Give the remedy that adds methods to a class; `names` are those that take part in pickling."""
    edits: list[Edit] = [AddMethods(qualname=place.qualname, line=place.line, methods=methods)]
    if imports:
        edits.append(AddImports(statements=imports))
    return Remedy(
        edits=tuple((place.file, edit) for edit in edits), methods=((owner, names),) if names else (), note=note
    )

"""Recipes for states that are refused over there, or that come too late."""

from __future__ import annotations

import ast
from typing import Any

from picklecheck import safe
from picklecheck.fixes.base import Remedy, Replace, Spot
from picklecheck.fixes.classfile import ClassFile, class_file
from picklecheck.fixes.recipes.containers import carried
from picklecheck.fixes.recipes.exceptions import added, is_free
from picklecheck.fixes.recipes.standing import method, python_method, replaced
from picklecheck.fixes.spelling import stored_name

__all__ = ["setstate"]

_REDUCERS = ("__reduce__", "__reduce_ex__")
_STATE = ("__getstate__", "__setstate__")


def setstate(spot: Spot) -> Remedy | None:
    """Restore the state in a way that the class does not refuse, or that does not need what is not there yet."""
    cls = type(spot.obj)
    found = python_method(cls, "__setstate__")
    place = class_file(found[0]) if found else None
    if found and place and method(place, "__setstate__"):
        return _set_past(found[0], place) if _refuses(cls) else None
    if found is not None:
        return None
    made = carried(spot.obj)
    if made is not None:
        return _items_later(cls, made.methods, made.imports)
    return _restored(spot.obj) if _refuses(cls) else None


def _refuses(cls: type) -> bool:
    """Tell whether the class has an own rule for setting attributes."""
    return python_method(cls, "__setattr__") is not None


def _set_past(owner: type, place: ClassFile) -> Remedy | None:
    """Have an own ``__setstate__`` set attributes past ``__setattr__``."""
    node = method(place, "__setstate__")
    if node is None or not node.args.args:
        return None
    receiver, edits = node.args.args[0].arg, []
    for part in ast.walk(node):
        if isinstance(part, ast.stmt) and _sets(part, receiver):
            edit = _past(part, receiver, owner, place)
            if edit is None:
                return None
            edits.append(edit)
        elif isinstance(part, ast.Call) and getattr(part.func, "id", "") == "setattr":
            function = part.func
            edits.append(replaced(function, place, "object.__setattr__"))
    return Remedy(edits=tuple((place.file, edit) for edit in edits)) if edits else None


def _sets(statement: ast.stmt, receiver: str) -> bool:
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, (ast.AnnAssign, ast.AugAssign, ast.For)):
        targets = [statement.target]
    return any(
        isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store)
        and getattr(part.value, "id", "") == receiver
        for target in targets for part in ast.walk(target)
    )  # fmt: skip


def _past(statement: ast.stmt, receiver: str, owner: type, place: ClassFile) -> Replace | None:
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        pairs = _pairs(statement.targets[0], statement.value)
    elif isinstance(statement, ast.AnnAssign) and statement.value:
        pairs = [(statement.target, statement.value)]
    else:
        return None
    lines = []
    for target, value in pairs or ():
        if not isinstance(target, ast.Attribute) or getattr(target.value, "id", "") != receiver:
            return None
        source = ast.get_source_segment(place.text, value)
        lines.append(f'object.__setattr__({receiver}, "{stored_name(target.attr, owner)}", {source})')
    return replaced(statement, place, "\n".join(lines)) if lines else None


def _pairs(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    if not isinstance(target, (ast.Tuple, ast.List)):
        return [(target, value)]
    if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts):
        return list(zip(target.elts, value.elts, strict=True))
    return []


def _items_later(cls: type, methods: tuple[str, ...], imports: tuple[str, ...]) -> Remedy | None:
    for base in safe.mro(cls):
        place = class_file(base)
        if place is not None and (python_method(base, "__init__") or (None,))[0] is base:
            return added(base, place, methods, ("__reduce__",), imports)
    place = class_file(cls)
    return added(cls, place, methods, ("__reduce__",), imports) if place else None


def _restored(obj: Any) -> Remedy | None:
    """Have the default state, a dictionary beside one of the slots, restored past ``__setattr__``."""
    cls = type(obj)
    setter = python_method(cls, "__setattr__")
    owner = setter[0] if setter and class_file(setter[0]) else cls
    place = class_file(owner)
    if place is None or not is_free(cls, (*_REDUCERS, *_STATE)):
        return None
    body = (
        "def __setstate__(self, state):\n"
        "    attributes, slots = state if isinstance(state, tuple) else (state, None)\n"
        "    for name, value in {**(attributes or {}), **(slots or {})}.items():\n"
        "        object.__setattr__(self, name, value)"
    )
    return added(owner, place, (body,))

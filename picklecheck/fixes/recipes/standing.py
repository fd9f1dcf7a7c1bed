"""Where the methods of a class stand, and what its instances hold."""

from __future__ import annotations

import ast
import types
from typing import Any

from picklecheck import safe
from picklecheck.fixes.base import Replace
from picklecheck.fixes.classfile import ClassFile, class_file

__all__ = [
    "attributes_of", "base_type", "home", "method", "plain_value", "python_method", "replaced",
]  # fmt: skip

_VALUES = (int, float, complex, str, bytes, tuple, frozenset)
_CONVERSIONS = {int: "__int__", float: "__float__", str: "__str__", tuple: "__iter__", frozenset: "__iter__"}


def python_method(cls: type, name: str) -> tuple[type, types.FunctionType] | None:
    """Give the class of the resolution order that has a method, and the function; None unless it is of Python."""
    for base in safe.mro(cls):
        held = safe.class_dict(base).get(name)
        if held is None:
            continue
        held = held.__func__ if type(held) is staticmethod else held
        return (base, held) if type(held) is types.FunctionType else None
    return None


def method(place: ClassFile, name: str) -> ast.FunctionDef | None:
    """Give the method of a name that stands directly in the body of a class; None for none and for several."""
    found = [part for part in place.node.body if isinstance(part, ast.FunctionDef) and part.name == name]
    return found[0] if len(found) == 1 else None


def replaced(node: ast.stmt | ast.expr, place: ClassFile, text: str) -> Replace:
    """Give the edit that puts another text in the place of a node, decorators apart."""
    lines = place.text.split("\n")
    last = node.end_lineno or node.lineno
    start = len(lines[node.lineno - 1].encode()[: node.col_offset].decode())
    end = len(lines[last - 1].encode()[: node.end_col_offset].decode())
    return Replace(line=node.lineno, column=start, end_line=last, end_column=end, text=text)


def home(cls: type, name: str) -> tuple[type, ClassFile] | None:
    """Give the class that new methods go to: the one that has the method `name`, else the nearest in an own file."""
    found = python_method(cls, name)
    place = class_file(found[0]) if found else None
    if found and place:
        return found[0], place
    for base in safe.mro(cls):
        place = class_file(base)
        if place is not None:
            return base, place
    return None


def attributes_of(obj: object) -> dict[str, Any]:
    """Give the attributes that an instance stores, slots included."""
    return {**dict(safe.members(obj)), **(safe.instance_dict(obj) or {})}


def base_type(cls: type) -> type | None:
    """Give the immutable builtin type that a class derives from."""
    for base in safe.mro(cls):
        for kind in _VALUES:
            if base is kind:
                return kind
    return None


def plain_value(cls: type, kind: type) -> str:
    """Give the expression for an instance's value as the builtin type has it, whatever the class says of itself."""
    special = _CONVERSIONS.get(kind)
    if special and python_method(cls, special):
        return f"{kind.__name__}({kind.__name__}.{special}(self))"
    return f"{kind.__name__}(self)"

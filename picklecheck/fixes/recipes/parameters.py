"""What a constructor was called with, as far as the instance still tells: an expression for each parameter."""

from __future__ import annotations

import ast
import types
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from picklecheck import safe
from picklecheck.fixes.classfile import class_file
from picklecheck.fixes.recipes.standing import attributes_of, base_type, method, plain_value, python_method
from picklecheck.fixes.spelling import spell_name, stored_name

__all__ = ["Parameter", "calls_base", "parameters", "sets"]

_MAX_DEPTH = 5
_COERCIONS = ("int", "float", "str", "bool", "bytes", "list", "tuple", "dict", "set", "frozenset", "Path")


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A parameter of ``__init__`` or ``__new__``, the instance or class left out.

    Attributes:
        name: its name.
        source: an expression for what was given for it; None where the instance does not tell.
        exact: whether that is the very value, and not what was made of it.
        kind: "positional", "keyword" (keyword-only), "rest" (``*args``) or "named" (``**kwargs``).
        required: whether it has no default.
        attribute: the stored name of the attribute that the expression reads; "" for other expressions.
    """

    name: str
    source: str | None
    exact: bool
    kind: str
    required: bool
    attribute: str = ""


def parameters(obj: Any, name: str, owner: type) -> list[Parameter] | None:
    """Give the parameters of a constructor with what the instance tells of them.

    Args:
        obj: the instance.
        name: ``__init__`` or ``__new__``.
        owner: the class that the expressions are for.

    Returns:
        None where the constructor is none of Python.
    """
    found = python_method(type(obj), name)
    if found is None:
        return None
    base, function = found
    known = _Known(obj, owner)
    sources = known.sources(base, name)
    if name == "__new__" and python_method(type(obj), "__init__"):
        # `__init__` is called with the same arguments
        sources = {**known.sources(python_method(type(obj), "__init__")[0], "__init__"), **sources}  # type: ignore[index]
    return [known.parameter(*given, sources) for given in _signature(function)]


def _signature(function: types.FunctionType) -> Iterator[tuple[str, str, bool]]:
    """Yield name, kind and whether it is required, for each parameter but the first."""
    code = function.__code__
    names, count, more = code.co_varnames, code.co_argcount, code.co_kwonlyargcount
    defaults = len(function.__defaults__ or ())
    for index in range(1, count):
        yield names[index], "positional", index < count - defaults
    for name in names[count : count + more]:
        yield name, "keyword", name not in (function.__kwdefaults__ or {})
    last = count + more
    if code.co_flags & 0x04:
        yield names[last], "rest", False
        last += 1
    if code.co_flags & 0x08:
        yield names[last], "named", False


class _Known:
    """What an instance tells of the names of a constructor."""

    def __init__(self, obj: Any, owner: type) -> None:
        self._obj, self._cls, self._owner = obj, type(obj), owner
        self._held = attributes_of(obj)
        self._stores = Counter(_stores(self._cls))

    def sources(self, base: type, name: str, depth: int = 0) -> dict[str, tuple[str, bool, str]]:
        """Give parameter -> expression, exactness and attribute for a constructor in the body of a class."""
        place = class_file(base)
        node = method(place, name) if place else None
        if node is None or depth > _MAX_DEPTH:
            return {}
        found: dict[str, tuple[str, bool, str]] = {}
        receivers = _receivers(node)
        changed = _changed(node)
        for part in ast.walk(node):
            for target, value in _assigned(part):
                if isinstance(target, ast.Attribute) and getattr(target.value, "id", "") in receivers:
                    self._note(found, stored_name(target.attr, base), value, always=part in node.body)
            if isinstance(part, ast.Call):
                self._follow(found, part, base, name, depth)
        return {key: value for key, value in found.items() if key not in changed}

    def _note(self, found: dict[str, tuple[str, bool, str]], stored: str, value: ast.expr, *, always: bool) -> None:
        read = self._read(stored)
        given, exact = _given(value)
        exact = exact and always and self._stores[stored] < 2
        if read and given and (given not in found or (exact and not found[given][1])):
            found[given] = (*read[:1], exact, read[1])

    def _read(self, stored: str) -> tuple[str, str] | None:
        """Give the expression that reads an attribute, where there is such a one."""
        if stored in self._held or type(safe.find_in_class(self._cls, stored)) is property:
            return f"self.{spell_name(stored, self._owner)}", stored
        return None

    def _follow(
        self, found: dict[str, tuple[str, bool, str]], call: ast.Call, base: type, name: str, depth: int
    ) -> None:
        """Take over what the constructor of a base does with the parameters that it is passed."""
        if not (isinstance(call.func, ast.Attribute) and call.func.attr == name):
            return
        is_super = isinstance(call.func.value, ast.Call)
        arguments = call.args if is_super and name == "__init__" else call.args[1:]
        after = _after(self._cls, base, name)
        if after is None:
            for given, kept in self._of_c(arguments, base, name):
                found.setdefault(given, kept)
            return
        upper, function = after
        sources = self.sources(upper, name, depth + 1)
        names = [each for each, kind, _ in _signature(function) if kind == "positional"]
        passed = dict(zip(names, arguments, strict=False))
        passed.update({keyword.arg: keyword.value for keyword in call.keywords if keyword.arg})
        fields = safe.class_dict(upper).get("_fields")
        if type(fields) is tuple:  # of a namedtuple
            sources = {name: (f"self.{name}", True, "") for name in fields} | sources
        for inner, value in passed.items():
            given_as, exact = _given(value)
            if given_as and inner in sources:
                source, was_exact, attribute = sources[inner]
                found.setdefault(given_as, (source, was_exact and exact, attribute))

    def _of_c(self, arguments: list[ast.expr], base: type, name: str) -> Iterator[tuple[str, tuple[str, bool, str]]]:
        """Yield what the constructor of a C type keeps: an exception its arguments, a number or a tuple its value."""
        if name == "__init__" and issubclass(self._cls, BaseException) and not self._stores["args"]:
            for index, value in enumerate(arguments):
                if isinstance(value, ast.Starred):
                    if index == 0 and len(arguments) == 1 and isinstance(value.value, ast.Name):
                        yield value.value.id, ("self.args", True, "")
                    return
                if isinstance(value, ast.Name) and index < len(self._obj.args):
                    yield value.id, (f"self.args[{index}]", True, "")
        elif name == "__new__" and len(arguments) == 1:
            yield from self._of_value(arguments[0])

    def _of_value(self, value: ast.expr) -> Iterator[tuple[str, tuple[str, bool, str]]]:
        kind = base_type(self._cls)
        if kind is None:
            return
        given, exact = _given(value)
        if given:
            yield given, (plain_value(self._cls, kind), exact, "")
        if kind is tuple and isinstance(value, ast.Tuple):
            for index, part in enumerate(value.elts):
                if isinstance(part, ast.Starred):
                    return
                if isinstance(part, ast.Name):
                    yield part.id, (f"self[{index}]", True, "")

    def parameter(self, name: str, kind: str, required: bool, sources: dict[str, tuple[str, bool, str]]) -> Parameter:
        source, exact, attribute = sources.get(name, (None, False, ""))
        if source is None and not class_source_known(self._cls):
            read = self._read(name)  # a constructor that a library makes from the fields
            if read:
                source, exact, attribute = read[0], True, read[1]
        return Parameter(
            name=name, source=source, exact=exact, kind=kind, required=required, attribute=attribute
        )  # fmt: skip


def class_source_known(cls: type) -> bool:
    """Tell whether `__init__` stands in the source, and was not made from the fields of a class."""
    found = python_method(cls, "__init__")
    place = class_file(found[0]) if found else None
    return found is None or place is None or method(place, "__init__") is not None


def _stores(cls: type) -> Iterator[str]:
    """Yield the attributes that methods of a class and its bases set, as they are stored, each time."""
    for base in safe.mro(cls):
        place = class_file(base)
        for part in ast.walk(place.node) if place else ():
            if isinstance(part, ast.Attribute) and not isinstance(part.ctx, ast.Load):
                yield stored_name(part.attr, base)


def sets(cls: type, attribute: str) -> bool:
    """Tell whether methods of a class or its bases set an attribute."""
    return attribute in _stores(cls)


def calls_base(cls: type) -> bool:
    """Tell whether the `__init__` of a class calls the one of a base."""
    found = python_method(cls, "__init__")
    place = class_file(found[0]) if found else None
    node = method(place, "__init__") if place else None
    return node is not None and any(
        isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.func.attr == "__init__"
        for part in ast.walk(node)
    )


def _after(cls: type, base: type, name: str) -> tuple[type, types.FunctionType] | None:
    order = safe.mro(cls)
    for upper in order[order.index(base) + 1 :]:
        held = safe.class_dict(upper).get(name)
        if held is not None:
            held = held.__func__ if type(held) is staticmethod else held
            return (upper, held) if type(held) is types.FunctionType else None
    return None


def _receivers(node: ast.FunctionDef) -> set[str]:
    first = (*node.args.posonlyargs, *node.args.args)[0].arg
    if node.name != "__new__":
        return {first}
    return {
        target.id
        for part in ast.walk(node)
        if isinstance(part, ast.Assign) and isinstance(part.value, ast.Call)
        for target in part.targets
        if isinstance(target, ast.Name)
    }


def _changed(node: ast.FunctionDef) -> set[str]:
    """Give the names that the function itself assigns to."""
    return {
        part.id for part in ast.walk(node) if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load)
    }  # fmt: skip


def _assigned(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    if isinstance(node, ast.AnnAssign) and node.value:
        yield node.target, node.value
    elif isinstance(node, ast.Assign):
        for target in node.targets:
            if not isinstance(target, (ast.Tuple, ast.List)):
                yield target, node.value
            elif isinstance(node.value, (ast.Tuple, ast.List)) and len(node.value.elts) == len(target.elts):
                yield from zip(target.elts, node.value.elts, strict=True)
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        call = node.value
        if isinstance(call.func, ast.Attribute) and call.func.attr == "__setattr__" and len(call.args) == 3:
            receiver, name, value = call.args
            if isinstance(name, ast.Constant) and isinstance(name.value, str):
                yield ast.Attribute(value=receiver, attr=name.value, ctx=ast.Store()), value


def _given(value: ast.expr) -> tuple[str | None, bool]:
    """Give the parameter that an expression is the value of, and whether it is the very value."""
    if isinstance(value, ast.Name):
        return value.id, True
    if isinstance(value, ast.Call) and len(value.args) == 1 and not value.keywords:
        called = value.func.attr if isinstance(value.func, ast.Attribute) else getattr(value.func, "id", "")
        if called in _COERCIONS and isinstance(value.args[0], ast.Name):
            return value.args[0].id, False
    if isinstance(value, ast.BoolOp) and isinstance(value.op, ast.Or) and isinstance(value.values[0], ast.Name):
        return value.values[0].id, False
    if isinstance(value, ast.IfExp):
        for branch in (value.body, value.orelse):
            if isinstance(branch, ast.Name) and branch.id in {
                part.id for part in ast.walk(value.test) if isinstance(part, ast.Name)
            }:
                return branch.id, False
    return None, False

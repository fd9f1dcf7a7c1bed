"""How an attribute lives: what sets it, whether it may be None or absent, whether the class makes it when needed."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from picklecheck import safe
from picklecheck.fixes.class_source import (
    Function,
    Setting,
    class_sources,
    functions_of,
    in_setup,
    inside,
    settings,
    setup_names,
)
from picklecheck.source import where_set

__all__ = ["Life", "Setting", "life", "made_on_demand", "optional", "setting", "settings"]

# What is called by hand before the attribute is used: that the method looks for None first is no making on demand.
_BY_HAND = (
    "open", "start", "connect", "setup", "init", "initialize", "initialise", "enter", "begin", "launch", "load",
    "reset", "build", "create", "run", "prepare", "aenter", "enable",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Life:
    """What holds for an attribute in every instance of a class.

    Attributes:
        always: each instance has it.
        nullable: it may be None.
        demand: the class makes it when it is needed: "none" where it is None before, "absent" where it is not there;
            empty: it does not.
    """

    always: bool = True
    nullable: bool = False
    demand: str = ""


def setting(cls: type, attribute: str) -> Setting | None:
    """Find the statement that sets an attribute to what matters; None where the class and its bases have none."""
    found = settings(cls, attribute)
    place = where_set(cls, attribute)
    here = [one for one in found if place and one.source.parsed.file == place.file and one.line == place.line]
    telling = [one for one in found if not _is_none(one.value)]
    return next(iter(here or telling), None)


def optional(cls: type, attribute: str) -> bool:
    """Tell whether the source of the class sets the attribute to None anywhere."""
    return life(cls, attribute).nullable


def made_on_demand(cls: type, attribute: str) -> bool:
    """Tell whether the class makes the attribute when it finds it missing or None."""
    return bool(life(cls, attribute).demand)


def life(cls: type, attribute: str) -> Life:
    """Read how an attribute lives from the source of the class.

    Args:
        cls: the real type of the instance.
        attribute: as the instance stores it.
    """
    if safe.type_name(safe.find_in_class(cls, attribute)) == "cached_property":
        return Life(always=False, demand="absent")
    found = settings(cls, attribute)
    if not found:  # something else sets it, and may do so for some instances only
        return Life(always=False)
    names = setup_names(cls)
    setup = [one for one in found if in_setup(one, names)]
    always = any(one.certain for one in setup) or len(setup) > 1
    nullable = any(_may_be_none(one) for one in found)
    makers = [one.function for one in found if one.function and one not in setup and not _is_none(one.value)]
    first = [one for one in found if one in setup or one.function is None]
    demand = ""
    if makers and all(_is_none(one.value) for one in first) and _is_asked_for(cls, attribute, makers):
        demand = "none" if first else "absent"
    return Life(always, nullable, demand)


def _is_none(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


def _may_be_none(one: Setting) -> bool:
    value = one.value
    if isinstance(value, ast.IfExp):
        return _is_none(value.body) or _is_none(value.orelse)
    if isinstance(value, ast.BoolOp):
        return isinstance(value.op, ast.And)
    if isinstance(value, ast.Name) and one.function:
        return value.id in _none_by_default(one.function) and not _is_set(one.function, value.id)
    if isinstance(value, ast.Call) and one.function is None and not one.called:
        return any(keyword.arg == "default" and _is_none(keyword.value) for keyword in value.keywords)
    return _is_none(value)


def _none_by_default(function: Function) -> set[str]:
    arguments = [*function.args.posonlyargs, *function.args.args]
    last = arguments[len(arguments) - len(function.args.defaults) :]
    pairs = [*zip(last, function.args.defaults, strict=True)]
    pairs += [
        (one, value) for one, value in zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True) if value
    ]
    return {argument.arg for argument, value in pairs if _is_none(value)}


def _is_set(function: Function, name: str) -> bool:
    return any(
        isinstance(part, ast.Name) and part.id == name and isinstance(part.ctx, ast.Store) for part in inside(function)
    )


def _is_asked_for(cls: type, attribute: str, makers: Iterable[Function]) -> bool:
    """Tell whether a method looks for None and then makes the attribute, or calls the method that makes it."""
    names = {maker.name for maker in makers}
    methods = [function for source in class_sources(cls) for function in functions_of(source.node)]
    called = {name for function in methods for name in _calls(function) if function.name != name}
    for function in methods:
        if not _looks(function, attribute):
            continue
        by_hand = function.name.strip("_") in _BY_HAND and function.name not in called
        if function.name in names and not by_hand:
            return True
        if names & (_calls(function) - {function.name}):
            return True
    return False


def _calls(function: Function) -> set[str]:
    """Give the names of the methods that a method calls, and of the properties that it reads."""
    return {
        part.attr
        for part in inside(function)
        if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name) and isinstance(part.ctx, ast.Load)
    }


def _looks(function: Function, attribute: str) -> bool:
    return any(_is_look(part, attribute) for part in inside(function))


def _is_look(part: Any, attribute: str) -> bool:
    """Tell whether it asks if the attribute is None, false or missing."""
    if isinstance(part, ast.Compare):
        return _reads(part.left, attribute) and _is_none(part.comparators[0])
    if isinstance(part, ast.UnaryOp):
        return isinstance(part.op, ast.Not) and _reads(part.operand, attribute)
    if isinstance(part, (ast.If, ast.IfExp)):
        return _reads(part.test, attribute)
    if isinstance(part, ast.BoolOp):
        return any(_reads(value, attribute) for value in part.values)
    if isinstance(part, ast.Try):
        reads = any(_reads(inner, attribute) for statement in part.body for inner in inside(statement))
        return reads and any(getattr(handler.type, "id", "") == "AttributeError" for handler in part.handlers)
    return _reads(part, attribute) and isinstance(part, ast.Call)


def _reads(node: Any, attribute: str) -> bool:
    """Tell whether it is ``self.x``, ``getattr(self, "x", ...)`` or ``hasattr(self, "x")``."""
    if isinstance(node, ast.Attribute):
        return attribute == node.attr or (node.attr.startswith("__") and attribute.endswith(node.attr))
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("getattr", "hasattr") and len(node.args) > 1:
        return isinstance(node.args[1], ast.Constant) and node.args[1].value == attribute
    return False


def is_librarys_own(owner: object, attribute: str) -> bool:
    """Tell whether an attribute is what a thread or a process keeps for itself."""
    if not safe.under(owner, "threading.Thread", "multiprocessing.process.BaseProcess"):
        return False
    return not any(
        (safe.module_of(found.source.cls) or "").partition(".")[0] not in ("threading", "multiprocessing")
        for found in settings(type(owner), attribute)
    )

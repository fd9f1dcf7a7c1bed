"""From the words on the command line to an object: ``pkg.mod:attr.sub``, ``pkg.mod:make(4)``, ``path/to/file.py:attr``.

The part behind the colon is parsed and then walked step by step, so that an error can say which step failed. Importing
the part before it is the work of `picklecheck.cli.modules`.
"""

from __future__ import annotations

import ast
import difflib
import inspect
import os
import re
import types
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

from picklecheck import safe
from picklecheck.cli import blame, modules
from picklecheck.errors import TargetError
from picklecheck.model import Finding
from picklecheck.probe import collector_off

__all__ = ["Target", "load", "near", "parse", "starts"]

_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_GRAMMAR = "write a name with .attributes, [items] and calls with literal arguments, such as make_loader(4).dataset"
_MAX_SHOWN = 6


class Target(NamedTuple):
    """The two halves of a target, as they were written."""

    location: str
    expression: str


class Loaded(NamedTuple):
    """An object, and the name that its paths start with."""

    name: str
    obj: object


@dataclass(frozen=True, slots=True)
class _Step:
    """One step of the expression: `text` is everything up to and including it."""

    kind: str
    text: str
    value: Any = None


def load(target: str) -> Loaded:
    """Import what a target names and evaluate its expression.

    Raises:
        TargetError: some part of it failed; the text says which, and what is there instead.
    """
    location, expression = parse(target)
    steps = _steps(expression) if expression else []
    if not (steps and location):
        raise TargetError(_no_attribute(target, location))
    module = modules.load(location)
    obj: object = module
    for number, step in enumerate(steps):
        obj = _root(module, step, location) if number == 0 else _STEPS[step.kind](obj, step, steps[number - 1].text)
    return Loaded(expression, obj)


def starts(target: str) -> tuple[Finding, ...]:
    """Give what would start processes when a target's file is loaded, told from its source; nothing is run.

    Raises:
        TargetError: the target names no object.
    """
    location, expression = parse(target)
    files = modules.unloaded_sources(location) if location and expression and _steps(expression) else []
    from picklecheck.receiver.guard import starting

    with collector_off():  # the trees hold no cycles
        return next(filter(None, map(starting, files)), ())


def parse(target: str) -> Target:
    r"""Split a target at its colon; a drive's (``C:\x.py:attr``) is not it, nor one in the name of an existing file."""
    start = 2 if _DRIVE.match(target) else 0
    colons = [at for at, letter in enumerate(target) if letter == ":" and at >= start]
    if not colons:
        return Target(target.strip(), "")
    files = (at for at in colons[1:] if target[:at].endswith(".py") and os.path.isfile(target[:at]))
    at = next(files, colons[0])
    return Target(target[:at].strip(), target[at + 1 :].strip())


def near(name: str, names: Iterable[str], cutoff: float = 0.65) -> list[str]:
    """Give the names most like a name, the closest first, whatever their case."""
    there = list(names)
    alike = difflib.get_close_matches(name.lower(), {other.lower() for other in there}, 3, cutoff)
    return difflib.get_close_matches(name, [other for other in there if other.lower() in alike], 3, 0.0)


def _no_attribute(target: str, location: str) -> str:
    """Say what is missing behind the module or file, and what stands in it."""
    if not location:
        return f"target {target!r} names no module or file: write it as module:attribute or path/to/file.py:attribute"
    module, _, last = location.rpartition(".")
    problem = modules.no_location(location)
    if problem and ":" not in target and module and modules.exists(module):
        return f"target {target!r} has no colon: write {module}:{last}"
    if problem:
        return problem
    found = modules.top_names(location)
    if found:
        shown = ", ".join(found[:_MAX_SHOWN]) + (", ..." if len(found) > _MAX_SHOWN else "")
        return f"target {target!r} does not say which object of it: write {location}:NAME (it defines {shown})"
    return f"target {target!r} does not say which object of it: write {location}:NAME"


# -- reading the expression ------------------------------------------------------------------------------------------


def _steps(expression: str) -> list[_Step]:
    try:
        node: ast.AST = ast.parse(expression, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else str(error) or type(error).__name__
        raise TargetError(f"cannot read {expression!r} ({reason}): {_GRAMMAR}") from None
    found: list[_Step] = []
    while not isinstance(node, ast.Name):
        step, node = _step(node, expression)
        found.append(step)
    found.append(_Step("root", node.id, node.id))
    return found[::-1]


def _step(node: ast.AST, expression: str) -> tuple[_Step, ast.AST]:
    """Give the outermost step of an expression, and the expression that it is applied to."""
    text = ast.get_source_segment(expression, node) or expression
    match node:
        case ast.Attribute(value=inner, attr=name):
            return _Step("attribute", text, name), inner
        case ast.Subscript(value=inner, slice=index):
            return _Step("item", text, _literal(index, text)), inner
        case ast.Call(func=inner, args=args, keywords=keywords):
            positional = [_literal(arg, text) for arg in args]
            named = {keyword.arg or "**": _literal(keyword.value, text) for keyword in keywords}
            if "**" not in named:
                return _Step("call", text, (positional, named)), inner
    raise TargetError(f"cannot use {text!r} as (part of) a target: {_GRAMMAR}")


def _literal(node: ast.AST, text: str) -> Any:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        raise TargetError(f"{ast.unparse(node)!r} in {text!r} is not a literal: {_GRAMMAR}") from None


# -- evaluating it ---------------------------------------------------------------------------------------------------


def _root(module: types.ModuleType, step: _Step, location: str) -> object:
    names = safe.instance_dict(module) or {}
    if step.value in names:
        return names[step.value]
    try:  # a module may make names when they are asked for
        return getattr(module, step.value)
    except AttributeError:
        pass
    except BaseException as error:
        blame.reraise_interrupt(error)
        raise TargetError(f"{location}:{step.value} {blame.told(error)}") from None
    inside = f"{module.__name__}.{step.value}"
    if modules.exists(inside):
        raise TargetError(f"{inside} is a module, not an object of {location}: write {inside}:NAME")
    guarded = modules.guarded_line(module, step.value)
    if guarded:
        where = f"under its main guard (line {guarded}), which does not run when it is imported"
        raise TargetError(f"{location} defines {step.value!r} {where}")
    inner = modules.only_inside(module, step.value)
    if inner:
        raise TargetError(f"{location} has no {step.value!r}: it is only set {inner}")
    instead = _instead(
        step.value, _own_names(key for key, value in names.items() if type(value) is not types.ModuleType)
    )
    raise TargetError(f"{location} has no {step.value!r}{instead}{modules.shadowed(module, location)}")


def _attribute(obj: object, step: _Step, before: str) -> object:
    missing = (
        f"{before} ({safe.type_name(obj)}) has no attribute {step.value!r}{_instead(step.value, _attributes(obj))}"
    )
    # an AttributeError of a property is its fault, one of a __getattr__ is its answer
    made = safe.find_in_class(type(obj), step.value) is not None
    return _guarded(step, lambda: getattr(obj, step.value), missing, () if made else (AttributeError,))


def _item(obj: Any, step: _Step, before: str) -> object:
    there = ""
    if type(obj) is dict:
        there = _instead(step.value, [key for key in list(obj)[:10_000] if type(key) is str])
    elif type(obj) in (list, tuple):
        there = f": its length is {len(obj)}"
    missing = f"{before} ({safe.type_name(obj)}) has no item [{step.value!r}]{there}"
    return _guarded(step, lambda: obj[step.value], missing, (LookupError,))


def _call(obj: object, step: _Step, before: str) -> object:
    positional, named = step.value
    if not callable(obj):
        raise TargetError(f"{before} is a {safe.type_name(obj)} and cannot be called: leave out the parentheses")
    problem = _misfit(obj, positional, named)
    if problem:
        raise TargetError(f"{before} takes other arguments than {step.text} gives it: {problem}")
    return _guarded(step, lambda: obj(*positional, **named))


_STEPS: dict[str, Callable[[Any, _Step, str], object]] = {"attribute": _attribute, "item": _item, "call": _call}


def _misfit(obj: Callable[..., object], positional: list[object], named: dict[str, object]) -> str | None:
    try:
        signature = inspect.signature(obj)
    except Exception:  # builtins have none, and a stranger may answer with anything: then the call itself tells
        return None
    try:
        signature.bind(*positional, **named)
    except TypeError as error:
        return f"{error}; its signature is {signature}"
    return None


def _guarded(
    step: _Step, taken: Callable[[], object], missing: str = "", kinds: tuple[type[Exception], ...] = ()
) -> object:
    """Take a step, which runs the user's code; `missing` is what an exception of these kinds means."""
    try:
        return taken()
    except BaseException as error:
        blame.reraise_interrupt(error)
        raise TargetError(missing if isinstance(error, kinds) else f"{step.text} {blame.told(error)}") from None


# -- names -----------------------------------------------------------------------------------------------------------


def _attributes(obj: object) -> Iterator[str]:
    yield from _own_names(safe.instance_dict(obj) or {})
    yield from (name for name, _ in safe.members(obj))
    for cls in safe.mro(cast(type, obj) if safe.is_class(obj) else type(obj)):
        yield from _own_names(safe.class_dict(cls))


def _own_names(names: Iterable[object]) -> list[str]:
    return [name for name in names if type(name) is str and not name.startswith("__")]


def _instead(name: object, names: Iterable[str]) -> str:
    """Say which names are like it, or else which there are."""
    there = list(dict.fromkeys(names))
    alike = near(name, there) if isinstance(name, str) else []
    if alike:
        return f"; did you mean {' or '.join(alike)}?"
    public = [other for other in there if not other.startswith("_")]
    if not public:
        return ""
    return f"; it has {', '.join(public[:_MAX_SHOWN])}" + (", ..." if len(public) > _MAX_SHOWN else "")

"""Functions and classes travel by qualified name: which of the ways to find one by its name went wrong."""

from __future__ import annotations

import sys
import types
from dataclasses import dataclass

from picklecheck.safe import instance_dict, is_class, module_of, name_of, plain_text, qualname_of, short_repr, type_name

__all__ = ["Lookup", "look_up", "lookup_note"]


@dataclass(frozen=True, slots=True)
class Lookup:
    """What became of looking for a function or class by its name.

    Attributes:
        module: the module's name; None where ``__module__`` is no string.
        qualname: the qualified name.
        importable: whether that module is loaded.
        there: whether the module has anything under the name; `found` is what.
        found: another object, None where there is none.
        alias: a top-level name under which the module does have the object.
    """

    module: str | None
    qualname: str
    importable: bool
    there: bool
    found: object = None
    alias: str | None = None


def look_up(obj: object) -> Lookup | None:
    """Look a function or class up by its own name; None for other objects."""
    module: str | None
    if is_class(obj):
        module, qualname = module_of(obj), qualname_of(obj)  # type: ignore[arg-type]  # by its real type
    elif type(obj) is types.FunctionType or type(obj) is types.BuiltinFunctionType:
        module, qualname = plain_text(obj.__module__) or None, name_of(obj)
    elif type_name(obj) == "_lru_cache_wrapper":
        own = instance_dict(obj) or {}
        module, qualname = plain_text(own.get("__module__")) or None, plain_text(own.get("__qualname__"))
    else:
        return None
    if "<locals>" in qualname:
        return Lookup(module, qualname, True, False)
    space = instance_dict(sys.modules.get(module)) if module is not None else None
    if space is None:
        return Lookup(module, qualname, False, False)
    ids = list(map(id, space.values()))
    alias = list(space)[ids.index(id(obj))] if id(obj) in ids else None
    found: object = None
    for part in qualname.split("."):
        if space is None or part not in space:
            return Lookup(module, qualname, True, False, None, alias)
        found = space[part]
        space = dict(vars(type).get("__dict__").__get__(found)) if is_class(found) else instance_dict(found)  # type: ignore[union-attr]
    if type(found) in (staticmethod, classmethod):
        found = found.__func__  # type: ignore[attr-defined]  # by its real type
    return Lookup(module, qualname, True, True, found, alias)


def lookup_note(obj: object) -> str:
    """Say how looking for this function or class by its name went wrong; empty for other objects."""
    seen = look_up(obj)
    if seen is None:
        return ""
    if "<locals>" in seen.qualname:
        outer = seen.qualname.partition(".<locals>")[0]
        return f"It was made inside {outer}() and has no name at the top level of {seen.module}."
    if seen.module is None:
        return "Its __module__ is no string, so there is no module to look it up in."
    if not seen.importable:
        return f"Its module is said to be {seen.module!r}, and no such module is loaded or can be imported."
    also = f" It is there as {seen.alias}." if seen.alias and seen.alias != seen.qualname else ""
    if not seen.there:
        return f"Module {seen.module} has nothing named {seen.qualname}.{also}"
    if seen.found is obj:
        return ""
    return f"{seen.module}.{seen.qualname} is {_told_apart(seen.found, obj)}, not this one.{also}"


def _told_apart(found: object, obj: object) -> str:
    if is_class(found) and is_class(obj):
        return "another class of that name (from a reload, a redefinition, a decorator or a factory)"
    place = _code_place(found)
    text = short_repr(found)
    return f"{text} from {place}" if place else text


def _code_place(obj: object) -> str | None:
    if type(obj) is not types.FunctionType:
        return None
    code = obj.__code__
    return f"{code.co_filename.replace(chr(92), '/').rpartition('/')[2]}:{code.co_firstlineno}"

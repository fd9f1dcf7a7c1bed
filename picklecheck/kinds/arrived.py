"""What is true of one culprit of the unpickle stage, and not of its whole kind: the argument that is lost, the line."""

from __future__ import annotations

import enum
import linecache
import os
import sys
import types
from typing import Any

from picklecheck import source
from picklecheck.kinds.subject import Arrival
from picklecheck.model import Place
from picklecheck.safe import find_in_class, instance_dict, is_class, mro, plain_text, qualname_of, short_repr

__all__ = ["arrival_words"]

# what is told apart from a name that only the child lacks
_NOWHERE = " The bytes load in no process, not in this one either."
# seen on 3.10 to 3.14: the pool's thread that takes the results ends, and nobody answers any more
_RAISED_IN_A_TASK = "Raised by a task, it makes a multiprocessing.Pool wait for ever, and breaks an executor."
_MAIN = ("__main__", "__mp_main__")
_ADDING = frozenset({"__setitem__", "append", "extend", "add", "update"})


def arrival_words(obj: Any, arrival: Arrival, value: Any, said: dict[str, Any]) -> tuple[str, Place | None]:
    """Give the note and the place.

    Args:
        obj: the culprit, on this side.
        arrival: what happened to its counterpart.
        value: its reduce value, where it has one.
        said: what the child told.
    """
    frames = (said.get("error") or {}).get("frames") or []
    if arrival.role == "name":
        return _name_note(obj, arrival, said), source.where_defined(obj)
    place = _place_of(frames) or _maker_place(obj, arrival)
    if _is_enum(obj):
        return f"Over there no member of {qualname_of(type(obj))} has the value that arrives.", _member_place(obj)
    if arrival.role == "end":
        return f"Over there: {said['ended']}, while this object was being made or given its state.", place
    if arrival.role == "call" and isinstance(value, tuple):
        note = _call_note(obj, value)
        return (f"{note} {_RAISED_IN_A_TASK}".strip() if isinstance(obj, BaseException) else note), place
    if arrival.role == "state" and _ADDING.intersection(arrival.functions[:1]):
        adding = next(name for name in arrival.functions if name in _ADDING)
        return f"Its items are put in by {adding}() before its attributes are there.", place
    if arrival.role == "state" and "FrozenInstanceError" in arrival.errors:
        return "A frozen dataclass refuses every assignment, also while its state is being set.", place
    if arrival.role == "hash":
        return (
            f"It is in a set, or a key of a dict, that it is itself reached from: that is filled first.{_NOWHERE}",
            place,
        )
    if "RecursionError" in arrival.errors and arrival.functions[-1:] in (("__getattr__",), ("__getattribute__",)):
        return _NOWHERE.strip(), place
    return "", place


def _place_of(frames: list[dict[str, Any]]) -> Place | None:
    """Give the line that raised: the deepest one in the first file of the user's that was called into."""
    library = os.path.dirname(os.__file__)
    theirs = [frame for frame in frames if not frame["file"].startswith(("<", library))]
    if not theirs:
        return None
    file = theirs[0]["file"]
    last = next(frame for frame in reversed(theirs) if frame["file"] == file)
    statement = linecache.getline(file, last["line"]).strip() or None
    return Place(file=file, line=last["line"], statement=statement, function=last["function"])


def _maker_place(obj: Any, arrival: Arrival) -> Place | None:
    name = "__init__" if arrival.func is type(obj) else "__new__"
    maker = find_in_class(type(obj), name)
    maker = maker.__func__ if type(maker) is staticmethod else maker
    found = source.where_defined(maker) if type(maker) is types.FunctionType else None
    if found is None or found.file.startswith(os.path.dirname(os.__file__)):
        return source.where_defined(type(obj))
    return found


def _is_enum(obj: Any) -> bool:
    return any(base is enum.Enum for base in mro(type(obj)))


def _member_place(member: Any) -> Place | None:
    """Give the line that defines a member, or its class."""
    name = (instance_dict(member) or {}).get("_name_")
    return (source.where_set(type(member), name) if type(name) is str else None) or source.where_defined(type(member))


def _call_note(obj: Any, value: tuple[Any, ...]) -> str:
    """Say which argument is lost, from the signature."""
    func, args = value[0], value[1]
    cls = type(obj)
    if func is getattr and len(args) == 2:
        return f"It travels as its object and its name, and over there that has no {short_repr(args[1])} yet, or never."
    if getattr(func, "__name__", None) == "__newobj__":
        name, args = "__new__", args[1:]
    elif func is cls:
        name = "__init__"
        if type(find_in_class(cls, name)) is not types.FunctionType:
            name = "__new__"
    else:
        return ""
    maker = find_in_class(cls, name)
    maker = maker.__func__ if type(maker) is staticmethod else maker
    if type(maker) is not types.FunctionType:
        return ""
    given = ", ".join(short_repr(arg) for arg in args[:4]) + (", ..." if len(args) > 4 else "")
    called = f"Over there {qualname_of(cls)}.{name} is called with ({given})"
    return f"{called}{_mismatch(maker, len(args))}"


def _mismatch(maker: types.FunctionType, count: int) -> str:
    import inspect  # slow to import, and rarely needed

    try:
        parameters = list(inspect.signature(maker, follow_wrapped=False).parameters.values())[1:]
    except (TypeError, ValueError):
        return "."
    by_place = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    needed = [p.name for p in by_place[count:] if p.default is p.empty]
    needed += [p.name for p in parameters if p.kind is p.KEYWORD_ONLY and p.default is p.empty]
    if needed:
        return f": {' and '.join(map(repr, needed))} {'is' if len(needed) == 1 else 'are'} lost.{_NOWHERE}"
    if count > len(by_place) and not any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return f", and takes only {len(by_place)} of these {count} arguments.{_NOWHERE}"
    names = ", ".join(p.name for p in by_place)
    return f" in the place of ({names})." if names else "."


def _name_note(obj: Any, arrival: Arrival, said: dict[str, Any]) -> str:
    if arrival.module in _MAIN:
        return _main_note(obj)
    here = (instance_dict(sys.modules.get(arrival.module or "")) or {}).get("__file__")
    if "AttributeError" in arrival.errors and said.get("file") and said["file"] != here:
        return f"Here {arrival.module} was imported from {here}, and a child finds {said['file']}."
    if "AttributeError" in arrival.errors:
        return f"{arrival.module} has it here, and not when a child imports it anew: it was put there afterwards."
    missing = (said.get("error") or {}).get("missing")
    if missing is not None and not f"{arrival.module}.".startswith(f"{missing}."):
        return f"Importing {arrival.module} fails over there, because {missing} is missing."
    if "ModuleNotFoundError" not in arrival.errors:
        return f"Importing {arrival.module} fails over there."
    made = f" It was loaded here from {here}." if type(here) is str else " It was made here, without a file."
    return f"{arrival.module} is in sys.modules here, and a child has no way to import it.{made}"


def _main_note(obj: Any) -> str:
    main: dict[str, Any] = instance_dict(sys.modules.get("__main__")) or {}
    file = main.get("__file__")
    if type(file) is not str:
        return (
            "It was defined at a prompt, in a notebook, or by -c or stdin: there is no file that a child could import."
        )
    if not os.path.exists(file):
        return f"A child would import {file}, and there is no such file."
    place = source.where_defined(obj)
    if place is not None and _is_guarded(file, place.line):
        return f"It is defined under the main guard (line {place.line}), which a child does not run."
    name = qualname_of(obj) if is_class(obj) else plain_text(getattr(obj, "__qualname__", ""))
    return f"A child imports {os.path.basename(file)} under another name, and finds no {name} in it then."


def _is_guarded(file: str, line: int) -> bool:
    """Tell whether a line stands under ``if __name__ == "__main__"``."""
    import ast

    try:
        with open(file, "rb") as stream:
            tree = ast.parse(stream.read())
    except (OSError, SyntaxError, ValueError):
        return False
    return any(
        isinstance(node, ast.If) and "__name__" in ast.dump(node.test) and node.lineno < line <= (node.end_lineno or 0)
        for node in tree.body
    )

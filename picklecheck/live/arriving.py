"""What could not be unpickled, told by the side that could not: from the bytes and the error alone.

The bytes are read without being run (`receiver.stream`), so that a failure costs no second call of the user's code. The
error tells what failed: a name that is not there, a call, or the setting of a state. Of several objects that the same
could have happened to, the first in the stream is told.
"""

from __future__ import annotations

import enum
import inspect
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from picklecheck import kinds, source
from picklecheck.model import Failure, Place
from picklecheck.paths import Step, join
from picklecheck.receiver import stream
from picklecheck.receiver.told import told
from picklecheck.safe import class_dict, find_in_class, instance_dict, is_class, qualname_of

__all__ = ["failure_of"]

_MAIN = ("__main__", "__mp_main__")
_MOST_PATHS = 16
Rooted = tuple[str, tuple[Step, ...]]


class _Blamed(NamedTuple):
    """What failed: its node, as what, and the words for it."""

    node: Any
    kind: str
    name: str | None
    place: Place | None
    note: str


def failure_of(data: bytes, error: BaseException, root: str) -> Failure:
    """Give the failure of unpickling some bytes.

    Args:
        data: the bytes, or as many as there are.
        error: what was raised, with its traceback.
        root: what is sent, in the form of one of `_ROOTS`: "process", "pool", "executor", "result" or "obj".
    """
    tree = stream.read(data)
    blamed = _blamed(tree, error)
    kind = kinds.get(blamed.kind)
    ways = [] if blamed.node is None else [_rooted(way, root) for way in tree.ways(blamed.node)]
    paths = tuple(dict.fromkeys(join(name, steps) for name, steps in ways))[:_MOST_PATHS]
    said = told(error)
    return Failure(
        path=paths[0] if paths else None, paths=paths, path_count=max(1, len(paths)), kind=kind.slug, title=kind.title,
        stage="unpickle", name=blamed.name, assigned_at=blamed.place, reason=kind.reason, advice=kind.advice,
        note=blamed.note, error=f"{said['type']}: {said['text']}".rstrip(": "),
    )  # fmt: skip


def _blamed(tree: stream.Tree, error: BaseException) -> _Blamed:
    frames = list(_frames(error))
    for look in (_by_frames, _by_name, _by_arguments):
        found = look(tree, error, frames)
        if found is not None:
            return found
    return _Blamed(None, "unpickle-error", None, None, "")


def _frames(error: BaseException) -> Iterator[types.FrameType]:
    """Yield the frames below the unpickler: what it called."""
    link = error.__traceback__
    found: list[types.FrameType] = []
    while link is not None:
        module = link.tb_frame.f_globals.get("__name__")
        if type(module) is str and module.partition(".")[0] in ("multiprocessing", "pickle", "picklecheck", "torch"):
            found = []
        else:
            found.append(link.tb_frame)
        link = link.tb_next
    yield from found


def _by_name(tree: stream.Tree, error: BaseException, frames: list[types.FrameType]) -> _Blamed | None:
    """Blame the first name that is not there, where the error is one of looking up a name."""
    if not isinstance(error, ImportError | AttributeError) and not _is_importing(frames):
        return None
    for name in tree.names:
        found, missing = _found(name)
        if not found:
            kind = "main-name" if name.module in _MAIN else "missing-module" if missing else "missing-name"
            full = f"{'__main__' if name.module in _MAIN else name.module}.{name.name}"
            return _Blamed(name, kind, full, _place_of_name(name), "")
    return None


def _is_importing(frames: list[types.FrameType]) -> bool:
    return bool(frames) and frames[0].f_code.co_filename.startswith("<frozen importlib")


def _found(name: stream.Name) -> tuple[bool, bool]:
    """Tell whether a name leads to something in this process, and else whether its module is missing."""
    module = sys.modules.get(name.module) or (sys.modules.get("__main__") if name.module in _MAIN else None)
    if module is None:
        return False, True
    return _resolve(name) is not None, False


def _resolve(name: Any) -> Any:
    """Give what a name leads to in the modules that are loaded; None where it leads to nothing. No code is run."""
    if not isinstance(name, stream.Name):
        return None
    held: Any = sys.modules.get(name.module) or (sys.modules.get("__main__") if name.module in _MAIN else None)
    for part in name.name.split("."):
        names = class_dict(held) if is_class(held) else instance_dict(held)
        if not names or part not in names:
            return None
        held = names[part]
    return held


def _place_of_name(name: stream.Name) -> Place | None:
    """Give where the source of the module would define a name, which it does not when a child imports it."""
    module = sys.modules.get("__main__" if name.module in _MAIN else name.module)
    file = (instance_dict(module) or {}).get("__file__")
    return source.where_named(file, name.name) if type(file) is str else None


def _by_frames(tree: stream.Tree, error: BaseException, frames: list[types.FrameType]) -> _Blamed | None:
    """Blame the object whose method raised."""
    if not frames or _is_importing(frames):
        return None
    code = frames[0].f_code
    place = _raised_at(error, frames)
    for node in tree.built:
        cls = _class_of(node)
        if cls is not None and _code_of(cls, code.co_name) is code:
            kind = "setstate" if code.co_name in ("__setstate__", "__setattr__") else _kind_of_call(cls, code.co_name)
            return _Blamed(node, kind, _name_of(node), place, "")
    for node in tree.made:
        func = _resolve(node.func)
        makers = [_code_of(func, code.co_name)] if is_class(func) else [getattr(func, "__code__", None)]
        if any(maker is code for maker in makers):
            return _Blamed(node, _kind_of_call(func, code.co_name), _name_of(node), place, "")
    hooked = "getattr-hook" if code.co_name in ("__getattr__", "__getattribute__") else "unpickle-error"
    return _Blamed(None, hooked, None, place, "")


def _kind_of_call(func: Any, name: str) -> str:
    if is_class(func) and any(base is enum.Enum for base in func.__mro__):
        return "enum-value"
    kinds_of = {"__init__": "init-arguments", "__new__": "new-arguments", "__getattr__": "getattr-hook",
                "__hash__": "hash-too-early", "__eq__": "hash-too-early"}  # fmt: skip
    return kinds_of.get(name, "unpickle-error" if name not in ("append", "extend", "__setitem__") else "setstate")


def _by_arguments(tree: stream.Tree, error: BaseException, frames: list[types.FrameType]) -> _Blamed | None:
    """Blame the first call that its function does not take: the arguments are counted, and nothing is called."""
    if not isinstance(error, TypeError):
        return _enum_member(tree) if isinstance(error, ValueError) else None
    for node in tree.made:
        cls = _resolve(node.func)
        if not is_class(cls) or not isinstance(node.args, stream.Made):
            continue
        name = "__new__" if node.kind == "new" or not _function(cls, "__init__") else "__init__"
        maker, count = _function(cls, name), len(node.args.members)
        lost = maker and _lost(maker, count)
        if maker and lost:
            place = source.where_defined(maker) or source.where_defined(cls)
            note = f"{qualname_of(cls)}.{name} is called with {count} argument{'' if count == 1 else 's'}: {lost}."
            return _Blamed(node, _kind_of_call(cls, name), _name_of(node), place, note)
    return None


def _enum_member(tree: stream.Tree) -> _Blamed | None:
    for node in tree.made:
        cls = _resolve(node.func)
        if is_class(cls) and any(base is enum.Enum for base in cls.__mro__):
            return _Blamed(node, "enum-value", _name_of(node), source.where_defined(cls), "")
    return None


def _lost(maker: types.FunctionType, count: int) -> str | None:
    """Say which arguments are missing or too many; None where the call fits."""
    try:
        signature = inspect.signature(maker, follow_wrapped=False)
        signature.bind(None, *[None] * count)
    except TypeError:
        needed = [p.name for p in list(signature.parameters.values())[1 + count :] if p.default is p.empty]
        return f"{' and '.join(map(repr, needed))} {'is' if len(needed) == 1 else 'are'} lost" if needed else "too many"
    except ValueError:
        pass
    return None


def _function(cls: type, name: str) -> types.FunctionType | None:
    found = find_in_class(cls, name)
    found = found.__func__ if type(found) is staticmethod else found
    return found if type(found) is types.FunctionType else None


def _code_of(cls: type, name: str) -> types.CodeType | None:
    function = _function(cls, name)
    return function.__code__ if function else None


def _class_of(node: stream.Made) -> type | None:
    cls = _resolve(node.func)
    return cls if is_class(cls) else None


def _name_of(node: stream.Made) -> str | None:
    name = node.func
    if not isinstance(name, stream.Name):
        return None
    return f"{'__main__' if name.module in _MAIN else name.module}.{name.name}"


def _raised_at(error: BaseException, frames: list[types.FrameType]) -> Place | None:
    """Give the line that raised: the deepest one in the file of the method that the unpickler called."""
    file = frames[0].f_code.co_filename
    for said in reversed(told(error)["frames"]):
        if said["file"] == file:
            return Place(file=file, line=said["line"], function=said["function"])
    return None


def _rooted(steps: tuple[Step, ...], root: str) -> Rooted:
    """Give the user's name for what is sent and the steps from there, for a way from the root of the stream."""
    return _ROOTS[root](steps) if root in _ROOTS else ("obj", steps)


def _of_process(steps: tuple[Step, ...]) -> Rooted:
    """Begin at what the user gave to `Process`."""
    first, rest = (steps[0].after if steps else ""), steps[1:]
    if first == "._target":
        return "target", rest
    if first in ("._args", "._kwargs"):
        name = first[2:]
        return (f"{name}{rest[0].after}", rest[1:]) if rest else (name, rest)
    return "process", steps


def _of_task(steps: tuple[Step, ...]) -> Rooted:
    """Begin at what the user gave to a pool: the task is (job, number, func, args, kwds)."""
    place, rest = (steps[0].after if steps else ""), steps[1:]
    if place == "[2]":
        return "func", rest
    name = {"[3]": "args", "[4]": "kwargs"}.get(place)
    if name is None:
        return "task", steps
    return (f"{name}{rest[0].after}", rest[1:]) if rest else (name, rest)


def _of_call(steps: tuple[Step, ...]) -> Rooted:
    """Begin at what the user gave to an executor."""
    first, rest = (steps[0].after if steps else ""), steps[1:]
    if first == ".fn":
        return "fn", rest
    if first in (".args", ".kwargs") and rest:
        return f"{first[1:]}{rest[0].after}", rest[1:]
    return "task", steps


def _of_result(steps: tuple[Step, ...]) -> Rooted:
    """Begin at what a task returned: (job, number, (success, value)), or the `result` or `exception` of an item."""
    first = steps[0].after if steps else ""
    if first == "[2]" and len(steps) > 1:
        return "result", _of_wrapped(steps[2:])
    if first in (".result", ".exception"):
        return "result", _of_wrapped(steps[1:])
    return "result", steps


def _of_wrapped(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """Leave out what wraps an exception: it is the first argument of the function that puts its traceback back."""
    return steps[1:] if steps and steps[0].after == ".__reduce_ex__(4)[1][0]" else steps


_ROOTS: dict[str, Callable[[tuple[Step, ...]], Rooted]] = {
    "process": _of_process,
    "pool": _of_task,
    "executor": _of_call,
    "result": _of_result,
}

"""Where things stand in the source: the line that sets an attribute, the line that defines a function or a class.

No object is asked anything but through `picklecheck.safe`, and whatever cannot be read, parsed or found is None: a
place is a help, never a reason to fail.
"""

from __future__ import annotations

import functools
import os
import stat
import sys
import time
import types
import warnings
import weakref
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from picklecheck import safe
from picklecheck.model import Place
from picklecheck.source_index import CONSTANT, Definition, Index, Setting

__all__ = ["where_defined", "where_named", "where_set"]

# What a class has whose `__init__` is made from its body.
_MAKES_INIT = (
    "__dataclass_fields__", "__attrs_attrs__", "_fields", "__pydantic_decorators__", "__fields__", "__struct_fields__",
)  # fmt: skip
_SETS_NOTHING = ("builtins", "typing", "abc")  # bases that no attribute comes from; typing.py is long
_SUSPENDED = (
    (types.GeneratorType, "gi_code", "gi_frame"),
    (types.CoroutineType, "cr_code", "cr_frame"),
    (types.AsyncGeneratorType, "ag_code", "ag_frame"),
)
_MAX_BYTES = 4_000_000
_MAX_FILES = 4
_MAX_WRAPPERS = 20
_MAX_SUBJECTS = 30_000
_FRESH_SECONDS = 1.0


def where_set(cls: type, attribute: str) -> Place | None:
    """Find where the source sets an attribute of a class's instances.

    Looked for in the class and its bases, in method resolution order. What is set to a value wins over what is set to
    a constant, ``__init__`` and its like over other methods, then the line that comes first. Where no class sets more
    than None, a number or a string, a value that any other object in the module of the class is given under that name
    is taken (``job.hook = ...``).

    Args:
        cls: the real type of the instance.
        attribute: the name as the instance stores it: ``_Cls__x`` for what the class calls ``self.__x``.

    Returns:
        The place of the statement; None where there is no source or no such statement. Nothing is raised.
    """
    known, name = _known(cls), _exact(attribute)
    if name not in known:
        known[name] = _search(cls, name)
    return known[name]


def where_defined(obj: object) -> Place | None:
    """Find where a function, class, generator, coroutine, frame or code object is defined.

    Args:
        obj: anything. A function that `functools.wraps` has dressed up stands for the one that it wraps.

    Returns:
        The line of the ``def`` (not of its decorators), ``class`` or ``lambda``; None for other objects (a
        `functools.partial` too), and where there is no source. Nothing is raised.
    """
    if safe.is_class(obj):
        known = _known(obj)
        if None not in known:
            known[None] = _class_place(obj)  # type: ignore[arg-type]  # a class, by its real type
        return known[None]
    code, namespace = _code_of(obj)
    if code is None:
        return None
    known = _known(code)
    if None not in known:
        known[None] = _code_place(code, namespace)
    return known[None]


def where_named(file: str, name: str) -> Place | None:
    """Find where a file defines a function or class, without an object to ask: what a name there leads to.

    Args:
        file: the source file.
        name: the qualified name.

    Returns:
        The line of the last ``def`` or ``class`` of that name; None where there is none. Nothing is raised.
    """
    index = _load(file, {})
    if index is None:
        return None
    found = [each for each in index.named.get(name.rpartition(".")[2], ()) if each.qualname == name]
    return index.place(found[-1].line, found[-1].function) if found else None


# What was answered, by the identity of the class or code object. A weak reference tells whether the identity is still
# that object's; it neither keeps a class alive nor asks its metaclass for a hash.
_answers: dict[int, tuple[weakref.ref[Any], dict[str | None, Place | None]]] = {}
_answered_since = 0.0


def _known(subject: Any) -> dict[str | None, Place | None]:
    """Give the answers about `subject`; all are forgotten after a second, as files are edited while a notebook runs."""
    global _answered_since
    now = time.monotonic()
    if now - _answered_since > _FRESH_SECONDS or len(_answers) > _MAX_SUBJECTS:
        _answers.clear()
        _answered_since = now
    entry = _answers.get(id(subject))
    if entry is None or entry[0]() is not subject:
        entry = _answers[id(subject)] = (weakref.ref(subject), {})
    return entry[1]


def _exact(name: str) -> str:
    """Give a string without the hash and equality that a subclass of str may bring."""
    return str.__str__(name)


def _search(cls: type, attribute: str) -> Place | None:
    best: tuple[Index, Setting] | None = None
    for base in safe.mro(cls):
        if safe.module_of(base) in _SETS_NOTHING:
            continue
        index, definition = _home(base)
        if index is None or definition is None:
            continue
        fields = any(name in safe.class_dict(base) for name in _MAKES_INIT)
        found = index.best(attribute, definition, fields=fields)
        best = _better(best, index, found)
        if best and best[1].value < CONSTANT:
            return _place(best)
    index, definition = _home(cls)
    return _place(_better(best, index, index.elsewhere(attribute, definition))) if index else None


def _better(best: tuple[Index, Setting] | None, index: Index, found: Setting | None) -> tuple[Index, Setting] | None:
    return (index, found) if found and (best is None or found.value < best[1].value) else best


def _place(found: tuple[Index, Setting] | None) -> Place | None:
    return found[0].place(found[1].line, found[1].function) if found else None


def _class_place(cls: type) -> Place | None:
    index, definition = _home(cls)
    return index.place(definition.line, definition.function) if index and definition else None


def _code_place(code: types.CodeType, namespace: dict[str, Any]) -> Place | None:
    file, name, line = _exact(code.co_filename), _exact(code.co_name), max(code.co_firstlineno, 1)
    if file.startswith("<frozen "):  # a module that the interpreter carries has its file in the standard library too
        file = _file_in(namespace) or file
    index = _load(file, namespace)
    if index is None:
        return None
    if name.startswith("<"):
        return _nameless_place(index, name, _qualname(code), line)
    qualname = _qualname(code)
    same = [found for found in index.named.get(name, ()) if qualname in (None, found.qualname)]
    # the line itself, unless the file was edited since
    nearest = min(same, key=lambda found: abs(found.first - line), default=None)
    return index.place(nearest.line, nearest.function) if nearest else None


def _nameless_place(index: Index, name: str, qualname: str | None, line: int) -> Place | None:
    """Give the place of a lambda or generator expression; None where the file was edited and the lambda went."""
    if line > len(index.lines) or (name == "<lambda>" and "lambda" not in index.lines[line - 1]):
        return None
    function = index.function_around(line) if qualname is None else qualname.rpartition(".<locals>.")[0]
    return index.place(line, function or None)


def _qualname(code: types.CodeType) -> str | None:
    qualname = getattr(code, "co_qualname", None)  # from Python 3.11 on
    return None if qualname is None else _exact(qualname)


def _code_of(obj: Any) -> tuple[types.CodeType | None, dict[str, Any]]:
    """Give the code of a function, generator, frame, ..., and the names of its module; (None, {}) for others."""
    kind = type(obj)  # compared by identity below: a metaclass may have an equality and a hash of its own
    if kind is types.FunctionType:
        function = _unwrapped(obj)
        return function.__code__, function.__globals__
    if kind is types.FrameType:
        return obj.f_code, obj.f_globals
    for suspended, code, frame in _SUSPENDED:
        if kind is suspended:
            return getattr(obj, code), getattr(getattr(obj, frame), "f_globals", {})
    return (obj, {}) if kind is types.CodeType else (None, {})


def _unwrapped(function: types.FunctionType) -> types.FunctionType:
    for _ in range(_MAX_WRAPPERS):
        inner = dict.get(function.__dict__, "__wrapped__")
        if type(inner) is not types.FunctionType:
            break
        function = inner
    return function


def _home(cls: type) -> tuple[Index | None, Definition | None]:
    """Give the file and definition of a class; its module's file and None where there is no definition of that name."""
    if _is_made_in_c(cls):  # where there is one of that name in the file too, it is the substitute that was not taken
        return None, None
    module = safe.module_of(cls)
    namespace = safe.instance_dict(sys.modules.get(module or "")) or {}
    starts = [(_exact(code.co_filename), code.co_firstlineno) for code in _method_codes(cls)]
    often = Counter(file for file, _ in starts).most_common(_MAX_FILES)
    files = dict.fromkeys([_file_in(namespace), *(file for file, _ in often)])
    indexes = [index for file in files if file and (index := _load(file, namespace))]
    found = _choose(cls, starts, indexes)
    if found is None and module == "__main__":
        found = _choose(cls, starts, _cells(cls))  # a notebook's dataclass has no method that names its cell
    return found or (indexes[0] if indexes else None, None)


def _is_made_in_c(cls: type) -> bool:
    return any(
        held.__objclass__ is cls  # or it was lent to a class in Python, as in ``__hash__ = object.__hash__``
        for held in list(safe.class_dict(cls).values())
        if type(held) is types.WrapperDescriptorType or type(held) is types.MethodDescriptorType
    )


def _method_codes(cls: type) -> Iterator[types.CodeType]:
    for value in list(safe.class_dict(cls).values()):
        kind, function = type(value), value
        if kind is staticmethod or kind is classmethod:
            function = value.__func__
        elif kind is property:
            function = value.fget
        elif kind is functools.cached_property:
            function = value.func
        if type(function) is types.FunctionType:
            yield _unwrapped(function).__code__


def _choose(cls: type, starts: list[tuple[str, int]], indexes: Iterable[Index]) -> tuple[Index, Definition] | None:
    """Choose among definitions of that name: the one that the class's lines lie in, then the last of the first file."""
    name = _exact(safe.qualname_of(cls))
    declared = safe.class_dict(cls).get("__firstlineno__")  # from Python 3.13 on, and anyone may write to it
    best, best_score = None, (False, -1, 0, 0)
    for order, index in enumerate(indexes):
        for definition in index.classes.get(name, ()):
            exact = type(declared) is int and declared == definition.first
            lines = [line for file, line in starts if file == index.file]
            inside = sum(definition.first <= line <= definition.end for line in lines)
            score = (exact, inside, -order, definition.line)
            if score > best_score:
                best, best_score = (index, definition), score
    return best


def _file_in(namespace: dict[str, Any]) -> str | None:
    file = dict.get(namespace, "__file__")
    return file if type(file) is str else None


def _load(file: str, namespace: dict[str, Any]) -> Index | None:
    """Give the index of a file as it is now, or of the text that goes by that name; None where there is neither."""
    try:
        return _index(file, _stamp(file) or _memory_text(file, namespace))
    except (RecursionError, MemoryError):  # this may be the caller's depth, so it is not remembered as the file's fault
        return None


def _stamp(file: str) -> tuple[int, int] | None:
    """Give time and size of a file; 0 for pipes and devices, which might never end; None where there is none."""
    if file.startswith("<"):
        return None
    try:
        found = os.stat(file)
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size if stat.S_ISREG(found.st_mode) else 0


@functools.lru_cache(maxsize=64)
def _index(file: str, stamp: tuple[int, int] | str) -> Index | None:
    """Parse the file whose time and size are `stamp`, or the text that `stamp` is itself."""
    size = len(stamp) if isinstance(stamp, str) else stamp[1]
    if not 0 < size <= _MAX_BYTES:
        return None
    try:
        text = stamp if isinstance(stamp, str) else _read(file)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a lone backslash in the user's strings is not our news
            return Index(file, text)
    except (OSError, SyntaxError, ValueError):
        return None


def _read(file: str) -> str:
    import tokenize

    with tokenize.open(file) as stream:  # minds the encoding that the file declares
        return stream.read()


def _memory_text(file: str, namespace: dict[str, Any]) -> str:
    """Give the text of a cell, doctest or REPL input, or of a module in a zip file; "" where there is none."""
    import linecache
    import zipimport

    zipped = type(dict.get(namespace, "__loader__")) is zipimport.zipimporter  # other loaders may be anyone's
    try:
        lines = linecache.getlines(file, namespace if zipped else None)
    except Exception:  # a broken archive; and IPython and doctest put functions of their own in the place of getlines
        lines = []
    return "".join(lines or _memory_lines().get(file, ()))


def _memory_lines() -> dict[str, list[str]]:
    """Give the sources that never were files, by name: what notebooks and the REPL keep for tracebacks."""
    import linecache

    entries: list[tuple[str, Any]] = list(linecache.cache.items())
    typed: dict[tuple[str, str, int], Any] = getattr(linecache, "_interactive_cache", {})  # from Python 3.14 on
    entries += [(key[0], entry) for key, entry in list(typed.items())]
    return {file: entry[2] for file, entry in entries if len(entry) == 4 and entry[1] is None}


def _cells(cls: type) -> Iterator[Index]:
    """Yield the sources in memory that may define the class, the latest first."""
    head = "class " + _exact(safe.qualname_of(cls)).rpartition(".")[2]
    for file, lines in reversed(_memory_lines().items()):
        if any(head in line for line in lines) and (index := _load(file, {})):
            yield index

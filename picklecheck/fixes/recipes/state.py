"""What an attribute of a user's object leads to: which recipe is for it, by the type of the thing or by its kind."""

from __future__ import annotations

import ast
from collections.abc import Callable

from picklecheck import safe
from picklecheck.fixes.base import Recipe, Remedy, Spot
from picklecheck.fixes.recipes import handles, remade, threads, weak
from picklecheck.fixes.recipes.case import Case, Spec, case_of, items_of
from picklecheck.fixes.recipes.keys import by_key
from picklecheck.fixes.recipes.shaping import dropped, shaped
from picklecheck.fixes.setting import is_librarys_own, setting
from picklecheck.fixes.spelling import constant_name

__all__ = ["RECIPES", "state"]

Maker = Callable[[Case], "Spec | Remedy | None"]

# by the full name of the type of the first object on the way that is no plain container, or of a base of it
_TYPES: dict[str, Maker] = {
    "weakref.WeakMethod": weak.weak_method,
    "weakref.ReferenceType": weak.reference,
    "weakref": weak.reference,
    "weakref.ProxyType": weak.proxy,
    "weakref.CallableProxyType": weak.proxy,
    "weakproxy": weak.proxy,
    "weakcallableproxy": weak.proxy,
    "_weakrefset.WeakSet": weak.weak_set,
    "weakref.WeakSet": weak.weak_set,
    "weakref.WeakValueDictionary": weak.weak_dict,
    "weakref.WeakKeyDictionary": weak.weak_key_dict,
    **threads.THREADS,
    **handles.HANDLES,
    **remade.REMADE,
}

# by the culprit's kind, where its type says nothing
_KINDS: dict[str, Maker] = {
    "weakref": weak.inside,
    "lock": remade.from_source,
    "thread-local": remade.from_source,
    "queue": remade.from_source,
    "thread": threads.drop("a thread belongs to the process that started it."),
    "process": threads.drop("a process can be used only by the one that started it."),
    "subprocess": threads.drop("a process can be used only by the one that started it."),
    "executor": threads.pool,
    "pool": threads.pool,
    "future": threads.drop("a task or future belongs to what fulfils it here."),
    "coroutine": threads.drop("a coroutine belongs to the event loop that runs it."),
    "async-generator": threads.drop("an asynchronous generator belongs to the event loop that runs it."),
    "frame": threads.drop("a frame is part of a call that runs here."),
    "traceback": threads.drop("a traceback holds the frames of calls that ran here."),
    "file": remade.from_source,
    "archive": handles.archive,
    "mmap": remade.from_source,
    "memoryview": remade.from_source,
    "buffer": remade.from_source,
    "database-connection": handles.database,
    "database-cursor": remade.from_source,
    "hdf5": handles.hdf5,
    "lmdb": handles.lmdb_environment,
    "video-capture": remade.lazily,
    "ssl-context": remade.from_source,
    "poller": remade.from_source,
    "context": remade.from_source,
    "contextvar": remade.from_source,
    "module": remade.from_source,
    "mappingproxy": remade.from_source,
    "dict-view": remade.dict_view,
    "generator": remade.begins_anew,
    "iterator": remade.begins_anew,
    "itertools": remade.begins_anew,
    "nameless-method": remade.begins_anew,
    "logger": remade.from_source,
    "tkinter": remade.tkinter,
    "non-leaf-tensor": remade.tensor,
    "extension-object": remade.from_source,
    "ctypes-pointer": remade.from_source,
    "capsule": remade.from_source,
    "code": remade.from_source,
    "cell": remade.from_source,
    "descriptor": remade.from_source,
    "super": remade.from_source,
    "lru-cache": remade.from_source,
}
# Kinds that have recipes of their own elsewhere, but may lie inside a thing that is known here (``os.environ``).
_INSIDE = (
    "lambda", "local-function", "shadowed-function", "getattr-hook", "getstate-error", "reduce-error", "slots",
    "local-class", "unexplained",
)  # fmt: skip
# Of these the object matters, not how it is made anew.
_CARRIED = ("weakref", "non-leaf-tensor", "dict-view", "mappingproxy", "module")


def state(spot: Spot) -> Remedy | None:
    """Give the state methods that make what one attribute leads to cross; None where nothing is known.

    Args:
        spot: a culprit of the pickle stage that an attribute of an instance of a user's class leads to.
    """
    if not spot.attribute or spot.stage != "pickle" or is_librarys_own(spot.owner, spot.attribute):
        return None
    case = case_of(spot)
    maker = _maker(case)
    if maker is None:
        return None
    name = None if case.containers else constant_name(case.home, case.thing)
    if name and (spot.kind != "module" or _is_set_to(case, name)):
        return shaped(case, Spec(back=name))
    if case.life.demand and spot.kind not in _CARRIED and not case.containers:
        return dropped(case, "")
    made = by_key(case, _maker_by_type) if case.containers else None
    if made is None:
        found = maker(case)
        made = shaped(case, found) if isinstance(found, Spec) else found
    if made is None or (case.containers and maker in (remade.handler, threads.pool)):
        return _whole(case) or made
    return made


def _maker_by_type(thing: object) -> Maker | None:
    for cls in safe.mro(type(thing)):
        name = safe.qualified_name(cls)
        if name in _TYPES:
            return _TYPES[name]
    return None


def _maker(case: Case) -> Maker | None:
    found = _maker_by_type(case.thing)
    if found is not None:
        return found
    if case.whole and case.spot.kind in _KINDS:  # something foreign with the culprit somewhere in it
        return weak.inside if case.spot.kind == "weakref" else remade.from_source
    return _KINDS.get(case.spot.kind, remade.function)


def _is_spelled_out(case: Case, count: int) -> bool:
    """Tell whether the source makes each item of a list or tuple where it sets the attribute."""
    found = setting(case.cls, case.spot.attribute)
    value = found.value if found else None
    if not isinstance(value, (ast.List, ast.Tuple)):
        return False
    return len(value.elts) == count and all(isinstance(item, ast.Call) for item in value.elts)


def _is_set_to(case: Case, name: str) -> bool:
    """Tell whether it is so in each instance, and not just in this one."""
    found = case.source()
    return found is not None and found.text == name


def _whole(case: Case) -> Remedy | None:
    """Make the container with the things in it as the source does, where it holds nothing but what that makes."""
    from picklecheck.fixes.carrying import remake

    if not case.containers or case.spot.kind in _CARRIED:
        return None
    items = items_of(case.containers[0])
    kinds = (type(case.thing), type(case.containers[-1]))
    if not all(type(item) in kinds for item in items) and not _is_spelled_out(case, len(items)):
        return None
    found = remake(case.cls, case.spot.attribute, case.spot.owner, case.spot.value, case.home)
    if found is None or found.text in ("[]", "{}", "()", "list()", "dict()", "set()", "None"):
        return None
    whole = Case(case.spot, case.cls, case.home, case.spot.value, (), True, case.life)
    text = found.text.replace("{", "{{").replace("}", "}}")
    return shaped(whole, Spec(back=text, imports=found.imports, order=found.order))


RECIPES: dict[str, Recipe] = dict.fromkeys((*_KINDS, *_INSIDE), state)

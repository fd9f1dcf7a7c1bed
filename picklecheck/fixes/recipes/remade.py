"""What is made anew as the source makes it, or of a name or a plain copy."""

from __future__ import annotations

import logging
import os
import types
from collections.abc import Callable

from picklecheck import safe
from picklecheck.fixes.base import Remedy
from picklecheck.fixes.recipes.case import Case, Spec
from picklecheck.fixes.recipes.shaping import dropped

__all__ = ["REMADE", "begins_anew", "dict_view", "from_source", "function", "handler", "lazily", "tensor", "tkinter"]

Maker = Callable[[Case], "Spec | Remedy | None"]


def from_source(case: Case) -> Spec | None:
    """Make it as the source does."""
    quiet = not case.whole and case.spot.kind in ("lock", "thread-local", "contextvar", "lru-cache", "ssl-context")
    return case.from_source("" if quiet else f"{case.label} is made anew over there, as it was at first.")


def begins_anew(case: Case) -> Spec | None:
    """Make an iterator as the source does: it begins anew."""
    return case.from_source(f"{case.label} begins anew over there.")


def lazily(case: Case) -> Spec | None:
    """Make it as the source does, when it is first used."""
    return case.from_source(f"{case.label} is opened again when it is first used over there.", lazy=True)


def dict_view(case: Case) -> Spec | None:
    """Carry what a view shows as a list."""
    found = case.from_source()
    if found:
        return found
    return Spec(out="list({x})", checks=(), note=f"{case.label} is a list over there.")


def _mapping_proxy(case: Case) -> Spec:
    made = case.spell("types", "MappingProxyType")
    return Spec(out="dict({x})", back=f"{made}({{x}})", test=f"isinstance({{x}}, {made})")


def _module(case: Case) -> Spec:
    made = case.spell("importlib", "import_module")
    return Spec(out="{x}.__name__", back=f"{made}({{x}})")


def _environ(case: Case) -> Spec | None:
    return Spec(back=case.spell("os", "environ")) if case.thing is os.environ else None


def _logger(case: Case) -> Spec | None:
    if type(case.thing) is not logging.Logger:
        return case.from_source()
    made = case.spell("logging", "getLogger")
    return Spec(out="{x}.name", back=f"{made}({{x}})")


def _library(case: Case) -> Spec | None:
    return case.from_source() or Spec(out="{x}._name", back=f"{case.spell('ctypes', 'CDLL')}({{x}})")


def function(case: Case) -> Spec | None:
    """Make a function or what holds it as the source does; others know better ways for most."""
    home = (safe.module_of(case.cls) or "").partition(".")[0]
    kind = type(case.thing)
    own = kind is types.FunctionType or (safe.module_of(kind) or "").partition(".")[0] != home
    return from_source(case) if own and not safe.is_class(case.thing) else None


def handler(case: Case) -> Spec | Remedy | None:
    """Make a logging handler as the source does."""
    return case.from_source() or dropped(case, "a handler writes to what is open here.")


def _stack(case: Case) -> Spec:
    made = case.spell("traceback", "StackSummary")
    return Spec(out="[tuple(frame) for frame in {x}]", back=f"{made}.from_list({{x}})")


def _selector(name: str) -> Maker:
    def make(case: Case) -> Spec | None:
        note = f"{case.label} watches nothing over there until something is registered."
        return case.from_source(note) or Spec(back=f"{case.spell('select', name)}()", note=note)

    return make


def tensor(case: Case) -> Spec | None:
    """Carry a tensor without the history that it has here."""
    test = f"isinstance({{x}}, {case.spell('torch', 'Tensor')})" if case.containers else ""
    note = f"What {case.label} holds has no history over there: no gradient flows back through it."
    return Spec(out="{x}.detach()", test=test, note=note)


def tkinter(case: Case) -> Spec | Remedy | None:
    """Make an interpreter without a window again, and leave out what has to do with windows."""
    found = case.source()
    if found and found.text.endswith("Tcl()"):
        return case.from_source()
    return dropped(case, "windows belong to the process that opened them.")


REMADE: dict[str, Maker] = {
    "mappingproxy": _mapping_proxy,
    "module": _module,
    "os._Environ": _environ,
    "logging.Logger": _logger,
    "logging.Handler": handler,
    "ctypes.CDLL": _library,
    "traceback.StackSummary": _stack,
    "select.epoll": _selector("epoll"),
    "select.poll": _selector("poll"),
    "select.kqueue": _selector("kqueue"),
    "tkinter.Misc": tkinter,
    "tkinter.Image": tkinter,
    "tkinter.Variable": tkinter,
    "_tkinter.tkapp": tkinter,
}
if safe.qualified_name(type(os.environ)) not in REMADE:  # where a package has put another in its place
    REMADE[safe.qualified_name(type(os.environ))] = _environ

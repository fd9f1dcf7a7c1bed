"""Replacing functions of modules, at once where a module is loaded and else when it is; and putting them back."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, NamedTuple

__all__ = ["Patches", "Point"]


_INHERITED = object()


class Point(NamedTuple):
    """One function that is replaced.

    Attributes:
        module: the module's name.
        place: the attribute, as "dump" or "Queue.put".
        around: takes what is there (a function, or what a class holds) and gives what stands there instead.
    """

    module: str
    place: str
    around: Callable[[Any], Any]


class Patches:
    """Points that are in place between `apply` and `undo`.

    Args:
        points: what to replace; one that a module does not have is left out.
    """

    def __init__(self, points: Iterable[Point]) -> None:
        self._points: dict[str, list[Point]] = {}
        for point in points:
            self._points.setdefault(point.module, []).append(point)
        self._done: list[tuple[Any, str, Any, Any]] = []
        self._waiting: set[str] = set()

    def apply(self) -> None:
        """Replace what is loaded, and wait for the rest."""
        for name in self._points:
            module = sys.modules.get(name)
            if module is None:
                self._waiting.add(name)
            else:
                self._replace(module)
        sys.meta_path.insert(0, self)

    def undo(self) -> None:
        """Put back what nobody else has replaced meanwhile."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        self._waiting.clear()
        for holder, name, before, after in reversed(self._done):
            if vars(holder).get(name) is not after:
                continue
            if before is _INHERITED:
                delattr(holder, name)
            else:
                setattr(holder, name, before)
        self._done.clear()

    def _replace(self, module: ModuleType) -> None:
        for point in self._points[module.__name__]:
            *outer, name = point.place.split(".")
            holder: Any = module
            for part in outer:
                holder = vars(holder).get(part)
                if holder is None:
                    break
            inherited = name == "__init__" and isinstance(holder, type)
            if holder is not None and (inherited or name in vars(holder)):
                before = vars(holder).get(name, _INHERITED)
                after = point.around(getattr(holder, name) if before is _INHERITED else before)
                setattr(holder, name, after)
                self._done.append((holder, name, before, after))

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Let the other finders find a module that is waited for, and see to it that it is patched once it ran."""
        if fullname not in self._waiting:
            return None
        self._waiting.discard(fullname)
        spec = _found_by_others(self, fullname, path, target)
        loader: Any = spec and spec.loader
        if loader is None:
            return spec
        run = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            vars(loader).pop("exec_module", None)
            run(module)
            if self in sys.meta_path:
                self._replace(module)

        try:
            loader.exec_module = exec_module
        except AttributeError:  # a loader that is shared by many modules: those are the interpreter's own
            pass
        return spec


def _found_by_others(finder: object, fullname: str, path: Any, target: Any) -> ModuleSpec | None:
    for other in sys.meta_path:
        find_spec = getattr(other, "find_spec", None)
        if other is finder or find_spec is None:
            continue
        spec: ModuleSpec | None = find_spec(fullname, path, target)
        if spec is not None:
            return spec
    return None

"""How to write a name in the module of a class: as the module already has it, or with an import."""

from __future__ import annotations

import builtins
import sys
from typing import Any

from picklecheck import safe

__all__ = ["constant_name", "spell", "spell_name", "stored_name"]


def spell(cls: type, module: str, name: str) -> tuple[str, tuple[str, ...]]:
    """Give the text for a name of another module, and the import statements that it needs.

    Args:
        cls: the class in whose module the text stands.
        module: the module that has the name ("threading", "urllib.request").
        name: a function or class of it.

    Returns:
        ``Lock`` where the module has ``from threading import Lock``, else ``threading.Lock``.
    """
    space = _space(cls)
    wanted = (safe.instance_dict(sys.modules.get(module)) or {}).get(name)
    if wanted is not None:
        direct = [own for own, held in space.items() if held is wanted and own.isidentifier()]
        if direct:
            return (name if name in direct else direct[0]), ()
    if module == "builtins":
        return name, ()
    loaded = sys.modules.get(module)
    if loaded is not None:
        for own, held in space.items():
            if held is loaded and own.isidentifier():
                return f"{own}.{name}", ()
    top = module.partition(".")[0]
    if top not in space or (space[top] is sys.modules.get(top)):
        return f"{module}.{name}", (f"import {module}",)
    alias = "_" + module.replace(".", "_")
    return f"{alias}.{name}", (f"import {module} as {alias}",)


def spell_name(stored: str, cls: type) -> str:
    """Give an attribute as a method of the class writes it: ``__x`` for ``_Cls__x``."""
    private = f"_{_owner(cls)}__"
    if _owner(cls) and stored.startswith(private) and not stored.endswith("__"):
        return stored[len(private) - 2 :]
    return stored


def stored_name(name: str, cls: type) -> str:
    """Give the name under which an attribute that a method of the class writes so is stored."""
    private = name.startswith("__") and not name.endswith("__") and _owner(cls)
    return f"_{_owner(cls)}{name}" if private else name


def constant_name(cls: type, obj: object) -> str | None:
    """Give the name under which the module of a class holds an object at its top level; None where it does not."""
    if obj is None or type(obj) in (int, str, bool, float, bytes):
        return None
    for name, held in list(_space(cls).items()):
        if held is obj and name.isidentifier() and not hasattr(builtins, name):
            return name
    return None


def _owner(cls: type) -> str:
    return safe.qualname_of(cls).rpartition(".")[2].lstrip("_")


def _space(cls: type) -> dict[str, Any]:
    return safe.instance_dict(sys.modules.get(safe.module_of(cls) or "")) or {}

"""Texts of edited files, which are imported in place of what lies on the disk; nothing is written there."""

from __future__ import annotations

import importlib.machinery
import os
import sys
from collections.abc import Mapping
from typing import Any

from picklecheck.safe import instance_dict, plain_text

__all__ = ["install", "normal", "normalized"]


def normal(file: str) -> str:
    """Give the name that a file is known by, whichever of its names is used."""
    return os.path.normcase(os.path.realpath(file))


def normalized(texts: Mapping[str, str] | None) -> dict[str, str]:
    """Give the texts under the files' names as `install` takes them, in an order that depends on nothing else."""
    return {normal(file): text.removeprefix("\ufeff") for file, text in sorted((texts or {}).items())}


def install(texts: dict[str, str]) -> bool:
    """Have these texts imported from now on, for as long as the process lives.

    Args:
        texts: file -> text, from `normalized`.

    Returns:
        False, and nothing is done, where a module is there that was imported from one of the files.
    """
    if not texts:
        return True
    if any(normal(file) in texts for file in _imported()):
        return False
    _change_loader(texts)
    _change_runpy(texts)
    return True


def _imported() -> set[str]:
    namespaces = [instance_dict(module) or {} for module in list(sys.modules.values())]
    return {plain_text(names.get("__file__")) for names in namespaces} - {""}


def _change_loader(texts: dict[str, str]) -> None:
    """Change what modules, packages and `runpy.run_module` come by; no compiled file is read or written then."""
    loader: Any = importlib.machinery.SourceFileLoader
    real = loader.get_code

    def get_code(self: Any, name: str) -> Any:
        file = self.get_filename(name)
        text = texts.get(normal(file))
        return real(self, name) if text is None else self.source_to_code(text, file)

    loader.get_code = get_code


def _change_runpy(texts: dict[str, str]) -> None:
    """Change what `runpy.run_path` comes by, which is how a child runs a main module that is a file."""
    import runpy  # over here nobody needs it

    module: Any = runpy
    real = module._get_code_from_file

    def get_code(*args: Any) -> Any:  # (run_name, file) -> (code, file) until 3.12; later file -> code
        file = args[-1]
        text = texts.get(normal(os.fsdecode(file)))
        if text is None:
            return real(*args)
        code = compile(text, file, "exec", dont_inherit=True)
        return code if len(args) == 1 else (code, file)

    module._get_code_from_file = get_code

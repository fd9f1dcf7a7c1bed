"""The files of a reading, and the modules that they import, found without importing any."""

from __future__ import annotations

import ast
import importlib.machinery
import itertools
import os
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from picklecheck.receiver.guard.packages import known_package
from picklecheck.receiver.guard.sources import Source, Unreadable

__all__ = ["World"]

_OWN = __name__.partition(".")[0]
_INSTALLED = ("site-packages", "dist-packages")
_MAX_BYTES = 3_000_000
_MAX_FOREIGN_BYTES = 300_000
_MAX_FOREIGN = 40
_MAX_SIBLINGS = 300
_MAX_PARSED = 2_000_000  # bytes that are parsed only to see whether they are Python


class World:
    """All that one reading has seen: each file is read and parsed once.

    Args:
        edited: file -> what is read in place of what it holds.
    """

    def __init__(self, edited: Mapping[str, bytes] | None = None) -> None:
        self._edited = {os.path.abspath(path): data for path, data in (edited or {}).items()}
        self._opened: dict[str, Source | None] = {}
        self._listings: dict[str, frozenset[str]] = {}
        self._foreign: dict[str, str | None] = {}
        self._related: dict[str, bool] = {}
        self._matters: dict[str, bool] = {}
        self._barren: set[str] = set()  # files that neither start processes nor import one that does
        self._worth: dict[str, bool] = {}
        self._found: dict[tuple[str, tuple[str, ...], bool, str | None], Source | None] = {}
        self._indexes: dict[str, dict[str, tuple[frozenset[str], bool]]] = {}
        self._to_parse = _MAX_PARSED
        self.generators: dict[ast.AST, bool] = {}  # which functions are generators
        self.readings: dict[str, Any] = {}  # what was read already, by path

    def open(
        self, path: str, *, name: str | None = None, search: tuple[str, ...] = (), foreign: bool = False
    ) -> Source:
        """Read a file.

        Raises:
            Unreadable: it cannot be read.
        """
        key = os.path.abspath(path)
        source = self._opened.get(key)
        if source is None:
            source = self._opened[key] = self._read(path, key, name, search, foreign)
        return source

    def _read(self, path: str, key: str, name: str | None, search: tuple[str, ...], foreign: bool) -> Source:
        data = self._edited[key] if key in self._edited else _data(path, key)
        own_name, root = self._place(key)
        own = tuple(dict.fromkeys([os.path.dirname(key), root, *search]))
        return Source(path, data, search=own, name=name or own_name, foreign=foreign)

    def _place(self, path: str) -> tuple[str, str]:
        """Give a file's full module name and the folder that its outermost package stands in."""
        folder, file = os.path.split(path)
        stem = file.rpartition(".")[0] or file
        parts = [] if stem == "__init__" else [stem]
        while "__init__.py" in self._listing(folder) and os.path.basename(folder).isidentifier():
            parts.append(os.path.basename(folder))
            folder = os.path.dirname(folder)
        return ".".join(reversed(parts)), folder

    def _listing(self, folder: str) -> frozenset[str]:
        if folder not in self._listings:
            try:
                self._listings[folder] = frozenset(os.listdir(folder))
            except OSError:
                self._listings[folder] = frozenset()
        return self._listings[folder]

    def check(self, source: Source) -> None:
        """Make sure that a file is Python about which nothing else is asked, as long as there are not many.

        Raises:
            Unreadable: it is no Python.
        """
        self._to_parse -= len(source.data)
        if self._to_parse > 0:
            source.parse()

    def find(self, name: str, source: Source) -> Source | None:
        """Find the file of a module that a file imports; None for one that has no source to be read here."""
        in_package = "." in source.name or source.is_package
        key = name, source.search, in_package, source.name.partition(".")[0] if source.foreign else None
        if key not in self._found:
            self._found[key] = self._find(name, source, in_package=in_package)
        found = self._found[key]
        return self._find(name, source, in_package=in_package) if found is source else found

    def _find(self, name: str, source: Source, *, in_package: bool) -> Source | None:
        top = name.partition(".")[0]
        if source.foreign and top != source.name.partition(".")[0]:
            return None  # what a library takes from other libraries is left to the tables
        if top == _OWN:
            return None  # a trial that comes to a trial while it imports the main module makes no other
        if not (in_package and top in sys.stdlib_module_names):
            for folder in source.search:
                if os.path.basename(folder) in _INSTALLED and top != source.name.partition(".")[0]:
                    continue  # installed beside it, which makes it no part of the project
                found = self._below(folder, name.split("."))
                if found and os.path.abspath(found) != os.path.abspath(source.path):
                    return self._quietly(found, name, source.search, source.foreign)
        if top in sys.stdlib_module_names or known_package(top) or source.foreign or not self._is_worth_reading(top):
            return None
        folder = self._package_folder(top) or ""
        found = self._below(folder, name.split("."))
        return self._quietly(found, name, (folder,), True) if found else None

    def _is_worth_reading(self, top: str) -> bool:
        """Tell whether an installed package seems to start processes, from the files that its import may load."""
        if top not in self._worth:
            self._worth[top] = False  # while it is asked about itself
            folder = self._package_folder(top)
            found = folder and self._below(folder, [top])
            first = self._quietly(found, top, (folder or "",), True) if found else None
            reach = itertools.islice(self._reach(first, {first.path: first}), _MAX_FOREIGN) if first else ()
            self._worth[top] = any(one.starts for one in reach)
        return self._worth[top]

    def _quietly(self, path: str, name: str, search: tuple[str, ...], foreign: bool) -> Source | None:
        try:
            if foreign and os.path.getsize(path) > _MAX_FOREIGN_BYTES:
                return None
            return self.open(_shown(path), name=name or None, search=search, foreign=foreign)
        except (Unreadable, OSError):
            return None

    def _below(self, folder: str, parts: list[str]) -> str | None:
        for part in parts[:-1]:
            if part not in self._listing(folder):
                return None
            folder = os.path.join(folder, part)
        last, listing = parts[-1], self._listing(folder)
        if last in listing and "__init__.py" in self._listing(os.path.join(folder, last)):
            return os.path.join(folder, last, "__init__.py")
        return os.path.join(folder, f"{last}.py") if f"{last}.py" in listing else None

    def _package_folder(self, top: str) -> str | None:
        """Give the folder of `sys.path` that an installed package stands in."""
        if top not in self._foreign:
            try:
                spec = importlib.machinery.PathFinder.find_spec(top)
            except (ImportError, ValueError, AttributeError):
                spec = None
            origin = spec.origin if spec and spec.has_location else None
            folder = os.path.dirname(origin) if origin and origin.endswith(".py") else None
            if folder and os.path.basename(origin or "") == "__init__.py":
                folder = os.path.dirname(folder)
            self._foreign[top] = folder
        return self._foreign[top]

    def is_related(self, source: Source) -> bool:
        """Tell whether a file, or one that it imports, says something that has to do with processes."""
        seen: dict[str, Source] = {source.path: source}
        for one in self._reach(source, seen):
            if one.has_words if one is source else one.starts or self._related.get(one.path):
                self._related[source.path] = True
                return True
        self._related[source.path] = False
        self._barren.update(seen)
        return False

    def matters(self, source: Source) -> bool:
        """Tell whether what a file does may start processes, or be something that a child had better not repeat."""
        known = self._matters.get(source.path)
        if known is None:
            known = source.works or self._may_start(source)
            self._matters[source.path] = known
        return known

    def _may_start(self, source: Source) -> bool:
        seen = {source.path: source}
        if any(one.starts or self._matters.get(one.path) for one in self._reach(source, seen)):
            return True
        self._barren.update(seen)
        return False

    def starts_somewhere(self, source: Source) -> bool:
        """Tell whether a file, one that it imports, or one that imports it, seems to start processes."""
        if any(one.has_evidence and not one.foreign for one in self._reach(source, {source.path: source})):
            return True
        return self.is_imported(source, by_starters=True)

    def is_imported(self, source: Source, *, by_starters: bool = False) -> bool:
        """Tell whether a file beside it, or beside its package, imports a file.

        Args:
            source: the file.
            by_starters: whether only files count that seem to start processes.
        """
        names = {source.name, source.name.rpartition(".")[2]}
        return any(
            path != source.path and names & imported
            for folder in source.search
            for path, (imported, starts) in self._imports_in(folder).items()
            if starts or not by_starters
        )

    def _imports_in(self, folder: str) -> dict[str, tuple[frozenset[str], bool]]:
        """Give what each file of a folder imports, and whether it seems to start processes."""
        if folder not in self._indexes:
            names = [name for name in sorted(self._listing(folder)) if name.endswith(".py")][:_MAX_SIBLINGS]
            found = [self._quietly(os.path.join(folder, name), "", (), False) for name in names]
            self._indexes[folder] = {one.path: (frozenset(one.imports), one.has_evidence) for one in found if one}
        return self._indexes[folder]

    def _reach(self, source: Source, seen: dict[str, Source]) -> Iterator[Source]:
        """Yield a file and those that it imports, the nearest first."""
        waiting = [source]
        while waiting:
            one = waiting.pop(0)
            yield one
            if one.path in self._barren and one is not source:
                continue
            for name in one.imports:
                found = self.find(name, one)
                if found and found.path not in seen:
                    seen[found.path] = found
                    waiting.append(found)


def _data(path: str, key: str) -> bytes:
    try:
        if os.path.getsize(key) > _MAX_BYTES:
            raise Unreadable(f"{path}: too large to be read")
        with open(key, "rb") as file:
            return file.read()
    except OSError as error:
        raise Unreadable(f"{path}: {error.strerror or error}") from None


def _shown(path: str) -> str:
    """Give a path relative to the current folder where it stands below it."""
    here = os.getcwd() + os.sep
    return path.removeprefix(here)

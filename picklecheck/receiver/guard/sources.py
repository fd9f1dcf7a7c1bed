"""Files and the modules that they import, found without importing any."""

from __future__ import annotations

import ast
import importlib.machinery
import io
import itertools
import os
import re
import sys
import tokenize
import warnings
from collections.abc import Iterator
from functools import cached_property
from typing import Any

from picklecheck.receiver.guard.knowledge import WORDS, known_package

__all__ = ["Source", "Unreadable", "World"]

_MAX_BYTES = 3_000_000
_MAX_FOREIGN_BYTES = 300_000
_MAX_FOREIGN = 40
_MAX_SIBLINGS = 300
_WORDS = re.compile(WORDS)
# Words of a file that starts processes, as far as a glance can tell: then what it does at import level is repeated.
_STARTS = re.compile(
    rb"\b(?:Process|Pool|Manager|process_map|LocalCluster|SubprocVecEnv|AsyncVectorEnv|launcher)\s*\(|"
    rb"\b(?:ProcessPoolExecutor|num_workers|num_proc|start_processes|use_multiprocessing)\b|"
    rb"(?:mp|multiprocessing)\.spawn\(|\(\s*(?:\w+\.)*Process\s*\)\s*:"
)
_ODD_GUARD = re.compile(
    rb"""__name__\s*(?:==|is)\s*(?!["']__main__["'])|(?<!["']__main__["'])\s(?:==|is)\s*__name__\b|["']__name__["']\s*=="""
    rb"""|(?:exec|run_path|run_module|load_source|SourceFileLoader|spec_from_file_location)\s*\("""
)
_IMPORT = re.compile(
    rb"^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import[ \t]+\(?([^\n#]*)|import[ \t]+([^\n#]+))", re.MULTILINE
)
_NAME = re.compile(rb"[\w.]+")


class Unreadable(Exception):
    """A file that cannot be read or is no Python; the text says why, in a line."""


class Source:
    """A file of Python.

    Attributes:
        path: as it was named.
        name: the full name that the module is imported by; a script's is the stem of its file.
        search: folders in which its imports are looked up first.
        foreign: whether it belongs to an installed package and not to the project.
    """

    def __init__(self, path: str, data: bytes, *, search: tuple[str, ...], name: str, foreign: bool) -> None:
        self.path, self.data, self.search, self.name, self.foreign = path, data, search, name, foreign
        self.is_package = os.path.basename(path) == "__init__.py"

    @cached_property
    def has_words(self) -> bool:
        """Whether the file says something that has to do with processes."""
        return _WORDS.search(self.data) is not None

    @cached_property
    def is_odd(self) -> bool:
        """Whether it has a main guard of an unusual form, or runs other code."""
        return _ODD_GUARD.search(self.data) is not None

    @cached_property
    def starts(self) -> bool:
        """Whether it seems to start processes somewhere."""
        return _STARTS.search(self.data) is not None

    @cached_property
    def tree(self) -> ast.Module:
        """The parsed file.

        Raises:
            Unreadable: it is no Python, or nested too deeply.
        """
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of odd escapes, which are not asked about here
                return ast.parse(self.data, self.path)
        except SyntaxError as error:
            where = f", line {error.lineno}" if error.lineno else ""
            raise Unreadable(f"{self.path}{where}: {error.msg}") from None
        except (ValueError, RecursionError, MemoryError) as error:
            raise Unreadable(f"{self.path}: {str(error) or type(error).__name__}") from None

    def check(self) -> None:
        """Make sure that the file is Python, as far as that is cheap to tell.

        Raises:
            Unreadable: its encoding is not known, or it is binary.
        """
        if b"\0" in self.data:
            raise Unreadable(f"{self.path}: source code cannot contain null bytes")

    @cached_property
    def lines(self) -> list[str]:
        """The lines of its text; empty where the encoding is not known."""
        try:
            encoding, _ = tokenize.detect_encoding(io.BytesIO(self.data).readline)
            return self.data.decode(encoding, "replace").splitlines()
        except (SyntaxError, LookupError):
            return []

    @property
    def package(self) -> str:
        """The package that relative imports start from."""
        return self.name if self.is_package else self.name.rpartition(".")[0]

    def absolute(self, module: str | None, level: int) -> str:
        """Give the full name of what `from ...module import` names."""
        if not level:
            return module or ""
        parts = self.package.split(".") if self.package else []
        base = parts[: len(parts) - level + 1]
        return ".".join([*base, *([module] if module else [])])

    @cached_property
    def imports(self) -> list[str]:
        """The full names of what it may import, anywhere in the file."""
        found: dict[str, None] = {}
        for origin, names, plain in _IMPORT.findall(self.data):
            if plain:
                for piece in plain.split(b","):
                    found.update(dict.fromkeys(name.decode("ascii", "replace") for name in _NAME.findall(piece)[:1]))
                continue
            text = origin.decode("ascii", "replace")
            level = len(text) - len(text.lstrip("."))
            base = self.absolute(text[level:] or None, level)
            found[base] = None
            found.update(dict.fromkeys(f"{base}.{n.decode('ascii', 'replace')}" for n in _NAME.findall(names)[:40]))
        return [name for name in found if name]


class World:
    """All that one reading has seen: each file is read and parsed once."""

    def __init__(self) -> None:
        self._opened: dict[str, Source | None] = {}
        self._listings: dict[str, frozenset[str]] = {}
        self._foreign: dict[str, str | None] = {}
        self._related: dict[str, bool] = {}
        self._worth: dict[str, bool] = {}
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
        try:
            if os.path.getsize(key) > _MAX_BYTES:
                raise Unreadable(f"{path}: too large to be read")
            with open(key, "rb") as file:
                data = file.read()
        except OSError as error:
            raise Unreadable(f"{path}: {error.strerror or error}") from None
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

    def find(self, name: str, source: Source) -> Source | None:
        """Find the file of a module that a file imports; None for one that has no source to be read here."""
        top = name.partition(".")[0]
        if source.foreign and top != source.name.partition(".")[0]:
            return None  # what a library takes from other libraries is left to the tables
        in_package = "." in source.name or source.is_package
        if not (in_package and top in sys.stdlib_module_names):
            for folder in source.search:
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
            if one.has_words or self._related.get(one.path):
                self._related[source.path] = True
                return True
        self._related.update(dict.fromkeys(seen, False))
        return False

    def starts_somewhere(self, source: Source) -> bool:
        """Tell whether a file, one that it imports, or one beside it that imports it, seems to start processes."""
        if any(one.starts and not one.foreign for one in self._reach(source, {source.path: source})):
            return True
        return any(one.starts for one in self.importers(source))

    def importers(self, source: Source) -> Iterator[Source]:
        """Yield the files in the same folder that import a file."""
        folder = os.path.dirname(os.path.abspath(source.path))
        stem = source.name.rpartition(".")[2]
        for file in sorted(self._listing(folder))[:_MAX_SIBLINGS]:
            path = os.path.join(folder, file)
            if file.endswith(".py") and path != os.path.abspath(source.path) and os.path.isfile(path):
                other = self._quietly(path, "", (), False)
                if other and any(name in (source.name, stem) for name in other.imports):
                    yield other

    def _reach(self, source: Source, seen: dict[str, Source]) -> Iterator[Source]:
        """Yield a file and those that it imports, the nearest first."""
        waiting = [source]
        while waiting:
            one = waiting.pop(0)
            yield one
            if self._related.get(one.path) is False:
                continue
            for name in one.imports:
                found = self.find(name, one)
                if found and found.path not in seen:
                    seen[found.path] = found
                    waiting.append(found)


def _shown(path: str) -> str:
    """Give a path relative to the current folder where it stands below it."""
    here = os.getcwd() + os.sep
    return path.removeprefix(here)

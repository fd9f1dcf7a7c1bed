"""A file of Python: its text, its tree, and what a glance at it tells."""

from __future__ import annotations

import ast
import io
import os
import re
import tokenize
import warnings
from functools import cached_property

from picklecheck.receiver.guard.packages import WORDS

__all__ = ["Source", "Unreadable"]

# Words of a file that starts processes, as far as a glance can tell.
_EVIDENCE = re.compile(
    rb"\b(?:Process|Pool|Manager|process_map|LocalCluster|SubprocVecEnv|AsyncVectorEnv|launcher)\s*\(|"
    rb"\b(?:ProcessPoolExecutor|num_workers(?!\s*=\s*0\b)|num_proc|start_processes|use_multiprocessing)\b|"
    rb"(?:mp|multiprocessing)\.spawn\(|\(\s*(?:\w+\.)*Process\s*\)\s*:|import [^\n]*\b(?:Process|Pool|Manager)\b"
)
_STARTS = re.compile(_EVIDENCE.pattern + rb"|DataLoader\b|\.(?:Process|Pool|Manager)\b|n_process")
_SETS_ENVIRONMENT = re.compile(rb"environ\[[^\]]+\]\s*=[^=]|environ\.(?:setdefault|update)|putenv")
_WORKS = re.compile(
    rb"\b(?:mkdir|makedirs|mkfifo|symlink(?:_to)?|link|rmtree|unlink|rmdir|removedirs|copytree|move|input|getpass|bind|chdir|flock|lockf|File|ZipFile|SharedMemory|memmap|main|FileHandler|execute|read(?:line|lines)?|"
    rb"write_text|write_bytes|serve\w*|mainloop|Tk|savefig|imwrite|urlretrieve|start_run|SummaryWriter|create_server|"
    rb"run_app|run_forever|set_start_method|make_server|\w*Server|to_(?:csv|parquet|pickle|hdf|feather|excel)|touch)\(|"
    rb"\bos\.(?:remove|rename|renames|replace)\(|\b(?:remove|rename|replace)\((?:\w+|Path)|\bopen\([^\n]*[\"'][wxa][+bt]*[\"']|"
    rb"\b(?:np|numpy|torch|mge|megengine|plt|pyplot|wandb|joblib)\.(?:save\w*|init|dump|show)\(|\bapp\.run\(|while True"
)
_USUAL_GUARD = re.compile(rb"""__name__ == ["']__main__["']|\(__name__\)""")
_ODD_GUARD = re.compile(
    rb"""__name__["']?\s*(?:==|is)(?!\s*["']__main__["'])|["']__name__["']\s*==|(?:==|\bis)\s*["']?__name__"""
    rb"""|(?:exec|run_path|run_module|load_source|SourceFileLoader|spec_from_file_location)\s*\("""
)
_RUNS = re.compile(rb"(?:exec|run_path|run_module|load_source|SourceFileLoader|spec_from_file_location)\s*\(")
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
        return any(word in self.data for word in WORDS)

    @cached_property
    def is_odd(self) -> bool:
        """Whether it has a main guard of an unusual form, or runs other code."""
        data = self.data
        if b"__name__" in data and data.count(b"__name__") != len(_USUAL_GUARD.findall(data)):
            return _ODD_GUARD.search(data) is not None
        return b"__main__" in data and _RUNS.search(data) is not None

    @cached_property
    def starts(self) -> bool:
        """Whether it seems to start processes somewhere."""
        return self.has_words and _STARTS.search(self.data) is not None

    @cached_property
    def has_evidence(self) -> bool:
        """Whether it surely says that it starts processes: then what it does at import level is repeated."""
        return self.has_words and _EVIDENCE.search(self.data) is not None

    @cached_property
    def sets_environment(self) -> bool:
        """Whether it sets a variable of the environment."""
        return _SETS_ENVIRONMENT.search(self.data) is not None

    @cached_property
    def works(self) -> bool:
        """Whether it says something that a child had better not repeat."""
        return _WORKS.search(self.data) is not None

    @cached_property
    def tree(self) -> ast.Module:
        """The parsed file.

        Raises:
            Unreadable: it is no Python, or nested too deeply.
        """
        return self.parse()

    def parse(self) -> ast.Module:
        """Parse the file, and keep nothing.

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

"""Open files, archives, databases and their like: carried by name, and opened again."""

from __future__ import annotations

import io
import os
import sqlite3
import sys
from collections.abc import Callable
from typing import Any

from picklecheck import safe
from picklecheck.fixes.base import Remedy
from picklecheck.fixes.recipes.case import Case, Spec
from picklecheck.fixes.recipes.shaping import dropped

__all__ = ["HANDLES", "archive", "database", "hdf5", "lmdb_environment", "open_file"]

Maker = Callable[[Case], "Spec | Remedy | None"]
_FILES = (io.TextIOWrapper, io.BufferedReader, io.BufferedWriter, io.BufferedRandom, io.FileIO)
_STREAMS = ("stdout", "stderr", "stdin")


def open_file(case: Case) -> Spec | Remedy | None:
    """Open a file again by its name, at the same position."""
    thing = case.thing
    for name in _STREAMS:
        if thing is getattr(sys, name) or thing is getattr(sys, f"__{name}__"):
            return Spec(back=case.spell("sys", name), checks=())
    if not any(type(thing) is kind for kind in _FILES):
        return _nameless(case)
    if thing.closed:
        return dropped(case, "the file is closed.")
    path, mode = _name_and_mode(thing)
    if path is None:
        return _nameless(case)
    text = _open_text(thing, mode)
    if case.containers:
        return Spec(out="{x}.name", back=text.format(path="{x}"), note=f"The files in {case.label} begin anew.")
    if not thing.seekable():
        return Spec(out="{x}.name", back=text.format(path="{x}"))
    return Spec(out="({x}.name, {x}.tell())", back=text.format(path="carried[0]"), after=("{x}.seek(carried[1])",))


def _nameless(case: Case) -> Spec | Remedy | None:
    """Make as the source does what has no name of its own: a part of an archive, a pipe; but no temporary file."""
    found = case.from_source(f"{case.label} is made anew over there, as it was at first.")
    if safe.under(case.thing, "tempfile._TemporaryFileWrapper") or (found and "Temporary" in found.back):
        return dropped(case, "a temporary file is gone when its owner closes it.")
    return found or dropped(case, "the file has no name by which it could be opened again.")


def _name_and_mode(thing: Any) -> tuple[str | None, str]:
    """Give name and mode of a file that can be opened again; None for pipes, sockets and what was deleted."""
    try:
        path, mode = thing.name, thing.mode
        buffer = thing.buffer if type(thing) is io.TextIOWrapper else thing
        raw = buffer if type(buffer) is io.FileIO else buffer.raw
    except (AttributeError, ValueError):
        return None, ""
    plain = type(path) is str and type(mode) is str and type(raw) is io.FileIO and os.path.exists(path)
    return (path if plain else None), mode


def _open_text(thing: Any, mode: str) -> str:
    """Give the call that opens it again without emptying it."""
    kept = mode.replace("w+", "r+").replace("wb+", "rb+").replace("x", "r+").replace("++", "+")
    if "w" in kept:
        kept = kept.replace("wb", "rb+").replace("w", "r+")
    kept = kept.replace("r+b", "rb+")
    more = f", encoding={thing.encoding!r}".replace("'", '"') if type(thing) is io.TextIOWrapper else ""
    more += ", buffering=0" if type(thing) is io.FileIO else ""
    shown = "" if kept == "r" else f', "{kept}"'
    return f"open({{path}}{shown}{more})"


def archive(case: Case) -> Spec | Remedy | None:
    """Open an archive again by its file name."""
    name = safe.qualified_name(type(case.thing))
    thing = case.thing
    if name == "zipfile.ZipFile":
        return _reopened(case, thing.filename if thing.mode == "r" else None, "{x}.filename", "zipfile", "ZipFile")
    if name == "tarfile.TarFile":
        return _reopened(case, thing.name if thing.mode == "r" else None, "{x}.name", "tarfile", "open")
    if name.endswith(".NpzFile"):
        return _npz(case)
    opener = {"gzip.GzipFile": "gzip", "bz2.BZ2File": "bz2", "lzma.LZMAFile": "lzma"}.get(name)
    if opener is None:
        return case.from_source()
    inner = getattr(thing, "_fp", None) or getattr(getattr(thing, "fileobj", None), "file", None)
    path = getattr(thing, "name", None) or getattr(inner, "name", None)
    if not thing.readable() or type(path) is not str or not os.path.exists(path):
        return case.from_source() or dropped(case, "what is being written can be finished only here.")
    out = "{x}.name" if type(getattr(thing, "name", None)) is str else "{x}._fp.name"
    text = case.spell(opener, "open")
    if case.containers:
        return Spec(out=out, back=f"{text}({{x}})", note=f"The files in {case.label} begin anew.")
    return Spec(out=f"({out}, {{x}}.tell())", back=f"{text}(carried[0])", after=("{x}.seek(carried[1])",))


def _reopened(case: Case, path: Any, out: str, module: str, name: str) -> Spec | Remedy | None:
    if type(path) is not str or not os.path.exists(path):
        return case.from_source()
    return Spec(out=out, back=f"{case.spell(module, name)}({{x}})")


def _npz(case: Case) -> Spec | None:
    own = safe.instance_dict(case.thing) or {}
    found = case.from_source()
    if found:
        return found
    if type(getattr(own.get("fid"), "name", None)) is str:
        out = "{x}.fid.name"
    elif type(getattr(own.get("zip"), "filename", None)) is str:
        out = "{x}.zip.filename"
    else:
        return None
    allow = ", allow_pickle=True" if own.get("allow_pickle") else ""
    return Spec(out=out, back=f"{case.spell('numpy', 'load')}({{x}}{allow})")


def database(case: Case) -> Spec | Remedy | None:
    """Connect again; what is in memory is copied."""
    if type(case.thing) is not sqlite3.Connection:
        return case.from_source(f"{case.label} connects again when it is first used over there.", lazy=True)
    try:
        path = case.thing.execute("PRAGMA database_list").fetchone()[2]
    except sqlite3.Error:
        return case.from_source()
    found = case.from_source()
    if path and found:
        return found
    if path:
        connect = case.spell("sqlite3", "connect")
        return Spec(out='{x}.execute("PRAGMA database_list").fetchone()[2]', back=f"{connect}({{x}})")
    if case.containers:
        return None
    as_before = found is not None and ":memory:" in found.back
    made = found.back if found and as_before else f'{case.spell("sqlite3", "connect")}(":memory:")'
    note = f"{case.label} is a copy of the database in memory."
    out, after = '"\\n".join({x}.iterdump())', ("{x}.executescript(carried)",)
    return Spec(out=out, back=made, after=after, note=note, order=found.order if found else 0)


def _cursor(case: Case) -> Spec | None:
    """Ask the connection for a new cursor."""
    found = case.from_source()
    if found or case.containers or type(case.thing) is not sqlite3.Cursor:
        return found
    from picklecheck.fixes.spelling import spell_name

    for name, held in (safe.instance_dict(case.spot.owner) or {}).items():
        if held is case.thing.connection:
            return Spec(back=f"self.{spell_name(name, case.home)}.cursor()", order=case.order or 1_000_000_000)
    return None


def _engine(case: Case) -> Spec | None:
    found = case.from_source()
    return found or Spec(out="{x}.url", back=f"{case.spell('sqlalchemy', 'create_engine')}({{x}})")


def hdf5(case: Case) -> Spec | None:
    """Open an HDF5 file again for reading, and find the group or data set in it by its name."""
    name = safe.qualified_name(type(case.thing))
    if name not in ("h5py._hl.files.File", "h5py._hl.dataset.Dataset", "h5py._hl.group.Group") or not case.thing:
        return case.from_source()
    opened = case.spell("h5py", "File")
    last = name.rpartition(".")[2]
    # what is open here for writing is locked, and not all on the disk; within one process both must agree about locking
    writes = case.thing.file.mode != "r"
    locking = ", locking=False" if writes else ""
    note = f"{case.label} is opened for reading over there."
    if last == "File":
        flush = ("{x}.flush()",) if writes and not case.containers else ()
        return Spec(out="{x}.filename", back=f'{opened}({{x}}, "r"{locking})', before=flush, note=note)
    holder = None if case.containers else _file_attribute(case)
    if holder:
        return Spec(out="{x}.name", back=f"{holder}[{{x}}]", note=note)
    back = f'{opened}({{x}}[0], "r"{locking})[{{x}}[1]]'
    flush = ("{x}.file.flush()",) if writes and not case.containers else ()
    return Spec(out="({x}.file.filename, {x}.name)", back=back, before=flush, note=note)


def _file_attribute(case: Case) -> str | None:
    """Give the attribute with the open file of a data set, where that is set before."""
    from picklecheck.fixes.setting import life, setting
    from picklecheck.fixes.spelling import spell_name

    for name, held in (safe.instance_dict(case.spot.owner) or {}).items():
        if safe.qualified_name(type(held)) != "h5py._hl.files.File" or held != case.thing.file:
            continue
        found = setting(case.cls, name)
        if found and found.order < case.order and not life(case.cls, name).demand:
            return f"self.{spell_name(name, case.home)}"
    return None


def lmdb_environment(case: Case) -> Spec | None:
    """Open an LMDB environment again, for reading."""
    found = case.from_source()
    if found or safe.type_name(case.thing) != "Environment":
        return found
    back = f"{case.spell('lmdb', 'open')}({{x}}, readonly=True, lock=False)"
    return Spec(out="{x}.path()", back=back, note=f"{case.label} is opened for reading over there.")


def _mmap(case: Case) -> Spec | None:
    found = case.from_source()
    if found and "(-1" not in found.back:
        return found
    if case.containers or type(case.thing).__name__ != "mmap":
        return None
    made = case.spell("mmap", "mmap")
    note = f"{case.label} is a copy over there: what is written to it is no longer shared."
    back = f"{made}(-1, len(carried))"
    after = ("{x}.write(carried)", "{x}.seek(0)")
    return Spec(out="{x}[:]", back=back, after=after, note=note, order=found.order if found else 0)


def _memoryview(case: Case) -> Spec | None:
    found = case.from_source()
    if found:
        return found
    back = "memoryview({x})" if case.thing.readonly else "memoryview(bytearray({x}))"
    return Spec(out="{x}.tobytes()", back=back, note=f"{case.label} is a view of a copy over there.")


HANDLES: dict[str, Maker] = {
    "io.IOBase": open_file,
    "zipfile.ZipFile": archive,
    "tarfile.TarFile": archive,
    "gzip.GzipFile": archive,
    "bz2.BZ2File": archive,
    "lzma.LZMAFile": archive,
    "numpy.lib.npyio.NpzFile": archive,
    "numpy.lib._npyio_impl.NpzFile": archive,
    "tempfile._TemporaryFileWrapper": open_file,
    "_io._IOBase": open_file,
    "sqlite3.Connection": database,
    "sqlite3.Cursor": _cursor,
    "sqlalchemy.engine.base.Engine": _engine,
    "mmap.mmap": _mmap,
    "memoryview": _memoryview,
}

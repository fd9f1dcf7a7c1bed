"""Files get new text: all of them or none, and only where each still holds what was read."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Mapping
from typing import NamedTuple

from picklecheck.errors import WriteError
from picklecheck.fixes import files

__all__ = ["write"]

_GIT_SECONDS = 30
_FORCE = "--force writes it all the same"
_NO_REPOSITORY = b"not a git repository (or any"  # without the bracket: one that is named, and cannot be read


class _File(NamedTuple):
    """A file that is to be written: its name, where it really lies, and what it holds before and after."""

    name: str
    path: str
    before: bytes
    after: bytes


def write(edited: Mapping[str, tuple[str, str]], *, force: bool) -> None:
    """Write edited texts to their files.

    Permissions, encoding and line ends stay; a symbolic link stays one, and what it leads to is written.

    Args:
        edited: file -> its text as it was read, and as it is to be.
        force: whether to write files too whose present text git could not give back.

    Raises:
        WriteError: a file may not or cannot be written; then none is changed.
    """
    wanted = [_prepared(file, *texts) for file, texts in edited.items()]
    for file in wanted:
        _check_permission(file)
        if not force:
            _ask_git(file)
    with contextlib.ExitStack() as cleaning:
        ready = [(file, _beside(file, file.after, cleaning)) for file in wanted]
        for file in wanted:
            if _read(file.name, file.path) != file.before:
                raise _changed(file.name)
        _replace_all(ready, cleaning)


def _prepared(name: str, before: str, after: str) -> _File:
    path = os.path.realpath(name)
    data = _read(name, path)
    try:
        if files.decoded(data) != before:
            raise _changed(name)
        return _File(name, path, data, files.encoded(after, data))
    except (SyntaxError, UnicodeDecodeError):
        raise _changed(name) from None
    except UnicodeEncodeError as error:
        letters = error.object[error.start : error.end]
        raise WriteError(f"{name} is not written: its encoding, {error.encoding}, has no {letters!r}") from None


def _read(name: str, path: str) -> bytes:
    try:
        with open(path, "rb") as stream:
            return stream.read()
    except OSError as error:
        raise _failed(name, error) from None


def _changed(name: str) -> WriteError:
    return WriteError(f"{name} is not written: it has changed since it was read; run the command again")


def _failed(name: str, error: OSError) -> WriteError:
    return WriteError(f"{name} is not written: {error.strerror or error}")


def _check_permission(file: _File) -> None:
    # root may write to anything: it is asked what the file's owner wants
    if not os.stat(file.path).st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH):
        raise WriteError(f"{file.name} is not written: it is read-only")
    if not os.access(file.path, os.W_OK):
        raise WriteError(f"{file.name} is not written: you may not write to it")


def _ask_git(file: _File) -> None:
    """Refuse a file in a work tree of git's, where git does not have what it holds."""
    folder, name = os.path.split(file.path)
    if "GIT_DIR" in os.environ:  # as in a hook: it says which repository, seen from the working directory
        folder, name = os.getcwd(), file.path
    # the person's configuration may leave files out that git does not track
    asked = ("status", "--porcelain", "--ignored", "--untracked-files=all")
    command = ["git", "-C", folder, *asked, "--", f":(literal){name}"]
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    try:
        done = subprocess.run(
            command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=_GIT_SECONDS
        )
    except FileNotFoundError:  # no git
        return
    except (OSError, subprocess.TimeoutExpired):
        raise WriteError(f"{file.name} is not written: git does not answer; {_FORCE}") from None
    if done.returncode and _NO_REPOSITORY in done.stderr:
        return
    if done.returncode:
        raise WriteError(f"{file.name} is not written: git cannot tell whether it is committed; {_FORCE}")
    if done.stdout:
        state = {b"??": "is not tracked by git", b"!!": "is ignored by git"}.get(done.stdout[:2])
        raise WriteError(f"{file.name} is not written: it {state or 'has changes that are not committed'}; {_FORCE}")


def _beside(file: _File, data: bytes, cleaning: contextlib.ExitStack) -> str:
    """Write what a file is to hold to one of its own in the same folder, which goes when it was not used."""
    try:
        number, path = tempfile.mkstemp(prefix=f".{os.path.basename(file.path)}.", dir=os.path.dirname(file.path))
        cleaning.callback(_remove, path)
        with open(number, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(number)
        shutil.copymode(file.path, path)
        _keep_owner(file.path, path)
    except OSError as error:
        raise _failed(file.name, error) from None
    return path


def _keep_owner(path: str, copy: str) -> None:
    wanted, own = os.stat(path), os.stat(copy)
    if hasattr(os, "chown") and (wanted.st_uid, wanted.st_gid) != (own.st_uid, own.st_gid):
        with contextlib.suppress(PermissionError):  # only root may give files away
            os.chown(copy, wanted.st_uid, wanted.st_gid)


def _replace_all(ready: list[tuple[_File, str]], cleaning: contextlib.ExitStack) -> None:
    done: list[_File] = []
    try:
        for file, path in ready:
            done.append(file)
            _replace(file, path, file.after)
    except BaseException as error:
        lost = [file.name for file in done if not _put_back(file, cleaning)]
        if lost:
            names = ", ".join(lost)
            raise WriteError(f"{names} holds the new text, and could not be put back: {error}") from None
        if isinstance(error, OSError):
            raise _failed(done[-1].name, error) from None
        raise


def _put_back(file: _File, cleaning: contextlib.ExitStack) -> bool:
    """Give a file its old text again, whatever becomes of the others; tell whether it has it."""
    try:
        if _read(file.name, file.path) != file.before:
            _replace(file, _beside(file, file.before, cleaning), file.before)
    except (OSError, WriteError):
        return False
    return True


def _replace(file: _File, path: str, data: bytes) -> None:
    if os.stat(file.path).st_nlink > 1:  # the file's other names are to lead to the new text as well
        _overwrite(file.path, data)
    else:
        os.replace(path, file.path)


def _overwrite(path: str, data: bytes) -> None:
    with open(path, "wb") as stream:
        stream.write(data)


def _remove(path: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)

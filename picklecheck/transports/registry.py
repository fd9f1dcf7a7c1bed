"""The transports by name, those that users add, and which of them recognises an object."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from typing import Any

from picklecheck.errors import UsageError
from picklecheck.extensions import Extensions
from picklecheck.paths import Step
from picklecheck.safe import mro, qualified_name, type_name
from picklecheck.transports.base import Crossing, Part, Transport
from picklecheck.transports.dataloader import DATALOADER
from picklecheck.transports.interpreter import INTERPRETER
from picklecheck.transports.launching import MEGENGINE_LAUNCHER, TORCH_SPAWN
from picklecheck.transports.multiprocessing import EXECUTOR, POOL, PROCESS, QUEUE, RESULT
from picklecheck.transports.plain import PICKLE
from picklecheck.transports.starting import method_of, resolve_start_method

__all__ = ["find", "names", "opened", "register_transport"]

_extensions = Extensions("picklecheck.transports")
_TABLE = {
    transport.name: transport
    for transport in (
        PICKLE, PROCESS, POOL, EXECUTOR, RESULT, QUEUE, DATALOADER, TORCH_SPAWN, MEGENGINE_LAUNCHER, INTERPRETER,
    )
}  # fmt: skip
_own: dict[str, Transport] = {}


def find(name: str | None) -> Transport:
    """Give the transport of that name; left out, an object is taken as an argument of a Process.

    Raises:
        UsageError: there is no such transport.
    """
    if name is None:
        return PROCESS
    if type(name) is not str:
        raise UsageError(f"via names a transport; this is a {type_name(name)}: choose from {', '.join(names())}")
    if name in _TABLE:
        return _TABLE[name]
    _extensions.load()
    if name not in _own:
        near = difflib.get_close_matches(name, names(), n=1, cutoff=0.7)
        meant = f"; did you mean {near[0]}?" if near else ""
        raise UsageError(f"no transport {name!r}: choose from {', '.join(names())}{meant}")
    return _own[name]


def names() -> tuple[str, ...]:
    """Give the names of all transports, the built-in ones first."""
    _extensions.load()
    return (*_TABLE, *_own)


def opened(obj: object, transport: Transport | None) -> tuple[Transport, Crossing] | None:
    """Give what crosses for an object that is recognised, and by which transport.

    Args:
        obj: any object.
        transport: the only one that is asked; None for all, the users' own first and the last registered before others.
    """
    if transport is None:
        _extensions.load()
    asked = [*reversed(_own.values()), *_TABLE.values()] if transport is None else [transport]
    for candidate in asked:
        for open_ in candidate.opens:
            crossing = open_(obj)
            if crossing is not None:
                return candidate, crossing
    return None


def register_transport(
    name: str,
    recognises: type | str | Callable[[type], bool],
    parts: Callable[[Any], Mapping[str, object]],
    *,
    like: str = "process",
    pickler: Callable[[], type[Any]] | None = None,
    start_method: str | Callable[[Any], Any] | None = None,
    title: str | None = None,
) -> None:
    """Describe a loader of your own, so that `explain` checks what it really hands to its workers.

    A package can do so without being imported by the user: an entry point of the group ``picklecheck.transports`` names
    a function without arguments that calls this.

    Args:
        name: what ``via`` calls it, in lower-case words with hyphens.
        recognises: the loader's class, its full name (``"package.module.Class"``, so that the package need not be
            imported), or a function that takes an object's real type and tells whether it is one.
        parts: takes the loader and gives what crosses, each under the text that leads to it from the loader:
            ``{".dataset": loader.dataset}``.
        like: the built-in transport that it crosses by: "process" where workers are started with the parts, "pool" or
            "queue" where workers that run already get them, "pickle" for plain pickle.
        pickler: gives the pickler class (one that is made in C, or derived from it), where it is not that of `like`.
        start_method: the one that the loader uses: a name, or a function that takes the loader and gives a name, a
            context of multiprocessing, or None. Left out, multiprocessing's.
        title: what the report's first line calls it; left out, the name of the type.

    Raises:
        UsageError: the name is not of lower-case words with hyphens, or taken by a built-in transport; or there is
            no transport `like`, or no such start method.
    """
    if not name or not all(word.isalnum() and word == word.lower() for word in name.split("-")):
        raise UsageError(f"transport {name!r}: a name is of lower-case words with hyphens, such as 'tile-loader'")
    if name in _TABLE:
        raise UsageError(f"transport {name!r} is built in: choose another name")
    if like not in _TABLE or _TABLE[like].known_only:
        raise UsageError(f"no transport {like!r} to be like: choose from {', '.join(_plain_names())}")
    if type(start_method) is str:
        resolve_start_method(start_method)
    base = _TABLE[like]
    test = _test(recognises)

    def open_(obj: Any) -> Crossing | None:
        if not test(type(obj)):
            return None
        method = _told(name, start_method, obj) if callable(start_method) else start_method
        return Crossing(
            title=title or type_name(obj), parts=_parts(name, _told(name, parts, obj)), start_method=method_of(method)
        )

    _own.pop(name, None)
    _own[name] = Transport(
        name=name,
        pickler=pickler or base.pickler,
        during=base.during,
        stand_in=base.stand_in,
        starts_process=base.starts_process,
        opens=(open_,),
        known_only=True,
        call=DATALOADER.call,
        when_refused=base.when_refused,
        remarks=base.remarks,
    )


def _plain_names() -> list[str]:
    return [name for name, transport in _TABLE.items() if not transport.known_only]


def _test(recognises: type | str | Callable[[type], bool]) -> Callable[[type], bool]:
    if type(recognises) is str:
        return lambda cls: any(qualified_name(base) == recognises for base in mro(cls))
    if isinstance(recognises, type):
        return lambda cls: any(base is recognises for base in mro(cls))
    predicate: Any = recognises

    def passes(cls: type) -> bool:
        try:
            return bool(predicate(cls))
        except Exception:  # a test that raises says nothing of the object
            return False

    return passes


def _told(name: str, describe: Callable[[Any], Any], obj: Any) -> Any:
    """Ask a function of the description, which is not ours."""
    try:
        return describe(obj)
    except Exception as error:
        raise UsageError(f"transport {name!r} cannot tell what a {type_name(obj)} sends: {error!r}") from error


def _parts(name: str, given: Mapping[str, object]) -> tuple[Part, ...]:
    found = []
    if not isinstance(given, Mapping):
        raise UsageError(f"transport {name!r}: its parts are a mapping from '.dataset' to what is there, no {given!r}")
    for path, obj in given.items():
        if type(path) is not str or not path.startswith((".", "[")):
            raise UsageError(f"transport {name!r}: parts are named by what stands behind the loader, as '.dataset'")
        found.append(Part(obj=obj, steps=(Step("attribute", path),), arrivals=(obj,)))
    return tuple(found)

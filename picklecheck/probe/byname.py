"""Whether a function or class is found by its qualified name: a real C pickler's verdict, on the object alone."""

from __future__ import annotations

import pickle
import sys
import types
from typing import Any

from picklecheck.safe import find_in_class, short_repr

__all__ = ["Judge"]


class _Sink:
    def write(self, data: Any) -> int:
        return len(data)


class _NamedPickler(pickle.Pickler):
    name = ""
    obj: object = None

    def reducer_override(self, obj: object) -> Any:
        # a dotted name is written as a call of getattr below protocol 4, and that is no other name for the object
        return self.name if obj is self.obj else NotImplemented


class Judge:
    """Pickles single objects by name, with the plain C pickler of one protocol."""

    def __init__(self, protocol: int | None) -> None:
        self._plain = pickle.Pickler(_Sink(), protocol)
        self._named = _NamedPickler(_Sink(), protocol)

    def refuses(self, obj: object, name: str | None = None) -> Exception | None:
        """Give the pickler's error for a function or class; None when it is found.

        Args:
            obj: the function or class, or any object whose reduce value is a string.
            name: that string, for such an object.
        """
        if not _has_plain_repr(obj) and not _is_found(obj, name):
            # the C pickler would put the object's own repr into its message
            return pickle.PicklingError(f"Can't pickle {short_repr(obj)}: it's not found under its name")
        pickler = self._plain if name is None else self._named
        self._named.name, self._named.obj = "" if name is None else name, obj
        try:
            pickler.dump(obj)
        except Exception as error:
            return error
        finally:
            pickler.clear_memo()
            self._named.obj = None  # nothing of the user's is kept alive
        return None


def _has_plain_repr(obj: object) -> bool:
    found = find_in_class(type(obj), "__repr__")
    if type(found) is types.WrapperDescriptorType:
        return True
    return type(found) is types.FunctionType and found.__module__ in ("enum", "abc", "typing")


def _is_found(obj: Any, name: str | None) -> bool:
    """Look for an object as C does (`save_global`), up to the point where it would report."""
    try:
        module = obj.__module__
        found: Any = sys.modules[module] if module in sys.modules else __import__(module, fromlist=["_"])
        for part in (name or obj.__qualname__).split("."):
            found = getattr(found, part)
    except Exception:
        # C goes on where there is no module: it searches them all
        return getattr(obj, "__module__", None) is None
    return found is obj

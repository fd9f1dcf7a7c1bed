"""Whether a function or class is found by its qualified name: a real C pickler's verdict, on the object alone."""

from __future__ import annotations

import pickle
from typing import Any

__all__ = ["Judge"]


class _Sink:
    def write(self, data: Any) -> int:
        return len(data)


class _NamedPickler(pickle.Pickler):
    name = ""

    def reducer_override(self, obj: object) -> str:
        return self.name


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
        pickler = self._plain if name is None else self._named
        self._named.name = name or ""
        try:
            pickler.dump(obj)
        except Exception as error:
            return error
        finally:
            pickler.clear_memo()
        return None

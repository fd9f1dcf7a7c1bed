"""Large buffers are measured, not copied: an array of 2 GB under protocol 4 would cost another 2 GB.

Each function gives, for a large object, the reduce value of one of the same type and shape whose contents do not
travel, and its size in bytes. Only types whose reduce methods are the library's own are replaced, and only data that
cannot hold other objects.
"""

from __future__ import annotations

import array
import sys
from collections.abc import Callable
from typing import Any

from picklecheck.safe import find_in_class, mro
from picklecheck.standins import LARGE, Zeros, storage_of

__all__ = ["Measure", "measure_for"]

Measure = Callable[[Any], "tuple[int, Any] | None"]


def measure_for(cls: type) -> Measure | None:
    """Give the function that measures objects of this type; it gives None for a small one. None for other types."""
    if cls is array.array:
        return _array
    numpy = sys.modules.get("numpy")
    ndarray = getattr(numpy, "ndarray", None)
    if ndarray is not None and any(base is ndarray for base in mro(cls)):
        same = all(find_in_class(cls, name) is vars(ndarray)[name] for name in ("__reduce__", "__reduce_ex__"))
        return _numpy_measure(numpy, ndarray) if same else None
    storage = sys.modules.get("torch.storage")
    names = ("TypedStorage", "UntypedStorage") if storage is not None else ()
    return _storage if any(cls is getattr(storage, name, None) for name in names) else None


def _array(obj: array.array[Any]) -> tuple[int, Any] | None:
    size = len(obj) * obj.itemsize
    return None if size < LARGE else (size, (array.array, (obj.typecode, Zeros(size))))


def _numpy_measure(numpy: Any, ndarray: Any) -> Measure:
    size_of, dtype_of = vars(ndarray)["nbytes"].__get__, vars(ndarray)["dtype"].__get__
    shape_of, flags_of = vars(ndarray)["shape"].__get__, vars(ndarray)["flags"].__get__

    def measure(obj: Any) -> tuple[int, Any] | None:
        size = size_of(obj)
        if size < LARGE or dtype_of(obj).hasobject:
            return None
        func, args, state = numpy.empty((0,), dtype_of(obj)).__reduce__()
        turned = bool(flags_of(obj).fnc)
        return size, (func, (type(obj), *args[1:]), (state[0], shape_of(obj), state[2], turned, Zeros(size)))

    return measure


def _storage(obj: Any) -> tuple[int, Any] | None:
    untyped = getattr(obj, "_untyped_storage", obj)  # asking a TypedStorage itself makes torch warn
    size = untyped.nbytes()
    return None if size < LARGE or untyped.device.type != "cpu" else (size, storage_of(obj))

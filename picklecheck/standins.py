"""What stands in the data stream for what does not travel in a trial: the contents of large buffers.

Both sides know this module: the sender writes these names, and a child that unpickles the trial calls them. Nothing
is imported here: the classes of torch that are needed come with the data stream.
"""

from __future__ import annotations

from typing import Any

__all__ = ["LARGE", "Zeros", "absent", "itself", "storage", "storage_of"]

LARGE = 1 << 20  # bytes from which on the contents of a buffer stay at home


class Zeros:
    """Stands for the bytes of a buffer: so many zeros, which the child makes without touching the memory.

    Args:
        size: how many bytes.
    """

    __slots__ = ("size",)

    def __init__(self, size: int) -> None:
        self.size = size

    def reduced(self) -> tuple[Any, tuple[int]]:
        """Give the reduce value that it travels with."""
        return bytes, (self.size,)


def absent() -> None:
    """Stand for what cannot be made in a trial: memory of a device. The child answers with something that bears all."""


def itself(obj: Any) -> Any:
    """Give the object: the data stream needs a call where one object stands for another."""
    return obj


def storage(data: int | bytes, untyped: Any, typed: Any = None, dtype: Any = None) -> Any:
    """Make a storage of torch's in the child, with memory of its own.

    Args:
        data: the contents; for a large one the number of bytes, which are not filled.
        untyped: the class of storages without a type.
        typed: the class of those with one; None where such a one was not sent.
        dtype: the type of its elements.
    """
    memory = untyped(data if isinstance(data, int) else len(data))
    if data and not isinstance(data, int):
        import ctypes

        ctypes.memmove(memory.data_ptr(), data, len(data))
    return memory if typed is None else typed(wrap_storage=memory, dtype=dtype, _internal=True)


def storage_of(obj: Any) -> tuple[Any, tuple[Any, ...]]:
    """Give the reduce value by which the child makes a storage like this one, of torch's, on the CPU."""
    import ctypes

    memory = getattr(obj, "_untyped_storage", obj)  # asking a TypedStorage itself makes torch warn
    size = memory.nbytes()
    data = size if size >= LARGE else ctypes.string_at(memory.data_ptr(), size)
    rest = () if memory is obj else (type(obj), obj.dtype)
    return storage, (data, type(memory), *rest)

"""What belongs to the sender's process, and is made anew in a trial: descriptors, shared memory, semaphores.

A child that is really started inherits them or asks for them. In a trial they are stand-ins of the right type, so that
what holds them is unpickled as it will be.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

__all__ = ["patch"]


def patch(module: str) -> None:
    """Put the stand-ins into a module of multiprocessing that is about to be used; once, and not into any other."""
    change = _TABLE.pop(module, None)
    if change is not None:
        __import__(module)
        change(sys.modules[module])


def _spawn_posix(module: Any) -> None:
    import socket

    def detach(self: Any) -> int:
        return socket.socketpair()[0].detach()  # a descriptor that can be closed, read and written

    module._DupFd.detach = detach


def _sharer(module: Any) -> None:
    def detach(self: Any) -> int:
        import socket

        return socket.socketpair()[0].detach()

    module.DupFd.detach = detach


def _heap(module: Any) -> None:
    def rebuild_arena(size: int, descriptor: Any) -> Any:
        return module.Arena(size)

    rebuild_arena.__module__, rebuild_arena.__qualname__ = module.__name__, "rebuild_arena"  # it is pickled by name
    module.rebuild_arena = rebuild_arena


def _synchronize(module: Any) -> None:
    real = module.SemLock.__setstate__

    def set_state(self: Any, state: Any) -> None:
        try:
            real(self, state)
        except OSError:  # its name is known in the sender's process only, or no more
            self._semlock = module._multiprocessing.SemLock(state[1], 1, state[2], f"/pc-{id(self):x}", True)
            self._make_methods()
        # a real one has it since gh-108520; without it there is no second trip
        self.__dict__.setdefault("_is_fork_ctx", False)

    module.SemLock.__setstate__ = set_state


_TABLE: dict[str, Callable[[Any], None]] = {
    "multiprocessing.popen_spawn_posix": _spawn_posix,
    "multiprocessing.resource_sharer": _sharer,
    "multiprocessing.heap": _heap,
    "multiprocessing.synchronize": _synchronize,
}

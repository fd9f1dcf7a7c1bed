"""Stand-ins for the reducers that torch registers with multiprocessing: they refuse the same objects and share nothing.

torch's own move a CPU storage into shared memory, or hand out a CUDA handle, while pickling
(torch/multiprocessing/reductions.py). A dry pass must not, so it mirrors what they refuse, and nothing else; a test
compares the verdicts on throw-away tensors. Nothing of torch is imported:
without it there is no such reducer.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

from picklecheck.standins import absent, storage_of
from picklecheck.transports.base import Reducer

__all__ = ["remarks", "stand_in", "storage_watch"]


def stand_in(reducer: Reducer) -> Reducer | None:
    """Give the stand-in for one of torch's reducers; None for any other."""
    if getattr(reducer, "__module__", None) != "torch.multiprocessing.reductions":
        return None
    name = getattr(reducer, "__name__", "")
    if name == "reduce_tensor":
        return _tensor(reducer)
    return _TABLE.get(name)


def _tensor(reducer: Reducer) -> Reducer:
    def tensor(obj: Any) -> Any:
        # refuses a tensor with a history before it looks at the device; for the CPU it only names the storage
        if obj.is_cuda and (obj.is_leaf or not obj.requires_grad):
            return absent, ()
        return reducer(obj)

    return tensor


def _storage(obj: Any) -> Any:
    if obj.is_cuda:
        raise RuntimeError("Cannot pickle CUDA storage; try pickling a CUDA tensor instead")
    if obj.device.type == "meta":
        raise RuntimeError("Cannot pickle meta storage; try pickling a meta tensor instead")
    return storage_of(obj)


def _event(obj: Any) -> Any:
    return absent, ()


_TABLE: dict[str, Reducer] = {"reduce_storage": _storage, "reduce_event": _event}


def storage_watch() -> Callable[[Any], Callable[[], bool] | None] | None:
    """Give what watches the storages of tensors that a starting process gets by their file descriptors.

    While a process is being started the descriptor's number is sent, and the storage has to keep it open until then
    (torch/multiprocessing/reductions.py, `reduce_storage`). That of a tensor which only a `__getstate__` or a reduce
    value holds, such as the state of a `torch.Generator`, is closed by then, and the process cannot load it.

    Returns:
        A function that gives for a tensor a function that tells whether its storage is gone; None for all else. None
        where torch is not loaded, or shares by another strategy.
    """
    torch = sys.modules.get("torch")
    reductions = sys.modules.get("torch.multiprocessing.reductions")
    if torch is None or reductions is None or sys.platform == "win32":
        return None
    if torch.multiprocessing.get_sharing_strategy() != "file_descriptor":
        return None

    def watch(obj: Any) -> Callable[[], bool] | None:
        kind = type(obj)
        if not (kind is torch.Tensor or kind is torch.nn.Parameter):
            return None
        if obj.device.type != "cpu" or obj.layout is not torch.strided or not obj.numel():
            return None
        return reductions.StorageWeakRef(obj.untyped_storage()).expired  # type: ignore[no-any-return]

    return watch


def remarks(objects: Sequence[Any]) -> tuple[str, ...]:
    """Say whether the storages that cross need more file descriptors than this process may open.

    Each takes one, and keeps it, where the sharing strategy is "file_descriptor", the default on Linux (docs,
    torch.multiprocessing, "Sharing strategies").
    """
    torch = sys.modules.get("torch")
    if torch is None or sys.platform == "win32":
        return ()
    storage = getattr(torch, "UntypedStorage", None)
    numbers = {obj._cdata for obj in objects if type(obj) is storage and obj.device.type == "cpu" and obj.nbytes()}
    if not numbers or torch.multiprocessing.get_sharing_strategy() != "file_descriptor":
        return ()
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if limit == resource.RLIM_INFINITY or len(numbers) < limit:
        return ()
    return (
        f"{len(numbers):,} tensors cross, each with a file descriptor of its own, and this process may open {limit:,}: "
        "raise the limit (ulimit -n), join the tensors, or torch.multiprocessing.set_sharing_strategy('file_system').",
    )

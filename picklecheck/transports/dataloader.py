"""Data loaders with worker processes: PyTorch's and MegEngine's. The loader stays; some of its parts cross.

Sources: `_MultiProcessingDataLoaderIter.__init__` in torch/utils/data/dataloader.py, `_ParallelDataLoaderIter.__init__`
in megengine/data/dataloader.py: the `args` of their `Process`. What else stands there (queues, an event, numbers)
always crosses, so that it is left out. Samplers and random generators stay in this process.
"""

from __future__ import annotations

from typing import Any

from picklecheck.errors import UsageError
from picklecheck.safe import instance_dict, type_name, under
from picklecheck.transports.base import Call, Crossing, Transport, part_of
from picklecheck.transports.multiprocessing import forking_pickler, spawning
from picklecheck.transports.starting import method_of
from picklecheck.transports.torch import remarks as torch_remarks
from picklecheck.transports.torch import stand_in as torch_stand_in

__all__ = ["DATALOADER"]

_NO_WORKERS = "num_workers is 0: it loads in this process, and nothing crosses."
_SAMPLES = (
    "parallel_stream is off: this process reads the samples and sends them to the workers, through a queue; ask about "
    "one with via='queue'."
)


def _open_torch(obj: Any) -> Crossing | None:
    if not under(obj, "torch.utils.data.dataloader.DataLoader"):
        return None
    own = instance_dict(obj) or {}
    return _loader(
        obj,
        "torch",
        ("dataset", "collate_fn", "worker_init_fn"),
        # `multiprocessing_context` is a property over this; torch.multiprocessing is used where it is None
        start_method=method_of(own.get("_DataLoader__multiprocessing_context")),
    )


def _open_megengine(obj: Any) -> Crossing | None:
    if not under(obj, "megengine.data.dataloader.DataLoader"):
        return None
    own = instance_dict(obj) or {}
    sends_samples = own.get("datakind") == "stream" and own.get("parallel_stream") is False
    notes = (_SAMPLES,) if sends_samples else ()
    return _loader(obj, "MegEngine", ("dataset", "transform", "collator"), notes=notes)


def _loader(
    obj: Any,
    library: str,
    names: tuple[str, ...],
    *,
    start_method: str | None = None,
    notes: tuple[str, ...] = (),
) -> Crossing:
    own = instance_dict(obj) or {}
    number = own.get("num_workers")
    title = f"{library} {type_name(obj)}"
    if type(number) is int and number == 0:
        return Crossing(title=f"{title}, no workers", parts=(), notes=(_NO_WORKERS,))
    unread = tuple(
        f"`{name}` is computed by code of the loader's, which is not run here: it was not looked at."
        for name in names
        if name not in own
    )
    workers = f", {number} worker{'' if number == 1 else 's'}" if type(number) is int else ""
    return Crossing(
        title=title + workers, parts=part_of(obj, *names), start_method=start_method, notes=(*notes, *unread)
    )


def _no_call(call: Call) -> Crossing:
    raise UsageError("no call crosses with a data loader: ask about the loader, with explain")


DATALOADER = Transport(
    name="dataloader",
    pickler=forking_pickler,
    during=spawning,
    stand_in=torch_stand_in,
    starts_process=True,
    opens=(_open_torch, _open_megengine),
    known_only=True,
    call=_no_call,
    remarks=torch_remarks,
)

"""Functions that are run in several processes at once: `torch.multiprocessing.spawn`, `megengine.distributed.launcher`.

Sources: `start_processes` in torch/multiprocessing/spawn.py (the child gets `(fn, i, args, error_file)`), `launcher` in
megengine/distributed/launcher.py (the child gets `func`, `args`, `kwargs`, a queue and numbers).
"""

from __future__ import annotations

from typing import Any

from picklecheck.errors import UsageError
from picklecheck.safe import instance_dict, type_name, under
from picklecheck.transports.base import Call, Crossing, Transport, part_of
from picklecheck.transports.multiprocessing import forking_pickler, spawning
from picklecheck.transports.torch import remarks as torch_remarks
from picklecheck.transports.torch import stand_in as torch_stand_in

__all__ = ["MEGENGINE_LAUNCHER", "TORCH_SPAWN"]

_LAUNCHER = "megengine.distributed.launcher.launcher"
_ARGUMENTS = "Its arguments cross too: ask with explain_call(launcher, args, kwargs, via='megengine-launcher')."


def _spawn_call(call: Call) -> Crossing:
    if call.kwargs:
        raise UsageError("torch.multiprocessing.spawn takes positional arguments only: args=(...)")
    return Crossing(title="", parts=call.parts())


def _open_launcher(obj: Any) -> Crossing | None:
    if not under(obj, _LAUNCHER):
        return None
    number = (instance_dict(obj) or {}).get("n_gpus")
    processes = f", {number} process{'' if number == 1 else 'es'}" if type(number) is int else ""
    return Crossing(title=f"MegEngine {type_name(obj)}{processes}", parts=part_of(obj, "func"), notes=(_ARGUMENTS,))


def _launcher_call(call: Call) -> Crossing:
    return Crossing(title="", parts=call.parts(inside="func" if under(call.target, _LAUNCHER) else ""))


TORCH_SPAWN = Transport(
    name="torch-spawn",
    pickler=forking_pickler,
    during=spawning,
    stand_in=torch_stand_in,
    starts_process=True,
    start_method="spawn",
    call=_spawn_call,
    remarks=torch_remarks,
)
MEGENGINE_LAUNCHER = Transport(
    name="megengine-launcher",
    pickler=forking_pickler,
    during=spawning,
    stand_in=torch_stand_in,
    starts_process=True,
    opens=(_open_launcher,),
    call=_launcher_call,
    remarks=torch_remarks,
)

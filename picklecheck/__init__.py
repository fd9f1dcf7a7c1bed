"""Finds every object that stops a dataset, loader or process target from being pickled, with its exact path.

import picklecheck

report = picklecheck.explain(dataset)
print(report)
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from picklecheck.api import assert_picklable, explain, explain_call, is_picklable
    from picklecheck.errors import PicklecheckError, TargetError, UsageError
    from picklecheck.kinds import register_kind
    from picklecheck.live import install, uninstall, watch
    from picklecheck.model import Failure, Finding, Fix, Place, Report, Size
    from picklecheck.transports import register_transport

__all__ = [
    "Failure",
    "Finding",
    "Fix",
    "PicklecheckError",
    "Place",
    "Report",
    "Size",
    "TargetError",
    "UsageError",
    "__version__",
    "assert_picklable",
    "explain",
    "explain_call",
    "install",
    "is_picklable",
    "register_kind",
    "register_transport",
    "uninstall",
    "watch",
]

__version__ = "0.1.0"

# Read when it is asked for: every child of a program that is watched imports this package, and most need nothing of it.
_HOMES = {
    "api": ("assert_picklable", "explain", "explain_call", "is_picklable"),
    "errors": ("PicklecheckError", "TargetError", "UsageError"),
    "kinds": ("register_kind",),
    "live": ("install", "uninstall", "watch"),
    "model": ("Failure", "Finding", "Fix", "Place", "Report", "Size"),
    "transports": ("register_transport",),
}


def __getattr__(name: str) -> object:
    for home, names in _HOMES.items():
        if name in names:
            from importlib import import_module

            value: object = getattr(import_module(f"picklecheck.{home}"), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

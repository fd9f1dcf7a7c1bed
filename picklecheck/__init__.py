"""Finds every object that stops a dataset, loader or process target from being pickled, with its exact path.

import picklecheck

report = picklecheck.explain(dataset)
print(report)
"""

from picklecheck.api import assert_picklable, explain, explain_call, is_picklable
from picklecheck.errors import PicklecheckError, TargetError, UsageError
from picklecheck.model import Failure, Finding, Fix, Place, Report, Size

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
    "is_picklable",
    "register_kind",
    "register_transport",
]

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    if name == "register_kind":  # the table is read only when it is needed
        from picklecheck.kinds import register_kind

        return register_kind
    if name == "register_transport":
        from picklecheck.transports import register_transport

        return register_transport
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

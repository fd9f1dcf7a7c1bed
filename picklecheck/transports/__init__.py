"""The ways to cross: for each, what crosses, the pickler that it uses, and what it sets up while pickling.

A transport is a description; it pickles nothing itself. One file describes one transport or a few that belong together.
"""

from picklecheck.transports.base import Call, Crossing, Part, Refusal, Transport, argument
from picklecheck.transports.registry import find, names, opened, register_transport
from picklecheck.transports.starting import ALL, START_METHODS, resolve_start_method
from picklecheck.transports.torch import storage_watch

__all__ = [
    "ALL", "START_METHODS", "Call", "Crossing", "Part", "Refusal", "Transport", "argument", "find", "names", "opened",
    "register_transport", "resolve_start_method", "storage_watch",
]  # fmt: skip

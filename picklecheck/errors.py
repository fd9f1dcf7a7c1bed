"""The exceptions of picklecheck's own; what is wrong with a user's object is never one of them, but a Failure."""

from __future__ import annotations

__all__ = ["PicklecheckError", "TargetError", "UsageError", "WriteError"]


class PicklecheckError(Exception):
    """Base of the errors that picklecheck raises for wrong use: one line that says what, where, and what to do."""


class UsageError(PicklecheckError, ValueError):
    """An argument that cannot be meant: an unknown transport, start method, protocol or kind."""


class TargetError(PicklecheckError):
    """A command line target that cannot be loaded; the text says which part failed and lists near names."""


class WriteError(PicklecheckError):
    """A file that a fix is not written to: it has changed, git could not give it back, or it cannot be written."""

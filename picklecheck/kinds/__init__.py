"""What each kind of culprit is called, why it cannot be pickled, and what to do: one table, one page for each kind."""

from picklecheck.kinds.names import lookup_note
from picklecheck.kinds.registry import Kind, Subject, find, get, page, register_kind, slugs

__all__ = ["Kind", "Subject", "find", "get", "lookup_note", "page", "register_kind", "slugs"]

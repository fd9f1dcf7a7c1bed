"""What each kind of culprit is called, why it cannot be pickled, and what to do: one table, one page for each kind."""

from picklecheck.kinds.arrived import arrival_words
from picklecheck.kinds.names import lookup_note
from picklecheck.kinds.registry import Arrival, Kind, Subject, find, get, page, recipe_of, register_kind, slugs, whole

__all__ = [
    "Arrival",
    "Kind",
    "Subject",
    "arrival_words",
    "find",
    "get",
    "lookup_note",
    "page",
    "recipe_of",
    "register_kind",
    "slugs",
    "whole",
]

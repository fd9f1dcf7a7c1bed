"""Which recipes there are for a kind, and why there is none for others."""

from __future__ import annotations

from picklecheck import kinds
from picklecheck.fixes.base import Recipe, Remedy, Spot
from picklecheck.fixes.recipes import RECIPES

__all__ = ["NO_RECIPE", "remedy_for"]

_STRUCTURE = "it may only be given to a process that starts: who makes it, and when, is the program's structure"
_THERE = "what is missing there is the other side's installation or start, and no code of the class"

# Kinds without a recipe, and why.
NO_RECIPE = {
    "auth-key": "a key must not travel",
    "mp-lock-of-another-context": "both sides must agree on one context, which is chosen elsewhere",
    "mp-lock": _STRUCTURE,
    "mp-queue": _STRUCTURE,
    "mp-event": _STRUCTURE,
    "mp-value": _STRUCTURE,
    "mp-connection": _STRUCTURE,
    "socket": "a connection has a peer, who would have to agree to a new one",
    "cuda": "memory of a device is shared by rules of the device's library",
    "recursion": "how a deep structure becomes a flat one depends on what it is for",
    "shared-storage": "what keeps the storage alive is the sender, and for how long only its author knows",
    "missing-module": _THERE,
    "missing-name": _THERE,
    "unpickle-error": "no single object is known to be to blame",
    "no-main-guard": "it is no object's: `picklecheck fix FILE --guard` moves the statements",
    "start-at-import": "it is no object's: `picklecheck fix FILE --guard` moves the statements",
    "work-at-import": "whether work is to be done again in each process only its author knows",
    "main-not-importable": _THERE,
    "frozen": "a frozen program wants a call at the start of its main module",
    "identity": "a hazard: whether it matters that an object is there twice only its author knows",
    "lost-attribute": "a hazard: whether an attribute is meant to be left out only its author knows",
    "changed-type": "a hazard: whether another type is meant to arrive only its author knows",
}


def remedy_for(spot: Spot) -> Remedy | None:
    """Give the first remedy that a recipe of the spot's kind finds; None where there is none.

    A recipe that raises finds none: it has met something of the user's that it does not understand.
    """
    own = kinds.recipe_of(spot.kind)
    recipes: tuple[Recipe, ...] = (*((own,) if own else ()), *RECIPES.get(spot.kind, ()))
    for recipe in recipes:
        try:
            remedy = recipe(spot)
        except Exception:
            continue
        if remedy is not None:
            return remedy
    return None

"""Which recipes there are for a kind, and why there is none for others."""

from __future__ import annotations

from picklecheck import kinds
from picklecheck.fixes.base import Recipe, Remedy, Spot
from picklecheck.fixes.recipes import RECIPES

__all__ = ["NO_RECIPE", "remedy_for"]

# Kinds with no recipe, and why.
NO_RECIPE: dict[str, str] = {}


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

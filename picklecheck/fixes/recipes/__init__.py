"""The recipes: one module for each family of kinds."""

from __future__ import annotations

from picklecheck.fixes.base import Recipe
from picklecheck.fixes.recipes import state

__all__ = ["RECIPES"]


def _merged(*tables: dict[str, Recipe]) -> dict[str, tuple[Recipe, ...]]:
    """Give for each kind its recipes, in the order of the tables."""
    slugs = dict.fromkeys(slug for table in tables for slug in table)
    return {slug: tuple(table[slug] for table in tables if slug in table) for slug in slugs}


RECIPES = _merged(state.RECIPES)

"""The recipes: one module for each family of kinds."""

from __future__ import annotations

from picklecheck.fixes.base import Recipe
from picklecheck.fixes.recipes import functions, state

__all__ = ["RECIPES"]

Table = dict[str, tuple[Recipe, ...]]


def _joined(*tables: Table) -> Table:
    """Give for each kind its recipes, in the order of the tables."""
    slugs = dict.fromkeys(slug for table in tables for slug in table)
    return {slug: tuple(recipe for table in tables for recipe in table.get(slug, ())) for slug in slugs}


RECIPES = _joined(functions.RECIPES, {slug: (recipe,) for slug, recipe in state.RECIPES.items()})

"""The recipes: one module for each family of kinds, and the table of which kind has which."""

from __future__ import annotations

from picklecheck.fixes.base import Recipe
from picklecheck.fixes.recipes import classes, functions, methods, state
from picklecheck.fixes.recipes.arrival import enum_value, getattr_hook, hash_too_early, new_arguments
from picklecheck.fixes.recipes.exceptions import init_arguments
from picklecheck.fixes.recipes.main_name import main_name
from picklecheck.fixes.recipes.reducing import reduce_error, slots
from picklecheck.fixes.recipes.restoring import setstate

__all__ = ["RECIPES"]

Table = dict[str, tuple[Recipe, ...]]

# of what goes wrong in an object's own methods, here or over there
_OF_METHODS: Table = {
    "enum-value": (enum_value,),
    "getattr-hook": (getattr_hook,),
    "hash-too-early": (hash_too_early,),
    "init-arguments": (init_arguments,),
    "main-name": (main_name,),
    "new-arguments": (new_arguments,),
    "reduce-error": (reduce_error,),
    "setstate": (setstate,),
    "slots": (slots,),
}


def _joined(*tables: Table) -> Table:
    """Give for each kind its recipes, in the order of the tables."""
    slugs = dict.fromkeys(slug for table in tables for slug in table)
    return {slug: tuple(recipe for table in tables for recipe in table.get(slug, ())) for slug in slugs}


RECIPES = _joined(
    functions.RECIPES,
    classes.RECIPES,
    methods.RECIPES,
    _OF_METHODS,
    {slug: (recipe,) for slug, recipe in state.RECIPES.items()},
)

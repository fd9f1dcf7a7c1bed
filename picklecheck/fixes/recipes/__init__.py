"""The recipes: one module for each family of kinds."""

from __future__ import annotations

from picklecheck.fixes.base import Recipe

__all__ = ["RECIPES"]

RECIPES: dict[str, tuple[Recipe, ...]] = {}

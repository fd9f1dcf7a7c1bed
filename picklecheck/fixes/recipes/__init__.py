"""The recipes: one module for each family of kinds."""

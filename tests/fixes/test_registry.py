"""Every kind has a recipe, or a reason why it has none, and the documentation says which."""

import re
from pathlib import Path

import pytest

from picklecheck import kinds
from picklecheck.fixes import NO_RECIPE, Remedy, Spot, remedy_for
from picklecheck.fixes.recipes import RECIPES

DOCS = Path(__file__).parent.parent.parent / "docs" / "fixes.md"


@pytest.mark.parametrize("slug", kinds.slugs())
def test_a_kind_has_a_recipe_or_a_reason(slug):
    assert (slug in RECIPES) != (slug in NO_RECIPE)


def test_there_is_no_recipe_for_what_is_no_kind():
    assert not (RECIPES.keys() | NO_RECIPE.keys()) - set(kinds.slugs())


def test_the_documentation_lists_the_kinds_without_a_recipe():
    text = DOCS.read_text(encoding="utf-8")
    assert dict(re.findall(r"^\| `([a-z0-9-]+)` \| (.*) \|$", text, re.MULTILINE)) == NO_RECIPE
    counted = re.search(r"(\d+) of the (\d+) kinds have a recipe.*These (\d+) kinds", text, re.DOTALL)
    assert tuple(map(int, counted.groups())) == (len(RECIPES), len(kinds.slugs()), len(NO_RECIPE))


def test_the_first_recipe_that_finds_something_is_taken(monkeypatch):
    first, second = Remedy(note="first"), Remedy(note="second")
    recipes = (lambda spot: None, lambda spot: 1 / 0, lambda spot: first, lambda spot: second)
    monkeypatch.setitem(RECIPES, "lock", recipes)
    assert remedy_for(Spot(obj=None, kind="lock")) is first
    assert remedy_for(Spot(obj=None, kind="mp-queue")) is None

"""The rows of the table, the user's own rows, and the pages."""

from __future__ import annotations

import difflib
import functools
import importlib.resources
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from picklecheck.errors import UsageError
from picklecheck.extensions import Extensions
from picklecheck.kinds.arrivals import ARRIVAL_ROWS, HAZARD_SLUGS
from picklecheck.kinds.subject import Arrival, Subject
from picklecheck.kinds.table import ROWS, WITHOUT_OBJECT
from picklecheck.safe import module_of

__all__ = ["Arrival", "Kind", "Subject", "find", "get", "page", "recipe_of", "register_kind", "slugs", "whole"]

_extensions = Extensions("picklecheck.kinds")
# objects of the standard library that the pickler goes into, and refuses for what it meets there
_WHOLES = frozenset({"archive", "executor", "file", "logger", "pool", "queue", "subprocess", "thread"})
Test = Callable[[Subject], bool]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of culprit.

    Attributes:
        slug: its name in reports, a few plain words with hyphens.
        title: the same for a label ("weak reference").
        reason: why it cannot be pickled, in one or two sentences.
        advice: what to do.
    """

    slug: str
    title: str
    reason: str
    advice: str


_NO_ERROR = Exception()

_own: dict[str, tuple[Test, Kind, str]] = {}
_recipes: dict[str, Callable[..., Any]] = {}


def register_kind(
    slug: str,
    test: Test,
    *,
    reason: str,
    advice: str,
    title: str | None = None,
    page: str | None = None,
    fix: Callable[[Any], Any] | None = None,
) -> None:
    """Add a kind of your own; it is asked before the built-in ones, the last registered first.

    A package can do so without being imported by the user: an entry point of the group ``picklecheck.kinds`` names a
    function without arguments that calls this.

    Args:
        slug: a few plain words with hyphens.
        test: takes a `Subject` and tells whether it is of this kind; one that raises counts as no.
        reason: why this kind cannot be pickled, in one or two sentences.
        advice: what to do.
        title: a label; left out, the slug's words.
        page: Markdown for ``picklecheck kinds SLUG``; left out, reason and advice.
        fix: a recipe: takes a `picklecheck.fixes.Spot`, gives a `picklecheck.fixes.Remedy`, or None where it has none.

    Raises:
        UsageError: the slug is not of lower-case words with hyphens.
    """
    if not slug or not all(word.isalnum() and word == word.lower() for word in slug.split("-")):
        raise UsageError(f"kind {slug!r}: a slug is of lower-case words with hyphens, such as 'tile-cache'")
    title = title or slug.replace("-", " ")
    _own.pop(slug, None)
    _recipes.pop(slug, None)
    if fix is not None:
        _recipes[slug] = fix
    _own[slug] = test, Kind(slug, title, reason, advice), page or f"# {title}\n\n{reason}\n\n{advice}\n"


def find(subject: Subject) -> Kind:
    """Give the most specific kind of a culprit; the last row of the table fits everything.

    The user's own kinds say why something cannot be pickled, so they are not asked for the other side.
    """
    _extensions.load()
    arrival = subject.arrival
    if arrival is not None:
        return get(next(slug for slug, fits in ARRIVAL_ROWS if fits(subject, arrival)))
    for test, kind, _ in reversed(list(_own.values())) if _own else ():
        if _passes(test, subject):
            return kind
    return get(next(slug for slug, test in ROWS if _passes(test, subject)))


def recipe_of(slug: str) -> Callable[[Any], Any] | None:
    """Give the recipe that was registered with a kind of the user's own; None without one."""
    _extensions.load()
    return _recipes.get(slug)


def whole(obj: object) -> Kind | None:
    """Give the kind of an object that has to be left out as a whole, whatever in it is refused; None for all others."""
    if (module_of(type(obj)) or "builtins") == "builtins":
        return None
    subject = Subject(obj, _NO_ERROR)
    slug = next((slug for slug, test in ROWS if slug in _WHOLES and _passes(test, subject)), None)
    return None if slug is None else get(slug)


def slugs() -> tuple[str, ...]:
    """Give the slugs of all kinds: the built-in ones in the order in which they are tried, then the user's own."""
    _extensions.load()
    return (*_in_order(), *(slug for slug in _own if slug not in _built_in()))


def get(slug: str) -> Kind:
    """Give the kind of that name.

    Raises:
        UsageError: there is none; the text lists near names.
    """
    _extensions.load()
    if slug in _own:
        return _own[slug][1]
    return _read(_known(slug))[0]


def page(slug: str) -> str:
    """Give a kind's page as Markdown: what it is, why it cannot be pickled, three fixes, links.

    Raises:
        UsageError: there is no such kind; the text lists near names.
    """
    _extensions.load()
    if slug in _own:
        return _own[slug][2]
    return _read(_known(slug))[1]


def _passes(test: Test, subject: Subject) -> bool:
    try:
        return bool(test(subject))
    except Exception:  # a test that raises says nothing of the object
        return False


@functools.cache
def _in_order() -> tuple[str, ...]:
    return tuple(
        dict.fromkeys(
            (*(slug for slug, _ in ROWS), *(slug for slug, _ in ARRIVAL_ROWS), *WITHOUT_OBJECT, *HAZARD_SLUGS)
        )
    )


@functools.cache
def _built_in() -> frozenset[str]:
    return frozenset(_in_order())


def _known(slug: str) -> str:
    if slug in _built_in():
        return slug
    near = difflib.get_close_matches(slug, slugs(), n=3, cutoff=0.5)
    raise UsageError(f"no kind {slug!r}" + (f": did you mean {', '.join(near)}?" if near else ""))


@functools.cache
def _read(slug: str) -> tuple[Kind, str]:
    text = (importlib.resources.files(__package__) / "pages" / f"{slug}.md").read_text(encoding="utf-8")
    _, front, body = text.split("---\n", 2)
    words = dict(line.split(": ", 1) for line in front.splitlines())
    return Kind(slug, words["title"], words["reason"], words["advice"]), body.lstrip("\n")

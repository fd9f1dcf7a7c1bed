"""Several remedies as one: the edited text of each file, and what the sender pickles in place of what."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from picklecheck.fixes.base import AddImports, Change, Edit, Remedy
from picklecheck.fixes.classfile import ClassFile, class_file
from picklecheck.fixes.edits import CannotEdit, apply
from picklecheck.fixes.files import read
from picklecheck.fixes.layout import laid_out, width_for
from picklecheck.fixes.sender import METHODS, methods_in
from picklecheck.fixes.states import Composed, compose, home_of

__all__ = ["Plan", "keys_of", "plan"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What remedies come to.

    Attributes:
        texts: file -> its text as it is, and edited.
        classes: the classes that get state methods.
        methods: class -> edited methods of pickling, for instances that are there already.
        replaces: pairs of an object and what is pickled for it.
        notes: what is different over there, each a sentence.
    """

    texts: Mapping[str, tuple[str, str]]
    classes: tuple[Composed, ...]
    methods: Mapping[type, Mapping[str, Callable[..., Any]]]
    replaces: tuple[tuple[Any, Any], ...]
    notes: tuple[str, ...]


def keys_of(remedy: Remedy) -> frozenset[object]:
    """Give what a remedy touches: remedies that have one of these in common make one fix."""
    classes = {home_of(change) for change in remedy.changes} | {cls for cls, _ in remedy.methods}
    return frozenset({*map(id, classes), *(edit for edit in remedy.edits if type(edit[1]) is not AddImports)})


def plan(remedies: Sequence[Remedy]) -> Plan | None:
    """Put remedies together; None where they cannot be put into the source."""
    composed = _composed(remedies)
    if composed is None:
        return None
    by_file: dict[str, dict[Edit, None]] = {}
    for found in composed:
        by_file.setdefault(found.place.file, {}).update(dict.fromkeys(found.edits))
    for file, edit in (pair for remedy in remedies for pair in remedy.edits):
        by_file.setdefault(file, {}).setdefault(edit)
    try:
        texts = {file: _edited(file, list(edits)) for file, edits in by_file.items()}
        methods = _methods(composed, remedies, texts)
    except Exception:  # CannotEdit, a file that is gone, a text that is none of Python
        return None
    return Plan(
        texts=texts,
        classes=tuple(composed),
        methods=methods,
        replaces=tuple(pair for remedy in remedies for pair in remedy.replaces),
        notes=tuple(dict.fromkeys(filter(None, _notes(remedies)))),
    )


def _notes(remedies: Iterable[Remedy]) -> Iterable[str]:
    for remedy in remedies:
        yield from (change.note for change in remedy.changes)
        yield remedy.note


def _composed(remedies: Iterable[Remedy]) -> list[Composed] | None:
    homes: dict[type, dict[str, Change]] = {}
    for change in (change for remedy in remedies for change in remedy.changes):
        known = homes.setdefault(home_of(change), {})
        before = known.get(change.attribute)
        if before is None or change.width > before.width:
            known[change.attribute] = change
    found = []
    for cls, changes in homes.items():
        composed = compose(cls, changes.values())
        if composed is None:
            return None
        found.append(composed)
    return found


def _edited(file: str, edits: Sequence[Edit]) -> tuple[str, str]:
    text = read(file)
    after = laid_out(text, apply(text, edits), width_for(file))
    if after == text:
        raise CannotEdit(f"nothing changes in {file}")
    return text, after


def _methods(
    composed: Iterable[Composed], remedies: Iterable[Remedy], texts: Mapping[str, tuple[str, str]]
) -> dict[type, Mapping[str, Callable[..., Any]]]:
    wanted: dict[type, ClassFile] = {found.cls: found.place for found in composed}
    for cls, _ in (pair for remedy in remedies for pair in remedy.methods):
        place = class_file(cls)
        if place is not None:
            wanted[cls] = place
    imports: dict[str, list[str]] = {}
    for found in composed:
        imports.setdefault(found.place.file, []).extend(found.imports)
    for file, edit in (pair for remedy in remedies for pair in remedy.edits):
        if isinstance(edit, AddImports):
            imports.setdefault(file, []).extend(edit.statements)
    found_methods: dict[type, Mapping[str, Callable[..., Any]]] = {}
    for cls, place in wanted.items():
        if place.file in texts:
            methods = methods_in(texts[place.file][1], cls, place.qualname, imports.get(place.file, ()))
            found_methods[cls] = {name: function for name, function in methods.items() if name in METHODS}
    return found_methods

"""Paths as data: steps from a root to an object, joined to a Python expression once, at the edge.

A step carries the text that goes before and after the expression that it is applied to, so that joining a path of any
length is one pass: ``obj`` + ``.cache`` + ``list(...)[0]`` gives ``list(obj.cache)[0]``.
"""

from __future__ import annotations

import keyword
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

__all__ = [
    "Step",
    "attribute",
    "call",
    "fold",
    "index",
    "item",
    "join",
    "key",
    "raw_attribute",
    "raw_item",
    "repeat",
    "value",
]

_MAX_KEY_TEXT = 120
_PLAIN_KEYS = (str, int, bool, bytes, float, type(None))
# A cycle of steps is folded when a path is longer than this: Python's parser nests attribute chains only so deep.
FOLD_FROM = 60
_LONGEST_CYCLE = 12


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a path.

    Attributes:
        kind: "attribute", "item", "value", "key", "class", "cell", "call", or "repeat".
        after: the text behind the expression that the step is applied to.
        before: the text in front of it, for steps that wrap: ``list(`` in ``list(obj.d)[0]``.
        count: how often the cycle of a "repeat" goes round; 1 for all others.
        length: how many single steps it stands for.
    """

    kind: str
    after: str
    before: str = ""
    count: int = 1
    length: int = 1


def attribute(name: str) -> Step:
    """Give the step ``.name``, or ``.__dict__['name']`` where source cannot say the name."""
    if name.isidentifier() and not keyword.iskeyword(name) and unicodedata.normalize("NFKC", name) == name:
        return Step("class" if name == "__class__" else "cell" if name == "cell_contents" else "attribute", f".{name}")
    return Step("attribute", f".__dict__[{name!r}]")


def raw_attribute(name: str) -> Step:
    """Give the step to an attribute that ordinary access hides (a property or ``__getattribute__`` of that name)."""
    return Step("attribute", f", {name!r})", "object.__getattribute__(")


def index(*numbers: int) -> Step:
    """Give the step ``[1]``, or ``[1, 2]`` for an array of two dimensions."""
    return Step("item", f"[{', '.join(map(str, numbers))}]")


def item(mapping_key: object) -> Step | None:
    """Give the step ``['k']``; None where the key has no short literal that evaluates to it."""
    text = _literal(mapping_key)
    return None if text is None else Step("item", f"[{text}]")


def raw_item(base: str, number: int) -> Step:
    """Give the step to item `number` of a list or tuple subclass that overrides ``__getitem__``."""
    return Step("item", f", {number})", f"{base}.__getitem__(")


def value(number: int, base: str | None = None) -> Step:
    """Give the step to the value in place `number` of a dict whose key has no literal."""
    if base is None:
        return Step("value", f".values())[{number}]", "list(")
    return Step("value", f"))[{number}]", f"list({base}.values(")


def key(number: int, base: str | None = None) -> Step:
    """Give the step to the key of a dict, or member of a set, in place `number`."""
    if base is None:
        return Step("key", f")[{number}]", "list(")
    return Step("key", f"))[{number}]", f"list({base}.__iter__(")


def call(after: str, before: str = "") -> Step:
    """Give the step through a call of the reduce protocol, such as ``.__reduce_ex__(4)``."""
    return Step("call", after, before)


def join(root: str, steps: Sequence[Step]) -> str:
    """Join a root's name and steps to one expression.

    >>> join("obj", [attribute("cache"), key(0)])
    'list(obj.cache)[0]'
    """
    before = "".join([step.before for step in reversed(steps)])
    return before + root + "".join([step.after for step in steps])


def fold(steps: Sequence[Step]) -> list[tuple[Step, int]]:
    """Fold cycles of steps that repeat in a long path, so that its expression stays short and can be compiled.

    Returns:
        The steps that are left, each with the place in `steps` of the last one that it stands for.
    """
    if len(steps) <= FOLD_FROM:
        return [(step, at) for at, step in enumerate(steps)]
    folded: list[tuple[Step, int]] = []
    at = 0
    numbers: dict[Step, int] = {}
    alike = [numbers.setdefault(step, len(numbers)) for step in steps]
    while at < len(steps):
        cycle, count = _cycle_at(alike, at)
        step = steps[at]
        if count * cycle > FOLD_FROM // 2 and count > 2:
            step = repeat(steps[at : at + cycle], count)
        else:
            cycle, count = 1, 1
        at += cycle * count
        folded.append((step, at - 1))
    return folded


def repeat(cycle: Sequence[Step], count: int) -> Step:
    """Give the step that stands for a cycle of steps, taken so many times."""
    before = f"__import__('functools').reduce(lambda o, _: {join('o', cycle)}, range({count}), "
    return Step("repeat", ")", before, count, count * sum(step.length for step in cycle))


def _cycle_at(steps: Sequence[int], at: int) -> tuple[int, int]:
    """Give length and count of the cycle of steps that repeats from `at` and covers most; (1, 1) where none does."""
    best = (1, 1)
    for cycle in range(1, _LONGEST_CYCLE + 1):
        if best[1] > 1 and cycle % best[0] == 0:
            continue  # the same run, counted by twos or threes
        end = at + cycle
        while end < len(steps) and steps[end] == steps[end - cycle]:
            end += 1
        count = (end - at) // cycle
        if count > 1 and count * cycle > best[0] * best[1]:
            best = (cycle, count)
    return best


def _literal(mapping_key: Any, depth: int = 4) -> str | None:
    kind = type(mapping_key)
    if kind is tuple:
        if not depth or len(mapping_key) > _MAX_KEY_TEXT:
            return None
        parts = [_literal(part, depth - 1) for part in mapping_key]
        if any(part is None for part in parts):
            return None
        text = "(" + ", ".join(map(str, parts)) + (",)" if len(parts) == 1 else ")")
    elif not any(kind is plain for plain in _PLAIN_KEYS) or _is_long(mapping_key):
        return None
    else:
        text = repr(mapping_key)
    return text if len(text) <= _MAX_KEY_TEXT else None


def _is_long(mapping_key: Any) -> bool:
    """Tell whether a key of a plain type has a long text, or (nan, inf) one that does not evaluate to it."""
    if type(mapping_key) is float:
        return bool(mapping_key - mapping_key != 0)
    if type(mapping_key) is int:
        return mapping_key.bit_length() > 4 * _MAX_KEY_TEXT
    return mapping_key is not None and type(mapping_key) is not bool and len(mapping_key) > _MAX_KEY_TEXT

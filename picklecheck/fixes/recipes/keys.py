"""A dict whose values are different things: each is seen to under its key."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable

from picklecheck.fixes.base import Remedy
from picklecheck.fixes.recipes.case import Case, Spec
from picklecheck.fixes.recipes.shaping import guarded
from picklecheck.fixes.setting import Life

__all__ = ["by_key"]

Maker = Callable[[Case], "Spec | Remedy | None"]


def by_key(case: Case, maker_of: Callable[[object], Maker | None]) -> Remedy | None:
    """Give the change for all things in a dict; None where they are alike, so that one comprehension does.

    Args:
        case: a thing in a container.
        maker_of: gives the recipe for a thing by its type.
    """
    container = case.containers[0]
    if type(container) is not dict or len(case.containers) > 1:
        return None
    makers = {key: maker for key, held in container.items() if (maker := maker_of(held))}
    kinds = {type(container[key]) for key in makers}
    with_none = len(makers) < len(container) and any(held is None for held in container.values())
    if type(case.thing) not in kinds or (len(kinds) < 2 and not with_none):
        return None
    if not all(type(key) is str for key in makers):
        return None
    out, back, notes = [f"state[{case.key}] = dict({case.name})"], [], []
    for key, maker in makers.items():
        part = dataclasses.replace(
            case, thing=container[key], containers=(), whole=False, life=Life(), sub=f"[{json.dumps(key)}]"
        )
        found = maker(part)
        if found is None:
            return None
        if isinstance(found, Remedy):
            found = Spec(note=found.note)
        carried = found.out.format(x=part.name) or "None"
        out.append(f"state[{case.key}]{part.sub} = {carried}")
        back += _back(part, found)
        case.imports += found.imports
        notes.append(found.note)
    note = " ".join(filter(None, notes))
    lines = ("\n".join(back),) if back else ()
    return guarded(case, "\n".join(out), lines, Spec(note=note))


def _back(part: Case, spec: Spec) -> list[str]:
    made = spec.back.format(x=part.name)
    start = [f"carried = {part.name}"] if spec.after else []
    return [*start, *([f"{part.name} = {made}"] if made else []), *(line.format(x=part.name) for line in spec.after)]

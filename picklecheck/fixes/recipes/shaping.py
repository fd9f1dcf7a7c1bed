"""From what is carried for an attribute, and how it is made of that again, to a change of the state methods."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from typing import Any

from picklecheck import safe
from picklecheck.fixes.base import Change, Check, Remedy
from picklecheck.fixes.recipes.case import SETS, Case, Spec, items_of
from picklecheck.paths import attribute

__all__ = ["dropped", "guarded", "shaped", "under"]


def dropped(case: Case, why: str) -> Remedy | None:
    """Give the change that leaves the thing out: the attribute is None, or what holds it lacks it."""
    if case.containers:
        return _dropped_inside(case, why)
    if case.life.demand:
        why = ""
    note = f"{case.label} is None over there: {why}" if why else ""
    if case.life.demand == "absent":
        return _remedy(case, (f"state.pop({case.key}, None)",), (), Spec(checks=()))
    out = f"state[{case.key}] = None"
    if not case.life.always and not case.life.demand:
        out = f"if {case.key} in state:\n    {out}"
    checks = (Check(path=(attribute(case.spot.attribute),), type="NoneType"),)
    return _remedy(case, (out,), (), Spec(checks=checks, note=note))


def shaped(case: Case, spec: Spec) -> Remedy | None:
    """Give the change for a thing, or for the container whose items are such things."""
    if case.containers:
        return _inside(case, spec)
    if spec.lazy:
        return _lazily(case, spec)
    # braces of a dict or set display are doubled in the texts
    made = spec.back.format(x=case.name)
    plain = case.life.always and not case.life.nullable
    if not spec.out and not spec.after:
        return _made_again(case, spec, made)
    out = [line.format(x=case.name) for line in (*spec.before, f"state[{case.key}] = {spec.out}")]
    back = ([f"carried = {case.name}"] if spec.after else []) + ([f"{case.name} = {made}"] if made else [])
    back += [line.format(x=case.name) for line in spec.after]
    if not plain:
        there = f"{case.name} is not None" if case.life.always else f"state.get({case.key}) is not None"
        out = [under(f"if {there}:", out)]
        back = [under(f"if {there}:", back)] if back else []
    return _remedy(case, tuple(out), tuple(back), spec)


def _made_again(case: Case, spec: Spec, made: str) -> Remedy:
    """Give the change for a thing that is made of nothing that travels."""
    key, made = case.key, f"{case.name} = {made}"
    if spec.around:
        made = under(spec.around.format(x=case.name), [made])
    if case.life.always and not case.life.nullable:
        return _remedy(case, (f"del state[{key}]",), (made,), spec)
    if case.life.always and not spec.around:  # what travels is whether there is one
        return _remedy(case, (f"state[{key}] = {case.name} is not None",), (f"{made} if {case.name} else None",), spec)
    there = f"if state.get({key}) is not None:" if case.life.nullable else f"if {key} in state:"
    return _remedy(case, (under(there, [f"state[{key}] = True"]),), (under(f"if state.get({key}):", [made]),), spec)


def _lazily(case: Case, spec: Spec) -> Remedy | None:
    stored = case.spot.attribute
    taken = any(
        stored in safe.class_dict(base) or stored in (safe.class_dict(base).get("__annotations__") or {})
        for base in safe.mro(case.cls)
    )
    if taken or safe.dict_getter(case.cls) is None or safe.instance_dict(case.spot.owner) is None:
        return None
    out = f"state.pop({case.key}, None)"
    if case.life.nullable:
        out = under(f"if state.get({case.key}) is not None:", [f"del state[{case.key}]"])
    note = spec.note or f"{case.label} is made anew when it is first used."
    change = Change(
        cls=case.cls, attribute=stored, out=(out,), lazy=spec.back.format(x=case.name), note=note,
        imports=_imports(case, spec), order=spec.order,
    )  # fmt: skip
    return Remedy(changes=(change,), note=note)


def under(head: str, lines: list[str]) -> str:
    """Give statements under a line that ends in a colon."""
    inner = "\n".join(lines).replace("\n", "\n    ")
    return f"{head}\n    {inner}"


def _imports(case: Case, spec: Spec) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*case.imports, *spec.imports]))


def _remedy(case: Case, out: tuple[str, ...], back: tuple[str, ...], spec: Spec) -> Remedy:
    checks = spec.checks
    if checks is None:
        kind = spec.type or safe.qualified_name(type(case.spot.value))
        checks = (Check(path=(attribute(case.spot.attribute),), type=kind),)
    change = Change(
        cls=case.cls, attribute=case.spot.attribute, out=out, back=back, imports=_imports(case, spec),
        note=spec.note, order=spec.order or case.order, width=spec.width,
    )  # fmt: skip
    return Remedy(changes=(change,), checks=checks, note=spec.note)


# -- things in a container


def _alike(case: Case) -> bool:
    return all(type(part) is type(case.thing) for part in items_of(case.containers[0]))


def _can_go_inside(case: Case) -> bool:
    """Tell whether the things are the items of one container: its values, where that is a dict."""
    container = case.containers[0]
    if len(case.containers) > 1:
        return False
    return any(part is case.thing for part in items_of(container)) and type(container) is not defaultdict


def _inside(case: Case, spec: Spec) -> Remedy | None:
    """Give the change that carries the items one by one, and leaves others as they are."""
    if not _can_go_inside(case) or spec.before or spec.after or spec.lazy:
        return None
    container, test = case.containers[0], ""
    if not _alike(case):
        nothing = any(part is None for part in items_of(container))
        if not spec.test or (spec.back and (spec.out or nothing)):
            return None  # what was carried could not be told from the others
        test = spec.test.format(x="each")
    carried = spec.out.format(x="each") or "None"
    out = _each(case, f"{carried} if {test} else each" if test else carried, list if _is_set(container) else None)
    back = spec.back.format(x="each")
    if back and test:
        back = f"{back} if each is None else each"
    lines: tuple[str, ...] = ()
    if back or _is_set(container):
        lines = (f"{case.name} = {_each(case, back or 'each', None)}",)
    return guarded(case, f"state[{case.key}] = {out}", lines, spec)


def _dropped_inside(case: Case, why: str) -> Remedy | None:
    if not _can_go_inside(case) or _is_set(case.containers[0]):
        return None
    container = case.containers[0]
    note = f"{case.label} holds none of them over there: {why}"
    if _alike(case):
        if not any(type(container) is kind for kind in (list, tuple, dict)):
            return None
        kept = "{}"
        if type(container) is not dict:
            kept, note = f"[None] * len({case.name})", f"{case.label} holds None in their place over there: {why}"
            kept = f"tuple({kept})" if type(container) is tuple else kept
        return guarded(case, f"state[{case.key}] = {kept}", (), Spec(note=note))
    module, name = safe.module_of(type(case.thing)), safe.qualname_of(type(case.thing))
    if module is None or "." in name:
        return None
    kind = case.spell(module, name)
    if type(container) is dict:
        kept = f"{{key: each for key, each in {case.name}.items() if not isinstance(each, {kind})}}"
    else:
        kept = _each(case, f"None if isinstance(each, {kind}) else each", None)
        note = f"{case.label} holds None in their place over there: {why}"
    return guarded(case, f"state[{case.key}] = {kept}", (), Spec(note=note))


def guarded(case: Case, out: str, back: tuple[str, ...], spec: Spec) -> Remedy:
    """Give the change of these statements, for instances that have the attribute."""
    if not case.life.always or case.life.nullable:
        there = f"{case.name} is not None" if case.life.always else f"state.get({case.key}) is not None"
        out = under(f"if {there}:", [out])
        back = tuple(under(f"if {there}:", [line]) for line in back)
    return _remedy(case, (out,), back, spec)


def _is_set(container: Any) -> bool:
    return any(type(container) is kind for kind in SETS)


def _each(case: Case, expression: str, kind: type | None) -> str:
    """Give the comprehension over the container's items, of the container's kind or another."""
    kind = kind or type(case.containers[0])
    name = case.name
    if kind is dict or kind is OrderedDict:
        text = f"{{key: {expression} for key, each in {name}.items()}}"
        return text if kind is dict else f"{case.spell('collections', 'OrderedDict')}({text})"
    if kind is list:
        return f"[{expression} for each in {name}]"
    if kind is set:
        return f"{{{expression} for each in {name}}}"
    if kind is deque:
        maxlen = f", {name}.maxlen" if case.containers[0].maxlen is not None else ""
        return f"{case.spell('collections', 'deque')}([{expression} for each in {name}]{maxlen})"
    return f"{kind.__name__}({expression} for each in {name})"

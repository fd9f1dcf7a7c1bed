"""Weak references: the object behind one travels as itself, and the reference is made again."""

from __future__ import annotations

import re
import weakref
from typing import Any

from picklecheck import safe
from picklecheck.fixes.base import Change, Check, Remedy
from picklecheck.fixes.recipes.case import Case, Spec
from picklecheck.fixes.recipes.shaping import dropped, guarded
from picklecheck.fixes.spelling import stored_name
from picklecheck.paths import attribute, call

__all__ = ["inside", "proxy", "reference", "weak_dict", "weak_key_dict", "weak_method", "weak_set"]

_GONE = "what it refers to is not part of what is sent"
_REF = weakref.ReferenceType
# A copy of what has one of these may do more than be a copy.
_OWN_COPY = (
    "__copy__", "__reduce__", "__reduce_ex__", "__getnewargs__", "__getnewargs_ex__", "__getstate__", "__setstate__",
    "__setattr__", "__del__",
)  # fmt: skip


def reference(case: Case) -> Spec | Remedy | None:
    """Carry the target of a `weakref.ref`."""
    thing = case.thing
    if type(thing) is not _REF:
        return case.from_source()
    target = _REF.__call__(thing)
    if case.containers:
        return _references(case)
    if target is None or not _goes(case, target):
        return dropped(case, "what it referred to is gone." if target is None else f"{_GONE}.")
    ref = case.spell("weakref", "ref")
    callback = thing.__callback__
    back, note = f"{ref}({{x}})", ""
    imports: tuple[str, ...] = ()
    if callback is not None:
        found = case.source()
        text = _callback_text(found.text) if found else None
        if found and text:
            text, imports = text.replace("{", "{{").replace("}", "}}"), found.imports
            back = f"{ref}({{x}}, {text})"
        else:
            note = f"{case.label} has no callback over there."
    path = (attribute(case.spot.attribute),)
    checks = (
        Check(path=path, type="weakref.ReferenceType", calls=False),
        Check(path=path, calls=True, same=target),
    )
    return Spec(out="{x}()", back=back, note=note, imports=imports, checks=checks)


def inside(case: Case) -> Spec | Remedy | None:
    """Make what holds a reference as the source does, or carry a copy of it that holds the reference's target.

    A method of something that travels (``self.network.register_forward_hook(check)``) is not called again: what it did
    has travelled.
    """
    note = f"{case.label} is made anew over there, as it was at first."
    found = case.from_source(note)
    called = re.match(r"self\.(\w+)[\w.]*\.\w+\(", found.back) if found else None
    holder = _attributes(case.spot.owner).get(stored_name(called[1], case.home)) if called else None
    if found and (holder is None or not case.spot.travels(holder)):
        return found
    return _copied(case) or found


def _attributes(obj: object) -> dict[str, Any]:
    return {**dict(safe.members(obj)), **(safe.instance_dict(obj) or {})}


def _copied(case: Case) -> Remedy | None:
    thing, cls = case.thing, type(case.thing)
    held = safe.instance_dict(thing) or {}
    names = [name for name, value in held.items() if type(value) is _REF]
    own = any(safe.find_in_class(cls, name) is not safe.find_in_class(object, name) for name in _OWN_COPY)
    if case.containers or own or not (safe.plain_access(cls) and names and all(map(str.isidentifier, names))):
        return None
    targets = {name: _REF.__call__(held[name]) for name in names}
    if any(target is None or not _goes(case, target) or held[name].__callback__ for name, target in targets.items()):
        return None
    case.imports.clear()
    copied, ref = case.spell("copy", "copy"), case.spell("weakref", "ref")
    out = [f"state[{case.key}] = {copied}({case.name})"]
    out += [f"state[{case.key}].{name} = {case.name}.{name}()" for name in names]
    back = [f"{case.name}.{name} = {ref}({case.name}.{name})" for name in names]
    path = attribute(case.spot.attribute)
    checks = [Check(path=(path, attribute(name)), calls=True, same=target) for name, target in targets.items()]
    made = guarded(case, "\n".join(out), ("\n".join(back),), Spec())
    return Remedy(changes=made.changes, checks=tuple(checks))


def _callback_text(text: str) -> str | None:
    import ast

    node: Any = ast.parse(text, mode="eval").body
    called = isinstance(node, ast.Call) and len(node.args) == 2 and not node.keywords
    return ast.get_source_segment(text, node.args[1]) if called else None


def _goes(case: Case, target: Any) -> bool:
    """Tell whether it travels with the owner, or by its name."""
    return target is case.spot.owner or case.spot.travels(target) or safe.is_class(target) or safe.name_of(target) != ""


def _references(case: Case) -> Remedy | None:
    """Carry the targets of the references that a container holds; those that are gone are left out."""
    container = case.containers[0]
    kind: Any = type(container)
    name = case.name
    if len(case.containers) > 1 or kind not in (list, tuple, set, frozenset, dict):
        return None
    items = list(container.values()) if kind is dict else list(container)
    if not all(type(item) is _REF or type(item) is weakref.WeakMethod for item in items):
        return None
    targets = [_target(item) for item in items]
    if not any(target is not None and _goes(case, target) for target in targets):
        empty = {list: "[]", tuple: "()", dict: "{}"}.get(kind, f"{kind.__name__}()")
        note = f"{case.label} is empty over there: {_GONE.replace('it refers', 'its references refer')}."
        return _change(case, f"state[{case.key}] = {empty}", (), note)
    made = _again(case, "each", methods=any(type(item) is weakref.WeakMethod for item in items))
    if kind is dict:
        out = f"{{key: ref() for key, ref in {name}.items() if ref() is not None}}"
        back = f"{{key: {made} for key, each in {name}.items()}}"
    else:
        out = f"[ref() for ref in {name} if ref() is not None]"
        body = f"{made} for each in {name}"
        back = {list: f"[{body}]", set: f"{{{body}}}"}.get(kind, f"{kind.__name__}({body})")
    return _change(case, f"state[{case.key}] = {out}", (f"{name} = {back}",), "")


def _target(item: Any) -> Any:
    """Give what must travel for a reference: of a method its object."""
    if type(item) is weakref.WeakMethod:
        method = weakref.WeakMethod.__call__(item)
        return None if method is None else method.__self__
    return _REF.__call__(item)


def _again(case: Case, name: str, *, methods: bool) -> str:
    """Give the expression that makes a reference; bound methods need one of their own."""
    ref = f"{case.spell('weakref', 'ref')}({name})"
    if not methods:
        return ref
    weak, kind = case.spell("weakref", "WeakMethod"), case.spell("types", "MethodType")
    return f"{weak}({name}) if isinstance({name}, {kind}) else {ref}"


def _change(case: Case, out: str, back: tuple[str, ...], note: str) -> Remedy:
    if not case.life.always or case.life.nullable:
        there = f"{case.name} is not None" if case.life.always else f"state.get({case.key}) is not None"
        out = f"if {there}:\n    {out}"
        back = tuple(f"if {there}:\n    {line}" for line in back)
    change = Change(
        cls=case.cls, attribute=case.spot.attribute, out=(out,), back=back, note=note, order=case.order,
        imports=tuple(case.imports),
    )  # fmt: skip
    checks = (Check(path=(attribute(case.spot.attribute),), type=safe.qualified_name(type(case.spot.value))),)
    return Remedy(changes=(change,), checks=checks, note=note)


def weak_method(case: Case) -> Spec | Remedy | None:
    """Carry the bound method; where it may be a plain reference in other instances, both are made again."""
    if type(case.thing) is not weakref.WeakMethod:
        return None
    if case.containers:
        return _references(case)
    target = _target(case.thing)
    if target is None or not _goes(case, target):
        return dropped(case, "the object of its method is not part of what is sent.")
    return Spec(out="{x}()", back=_again(case, "{x}", methods=True), width=1)


def weak_set(case: Case) -> Spec | Remedy | None:
    """Carry the members."""
    members = [target for ref in list(case.thing.data) if (target := _REF.__call__(ref)) is not None]
    return _collection(case, "WeakSet", "list({x})", members)


def weak_dict(case: Case) -> Spec | Remedy | None:
    """Carry the values that are alive."""
    members = [target for ref in list(case.thing.data.values()) if (target := _REF.__call__(ref)) is not None]
    return _collection(case, "WeakValueDictionary", "dict({x})", members)


def weak_key_dict(case: Case) -> Spec | Remedy | None:
    """Carry the pairs whose keys are alive: as pairs, since a key may not have its hash yet when it is loaded."""
    members = [target for ref in list(case.thing.data) if (target := _REF.__call__(ref)) is not None]
    return _collection(case, "WeakKeyDictionary", "list({x}.items())", members)


def _collection(case: Case, name: str, out: str, members: list[Any]) -> Spec | None:
    if safe.qualified_name(type(case.thing)) != f"weakref.{name}" and name != "WeakSet":
        return None
    made = case.spell("weakref", name)
    if any(_goes(case, member) for member in members):
        return Spec(out=out, back=f"{made}({{x}})")
    note = f"{case.label} is empty over there: nothing else that is sent holds its members." if members else ""
    return Spec(back=f"{made}()", note=note)


def proxy(case: Case) -> Spec | Remedy | None:
    """Carry the object behind a proxy."""
    try:
        target = case.thing.__init__.__self__
    except (ReferenceError, AttributeError):
        return dropped(case, "what it referred to is gone.")
    if not _goes(case, target):
        return dropped(case, f"{_GONE}.")
    made = case.spell("weakref", "proxy")
    name = case.spot.attribute
    same = Check(path=(attribute(name), call(".__init__.__self__")), same=target)
    return Spec(out="{x}.__init__.__self__", back=f"{made}({{x}})", checks=(same,))

"""What is looked at once an object has arrived, and how it is told when it is not as it should be."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from picklecheck.receiver.guards import Lost
from picklecheck.receiver.told import told
from picklecheck.safe import qualified_name

__all__ = ["missed"]

_MAIN = "__mp_main__."  # what a child calls the main module


def missed(root: Any, checks: Iterable[dict[str, Any]]) -> list[str]:
    """Tell which checks an object does not pass, in a sentence for each.

    A check that leads through something that only stands in for what cannot be made in a trial counts as passed; one
    that ends at such a thing does not: it was made anew from what was left out.

    Args:
        root: the object, by which the expressions know it.
        checks: for each `path`: an expression; `calls`: whether its value is called, as a weak reference is;
            `type`: the full name of the type that it must have, or None; `same`: an expression whose value it must be.
    """
    sentences = []
    for check in checks:
        if _begins_lost(root, check["path"]):
            sentences.append(f"{check['path']} depends on what is left out")
            continue
        sentence = _missed(root, check)
        if sentence is not None and not _leads_through_lost(root, check):
            sentences.append(sentence)
    return sentences


class _Unreadable(Exception):
    """An expression has no value; the text says so."""


def _missed(root: Any, check: dict[str, Any]) -> str | None:
    try:
        name, value = check["path"], _value(check["path"], root)
        if check.get("calls"):
            name, value = f"{name}()", _called(name, value)
        if type(value) is Lost:
            return None
        wanted, other = check.get("type"), check.get("same")
        if wanted is not None and _type_of(value) != _as_here(wanted):
            return f"{name} is {_with_article(_type_of(value))}, not {_with_article(_as_here(wanted))}"
        if other is not None and _value(other, root) is not value:
            return f"{name} is not {other}"
    except _Unreadable as unreadable:
        return str(unreadable)
    return None


def _value(expression: str, root: Any) -> Any:
    try:
        return eval(expression, {"root": root})
    except BaseException as error:
        raise _Unreadable(f"{expression} cannot be read: {_text(error)}") from None


def _called(name: str, value: Any) -> Any:
    try:
        return value()
    except BaseException as error:
        raise _Unreadable(f"{name} cannot be called: {_text(error)}") from None


def _text(error: BaseException) -> str:
    said = told(error)
    words = " ".join(said["text"].split())
    return f"{said['type']}: {words}".rstrip(": ")


def _type_of(value: Any) -> str:
    return _as_here(qualified_name(type(value)))


def _as_here(name: str) -> str:
    return f"__main__.{name.removeprefix(_MAIN)}" if name.startswith(_MAIN) else name


def _with_article(name: str) -> str:
    return f"{'an' if name[:1] in 'aeiouAEIOU' else 'a'} {name}"


def _begins_lost(root: Any, path: str) -> bool:
    """Tell whether a stand-in is what an attribute or item of something real holds."""
    try:
        node = ast.parse(path, mode="eval").body
    except SyntaxError:
        return False
    if not isinstance(node, ast.Attribute | ast.Subscript) or type(_value_of_part(node, root)) is not Lost:
        return False
    return type(_value_of_part(node.value, root)) is not Lost


def _leads_through_lost(root: Any, check: dict[str, Any]) -> bool:
    return any(_meets_lost(check[key], root) for key in ("path", "same") if check.get(key) is not None)


def _meets_lost(expression: str, root: Any) -> bool:
    """Tell whether a part of an expression has a stand-in as its value."""
    try:
        parts = [node for node in ast.walk(ast.parse(expression, mode="eval")) if isinstance(node, ast.expr)]
    except SyntaxError:
        return False
    return any(type(_value_of_part(part, root)) is Lost for part in parts)


def _value_of_part(part: ast.expr, root: Any) -> Any:
    try:
        return eval(compile(ast.Expression(part), "<check>", "eval"), {"root": root})
    except BaseException:  # no value of its own: the target of a comprehension; or it is what has failed
        return None

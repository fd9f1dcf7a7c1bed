"""Lambdas that only make something are as good as the class that makes it: ``defaultdict(lambda: 0)``."""

from __future__ import annotations

import ast
import builtins
import functools
import types
from typing import Any

from picklecheck.fixes.base import Remedy, Replace
from picklecheck.fixes.code import Function, Source
from picklecheck.fixes.moving import IMPORT, can_import_functools
from picklecheck.fixes.scopes import is_fixed
from picklecheck.safe import instance_dict

__all__ = ["as_factory"]

_KEYWORDS = ("default_factory", "factory")
_EMPTY: tuple[tuple[str, type], ...] = (("elts", list), ("keys", dict))
_NOTHING = object()


def as_factory(function: types.FunctionType, source: Source, node: Function, module: str) -> Remedy | None:
    """Put the class in the place of a lambda without parameters that is given as a factory."""
    if not isinstance(node, ast.Lambda) or function.__code__.co_freevars or not _is_given_as_factory(source, node):
        return None
    if any(True for part in ast.walk(node.args) if isinstance(part, ast.arg)):
        return None
    text, made = _maker(source, node, function.__globals__)
    if made is _NOTHING:
        return None
    line, column, end_line, end_column = source.span(node)
    edit = Replace(line=line, column=column, end_line=end_line, end_column=end_column, text=text)
    edits: tuple[Any, ...] = (edit, IMPORT) if text.startswith("functools.partial(") else (edit,)
    return Remedy(edits=tuple((source.file, edit) for edit in edits), replaces=((function, made),))


def _is_given_as_factory(source: Source, node: ast.Lambda) -> bool:
    around = source.parents[node]
    if isinstance(around, ast.keyword):
        return around.arg in _KEYWORDS
    if not isinstance(around, ast.Call) or not around.args or around.args[0] is not node:
        return False
    name = around.func.attr if isinstance(around.func, ast.Attribute) else getattr(around.func, "id", "")
    return name == "defaultdict"


def _maker(source: Source, node: ast.Lambda, namespace: dict[str, Any]) -> tuple[str, Any]:
    """Give the expression that does for the lambda, and what it is now."""
    kind = _empty_kind(node.body)
    if kind is not None:
        usual = kind.__name__ not in source.bound and kind.__name__ not in namespace
        return (kind.__name__, kind) if usual else ("", _NOTHING)
    call = node.body
    if not isinstance(call, ast.Call) or _in_class_body(source, node):
        return "", _NOTHING
    func = _value(call.func, namespace)
    args = [_value(arg, namespace) for arg in call.args]
    keywords = {word.arg: _value(word.value, namespace) for word in call.keywords if word.arg}
    if any(value is _NOTHING for value in (func, *args, *keywords.values())) or len(keywords) != len(call.keywords):
        return "", _NOTHING
    if not args and not keywords:
        return source.text(call.func), func
    if not can_import_functools(source, node):
        return "", _NOTHING
    parts = [source.text(call.func), *map(source.text, call.args)]
    parts += [f"{word.arg}={source.text(word.value)}" for word in call.keywords]
    return f"functools.partial({', '.join(parts)})", functools.partial(func, *args, **keywords)


def _empty_kind(body: ast.expr) -> type | None:
    if isinstance(body, ast.Constant):
        kinds = (int, str, float, bool, bytes, complex)
        return next((kind for kind in kinds if type(body.value) is kind and _is_zero(body.value)), None)
    if isinstance(body, ast.List | ast.Tuple) and not body.elts:
        return list if isinstance(body, ast.List) else tuple
    return dict if isinstance(body, ast.Dict) and not body.keys else None


def _is_zero(value: Any) -> bool:
    return not value


def _value(node: ast.expr, namespace: dict[str, Any]) -> Any:
    """Give what a name of the module, an attribute of a module in it, or a constant stands for."""
    if is_fixed(node) and isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return dict.get(namespace, node.id, vars(builtins).get(node.id, _NOTHING))
    if isinstance(node, ast.Attribute):
        holder = _value(node.value, namespace)
        return (instance_dict(holder) or {}).get(node.attr, _NOTHING) if type(holder) is types.ModuleType else _NOTHING
    return _NOTHING


def _in_class_body(source: Source, node: ast.AST) -> bool:
    for around in source.above(node):
        if isinstance(around, ast.ClassDef):
            return True
        if isinstance(around, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            return False
    return False

"""Lambdas, and functions made inside others: they get a name at the top level of their module."""

from __future__ import annotations

import ast
import sys
import types
from typing import Any

from picklecheck.fixes.base import AddDecorator, Edit, Named, Recipe, Remedy, Replace, Spot
from picklecheck.fixes.code import Function, Source, find_function, source_of
from picklecheck.fixes.moving import IMPORT, can_import_functools, move, plain_lines, stand_in
from picklecheck.fixes.recipes.factories import as_factory
from picklecheck.fixes.scopes import NEVER, bindings, frozen, module_binding, new_name
from picklecheck.kinds.names import look_up
from picklecheck.safe import class_dict, instance_dict, is_class, name_of, plain_text

__all__ = ["RECIPES", "in_place", "name_function", "split_decorated"]

_MAX_NESTED = 20


def name_function(spot: Spot) -> Remedy | None:
    """Give a lambda or a local function a name at the top level of its module."""
    if type(spot.obj) is not types.FunctionType:
        return None
    return _named(spot.obj, [])


def _named(function: types.FunctionType, done: list[Any]) -> Remedy | None:
    """Name a function, and those that it closes over; `done` is what has been named on the way to it."""
    source = source_of(function)
    node = find_function(source, function.__code__) if source else None
    module = plain_text(dict.get(function.__globals__, "__name__"))
    if source is None or node is None or not module:
        return None
    for way in (as_factory, _as_statement, _with_name_of_wrapped):
        if (remedy := way(function, source, node, module)) is not None:
            return remedy
    return _moved(function, source, node, module, done)


def in_place(source: Source, node: ast.AST, text: str) -> Replace:
    """Give the edit that puts another text in the place of an expression or a statement."""
    line, column, end_line, end_column = source.span(node)
    return Replace(line=line, column=column, end_line=end_line, end_column=end_column, text=text)


def _moved(function: types.FunctionType, source: Source, node: Function, module: str, done: list[Any]) -> Remedy | None:
    name = new_name(source, node, function.__globals__)
    moved = None
    if isinstance(node, ast.Lambda) or (not node.decorator_list and not _is_method_like(source, node)):
        moved = move(source, node, name, function.__code__.co_freevars)
    pairs = stand_in(function, moved, module) if moved else None
    inner = _closed_over(function, [*done, function])
    if moved is None or pairs is None or inner is None:
        return None
    text = moved.reference if isinstance(node, ast.Lambda) else f"{node.name} = {moved.reference}"
    edits: list[Edit] = [*moved.edits, in_place(source, node, text)]
    return Remedy(
        edits=(*((source.file, edit) for edit in edits), *(edit for remedy in inner for edit in remedy.edits)),
        replaces=(*pairs, *(pair for remedy in inner for pair in remedy.replaces)),
        note=moved.note,
    )


def _closed_over(function: types.FunctionType, done: list[Any]) -> list[Remedy] | None:
    """Give what names the functions that a function closes over; None where one of them cannot be named."""
    remedies = []
    for cell in function.__closure__ or ():
        try:
            held = cell.cell_contents
        except ValueError:
            return None
        if any(held is known for known in done) or type(held) is not types.FunctionType:
            continue
        seen = look_up(held)
        if seen is not None and seen.found is not held:
            remedy = _named(held, done) if len(done) < _MAX_NESTED else None
            if remedy is None:
                return None
            remedies.append(remedy)
    return remedies


def _is_method_like(source: Source, node: Any) -> bool:
    """Tell whether a class may hold the function, which then would be given its instances."""
    outer = next((around for around in source.above(node) if isinstance(around, ast.stmt)), None)
    if isinstance(outer, ast.ClassDef):
        return True
    names = {around.name for around in source.above(node) if isinstance(around, ast.FunctionDef)}
    decorators = (
        part
        for cls in ast.walk(source.tree) if isinstance(cls, ast.ClassDef)
        for method in cls.body if isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef)
        for decorator in method.decorator_list for part in ast.walk(decorator)
    )  # fmt: skip
    return any(isinstance(part, ast.Name) and part.id in names for part in decorators)


def _as_statement(function: types.FunctionType, source: Source, node: Function, module: str) -> Remedy | None:
    """Make a ``def`` of ``name = lambda ...`` at the top level of a module or of a class in it."""
    assign = source.parents[node]
    if not isinstance(node, ast.Lambda) or not isinstance(assign, ast.Assign) or len(assign.targets) != 1:
        return None
    target, scope = assign.targets[0], _scope(source, assign)
    if not isinstance(target, ast.Name) or scope is None or len(bindings(scope, target.id)) != 1:
        return None
    qualname = target.id
    if isinstance(scope, ast.ClassDef):
        if module_binding(source, scope.name) is not scope or target.id.startswith("__"):
            return None
        qualname = f"{scope.name}.{target.id}"
    elif module_binding(source, target.id) is None:
        return None
    moved = move(source, node, target.id, ()) if all(map(_is_plain, _defaults(node))) else None
    if _found(module, qualname) is not function or moved is None or moved.bound:
        return None
    edit = in_place(source, assign, moved.insert.text)
    return Remedy(edits=((source.file, edit),), replaces=((function, Named(module, qualname)),))


def _defaults(node: Function) -> list[ast.expr]:
    return [default for default in (*node.args.defaults, *node.args.kw_defaults) if default is not None]


def _is_plain(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant)


def _scope(source: Source, statement: ast.AST) -> ast.Module | ast.ClassDef | None:
    """Give the module or the top-level class that a statement runs in."""
    for around in source.above(statement):
        if isinstance(around, ast.Module):
            return around
        if isinstance(around, ast.ClassDef):
            return around if isinstance(source.parents[around], ast.Module) else None
        if not isinstance(around, ast.If | ast.Try):
            return None
    return None


def _found(module: str | None, qualname: str) -> Any:
    """Give what pickle finds under a name now."""
    found: Any = sys.modules.get(module or "")
    for part in qualname.split("."):
        space = class_dict(found) if is_class(found) else instance_dict(found)
        found = (space or {}).get(part)
    return found.__func__ if type(found) in (staticmethod, classmethod) else found


def _with_name_of_wrapped(function: types.FunctionType, source: Source, node: Function, module: str) -> Remedy | None:
    """Give the wrapper that a decorator made the name of the function that it stands in for."""
    if isinstance(node, ast.Lambda) or node.decorator_list or not can_import_functools(source, node):
        return None
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            wrapped = cell.cell_contents
        except ValueError:
            continue
        if type(wrapped) is not types.FunctionType or frozen(source, node, name) == NEVER:
            continue
        home, qualname = plain_text(wrapped.__module__), name_of(wrapped)
        if wrapped is not function and _found(home, qualname) is function:
            edit = AddDecorator(line=node.lineno, text=f"functools.wraps({name})")
            pairs = ((function, Named(home, qualname)),)
            return Remedy(edits=((source.file, edit), (source.file, IMPORT)), replaces=pairs)
    return None


def split_decorated(spot: Spot) -> Remedy | None:
    """Give the function that a decorator has hidden a name of its own."""
    function = spot.obj
    source = source_of(function) if type(function) is types.FunctionType else None
    node: Any = find_function(source, function.__code__) if source else None
    module = plain_text(dict.get(function.__globals__, "__name__")) if source else ""
    if source is None or node is None or isinstance(node, ast.Lambda) or len(node.decorator_list) != 1:
        return None
    if not isinstance(source.parents[node], ast.Module) or module_binding(source, node.name) is not node:
        return None
    if name_of(function) != node.name or _found(module, node.name) is function:
        return None
    name, public = new_name(source, node, function.__globals__), node.name
    line, _, end_line, _ = source.span(node)
    taken = plain_lines(source.lines[line - 1 : end_line], "", source)
    taken[0] = taken[0].replace(f"def {public}", f"def {name}", 1)
    if f"def {name}" not in taken[0]:
        return None
    decorated = f"{public} = {source.text(node.decorator_list[0])}({name})"
    named = f'{public}.__name__ = {public}.__qualname__ = "{public}"'
    text = "\n".join([*taken, "", "", decorated, named])
    return Remedy(edits=((source.file, in_place(source, node, text)),), replaces=((function, Named(module, name)),))


RECIPES: dict[str, tuple[Recipe, ...]] = {
    "lambda": (name_function,),
    "local-function": (name_function,),
    "shadowed-function": (split_decorated, name_function),
}

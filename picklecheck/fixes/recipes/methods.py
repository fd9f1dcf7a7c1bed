"""Methods that an instance holds under a name by which they are not found: bound by hand, or wrapped in a cache."""

from __future__ import annotations

import ast
import builtins
import types
from typing import Any

from picklecheck import source as places
from picklecheck.fixes.base import Change, Edit, Insert, Named, Recipe, Remedy, Spot
from picklecheck.fixes.code import Source, find_function, source_of, source_of_path
from picklecheck.fixes.moving import move, plain_lines
from picklecheck.fixes.recipes.functions import in_place
from picklecheck.fixes.scopes import bindings, is_known_before, module_binding, new_name
from picklecheck.kinds.names import look_up
from picklecheck.safe import instance_dict, plain_text, type_name

__all__ = ["RECIPES", "cache_anew", "move_cached", "name_cached", "rebind"]


def rebind(spot: Spot) -> Remedy | None:
    """Send the function of a method that an instance holds, and bind it to the instance over there."""
    method, attribute = spot.obj, spot.attribute
    if type(method) is not types.MethodType or spot.rest or not _can_be_said(attribute):
        return None
    if method.__self__ is not spot.owner or spot.cls is None:
        return None
    change = Change(
        cls=spot.cls,
        attribute=attribute,
        out=(f'state["{attribute}"] = self.{attribute}.__func__',),
        back=(f"self.{attribute} = types.MethodType(self.{attribute}, self)",),
        imports=("import types",),
    )
    return Remedy(changes=(change,))


def cache_anew(spot: Spot) -> Remedy | None:
    """Wrap a method of the instance in an empty cache over there, as the constructor does here."""
    attribute, cls = spot.attribute, spot.cls
    if cls is None or spot.rest or type_name(spot.obj) != "_lru_cache_wrapper" or not _can_be_said(attribute):
        return None
    found = _setting(cls, attribute)
    if found is None:
        return None
    source, statement, receiver = found
    says = _ways(source, statement.value, receiver, attribute)
    if says is None:
        return None
    out, back = says
    change = Change(
        cls=cls, attribute=attribute, out=(out,), back=back, order=statement.lineno,
        note=f"The cache of .{attribute} is empty.",
    )  # fmt: skip
    return Remedy(changes=(change,))


def _ways(source: Source, value: ast.expr, receiver: str, attribute: str) -> tuple[str, tuple[str, ...]] | None:
    """Give what takes the cache out of the state, and what makes it anew: as it is made, or with its parameters."""
    if _is_known(source, value, receiver):
        return f'del state["{attribute}"]', (f"self.{attribute} = {_said(source, value, receiver)}",)
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Call) or len(value.args) != 1:
        return None
    maker, method = value.func.func, value.args[0]
    if not _is_known(source, maker, receiver) or not _is_known(source, method, receiver):
        return None
    made = _said(source, maker, receiver)
    if made.rpartition(".")[2] != "lru_cache":
        return None
    anew = f'self.{attribute} = {made}(**state["{attribute}"])({_said(source, method, receiver)})'
    return f'state["{attribute}"] = self.{attribute}.cache_parameters()', (f"del self.{attribute}", anew)


def _can_be_said(attribute: str) -> bool:
    return attribute.isidentifier()


def _setting(cls: type, attribute: str) -> tuple[Source, ast.Assign, str] | None:
    """Find the statement that sets the attribute: source, statement, the instance's name there."""
    place = places.where_set(cls, attribute)
    source = source_of_path(place.file) if place else None
    if source is None or place is None:
        return None
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.Assign) or node.lineno != place.line or len(node.targets) != 1:
            continue
        target = node.targets[0]
        method = next((one for one in source.above(node) if isinstance(one, ast.FunctionDef)), None)
        if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and method and method.args.args:
            receiver = method.args.args[0].arg
            return (source, node, receiver) if target.value.id == receiver else None
    return None


def _said(source: Source, value: ast.expr, receiver: str) -> str:
    """Give the source of an expression for a method whose instance is `self`."""
    if value.lineno == value.end_lineno and receiver == "self":
        return source.text(value)
    renamed = ast.parse(ast.unparse(value), mode="eval").body
    for part in ast.walk(renamed):
        if isinstance(part, ast.Name) and part.id == receiver:
            part.id = "self"
    return ast.unparse(renamed)


def _is_known(source: Source, value: ast.expr, receiver: str) -> bool:
    """Tell whether an expression uses nothing but the instance, builtins and what its module has."""
    names = {part.id for part in ast.walk(value) if isinstance(part, ast.Name)} - {receiver}
    if any(isinstance(part, ast.Lambda | ast.Await | ast.Yield | ast.NamedExpr) for part in ast.walk(value)):
        return False
    around = [one for one in source.above(value) if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)]
    if any(bindings(scope, name) for scope in around for name in names):
        return False
    return all(bindings(source.tree, name) or hasattr(builtins, name) for name in names)


def name_cached(spot: Spot) -> Remedy | None:
    """Have ``fast = functools.lru_cache(slow)`` carry the name of its variable."""
    seen = look_up(spot.obj)
    space = instance_dict(spot.obj)
    if type_name(spot.obj) != "_lru_cache_wrapper" or seen is None or not seen.alias or not seen.module:
        return None
    function: Any = dict.get(space or {}, "__wrapped__")
    source = source_of(function) if type(function) is types.FunctionType else None
    name = module_binding(source, seen.alias) if source else None
    if source is None or not isinstance(name, ast.Name) or function.__globals__["__name__"] != seen.module:
        return None
    text = f'{seen.alias}.__qualname__ = "{seen.alias}"'
    edit = Insert(line=source.top(name).lineno, text=text, after=True)
    return Remedy(edits=((source.file, edit),), replaces=((spot.obj, Named(seen.module, seen.alias)),))


def move_cached(spot: Spot) -> Remedy | None:
    """Put a function with a cache from inside another function at the top level."""
    function: Any = dict.get(instance_dict(spot.obj) or {}, "__wrapped__")
    if type_name(spot.obj) != "_lru_cache_wrapper" or type(function) is not types.FunctionType:
        return None
    source = source_of(function)
    node: Any = find_function(source, function.__code__) if source else None
    if source is None or node is None or isinstance(node, ast.Lambda) or len(node.decorator_list) != 1:
        return None
    around = [one for one in source.above(node) if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)]
    decorator, line = node.decorator_list[0], source.top(node).lineno
    names = {part.id for part in ast.walk(decorator) if isinstance(part, ast.Name)}
    if not around or any(bindings(scope, name) for scope in around for name in names):
        return None
    name = new_name(source, node, function.__globals__)
    moved = move(source, node, name, function.__code__.co_freevars)
    if moved is None or moved.free or moved.bound or not all(is_known_before(source, one, line) for one in names):
        return None
    cached = "\n".join(plain_lines([f"@{source.text(decorator)}"], "", source))
    text = f"{cached}\n{moved.insert.text}"
    edits: tuple[Edit, ...] = (Insert(line=line, text=text), in_place(source, node, f"{node.name} = {name}"))
    module = plain_text(dict.get(function.__globals__, "__name__"))
    note = f"All calls of {around[0].name}() share one cache."
    return Remedy(
        edits=tuple((source.file, edit) for edit in edits), replaces=((spot.obj, Named(module, name)),), note=note
    )  # fmt: skip


RECIPES: dict[str, tuple[Recipe, ...]] = {
    "nameless-method": (rebind,),
    "lru-cache": (cache_anew, move_cached, name_cached),
}

"""Classes that are not found by name: made inside functions, under other names, or for modules that there are not."""

from __future__ import annotations

import ast
import builtins
import sys
import types
from collections.abc import Iterator
from typing import Any

from picklecheck.fixes.base import Edit, Insert, Named, Recipe, Remedy, Spot
from picklecheck.fixes.code import Source, first_line, source_of_module
from picklecheck.fixes.moving import renamed
from picklecheck.fixes.recipes.functions import in_place
from picklecheck.fixes.scopes import bindings, is_known_before, module_binding, new_name, within
from picklecheck.safe import class_dict, instance_dict, is_class, module_of, mro, plain_text, qualname_of

__all__ = ["RECIPES", "move_class", "move_made_class", "name_as_assigned", "undo_module"]

_MAX_BASES = 10
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def move_class(spot: Spot) -> Remedy | None:
    """Put a class statement from inside a function at the top level."""
    return _moved(spot.obj) if is_class(spot.obj) else None


def _moved(cls: type, depth: int = 0) -> Remedy | None:
    found = _source_by_module(cls)
    node = _class_node(found[0], cls) if found else None
    outer = _outer(found[0], node) if found and node else None
    if found is None or node is None or outer is None or bindings(outer, node.name) != [node]:
        return None
    source, space = found
    bases = _moved_bases(cls, depth)
    if bases is None or not _is_self_contained(source, node, set(bases)):
        return None
    name = node.name if _is_free(source, space, node.name, cls) else new_name(source, node, space)
    first = first_line(node)
    text = renamed(source, node, first, name)
    edits: tuple[Edit, ...] = (
        Insert(line=source.top(node).lineno, text=text),
        in_place(source, node, "" if name == node.name else f"{node.name} = {name}"),
    )
    above = list(bases.values())
    return Remedy(
        edits=(*(edit for remedy in above for edit in remedy.edits), *((source.file, edit) for edit in edits)),
        replaces=(*(pair for remedy in above for pair in remedy.replaces), (cls, Named(_name(space), name))),
    )


def _moved_bases(cls: type, depth: int) -> dict[str, Remedy] | None:
    """Give what moves the local bases of a class, by their names; None where one cannot be moved under its name."""
    moved = {}
    for base in mro(cls)[1:]:
        if "<locals>" in qualname_of(base) and any(base is one for one in type.__dict__["__bases__"].__get__(cls)):
            remedy = _moved(base, depth + 1) if depth < _MAX_BASES else None
            if remedy is None or remedy.replaces[-1][1].qualname != qualname_of(base).rpartition(".")[2]:
                return None
            moved[qualname_of(base).rpartition(".")[2]] = remedy
    return moved


def _name(space: dict[str, Any]) -> str:
    return plain_text(dict.get(space, "__name__"))


def move_made_class(spot: Spot) -> Remedy | None:
    """Put ``Point = namedtuple("Point", ...)`` from inside a function or class at the top level."""
    found = _source_by_module(spot.obj)
    if found is None:
        return None
    source, space = found
    made = [one for one in _makings(source, qualname_of(spot.obj)) if not _at_top(source, one[0])]
    if len(made) != 1:
        return None
    statement, target, literal = made[0]
    scope = next(around for around in source.above(statement) if isinstance(around, (*_FUNCTIONS, ast.ClassDef)))
    around = [one for one in source.above(statement) if isinstance(one, _FUNCTIONS)]
    line = source.top(statement).lineno
    known = all(_is_global(source, name, around, line) for name in _read(statement.value))
    once = len(bindings(scope, target)) == 1
    if not known or not once or literal.value != target or not _is_free(source, space, target, spot.obj):
        return None
    left = f"{target} = {target}" if isinstance(scope, ast.ClassDef) else ""
    edits: tuple[Edit, ...] = (
        Insert(line=line, text=f"{target} = {_on_its_own(source, statement.value)}"),
        in_place(source, statement, left),
    )
    pairs = ((spot.obj, Named(_name(space), target)),)
    return Remedy(edits=tuple((source.file, edit) for edit in edits), replaces=pairs)


def name_as_assigned(spot: Spot) -> Remedy | None:
    """Have a class that a call makes carry the name of the variable that it is assigned to."""
    for module, alias, source in _holders(spot.obj):
        made = [one for one in _makings(source, qualname_of(spot.obj)) if _at_top(source, one[0]) and one[1] == alias]
        if len(made) != 1 or len(bindings(source.tree, alias)) != 1:
            continue
        statement, _, literal = made[0]
        edits: list[Edit] = []
        if literal.value != alias:
            quote = source.text(literal)[-1]
            edits.append(in_place(source, literal, f"{quote}{alias}{quote}"))
        if module_of(spot.obj) != module:  # dataclasses.make_dataclass cannot tell before Python 3.12
            edits.append(Insert(line=statement.lineno, text=f"{alias}.__module__ = __name__", after=True))
        if edits:
            pairs = ((spot.obj, Named(module, alias)),)
            return Remedy(edits=tuple((source.file, edit) for edit in edits), replaces=pairs)
    return None


def undo_module(spot: Spot) -> Remedy | None:
    """Have a class no longer say that it belongs to a module where it is not."""
    for module, alias, source in _holders(spot.obj):
        node = module_binding(source, alias)
        named = alias == qualname_of(spot.obj)
        body = node.body if named and isinstance(node, ast.ClassDef) else ()
        edits = [
            in_place(source, one, "")
            for target, statements in ((f"{alias}.__module__", source.tree.body), ("__module__", body))
            for one in statements
            if _sets_module(one, target)
        ]
        made = [one for one, name, _ in _makings(source, qualname_of(spot.obj)) if name == alias and named]
        edits += [in_place(source, one, "__name__") for statement in made for one in _given_modules(statement.value)]
        if len(edits) == 1 and len(bindings(source.tree, alias)) == 1:
            return Remedy(edits=((source.file, edits[0]),), replaces=((spot.obj, Named(module, alias)),))
    return None


def _given_modules(call: ast.Call) -> Iterator[ast.expr]:
    """Yield what a call gives the class that it makes as its module: ``type(..., {"__module__": x})``, ``module=x``."""
    for given in (*call.args, *(keyword.value for keyword in call.keywords)):
        if isinstance(given, ast.Dict):
            pairs = zip(given.keys, given.values, strict=True)
            yield from (value for key, value in pairs if isinstance(key, ast.Constant) and key.value == "__module__")
    yield from (keyword.value for keyword in call.keywords if keyword.arg == "module")


def _sets_module(statement: ast.stmt, target: str) -> bool:
    return isinstance(statement, ast.Assign) and [ast.unparse(one) for one in statement.targets] == [target]


# -- where a class is


def _source_by_module(cls: Any) -> tuple[Source, dict[str, Any]] | None:
    space = instance_dict(sys.modules.get(module_of(cls) or "")) if is_class(cls) else None
    source = source_of_module(space) if space else None
    return (source, space) if source and space else None


def _holders(cls: Any) -> Iterator[tuple[str, str, Source]]:
    """Yield the modules that have a class at the top level: name, the class's name there, source."""
    for module in list(sys.modules.values()):
        space = instance_dict(module)
        if space is None or not any(held is cls for held in list(space.values())):
            continue
        source = source_of_module(space)
        if source is not None:
            for name, held in list(space.items()):
                if held is cls:
                    yield plain_text(dict.get(space, "__name__")), name, source


def _class_node(source: Source, cls: type) -> ast.ClassDef | None:
    """Find the statement of a class by its qualified name, and where there are several by its lines."""
    nodes = [node for node in ast.walk(source.tree) if isinstance(node, ast.ClassDef)]
    found = [node for node in nodes if _qualname(source, node) == qualname_of(cls)]
    if len(found) > 1:
        lines = [held.__code__.co_firstlineno for held in class_dict(cls).values() if type(held) is types.FunctionType]
        first = class_dict(cls).get("__firstlineno__")
        lines += [first] if type(first) is int else []
        found = [node for node in found if lines and all(_has_line(node, line) for line in lines)]
    return found[0] if len(found) == 1 else None


def _has_line(node: ast.ClassDef, line: int) -> bool:
    return first_line(node) <= line <= (node.end_lineno or 0)


def _qualname(source: Source, node: ast.ClassDef) -> str:
    parts = [node.name]
    for around in source.above(node):
        if isinstance(around, ast.ClassDef):
            parts.append(around.name)
        elif isinstance(around, _FUNCTIONS):
            parts += ["<locals>", around.name]
    return ".".join(reversed(parts))


def _outer(source: Source, node: ast.AST) -> Any:
    """Give the function that a class stands in directly."""
    around = next((one for one in source.above(node) if isinstance(one, (*_FUNCTIONS, ast.ClassDef))), None)
    return around if isinstance(around, _FUNCTIONS) else None


def _is_free(source: Source, space: dict[str, Any], name: str, cls: type) -> bool:
    """Tell whether the class can have a name at the top level: nothing is there, or that class alone."""
    if hasattr(builtins, name) or any(
        isinstance(one, ast.Global) and name in one.names for one in ast.walk(source.tree)
    ):
        return False
    there = bindings(source.tree, name)
    return (not there and name not in space) or (len(there) == 1 and dict.get(space, name) is cls)


# -- what a class needs


def _is_self_contained(source: Source, node: ast.ClassDef, moved: set[str]) -> bool:
    """Tell whether the class needs nothing of the functions around it, and what it needs at once is there by then."""
    free = _free_names(source, node)
    if free is None or free - {node.name, "__class__"} - moved or node.name in _read_at_once(node):
        return False
    around = [one for one in source.above(node) if isinstance(one, (*_FUNCTIONS, ast.ClassDef, ast.Lambda))]
    line = source.top(node).lineno
    outside = [*node.decorator_list, *node.bases, *(keyword.value for keyword in node.keywords)]
    names = {name for part in outside for name in _read(part)} - moved
    own = {name for name in _read_at_once(node) if not bindings(node, name)} - moved
    return all(_is_global(source, name, around, line) for name in names) and all(
        is_known_before(source, name, line) for name in own
    )


def _is_global(source: Source, name: str, around: list[Any], line: int) -> bool:
    return not any(bindings(scope, name) for scope in around) and is_known_before(source, name, line)


def _read(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}


def _read_at_once(node: ast.ClassDef) -> set[str]:
    """Give the names that the body of a class reads while it runs."""
    parts: list[ast.AST] = []
    for one in within(node):
        if isinstance(one, _FUNCTIONS):
            parts += [*one.args.defaults, *(default for default in one.args.kw_defaults if default)]
            parts += [] if _postponed(one) else [arg for arg in ast.walk(one.args) if isinstance(arg, ast.arg)]
            parts += [one.returns] if one.returns else []
        elif isinstance(one, ast.Name):
            parts.append(one)
    return {name for part in parts for name in _read(part)}


def _postponed(node: ast.AST) -> bool:
    return sys.version_info >= (3, 14)


def _free_names(source: Source, node: ast.ClassDef) -> set[str] | None:
    """Give the variables of outer functions that a class's body and methods use, as the compiler sees it."""
    try:
        stack = [compile(source.tree, source.file, "exec", dont_inherit=True)]
    except (SyntaxError, ValueError, RecursionError):
        return None
    first = first_line(node)
    while stack:
        code = stack.pop()
        if code.co_name == node.name and code.co_firstlineno == first and not code.co_flags & 0x2:
            return set(code.co_freevars)
        stack += [const for const in code.co_consts if type(const) is types.CodeType]
    return None


# -- calls that make a class


def _makings(source: Source, name: str) -> Iterator[tuple[Any, str, ast.Constant]]:
    """Yield the assignments of a call that is given a name as a string: statement, variable, string."""
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.Assign) or len(node.targets) != 1 or not isinstance(node.value, ast.Call):
            continue
        target = node.targets[0]
        given = [*node.value.args[:1], *(keyword.value for keyword in node.value.keywords)]
        literals = [one for one in given if isinstance(one, ast.Constant) and one.value == name]
        if isinstance(target, ast.Name) and len(literals) == 1:
            yield node, target.id, literals[0]


def _at_top(source: Source, statement: ast.AST) -> bool:
    return not any(isinstance(one, (*_FUNCTIONS, ast.ClassDef)) for one in source.above(statement))


def _on_its_own(source: Source, node: ast.expr) -> str:
    return ast.unparse(node) if node.lineno != node.end_lineno else source.text(node)


RECIPES: dict[str, tuple[Recipe, ...]] = {
    "local-class": (move_class,),
    "misnamed-class": (name_as_assigned, move_made_class, undo_module),
    "shadowed-class": (name_as_assigned,),
    "unimportable-class": (undo_module,),
}

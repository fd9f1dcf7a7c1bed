"""Names in a source file: what a scope binds and when, and new names that nothing else has."""

from __future__ import annotations

import ast
import builtins
import functools
import keyword
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from picklecheck.fixes.code import Function, Source, names_bound_by

__all__ = ["NEVER", "ONCE", "REPEATED", "frozen", "is_fixed", "module_binding", "new_name", "owner_of"]

# How a variable of an outer function stands when the inner one is made.
ONCE, REPEATED, NEVER = "set before", "set in a loop", "set later"

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, *_COMPREHENSIONS)
_CLOSURES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, *_COMPREHENSIONS)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_WORD = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")


def within(scope: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes that belong to a scope; of the scopes inside it just the nodes themselves."""
    stack: list[ast.AST] = list(ast.iter_child_nodes(scope))
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            stack += node.decorator_list
        elif not isinstance(node, _SCOPES):
            stack += ast.iter_child_nodes(node)


def bindings(scope: ast.AST, name: str) -> list[Any]:
    """Give the nodes by which a scope binds a name."""
    return [where for node in within(scope) for bound, where in names_bound_by(node) if bound == name]


def owner_of(source: Source, node: ast.AST, name: str) -> ast.AST | None:
    """Give the function or comprehension around a node that a free variable belongs to."""
    for scope in source.above(node):
        if isinstance(scope, _CLOSURES) and bindings(scope, name) and not _passes_on(scope, name):
            return scope
    return None


def _passes_on(scope: ast.AST, name: str) -> bool:
    return any(isinstance(node, ast.Nonlocal) and name in node.names for node in within(scope))


def frozen(source: Source, node: Function, name: str) -> str:
    """Tell what becomes of a free variable whose value is taken when a function is made: ONCE, REPEATED or NEVER."""
    owner = owner_of(source, node, name)
    if owner is None or any(isinstance(part, ast.Nonlocal) and name in part.names for part in ast.walk(owner)):
        return NEVER
    if isinstance(owner, _COMPREHENSIONS):
        return REPEATED
    found = bindings(owner, name)
    if any(_is_after(source, where, node) for where in found):
        return NEVER
    loops = [around for around in source.above(node) if isinstance(around, _LOOPS) and _is_in(source, around, owner)]
    return REPEATED if any(_is_in(source, where, loop) for where in found for loop in loops) else ONCE


def _is_after(source: Source, where: Any, node: Any) -> bool:
    """Tell whether a binding takes place after a function was made: further down, or in the very statement."""
    if isinstance(where, ast.arg):
        return False
    here = source.statement(node) if not isinstance(node, ast.stmt) else node
    if where is here or (isinstance(here, ast.Assign | ast.AnnAssign | ast.AugAssign) and _is_in(source, where, here)):
        return True
    return (where.lineno, where.col_offset) > (node.end_lineno, node.end_col_offset)


def _is_in(source: Source, node: ast.AST, outer: ast.AST) -> bool:
    return node is outer or any(around is outer for around in source.above(node))


def is_fixed(node: ast.AST | None) -> bool:
    """Tell whether an expression is a constant that can be evaluated anywhere."""
    if isinstance(node, ast.Tuple):
        return all(map(is_fixed, node.elts))
    if isinstance(node, ast.UnaryOp):
        return is_fixed(node.operand)
    return isinstance(node, ast.Constant)


def module_binding(source: Source, name: str) -> Any:
    """Give the one node by which the module binds a name at its top level; None where there are none or several."""
    found = bindings(source.tree, name)
    elsewhere = any(isinstance(node, ast.Global) and name in node.names for node in ast.walk(source.tree))
    return found[0] if len(found) == 1 and not elsewhere else None


def is_known_before(source: Source, name: str, line: int) -> bool:
    """Tell whether a name is a builtin or has been bound by the module before a line."""
    if hasattr(builtins, name) and name not in source.bound:
        return True
    top = [where for where in [*bindings(source.tree, name), *bindings(source.tree, "*")] if where.lineno < line]
    return bool(top) and all(source.top(where).lineno < line for where in top)


def new_name(source: Source, node: ast.AST, namespace: dict[str, Any]) -> str:
    """Give the name under which a function or class in the file is to stand at the top level.

    It is the same however often it is asked, and no two nodes of a file get the same.
    """
    return _new_names(source, frozenset(map(str, namespace)))[node]


@functools.lru_cache(maxsize=8)
def _new_names(source: Source, known: frozenset[str]) -> dict[ast.AST, str]:
    nodes: list[Any] = [node for node in ast.walk(source.tree) if _may_move(source, node)]
    nodes.sort(key=lambda node: (node.lineno, node.col_offset))
    short = {node: _usable(_label(source, node)) for node in nodes}
    long = {node: _usable(f"{_scope_label(source, node)}{short[node]}") for node in nodes}
    often_short, often_long = Counter(short.values()), Counter(long.values())
    taken, names = set(source.names | known), {}
    for node in nodes:
        choices = [short[node]] * (often_short[short[node]] == 1) + [long[node]] * (often_long[long[node]] == 1)
        choices += [f"{long[node]}_{number}" for number in range(1, len(nodes) + len(taken) + 2)]
        names[node] = next(choice for choice in choices if choice not in taken)
        taken.add(names[node])
    return names


def _may_move(source: Source, node: Any) -> bool:
    """Tell whether a node may be given a name at the top level: it is no method, and not there already."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        around = source.parents[node]
        return not isinstance(around, ast.ClassDef) and not (isinstance(around, ast.Module) and not node.decorator_list)
    return isinstance(node, ast.Lambda)


def _usable(label: str) -> str:
    name = "_" + label.strip("_")
    return name if name.isidentifier() and not keyword.iskeyword(name) and len(name) > 1 else "_function"


def _label(source: Source, node: Any) -> str:
    """Say what a function is for, by what it is called or given to."""
    if not isinstance(node, ast.Lambda):
        return str(node.name)
    inner: ast.AST = node
    for around in source.above(node):
        found = _label_by(around, inner)
        if found is not None:
            return found
        if isinstance(around, ast.stmt | ast.Lambda):
            break
        inner = around
    return "function"


def _label_by(around: Any, inner: ast.AST) -> str | None:
    if isinstance(around, ast.keyword):
        return around.arg
    if isinstance(around, ast.Assign | ast.AnnAssign | ast.NamedExpr | ast.AugAssign):
        return _target_label(around.targets[0] if isinstance(around, ast.Assign) else around.target)
    if isinstance(around, ast.Dict) and inner in around.values:
        key = around.keys[around.values.index(inner)]
        text = key.value if isinstance(key, ast.Constant) else None
        return text if isinstance(text, str) and text.isidentifier() and text.isascii() else None
    if isinstance(around, ast.arguments):
        return _argument_label(around, inner)
    return None


def _target_label(target: ast.expr) -> str | None:
    if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant):
        text = target.slice.value
        if isinstance(text, str) and text.isidentifier() and text.isascii():
            return text
    if isinstance(target, ast.Subscript):
        return _target_label(target.value)
    return target.attr if isinstance(target, ast.Attribute) else target.id if isinstance(target, ast.Name) else None


def _argument_label(args: ast.arguments, inner: ast.AST) -> str | None:
    if inner in args.kw_defaults:
        return args.kwonlyargs[args.kw_defaults.index(inner)].arg
    if inner not in args.defaults:
        return None
    return [*args.posonlyargs, *args.args][args.defaults.index(inner) - len(args.defaults)].arg


def _scope_label(source: Source, node: ast.AST) -> str:
    """Say which function or class a node is in, in small letters."""
    for around in source.above(node):
        if isinstance(around, ast.FunctionDef | ast.AsyncFunctionDef) and not around.name.startswith("__"):
            return around.name.strip("_")
        if isinstance(around, ast.ClassDef):
            return "_".join(_WORD.findall(around.name)).lower() or "class"
    return "module"

"""Takes the paths of reports apart."""

from __future__ import annotations

import ast

__all__ = ["goes_through_a_call", "stops"]


def goes_through_a_call(path: str) -> bool:
    return "__reduce_ex__" in path or "dispatch_table" in path or "_extra_reducers" in path


def _called(node: ast.expr, *names: str) -> bool:
    """Whether it is a call of a function or method of one of these names."""
    return isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in names


def _asks_for_a_value(node: ast.expr) -> bool:
    return _called(node, "__reduce_ex__") or (isinstance(node, ast.Call) and isinstance(node.func, ast.Lambda))


def _before(node: ast.expr) -> ast.expr:
    """The expression that the last step of a path is applied to."""
    if isinstance(node, ast.Subscript):
        of = node.value
        if isinstance(of, ast.Attribute) and of.attr == "__dict__":
            return of.value  # .__dict__['name']
        if _called(of, "list"):  # the call's item is part of the step: list(...)[0]
            of = of.args[0]
            if isinstance(of, ast.Subscript) and _asks_for_a_value(of.value):
                of = of.value  # list(....__reduce_ex__(4)[3])[0]
            elif not _called(of, "values", "__iter__"):
                return of
        if _asks_for_a_value(of) or _called(of, "values", "__iter__"):
            return of.args[0] if len(of.args) == 1 and not _called(of, "__reduce_ex__") else of.func.value
        return of
    return node.value if isinstance(node, ast.Attribute) else node.args[0]


def stops(path: str) -> list[str]:
    """The expressions of a path from its end to the root, one for each step and one for the root."""
    node = ast.parse(path, mode="eval").body
    found = [ast.unparse(node)]
    while not isinstance(node, ast.Name):
        node = _before(node)
        found.append(ast.unparse(node))
    return found

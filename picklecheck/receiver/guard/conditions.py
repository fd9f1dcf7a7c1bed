"""Conditions, and the names in pieces of source: what a test may have been meant for, what a handler catches."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator
from typing import TypeGuard

from picklecheck.receiver.guard.values import Bound, Const, Known, Made, Value

__all__ = [
    "bound_names", "caught_by", "fits", "is_guard", "is_name_test", "is_own_switch", "is_there", "leaves", "made_by",
    "mentions_guard", "misspelt", "own_nodes", "process_test", "suppressed", "used_names",
]  # fmt: skip

_MAIN = "__main__"
_EXISTS = frozenset(("exists", "isdir", "isfile", "is_dir", "is_file", "lexists"))
_OF_PROCESS = frozenset(("parent_process", "current_process", "main_thread", "current_thread", "getpid", "getppid"))


def is_guard(node: ast.stmt) -> TypeGuard[ast.If]:
    """Tell whether a statement is a main guard, or is meant as one."""
    return isinstance(node, ast.If) and mentions_guard(node.test)


def mentions_guard(test: ast.expr) -> bool:
    """Tell whether a test asks for the name of the module."""
    return any(isinstance(node, ast.Name) and node.id == "__name__" for node in ast.walk(test))


def process_test(test: ast.expr) -> str | None:
    """Give the function by which a test asks which process it runs in; None where it does not."""
    for node in ast.walk(test):
        name = getattr(node, "attr", getattr(node, "id", None))
        if name in _OF_PROCESS:
            return str(name)
    return None


def is_name_test(test: ast.expr) -> bool:
    """Tell whether a test asks for the name of the process."""
    return any(isinstance(node, ast.Constant) and node.value == "MainProcess" for node in ast.walk(test))


def misspelt(test: ast.expr) -> str | None:
    """Give what a main guard compares the name with, where it can never be so; None for anything else."""
    for node in ast.walk(test):
        if not isinstance(node, ast.Compare) or len(node.comparators) != 1:
            continue
        if not isinstance(node.ops[0], (ast.Eq, ast.Is)):
            continue
        sides = [_side(node.left), _side(node.comparators[0])]
        for one, other in (sides, sides[::-1]):
            if one == "name" and isinstance(other, ast.Constant) and _is_nearly_main(other.value):
                return f"__name__ == {other.value!r}"
        quoted = [side.value for side in sides if isinstance(side, ast.Constant)]
        if sorted(map(str, quoted)) == [_MAIN, "__name__"]:
            return " == ".join(map(repr, quoted))
    return None


def _side(node: ast.expr) -> object:
    return "name" if isinstance(node, ast.Name) and node.id == "__name__" else node


def _is_nearly_main(text: object) -> bool:
    if not isinstance(text, str) or text in (_MAIN, "__mp_main__"):
        return False
    bare = text.strip().strip("_").lower()
    return bare == "main" or difflib.SequenceMatcher(None, text, _MAIN).ratio() > 0.85


def is_there(test: ast.expr) -> bool | None:
    """Tell whether a test asks for something that the sender has made by then; False where it asks for its absence."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = is_there(test.operand)
        return None if inner is None else not inner
    if isinstance(test, ast.Call):
        name = getattr(test.func, "attr", getattr(test.func, "id", None))
        return True if name in _EXISTS else None
    return None


def fits(case: ast.match_case, subject: Value) -> bool | None:
    """Tell whether a case of a match statement takes a value; None where only a run would show."""
    pattern = case.pattern
    if isinstance(pattern, ast.MatchAs) and pattern.pattern is None:
        return True if case.guard is None else None
    values = pattern.patterns if isinstance(pattern, ast.MatchOr) else [pattern]
    if not isinstance(subject, Const) or not all(isinstance(one, ast.MatchValue) for one in values):
        return None
    wanted = [one.value for one in values if isinstance(one, ast.MatchValue)]
    if not all(isinstance(one, ast.Constant) for one in wanted):
        return None
    if not any(isinstance(one, ast.Constant) and one.value == subject.value for one in wanted):
        return False
    return True if case.guard is None else None


def is_own_switch(test: ast.expr) -> bool:
    """Tell whether a test asks for a variable of the environment, which children inherit."""
    return any(getattr(node, "attr", getattr(node, "id", "")) in ("environ", "getenv") for node in ast.walk(test))


def caught_by(handler: ast.ExceptHandler) -> Iterator[str]:
    """Yield the names of the exceptions that a handler catches."""
    if handler.type is None:
        yield "BaseException"
        return
    for node in handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]:
        yield str(getattr(node, "attr", getattr(node, "id", "?")))


def suppressed(expression: ast.expr) -> frozenset[str]:
    """Give the names of the exceptions that `contextlib.suppress(...)` catches."""
    if (
        isinstance(expression, ast.Call)
        and getattr(expression.func, "attr", getattr(expression.func, "id", "")) == "suppress"
    ):
        return frozenset(str(getattr(node, "attr", getattr(node, "id", "?"))) for node in expression.args)
    return frozenset()


def leaves(body: list[ast.stmt]) -> bool:
    """Tell whether something in a loop may leave it: break, return, raise, or a call that ends the program."""
    return any(
        isinstance(node, (ast.Break, ast.Return, ast.Raise, ast.Yield))
        or (
            isinstance(node, ast.Call)
            and getattr(node.func, "attr", getattr(node.func, "id", "")) in ("exit", "quit", "_exit")
        )
        for statement in body
        for node in ast.walk(statement)
    )


def own_nodes(statements: list[ast.stmt]) -> Iterator[ast.AST]:
    """Yield the nodes of statements without what stands inside functions and classes in them."""
    waiting: list[ast.AST] = list(statements)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            waiting += ast.iter_child_nodes(node)


def bound_names(statements: list[ast.stmt]) -> set[str]:
    """Give the names that statements bind."""
    found: set[str] = set()
    for node in own_nodes(statements):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found.update((alias.asname or alias.name).partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            found.add(node.name)
    return found


def used_names(statement: ast.stmt) -> set[str]:
    """Give the names that a statement reads."""
    return {node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


def made_by(value: Value) -> str:
    """Give the full name of the library function whose answer a value is."""
    if isinstance(value, Made):
        return value.known.name
    return value.name if isinstance(value, (Known, Bound)) else ""

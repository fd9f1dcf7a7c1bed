"""Statements: what runs, and what only may run, when a child imports the file."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from picklecheck.receiver.guard import conditions
from picklecheck.receiver.guard.definitions import Definer
from picklecheck.receiver.guard.events import Anchor, Sort
from picklecheck.receiver.guard.values import (
    UNKNOWN,
    Arguments,
    Const,
    Known,
    Pending,
    Scope,
    Value,
    either,
    truth,
)  # fmt: skip

__all__ = ["Executor"]

_EXITS = frozenset(("sys.exit", "os._exit", "exit", "quit"))


class Executor(Definer):
    """Reads statements."""

    def execute(self, body: list[ast.stmt], scope: Scope) -> bool:
        """Read statements, and tell whether they surely end what they stand in."""
        for statement in body:
            self.steps += 1
            if self.frames:
                self.frames[-1].line = statement.lineno
            else:
                self._set_anchor(statement)
            run = _RUNNERS.get(type(statement))
            ended = run(self, statement, scope) if run else self._plain(statement, scope)
            if ended:
                return True
        return False

    def _set_anchor(self, statement: ast.stmt) -> None:
        old = self.anchor
        if old is None or (old.setting == "" and old.top is statement):
            self.anchor = Anchor(statement.lineno, statement)
        else:
            self.anchor = replace(old, line=statement.lineno)

    def _plain(self, statement: ast.stmt, scope: Scope) -> bool:
        self._parts(statement, scope)
        return False

    def _expression(self, statement: ast.Expr, scope: Scope) -> bool:
        call = statement.value
        self.evaluate(call, scope)
        if isinstance(call, ast.Call) and not self.uncertain:
            function = self.evaluate(call.func, scope) if isinstance(call.func, (ast.Name, ast.Attribute)) else UNKNOWN
            if isinstance(function, Known) and function.name in _EXITS:
                self._ends("ends the program")
                return True
        return False

    def _ends(self, what: str) -> None:
        if not self.frames and not self.uncertain and not any(self.caught):
            self.emit(Sort.ENDS, what)

    # branches

    def _if(self, statement: ast.If, scope: Scope) -> bool:
        answer = self._test(statement, scope)
        if answer is not None:
            skipped, taken = (statement.orelse, statement.body) if answer else (statement.body, statement.orelse)
            if conditions.mentions_guard(statement.test):
                self._note_guarded(skipped, scope)
            return self._branch(taken, statement, scope)
        there = conditions.is_there(statement.test)
        return self._alternatives(
            scope,
            [
                lambda: self._branch(statement.body, statement, scope),
                lambda: self._branch(statement.orelse, statement, scope),
            ],
            doubts=[there is not True, there is not False],
        )

    def _test(self, statement: ast.If, scope: Scope) -> bool | None:
        odd = conditions.misspelt(statement.test) if not self.frames and scope.source is self.source else None
        if odd and self.anchor:
            self.emit(
                Sort.GUARD, f"asks for {odd}, which is never so: what stands under it runs in no process", name=odd
            )
        with self.inside():
            return truth(self.evaluate(statement.test, scope))

    def _branch(self, body: list[ast.stmt], statement: ast.If, scope: Scope) -> bool:
        guards = (*self.anchor.guards, statement.test) if self.anchor else ()
        with self.inside(guards=guards):
            return self.execute(body, scope)

    def _note_guarded(self, body: list[ast.stmt], scope: Scope) -> None:
        if scope.sort == "module" and scope.source is self.source:
            for name in conditions.bound_names(body):
                self.guarded.setdefault(name, body[0].lineno)

    def _alternatives(self, scope: Scope, ways: list[Callable[[], bool]], doubts: Iterable[bool]) -> bool:
        """Read branches of which one runs, and join what they make of the names."""
        before = dict(scope.names)
        after: list[dict[str, Value]] = []
        ends = []
        for way, doubt in zip(ways, doubts, strict=True):
            scope.names = dict(before)
            with self.perhaps(doubt):
                ends.append(way())
            if not ends[-1]:
                after.append(scope.names)
        scope.names = _joined(after) if after else before
        return all(ends)

    def _try(self, statement: Any, scope: Scope) -> bool:
        names = frozenset(name for handler in statement.handlers for name in conditions.caught_by(handler))
        self.caught.append(names)
        with self.inside():
            ended = self.execute(statement.body, scope)
        self.caught.pop()
        for handler in statement.handlers:
            with self.perhaps(), self.inside():
                if handler.name:
                    scope.bind(handler.name, UNKNOWN)
                self.execute(handler.body, scope)
        with self.inside():
            ended = (not ended and self.execute(statement.orelse, scope)) or (ended and not statement.handlers)
        with self.inside():
            return self.execute(statement.finalbody, scope) or ended

    def _with(self, statement: ast.With | ast.AsyncWith, scope: Scope) -> bool:
        caught: frozenset[str] = frozenset()
        for item in statement.items:
            value = self.evaluate(item.context_expr, scope)
            caught |= conditions.suppressed(item.context_expr)
            if isinstance(value, Pending):
                entered = value = self.iterate(value, statement)  # of a function made a context manager
            else:
                entered = self.call(self.attribute(value, "__enter__", statement), Arguments(), statement)
            if item.optional_vars is not None:
                self.assign(item.optional_vars, value if entered is UNKNOWN else entered, scope)
        self.caught.append(caught)
        with self.inside():
            ended = self.execute(statement.body, scope)
        self.caught.pop()
        return ended

    def _for(self, statement: ast.For | ast.AsyncFor, scope: Scope) -> bool:
        items = self.iterate(self.evaluate(statement.iter, scope), statement)
        self._loosen(statement.body, scope)
        self.assign(statement.target, items, scope)
        with self.inside():
            self.execute(statement.body, scope)
        with self.inside():
            self.execute(statement.orelse, scope)
        return False

    def _loosen(self, body: list[ast.stmt], scope: Scope) -> None:
        """Take what a loop counts up, and its flags, for unknown from its first round on."""
        for name in conditions.bound_names(body):
            if isinstance(scope.names.get(name), Const):
                scope.names[name] = either([scope.names[name], UNKNOWN])

    def _while(self, statement: ast.While, scope: Scope) -> bool:
        self._loosen(statement.body, scope)
        answer = truth(self.evaluate(statement.test, scope))
        endless = answer is True and isinstance(statement.test, ast.Constant) and not conditions.leaves(statement.body)
        if endless and not self.frames and not self.uncertain:
            self.emit(Sort.WORK, "goes on until the program ends")
        if answer is not False:
            with self.perhaps(answer is None), self.inside():
                self.execute(statement.body, scope)
        return endless

    def _match(self, statement: ast.Match, scope: Scope) -> bool:
        subject = self.evaluate(statement.subject, scope)
        for case in statement.cases:
            fits = conditions.fits(case, subject)
            if fits is False:
                self._note_guarded(case.body, scope)
                continue
            with self.perhaps(fits is None), self.inside():
                self.execute(case.body, scope)
            if fits:
                break
        return False

    # ends

    def _return(self, statement: ast.Return, scope: Scope) -> bool:
        value = self.evaluate(statement.value, scope) if statement.value else Const(None)
        if self.frames:
            self.frames[-1].returned.append(value)
        return True

    def _raise(self, statement: ast.Raise, scope: Scope) -> bool:
        self._parts(statement, scope)
        self._ends("raises an exception")
        return True

    def _assert(self, statement: ast.Assert, scope: Scope) -> bool:
        return truth(self.evaluate(statement.test, scope)) is False

    def _global(self, statement: ast.Global | ast.Nonlocal, scope: Scope) -> bool:
        if isinstance(statement, ast.Global):
            scope.globals.update(statement.names)
        return False


def _joined(ways: list[dict[str, Value]]) -> dict[str, Value]:
    if len(ways) == 1:
        return ways[0]
    names = dict.fromkeys(name for way in ways for name in way)
    joined = {}
    for name in names:
        values = [way[name] for way in ways if name in way]
        joined[name] = values[0] if all(value is values[0] for value in values) else either(values)
    return joined


_RUNNERS: dict[type[ast.stmt], Callable[[Executor, Any, Scope], bool]] = {
    ast.Expr: Executor._expression,
    ast.Assign: Executor._assign,
    ast.AnnAssign: Executor._annotated,
    ast.AugAssign: Executor._augmented,
    ast.Delete: Executor._delete,
    **dict.fromkeys((ast.FunctionDef, ast.AsyncFunctionDef), Executor._function),
    ast.ClassDef: Executor._class,
    ast.Import: Executor._import_statement,
    ast.ImportFrom: Executor._import_from,
    ast.If: Executor._if,
    ast.Try: Executor._try,
    **dict.fromkeys((ast.With, ast.AsyncWith), Executor._with),
    **dict.fromkeys((ast.For, ast.AsyncFor), Executor._for),
    ast.While: Executor._while,
    ast.Match: Executor._match,
    ast.Return: Executor._return,
    ast.Raise: Executor._raise,
    ast.Assert: Executor._assert,
    **dict.fromkeys((ast.Global, ast.Nonlocal), Executor._global),
    **{getattr(ast, name): Executor._try for name in ("TryStar",) if hasattr(ast, name)},
}

"""Statements that bind names: assignments, definitions, imports."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from picklecheck.receiver.guard import conditions, knowledge
from picklecheck.receiver.guard.calls import Caller
from picklecheck.receiver.guard.values import (
    UNKNOWN,
    Arguments,
    Class,
    Const,
    Function,
    Known,
    Module,
    Object,
    Scope,
    Sequence,
    Value,
)

__all__ = ["Definer"]


class Definer(Caller):
    """Reads what binds names."""

    @contextmanager
    def inside(self, **changes: Any) -> Iterator[None]:
        """Read a part of the statement at import level, and come back to the statement."""
        old = self.anchor
        if not self.frames and old is not None:
            self.anchor = replace(old, **changes)
        try:
            yield
        finally:
            self.anchor = old

    def _assign(self, statement: ast.Assign, scope: Scope) -> bool:
        value = self.evaluate(statement.value, scope)
        for target in statement.targets:
            self.assign(target, value, scope)
        return False

    def _annotated(self, statement: ast.AnnAssign, scope: Scope) -> bool:
        if statement.value is not None:
            self.assign(statement.target, self.evaluate(statement.value, scope), scope)
        return False

    def _augmented(self, statement: ast.AugAssign, scope: Scope) -> bool:
        value = self.evaluate(statement.value, scope)
        if isinstance(statement.target, ast.Name):
            old = self.evaluate(ast.Name(statement.target.id, ast.Load()), scope)
            lists = [one for one in (old, value) if isinstance(one, Sequence)]
            joined = Sequence([item for one in lists for item in one.items]) if lists else UNKNOWN
            self.assign(statement.target, joined, scope)
        return False

    def assign(self, target: ast.expr, value: Value, scope: Scope) -> None:
        """Read an assignment."""
        if isinstance(target, ast.Name):
            scope.bind(target.id, value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for position, part in enumerate(target.elts):
                one = value.at(position) if isinstance(value, Sequence) else UNKNOWN
                self.assign(part.value if isinstance(part, ast.Starred) else part, one, scope)
        elif isinstance(target, ast.Attribute):
            owner = self.evaluate(target.value, scope)
            if isinstance(owner, Object):
                owner.attributes[target.attr] = value
        elif isinstance(target, ast.Subscript):
            self._assign_item(self.evaluate(target.value, scope), self.evaluate(target.slice, scope), value)

    def _assign_item(self, owner: Value, index: Value, value: Value) -> None:
        if isinstance(owner, Sequence) and owner.keys is not None:
            owner.items.append(value)
            owner.keys.append(index.value if isinstance(index, Const) else index)
        elif isinstance(owner, Sequence):
            owner.add(value)

    def _delete(self, statement: ast.Delete, scope: Scope) -> bool:
        return False

    # definitions

    def _function(self, statement: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope) -> bool:
        around = scope
        while around.sort == "class" and around.parent is not None:
            around = around.parent
        with self.inside(setting="default"):
            defaults = self.defaults(statement.args, scope)
        value: Value = Function(statement, around, scope.source, defaults)
        scope.bind(statement.name, self._decorated(value, statement, scope))
        return False

    def _decorated(self, value: Value, statement: Any, scope: Scope) -> Value:
        for node in reversed(statement.decorator_list):
            with self.inside(line=node.lineno, setting="decorator"):
                value = self._wrapped(self.evaluate(node, scope), value, node)
        return value

    def _wrapped(self, decorator: Value, value: Value, node: ast.expr) -> Value:
        if isinstance(decorator, Function):
            if not self.world.matters(decorator.source):
                return value  # it can do no more than call what it was given
            made = self.call(decorator, Arguments([value]), node)
            return value if made is UNKNOWN else made
        if isinstance(value, Function) and isinstance(decorator, Known):
            name = knowledge.canonical(decorator).name
            if name in ("property", "functools.cached_property"):
                return replace(value, role="property")
            if name in ("staticmethod", "classmethod"):
                return replace(value, role=name)
            if name in knowledge.LAUNCHERS:
                return replace(value, launches=decorator)
        if isinstance(value, Function) and conditions.made_by(decorator) in knowledge.LAUNCHERS:
            return replace(value, launches=Known(conditions.made_by(decorator)))
        return value

    def _class(self, statement: ast.ClassDef, scope: Scope) -> bool:
        bases = [self.evaluate(base, scope) for base in statement.bases]
        for keyword in statement.keywords:
            self.evaluate(keyword.value, scope)
        inner = Scope(scope.source, scope, "class")
        with self.inside(setting="class body"):
            self.execute(statement.body, inner)
        known = [knowledge.canonical(base) if isinstance(base, Known) else base for base in bases]
        made = Class(statement, inner, scope.source, known)
        scope.bind(statement.name, self._decorated(made, statement, scope))
        return False

    # imports

    def _import_statement(self, statement: ast.Import, scope: Scope) -> bool:
        for alias in statement.names:
            module = self.load(alias.name, scope.source)
            if alias.asname:
                scope.bind(alias.asname, module or Known(alias.name))
            else:
                top = alias.name.partition(".")[0]
                whole = module if top == alias.name else self.load(top, scope.source)
                scope.bind(top, whole or Known(top))
        return False

    def _import_from(self, statement: ast.ImportFrom, scope: Scope) -> bool:
        name = scope.source.absolute(statement.module, statement.level)
        module = self.load(name, scope.source) if name else None
        for alias in statement.names:
            if alias.name == "*":
                self._import_all(module, name, scope)
            else:
                scope.bind(alias.asname or alias.name, self._imported(module, name, alias.name, scope))
        return False

    def _imported(self, module: Module | None, name: str, attribute: str, scope: Scope) -> Value:
        if module is not None and attribute in module.scope.names:
            return module.scope.names[attribute]
        full = f"{name}.{attribute}" if name else attribute
        loaded = self.load(full, scope.source)
        if loaded or module:
            return loaded or UNKNOWN
        return knowledge.constant(full) or Known(full)

    def _import_all(self, module: Module | None, name: str, scope: Scope) -> None:
        if module is None:
            scope.module.stars.append(name)
            return
        for attribute, value in module.scope.names.items():
            if not attribute.startswith("_"):
                scope.bind(attribute, value)
        scope.module.stars += module.scope.stars

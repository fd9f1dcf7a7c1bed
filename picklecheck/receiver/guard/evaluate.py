"""Expressions: what a child would find their values to be, as far as the source tells."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from typing import Any

from picklecheck.receiver.guard import knowledge
from picklecheck.receiver.guard.base import MAX_STEPS, Base, TooLong
from picklecheck.receiver.guard.events import Sort
from picklecheck.receiver.guard.values import (
    UNKNOWN,
    Arguments,
    Bound,
    Class,
    Const,
    Either,
    Function,
    Known,
    Made,
    Mixed,
    Object,
    Pending,
    Scope,
    Sequence,
    Value,
    either,
    options,
    truth,
)  # fmt: skip

__all__ = ["Evaluator"]

_BUILTINS = frozenset(dir(builtins))


class Evaluator(Base):
    """Reads expressions."""

    def evaluate(self, node: ast.expr | None, scope: Scope) -> Value:
        """Give the value of an expression."""
        if node is None:
            return UNKNOWN
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise TooLong
        read = _READERS.get(type(node))
        return read(self, node, scope) if read else self._parts(node, scope)

    def _parts(self, node: ast.AST, scope: Scope) -> Value:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.evaluate(child, scope)
        return UNKNOWN

    def _constant(self, node: ast.Constant, scope: Scope) -> Value:
        return Const(node.value)

    def _name(self, node: ast.Name, scope: Scope) -> Value:
        found = scope.find(node.id)
        if found is not None:
            return found
        for module in scope.module.stars:
            if knowledge.canonical(Known(f"{module}.{node.id}")).name in knowledge.FROM_STARS:
                return Known(f"{module}.{node.id}")
        if node.id in _BUILTINS:
            return Known(node.id)
        if node.id in self.guarded and scope.source is self.source and not scope.module.stars:
            if any(names & {"NameError", "Exception", "BaseException"} for names in self.caught):
                return UNKNOWN
            self.emit(Sort.NAME, f"uses {node.id}, which only the guarded block gives a value", name=node.id)
        return UNKNOWN

    def _attribute(self, node: ast.Attribute, scope: Scope) -> Value:
        owner = self.evaluate(node.value, scope)
        return either(self.attribute(one, node.attr, node) for one in options(owner))

    def _call(self, node: ast.Call, scope: Scope) -> Value:
        if isinstance(node.func, ast.Name) and node.func.id == "super" and scope.find("super") is None:
            return self._super(scope)
        function = self.evaluate(node.func, scope)
        return self.call(function, self._arguments(node, scope), node)

    def _super(self, scope: Scope) -> Value:
        function = self.frames[-1].function if self.frames else None
        first = function.bound.positional[0] if function and function.bound.positional else None
        if function and function.owner and isinstance(first, Object):
            return Object(first.cls, first.attributes, seen_from=function.owner, real=first.real or first)
        return UNKNOWN

    def _arguments(self, node: ast.Call, scope: Scope) -> Arguments:
        given = Arguments()
        for one in node.args:
            if isinstance(one, ast.Starred):
                self._spread(self.iterate(self.evaluate(one.value, scope), one), given, one, scope)
            else:
                given.positional.append(self.evaluate(one, scope))
        for keyword in node.keywords:
            value = self.evaluate(keyword.value, scope)
            if keyword.arg:
                given.keywords[keyword.arg] = value
            elif isinstance(value, Sequence) and value.keys is not None:
                given.keywords.update((str(k), v) for k, v in zip(value.keys, value.items, strict=False))
            else:
                given.open = True
        return given

    def _spread(self, items: Value, given: Arguments, node: ast.Starred, scope: Scope) -> None:
        value = scope.find(node.value.id) if isinstance(node.value, ast.Name) else None
        if isinstance(value, Sequence) and value.keys is None:
            given.positional += value.items
        else:
            given.open = True

    def _boolop(self, node: ast.BoolOp, scope: Scope) -> Value:
        stops = isinstance(node.op, ast.Or)
        found: list[Value] = []
        doubt = False
        for part in node.values:
            with self.perhaps(doubt):
                value = self.evaluate(part, scope)
            answer = truth(value)
            if answer is stops:
                return value if isinstance(value, Const) or not found else either([*found, value])
            found += [value] if answer is None else []
            doubt = doubt or answer is None
        return either(found) if found else value

    def _unary(self, node: ast.UnaryOp, scope: Scope) -> Value:
        value = self.evaluate(node.operand, scope)
        if isinstance(node.op, ast.Not):
            answer = truth(value)
            return UNKNOWN if answer is None else Const(not answer)
        if isinstance(node.op, ast.USub) and isinstance(value, Const) and isinstance(value.value, (int, float)):
            return Const(-value.value)
        return UNKNOWN

    def _compare(self, node: ast.Compare, scope: Scope) -> Value:
        left = self.evaluate(node.left, scope)
        rights = [self.evaluate(one, scope) for one in node.comparators]
        if len(rights) == 1:
            answer = _compared(node.ops[0], left, rights[0])
            return UNKNOWN if answer is None else Const(answer)
        return UNKNOWN

    def _choice(self, node: ast.IfExp, scope: Scope) -> Value:
        answer = truth(self.evaluate(node.test, scope))
        if answer is not None:
            return self.evaluate(node.body if answer else node.orelse, scope)
        with self.perhaps():
            return either([self.evaluate(node.body, scope), self.evaluate(node.orelse, scope)])

    def _sequence(self, node: ast.List | ast.Tuple | ast.Set, scope: Scope) -> Value:
        made = Sequence()
        for one in node.elts:
            if isinstance(one, ast.Starred):
                made.add(self.iterate(self.evaluate(one.value, scope), one))
            else:
                made.add(self.evaluate(one, scope))
        return made

    def _dict(self, node: ast.Dict, scope: Scope) -> Value:
        made = Sequence(keys=[])
        for key, value in zip(node.keys, node.values, strict=True):
            label = self.evaluate(key, scope)
            made.items.append(self.evaluate(value, scope))
            assert made.keys is not None
            made.keys.append(label.value if isinstance(label, Const) else label)
        return made

    def _subscript(self, node: ast.Subscript, scope: Scope) -> Value:
        owner = self.evaluate(node.value, scope)
        index = self.evaluate(node.slice, scope)
        if isinstance(owner, Sequence):
            return owner.at(index.value if isinstance(index, Const) else object())
        if isinstance(owner, (Class, Known)) and not isinstance(node.ctx, ast.Store):
            return owner if isinstance(owner, Class) else UNKNOWN  # a generic class with its parameter
        return UNKNOWN

    def _comprehension(self, node: Any, scope: Scope) -> Value:
        inner = Scope(scope.source, scope)
        for generator in node.generators:
            items = self.iterate(self.evaluate(generator.iter, inner), generator.iter)
            self.assign(generator.target, items, inner)
            for test in generator.ifs:
                if truth(self.evaluate(test, inner)) is False:
                    return Sequence()
        if isinstance(node, ast.DictComp):
            self.evaluate(node.key, inner)
            return Sequence([self.evaluate(node.value, inner)], keys=[object()])
        return Sequence([self.evaluate(node.elt, inner)])

    def _walrus(self, node: ast.NamedExpr, scope: Scope) -> Value:
        value = self.evaluate(node.value, scope)
        self.assign(node.target, value, scope)
        return value

    def _lambda(self, node: ast.Lambda, scope: Scope) -> Value:
        return Function(node, scope, scope.source, self.defaults(node.args, scope))

    def defaults(self, args: ast.arguments, scope: Scope) -> dict[str, Value]:
        """Read the defaults of parameters."""
        named = [*args.posonlyargs, *args.args]
        pairs = [*zip(reversed(named), reversed(args.defaults), strict=False)]
        found = {arg.arg: self.evaluate(value, scope) for arg, value in reversed(pairs)}
        for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True):
            if default is not None:
                found[arg.arg] = self.evaluate(default, scope)
        return found

    def _mixed(self, node: ast.expr, scope: Scope) -> Value:
        parts = [self.evaluate(child, scope) for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Mult)):
            lists = [part for part in parts if isinstance(part, Sequence)]
            if lists:
                return Sequence([item for part in lists for item in part.items])
        kept: list[Value] = [part for part in parts if isinstance(part, (Made, Bound, Mixed, Either))]
        return Mixed(kept) if kept else UNKNOWN

    def _await(self, node: ast.Await | ast.YieldFrom, scope: Scope) -> Value:
        value = self.evaluate(node.value, scope)
        if isinstance(value, Pending) or isinstance(node, ast.YieldFrom):
            return self.iterate(value, node)
        return value

    def _yield(self, node: ast.Yield, scope: Scope) -> Value:
        value = self.evaluate(node.value, scope)
        if self.frames:
            self.frames[-1].returned.append(value)
        return UNKNOWN


def _compared(operator: ast.cmpop, left: Value, right: Value) -> bool | None:
    """Give the answer of a comparison of two constants; None where a run would decide."""
    compare = _COMPARISONS.get(type(operator))
    if not compare or not isinstance(left, Const):
        return None
    if isinstance(right, Const):
        other = right.value
    elif isinstance(right, Sequence) and isinstance(operator, (ast.In, ast.NotIn)):
        items = right.keys if right.keys is not None else right.items
        other = [item.value if isinstance(item, Const) else item for item in items]
        if any(isinstance(item, Value) for item in other) and left.value not in other:
            return None
    else:
        return None
    try:
        return bool(compare(left.value, other))
    except TypeError:
        return None


_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: lambda a, b: a == b,
    ast.NotEq: lambda a, b: a != b,
    ast.Is: lambda a, b: a == b,
    ast.IsNot: lambda a, b: a != b,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
    ast.Lt: lambda a, b: a < b,
    ast.LtE: lambda a, b: a <= b,
    ast.Gt: lambda a, b: a > b,
    ast.GtE: lambda a, b: a >= b,
}
_READERS: dict[type[ast.expr], Callable[[Evaluator, Any, Scope], Value]] = {
    ast.Constant: Evaluator._constant,
    ast.Name: Evaluator._name,
    ast.Attribute: Evaluator._attribute,
    ast.Call: Evaluator._call,
    ast.BoolOp: Evaluator._boolop,
    ast.UnaryOp: Evaluator._unary,
    ast.Compare: Evaluator._compare,
    ast.IfExp: Evaluator._choice,
    **dict.fromkeys((ast.List, ast.Tuple, ast.Set), Evaluator._sequence),
    ast.Dict: Evaluator._dict,
    ast.Subscript: Evaluator._subscript,
    **dict.fromkeys((ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp), Evaluator._comprehension),
    ast.NamedExpr: Evaluator._walrus,
    ast.Lambda: Evaluator._lambda,
    **dict.fromkeys((ast.BinOp, ast.JoinedStr, ast.FormattedValue), Evaluator._mixed),
    **dict.fromkeys((ast.Await, ast.YieldFrom), Evaluator._await),
    ast.Yield: Evaluator._yield,
}

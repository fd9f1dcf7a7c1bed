"""Calls of functions and classes whose source is there, and iterations."""

from __future__ import annotations

import ast
from abc import abstractmethod

from picklecheck.receiver.guard import conditions, knowledge
from picklecheck.receiver.guard.base import Frame
from picklecheck.receiver.guard.library import LibraryCaller
from picklecheck.receiver.guard.plain import context_of, text_of
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
    Object,
    Pending,
    Scope,
    Sequence,
    Value,
    either,
)

__all__ = ["Caller"]

_MAX_DEPTH = 12
_MAY_LOAD = "iterates a data loader, which starts worker processes where num_workers is above 0"


class Caller(LibraryCaller):
    """Reads calls."""

    @abstractmethod
    def execute(self, body: list[ast.stmt], scope: Scope) -> bool:
        """Read statements, and tell whether they surely end what they stand in."""

    def call(self, function: Value, arguments: Arguments, node: ast.AST) -> Value:
        """Read a call, and give what it answers."""
        if isinstance(function, Either):
            with self.perhaps():
                return either([self.call(one, arguments, node) for one in function.values])
        if isinstance(function, Function):
            return self._call_function(function, arguments, node)
        if isinstance(function, Class):
            return self._instance(function, arguments, node)
        if isinstance(function, Known):
            return self._call_known(knowledge.canonical(function), arguments, node)
        if isinstance(function, Bound):
            return self._call_method(function.owner, function.name, arguments, node)
        if isinstance(function, Object):
            return self.call(self.attribute(function, "__call__", node), arguments, node)
        return self._call_made(function, arguments, node) if isinstance(function, Made) else UNKNOWN

    def _call_made(self, made: Made, arguments: Arguments, node: ast.AST) -> Value:
        given = made.arguments
        if made.known.name == "functools.partial":
            first, *rest = given.positional or [UNKNOWN]
            merged = Arguments([*rest, *arguments.positional], {**given.keywords, **arguments.keywords})
            return self.call(first, merged, node)
        if made.known.name == "joblib.Parallel" and text_of(given.get(None, "backend")) == "multiprocessing":
            self.start("makes a pool, whose processes start at once", None)  # its other backends need no guard
        return UNKNOWN

    def _call_function(self, function: Function, arguments: Arguments, node: ast.AST) -> Value:
        if function.launches:
            self.start("starts processes", function.launches.method)
        if not (self.world.matters(function.source) or self._hands_over(function, arguments)):
            return UNKNOWN  # nothing that the file says can matter
        key = _key(function, arguments)
        if key in self.quiet:
            return self.quiet[key]
        before = len(self.events)
        answer = self._read_function(function, arguments, node)
        if (
            key is not None
            and len(self.events) == before
            and function.node not in [f.function.node for f in self.frames]
        ):
            self.quiet[key] = answer
        return answer

    def _read_function(self, function: Function, arguments: Arguments, node: ast.AST) -> Value:
        if isinstance(function.node, ast.AsyncFunctionDef) or self._is_generator(function.node):
            return Pending(function, arguments)
        return self._run(function, arguments, node)

    def _hands_over(self, function: Function, arguments: Arguments) -> bool:
        """Tell whether a call gives a function something to call or to iterate that may start processes."""
        return function.scope.sort == "function" or any(
            self.is_live(value) for given in (function.bound, arguments) for value in given.all()
        )

    def is_live(self, value: Value) -> bool:
        """Tell whether what is done with a value may matter."""
        if isinstance(value, (Function, Class)):
            return self.world.matters(value.source)
        if isinstance(value, Object):
            return self.world.matters(value.cls.source)
        if isinstance(value, Pending):
            return self.is_live(value.function)
        if isinstance(value, Bound):
            return self.is_live(value.owner)
        if isinstance(value, Made):
            return knowledge.is_loader(value.known) or knowledge.is_starter(value.known)
        if isinstance(value, Either):
            return any(map(self.is_live, value.values))
        return isinstance(value, Sequence) and bool(value.items)

    def _run(self, function: Function, arguments: Arguments, node: ast.AST) -> Value:
        running = [frame.function.node for frame in self.frames]
        if function.node in running or len(running) >= _MAX_DEPTH:
            return UNKNOWN
        if self.frames:
            self.frames[-1].line = getattr(node, "lineno", 0)
        scope = Scope(function.source, function.scope)
        self._bind(function, arguments, scope)
        frame = Frame(function, self.uncertain)
        self.frames.append(frame)
        caught, self.caught = self.caught, list(self.caught)
        try:
            if isinstance(function.node, ast.Lambda):
                frame.line = function.node.lineno
                return self.evaluate(function.node.body, scope)
            self.execute(function.node.body, scope)
            return either(frame.returned)
        finally:
            self.frames.pop()
            self.uncertain, self.caught = frame.uncertain, caught

    def _is_generator(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> bool:
        if isinstance(node, ast.Lambda):
            return False
        known = self.world.generators.get(node)
        if known is None:
            known = any(isinstance(inner, (ast.Yield, ast.YieldFrom)) for inner in conditions.own_nodes(node.body))
            self.world.generators[node] = known
        return known

    def _bind(self, function: Function, arguments: Arguments, scope: Scope) -> None:
        given = Arguments(
            [*function.bound.positional, *arguments.positional],
            {**function.bound.keywords, **arguments.keywords},
            arguments.open,
        )
        args = function.node.args
        named = [*args.posonlyargs, *args.args]
        for position, arg in enumerate([*named, *args.kwonlyargs]):
            value = given.get(position if position < len(named) else None, arg.arg)
            if value is None or (value is UNKNOWN and given.open and arg.arg in function.defaults):
                value = function.defaults.get(arg.arg, UNKNOWN)
            scope.names[arg.arg] = value
        if args.vararg:
            scope.names[args.vararg.arg] = Sequence(given.positional[len(named) :])
        if args.kwarg:
            extra = {name: value for name, value in given.keywords.items() if name not in scope.names}
            scope.names[args.kwarg.arg] = Sequence(list(extra.values()), keys=list(extra))

    def _instance(self, cls: Class, arguments: Arguments, node: ast.AST) -> Value:
        made = Object(cls)
        if cls.known_bases():
            made.base_arguments = arguments
        for name in ("__init__", "__post_init__"):
            found = cls.find(name)
            if found and isinstance(found[0], Function):
                given = arguments if name == "__init__" else Arguments()
                self.call(self.taken(found[0], made, found[1]), given, node)
        return made

    # iterations

    def iterate(self, value: Value, node: ast.AST) -> Value:
        """Read an iteration, and give what it yields."""
        if isinstance(value, Either):
            with self.perhaps():
                return either([self.iterate(one, node) for one in value.values])
        if isinstance(value, Sequence):
            return either(value.items) if value.keys is None else UNKNOWN
        if isinstance(value, Pending):
            return self._run(value.function, value.arguments, node)
        if isinstance(value, Object):
            return self._iterate_object(value, node)
        if isinstance(value, Made):
            return self._iterate_made(value, node)
        return UNKNOWN

    def _iterate_object(self, value: Object, node: ast.AST) -> Value:
        found = value.cls.find("__iter__")
        if found and isinstance(found[0], Function):
            return self.iterate(self.call(self.taken(found[0], value, found[1]), Arguments(), node), node)
        for base in map(knowledge.canonical, value.cls.known_bases()):
            if knowledge.is_loader(base):
                self._iterate_loader(base, value.base_arguments or Arguments())
        return UNKNOWN

    def _iterate_made(self, value: Made, node: ast.AST) -> Value:
        if knowledge.is_loader(value.known):
            self._iterate_loader(value.known, value.arguments)
        else:
            for one in value.arguments.positional:
                if isinstance(one, (Made, Object)):
                    self.iterate(one, node)
        return UNKNOWN

    def _iterate_loader(self, known: Known, arguments: Arguments) -> None:
        has = knowledge.workers(known, arguments)
        if has is not False:
            method = text_of(arguments.keywords.get("multiprocessing_context")) or context_of(arguments)
            self.start(knowledge.LOADS if has else _MAY_LOAD, method, certain=has is True)


def _key(function: Function, arguments: Arguments) -> tuple[object, ...] | None:
    """Give what a call is remembered by, so that it need not be read twice; None where its arguments are not simple."""
    if function.bound.positional or function.bound.keywords or arguments.open or function.scope.sort == "function":
        return None
    given: list[object] = [function.node]
    for name, value in [*enumerate(arguments.positional), *arguments.keywords.items()]:
        if isinstance(value, Const):
            given += [name, type(value.value), repr(value.value)]
        elif isinstance(value, Known):
            given += [name, value]
        elif value is UNKNOWN:
            given += [name, None]
        else:
            return None
    return tuple(given)

"""The lines of one source file that set attributes or define something, taken from its tree in one pass.

Only the statements are visited, with a stack of our own: a chain of a thousand ``elif`` nests as deep as it is long.
"""

from __future__ import annotations

import ast  # costs nothing here: dataclasses, which the model is made of, has loaded it
from collections.abc import Iterator
from typing import Any, NamedTuple

from picklecheck.model import Place

__all__ = ["CONSTANT", "Definition", "Index", "Setting"]

# How telling the value is that is set: a culprit is never a plain constant, but may lie in what was an empty list.
VALUE, CONTAINER, CONSTANT, DECLARED = range(4)
# Where it is set, the likeliest first. A class body sets what instances have only where `__init__` is made from it.
_SETUP, _FIELD, _METHOD, _BODY = range(4)

_SETUP_PREFIXES = ("init", "new", "post_init", "attrs_post_init", "setup", "set_up")
_PROPERTY_WORDS = ("property", "reify", "lazy")
_BLOCKS = ("body", "orelse", "handlers", "finalbody", "cases")
_LITERALS = (
    ast.Constant, ast.UnaryOp, ast.BinOp, ast.List, ast.Tuple, ast.Set, ast.Dict,
    ast.unaryop, ast.operator, ast.expr_context,
)  # fmt: skip
_FILLABLE = (ast.List, ast.Set, ast.Dict)
_EMPTY_CALLS = ("dict", "list", "set", "bytearray", "tuple", "frozenset")

_Function = (ast.FunctionDef, ast.AsyncFunctionDef)


class Definition(NamedTuple):
    """A ``class`` or ``def``: `first` is its first decorator's line, `function` the function that it stands in."""

    qualname: str
    first: int
    line: int
    end: int
    function: str | None


class Setting(NamedTuple):
    """A statement that sets an attribute; `owner` is the line of the class whose instance gets it, None if unknown."""

    value: int
    rank: int
    line: int
    owner: int | None
    function: str | None


class Index:
    """What is asked of a file: its lines, what it defines, and what it sets (by attribute).

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: the text cannot be parsed.
    """

    __slots__ = ("classes", "file", "functions", "lines", "named", "settings")

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.lines = text.split("\n")  # as the parser counts: splitlines knows other line ends
        self.classes: dict[str, list[Definition]] = {}  # by qualified name
        self.named: dict[str, list[Definition]] = {}  # functions and classes, by their own name
        self.functions: list[Definition] = []
        self.settings: dict[str, list[Setting]] = {}
        _Reader(self).read(ast.parse(text))

    def place(self, line: int, function: str | None) -> Place:
        """Give a line as a Place."""
        return Place(file=self.file, line=line, statement=self.lines[line - 1].strip(), function=function)

    def best(self, attribute: str, owner: Definition, *, fields: bool) -> Setting | None:
        """Give the likeliest statement of a class; `fields` says that its ``__init__`` is made from its body."""

        def order(setting: Setting) -> tuple[int, int, int]:
            if fields and setting.rank == _BODY:
                return (VALUE if setting.value == DECLARED else setting.value, _FIELD, setting.line)
            return setting[:3]

        own = [setting for setting in self.settings.get(attribute, ()) if setting.owner == owner.line]
        best = min(own, key=order, default=None)
        return best and best._replace(value=order(best)[0])

    def function_around(self, line: int) -> str | None:
        """Give the qualified name of the innermost function that a line lies in; None at import level."""
        around = [found for found in self.functions if found.line <= line <= found.end]
        innermost = max(around, key=lambda found: found.line, default=None)
        return innermost and innermost.qualname

    def elsewhere(self, attribute: str, near: Definition | None) -> Setting | None:
        """Give the likeliest statement that sets the attribute of an object of unknown class, first within `near`."""

        def order(setting: Setting) -> tuple[int, bool, int]:
            return (setting.value, not (near and near.first <= setting.line <= near.end), setting.line)

        others = [setting for setting in self.settings.get(attribute, ()) if setting.owner is None]
        return min(others, key=order, default=None)


class _Scope(NamedTuple):
    """What surrounds a statement: `selves` are the names that hold an instance of the class `owner`."""

    prefix: str = ""
    function: str | None = None
    owner: Definition | None = None
    in_body: bool = False
    selves: frozenset[str] = frozenset()
    rank: int = _METHOD


class _Reader:
    """Fills an index."""

    def __init__(self, index: Index) -> None:
        self.index = index

    def read(self, tree: ast.Module) -> None:
        stack: list[tuple[Any, _Scope]] = [(tree, _Scope())]
        while stack:
            node, scope = stack.pop()
            inner = self._enter(node, scope)
            for block in _BLOCKS:
                stack += [(child, inner) for child in getattr(node, block, ())]

    def _enter(self, node: Any, scope: _Scope) -> _Scope:
        """Note what a statement does, and give the scope of the statements in it."""
        if isinstance(node, ast.ClassDef):
            definition = self._define(node, scope)
            return _Scope(f"{definition.qualname}.", scope.function, definition, in_body=True)
        if isinstance(node, _Function):
            definition = self._define(node, scope)
            if scope.in_body and any(_is_property(decorator) for decorator in node.decorator_list):
                self._add(node.name, VALUE, _FIELD, node, scope, owned=True)
            return _function_scope(node, definition, scope)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            for receiver, name, value in _setting_calls(node.value):
                self._note(receiver, name, value, node, scope)
        for target, value in _targets(node):
            self._note_target(target, value, node, scope)
        return scope

    def _define(self, node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef, scope: _Scope) -> Definition:
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        is_class = isinstance(node, ast.ClassDef)
        end = node.end_lineno or node.lineno
        definition = Definition(scope.prefix + node.name, first, node.lineno, end, scope.function)
        self.index.named.setdefault(node.name, []).append(definition)
        if is_class:
            self.index.classes.setdefault(definition.qualname, []).append(definition)
        else:
            self.index.functions.append(definition)
        return definition

    def _note_target(self, target: ast.expr, value: int, node: ast.stmt, scope: _Scope) -> None:
        if isinstance(target, ast.Attribute) and value != DECLARED:  # `self.x: int` alone sets nothing
            self._note(target.value, _mangled(target.attr, scope), value, node, scope)
        elif isinstance(target, ast.Name) and scope.in_body:
            self._add(_mangled(target.id, scope), value, _BODY, node, scope, owned=True)
        elif isinstance(target, ast.Subscript):
            receiver, name = _dict_owner(target.value), _string(target.slice)
            if receiver and name is not None:
                self._note(receiver, name, value, node, scope)

    def _note(self, receiver: ast.expr, name: str, value: int, node: ast.stmt, scope: _Scope) -> None:
        if isinstance(receiver, ast.Call) and isinstance(receiver.func, ast.Name):
            owned = receiver.func.id == "super" and bool(scope.selves)
        else:
            owned = isinstance(receiver, ast.Name) and receiver.id in scope.selves
        self._add(name, value, scope.rank, node, scope, owned=owned)

    def _add(self, name: str, value: int, rank: int, node: ast.stmt, scope: _Scope, *, owned: bool) -> None:
        owner = scope.owner.line if owned and scope.owner else None
        self.index.settings.setdefault(name, []).append(Setting(value, rank, node.lineno, owner, scope.function))


def _function_scope(node: ast.FunctionDef | ast.AsyncFunctionDef, definition: Definition, scope: _Scope) -> _Scope:
    arguments = [*node.args.posonlyargs, *node.args.args]
    if scope.in_body:
        selves = _selves(node, arguments[0].arg) if arguments else frozenset()
        rank = _SETUP if node.name.strip("_").lower().startswith(_SETUP_PREFIXES) else _METHOD
    else:  # a function in a method sees the method's names, except those that are its own
        extra = [node.args.vararg, node.args.kwarg]
        own = {argument.arg for argument in [*arguments, *node.args.kwonlyargs, *filter(None, extra)]}
        selves, rank = scope.selves - own, scope.rank
    return _Scope(f"{definition.qualname}.<locals>.", definition.qualname, scope.owner, False, selves, rank)


def _selves(node: ast.FunctionDef | ast.AsyncFunctionDef, first: str) -> frozenset[str]:
    """Give the names for the instance in a method: its first parameter, and what it makes where that is the class."""
    decorators = {_last_name(decorator) for decorator in node.decorator_list}
    if "staticmethod" in decorators:
        return frozenset()
    if node.name != "__new__" and "classmethod" not in decorators:
        return frozenset([first])
    made = [
        target.id
        for part in ast.walk(node)
        if isinstance(part, ast.Assign) and isinstance(part.value, ast.Call)
        if any(isinstance(name, ast.Name) and name.id == first for name in ast.walk(part.value))
        for target in part.targets
        if isinstance(target, ast.Name)
    ]
    return frozenset([first, *made])


def _targets(node: Any) -> Iterator[tuple[ast.expr, int]]:
    """Yield what a statement assigns to, with how telling the value is."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield from _unpacked(target, node.value)
    elif isinstance(node, ast.AnnAssign):
        yield node.target, _telling(node.value) if node.value else DECLARED
    elif isinstance(node, ast.AugAssign):
        yield node.target, _telling(node.value)
    elif isinstance(node, (ast.For, ast.AsyncFor)):
        yield from _unpacked(node.target, None)
    elif isinstance(node, (ast.With, ast.AsyncWith)):
        for item in node.items:
            if item.optional_vars:
                yield from _unpacked(item.optional_vars, None)


def _unpacked(target: ast.expr, value: ast.expr | None) -> Iterator[tuple[ast.expr, int]]:
    if isinstance(target, ast.Starred):
        yield from _unpacked(target.value, None)
    elif not isinstance(target, (ast.Tuple, ast.List)):
        yield target, _telling(value) if value else VALUE
    else:
        values: list[Any] = [None] * len(target.elts)
        if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(values):
            starred = any(isinstance(part, ast.Starred) for part in [*target.elts, *value.elts])
            values = values if starred else value.elts
        for part, its_value in zip(target.elts, values, strict=True):
            yield from _unpacked(part, its_value)


def _setting_calls(call: ast.Call) -> Iterator[tuple[ast.expr, str, int]]:
    """Yield receiver, name and value for calls of setattr, of ``__setattr__``, and of a ``__dict__``'s methods."""
    function, arguments = call.func, call.args
    owner = _dict_owner(function.value) if isinstance(function, ast.Attribute) else None
    called = _last_name(function)
    pairs: list[tuple[str | None, ast.expr]] = []
    if called in ("setattr", "__setattr__") and len(arguments) == 3:
        owner, pairs = arguments[0], [(_string(arguments[1]), arguments[2])]
    elif isinstance(function, ast.Attribute) and called == "__setattr__" and len(arguments) == 2:
        owner, pairs = function.value, [(_string(arguments[0]), arguments[1])]  # of self, or of super()
    elif called == "setdefault" and len(arguments) == 2:
        pairs = [(_string(arguments[0]), arguments[1])]
    elif called == "update":
        pairs = [(keyword.arg, keyword.value) for keyword in call.keywords]
        if arguments and isinstance(arguments[0], ast.Dict):
            pairs += zip(map(_string, arguments[0].keys), arguments[0].values, strict=True)
    yield from ((owner, name, _telling(value)) for name, value in pairs if owner and name is not None)


def _dict_owner(node: ast.expr) -> ast.expr | None:
    """Give x for ``x.__dict__`` and ``vars(x)``."""
    if isinstance(node, ast.Attribute) and node.attr == "__dict__":
        return node.value
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "vars" and node.args:
        return node.args[0]
    return None


def _string(node: ast.expr | None) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _telling(value: ast.expr) -> int:
    if isinstance(value, ast.JoinedStr):
        return CONSTANT
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in _EMPTY_CALLS:
        return VALUE if value.args or value.keywords else CONTAINER
    fillable = False
    for part in ast.walk(value):
        if not isinstance(part, _LITERALS):
            return VALUE
        fillable = fillable or isinstance(part, _FILLABLE)
    return CONTAINER if fillable else CONSTANT


def _mangled(name: str, scope: _Scope) -> str:
    """Give the name under which ``__x`` is stored in a class."""
    owner = scope.owner.qualname.rpartition(".")[2].lstrip("_") if scope.owner else ""
    return f"_{owner}{name}" if owner and name.startswith("__") and not name.endswith("__") else name


def _is_property(decorator: ast.expr) -> bool:
    return any(word in _last_name(decorator).lower() for word in _PROPERTY_WORDS)


def _last_name(node: ast.expr) -> str:
    """Give "cached_property" for ``functools.cached_property`` and for a call of it."""
    if isinstance(node, ast.Call):
        node = node.func
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""

"""The sender's side of a trial: live objects are pickled as instances of the edited classes would be.

The user's classes are left alone. The methods of the edited text are compiled beside them, and the reduce value that
`object.__reduce_ex__` would make with them is made here (Objects/typeobject.c: `reduce_newobj`; docs: pickle,
"Pickling Class Instances").
"""

from __future__ import annotations

import ast
import copyreg
import pkgutil
import sys
import types
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from picklecheck.fixes.base import Made, Named
from picklecheck.safe import class_dict, instance_dict, module_of, mro
from picklecheck.standins import itself

__all__ = ["METHODS", "Sender", "methods_in"]

METHODS = ("__getstate__", "__reduce__", "__reduce_ex__", "__getnewargs__", "__getnewargs_ex__")
_OBJECT = vars(object)
Methods = Mapping[str, Callable[..., Any]]


def methods_in(text: str, cls: type, qualname: str, imports: Iterable[str]) -> dict[str, Callable[..., Any]]:
    """Compile the methods that take part in pickling from the text of a file, for instances that are there already.

    Args:
        text: the edited text.
        cls: the class as it is in this process.
        qualname: its name in the text.
        imports: import statements that the edits add; they are carried out.

    Returns:
        Those of `METHODS` that stand in the body of the class; they see the names of the class's module.

    Raises:
        SyntaxError: the text is none of Python.
        Exception: whatever an import statement raises.
    """
    body = _body_of(ast.parse(text), qualname.replace(".<locals>", "").split("."))
    wanted = [_plain(node) for node in body if isinstance(node, ast.FunctionDef) and node.name in METHODS]
    block: list[ast.stmt] = [*wanted] or [ast.Pass()]
    shell = ast.ClassDef(name=qualname.rpartition(".")[2], bases=[], keywords=[], body=block, decorator_list=[])
    if sys.version_info >= (3, 12):
        shell.type_params = []
    namespace = dict(instance_dict(sys.modules.get(module_of(cls) or "")) or {})
    for statement in imports:
        exec(statement, namespace)
    module = ast.fix_missing_locations(ast.Module(body=[shell], type_ignores=[]))
    exec(compile(module, "<edited>", "exec"), namespace)
    made = class_dict(namespace[shell.name])
    return {node.name: _bound_to(cls, made[node.name]) for node in wanted}


def _plain(function: ast.FunctionDef) -> ast.FunctionDef:
    """Take the annotations away: their names may exist for type checkers only."""
    function.returns = None
    for node in ast.walk(function.args):
        if isinstance(node, ast.arg):
            node.annotation = None
    return function


def _body_of(tree: ast.AST, names: list[str]) -> list[ast.stmt]:
    """Give the body of the class that is reached by these names; of several, the last one."""
    found: list[ast.AST] = [tree]
    for name in names:
        found = [node for outer in found for node in _definitions(outer) if node.name == name]
    last = found[-1] if found else None
    return last.body if isinstance(last, ast.ClassDef) else []


def _definitions(outer: ast.AST) -> Iterable[ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield the classes and functions that stand in a block, at whatever depth of statements."""
    for node in ast.iter_child_nodes(outer):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node
        elif not isinstance(node, ast.expr):
            yield from _definitions(node)


def _bound_to(cls: type, function: Any) -> Callable[..., Any]:
    """Give the function with the class as it is in place of the one that it was compiled in (for `super()`)."""
    code = function.__code__
    cells = tuple(
        types.CellType(cls) if name == "__class__" else cell
        for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True)
    )
    bound = types.FunctionType(code, function.__globals__, function.__name__, function.__defaults__, cells)
    bound.__kwdefaults__ = function.__kwdefaults__
    return bound


class Sender:
    """Gives the reduce values that objects would have once the source is edited.

    Args:
        methods: class -> its edited methods.
        replaces: pairs of an object and what is pickled for it.
        protocol: the protocol's number.
    """

    def __init__(self, methods: Mapping[type, Methods], replaces: Iterable[tuple[Any, Any]], protocol: int) -> None:
        self._methods = methods
        self._replaces = {id(obj): (obj, other) for obj, other in replaces}
        self._protocol = protocol

    def __call__(self, obj: Any) -> Any:
        """Give the reduce value; NotImplemented for an object that the edits leave as it is."""
        if type(obj) is Named:
            return pkgutil.resolve_name, (f"{obj.module}:{obj.qualname}",)
        if type(obj) is Made:
            return obj.func, obj.args
        found = self._replaces.get(id(obj))
        if found is not None:
            return self._instead(found[1])
        return self._reduced(obj) if self._methods else NotImplemented

    def _instead(self, other: Any) -> Any:
        if type(other) is Named or type(other) is Made:
            return self(other)
        return itself, (other,)

    def _reduced(self, obj: Any) -> Any:
        cls = type(obj)
        if not any(base in self._methods for base in mro(cls)):
            return NotImplemented
        reduce = self._find(cls, "__reduce_ex__")
        if reduce is not _OBJECT["__reduce_ex__"]:
            return reduce(obj, self._protocol) if self._is_edited(reduce) else NotImplemented
        reduce = self._find(cls, "__reduce__")
        if reduce is not _OBJECT["__reduce__"]:
            return reduce(obj) if self._is_edited(reduce) else NotImplemented
        return self._by_default(obj, cls)

    def _is_edited(self, function: Any) -> bool:
        return any(function is edited for methods in self._methods.values() for edited in methods.values())

    def _find(self, cls: type, name: str) -> Any:
        for base in mro(cls):
            edited = self._methods.get(base, {}).get(name)
            if edited is not None:
                return edited
            if name in class_dict(base):
                return class_dict(base)[name]
        return None

    def _by_default(self, obj: Any, cls: type) -> Any:
        """Do what `object.__reduce_ex__` does from protocol 2 on; older ones lose what the new methods are for."""
        make, args = self._new(obj, cls)
        getstate = self._find(cls, "__getstate__")
        if getstate is None or getstate is _OBJECT.get("__getstate__"):
            state = _default_state(obj, cls)
        else:
            state = getstate(obj)
        items = iter(obj) if issubclass(cls, list) else None
        pairs = iter(obj.items()) if issubclass(cls, dict) else None
        return make, args, state, items, pairs

    def _new(self, obj: Any, cls: type) -> tuple[Any, tuple[Any, ...]]:
        given = self._find(cls, "__getnewargs_ex__")
        if given is not None:
            args, keywords = given(obj)
            return copyreg.__newobj_ex__, (cls, args, keywords)  # type: ignore[attr-defined]
        given = self._find(cls, "__getnewargs__")
        return copyreg.__newobj__, (cls, *(given(obj) if given is not None else ()))  # type: ignore[attr-defined]


def _default_state(obj: Any, cls: type) -> Any:
    """Give what `object.__getstate__` gives, which exists from Python 3.11 on."""
    own = instance_dict(obj) or None
    names: list[str] = copyreg._slotnames(cls)  # type: ignore[attr-defined]
    missing = object()
    held = ((name, getattr(obj, name, missing)) for name in names)
    slots = {name: value for name, value in held if value is not missing}
    return (own, slots) if slots else own

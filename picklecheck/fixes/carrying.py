"""Carries an expression from the method where it sets an attribute into another method of the class."""

from __future__ import annotations

import ast
import builtins
import sys
from dataclasses import dataclass
from typing import Any

from picklecheck import safe
from picklecheck.fixes.class_source import Setting, inside, settings
from picklecheck.fixes.method_names import (
    COMPREHENSIONS,
    STAYS,
    is_parameter,
    is_plain,
    keeps,
    locals_of,
    names_around,
    rebuilt,
    simple_values,
    stores_of,
    uses,
)
from picklecheck.fixes.setting import setting
from picklecheck.fixes.spelling import spell_name, stored_name

__all__ = ["Remade", "remake"]

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_WHOLE = (
    ast.Call, ast.Name, ast.Attribute, ast.Constant, ast.Subscript, ast.List, ast.Dict, ast.Set, ast.JoinedStr,
    ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp,
)  # fmt: skip
_SPECIAL = ("super", "__class__", "locals", "vars", "eval", "exec", "globals", "dir")
_MOST_STEPS = 20


@dataclass(frozen=True, slots=True)
class Remade:
    """An expression that makes what an attribute holds, for use in another method of the class.

    Attributes:
        text: its source, in one line.
        imports: import statements that it needs.
        order: greater for what the source sets later.
        around: the ``with`` line that it must stand under; empty: none.
    """

    text: str
    imports: tuple[str, ...]
    order: int
    around: str = ""


class _StaysError(Exception):
    """The expression needs something that is only there where it stands."""


def remake(cls: type, attribute: str, owner: object, made: object = None, home: type | None = None) -> Remade | None:
    """Give the right side of the statement that sets an attribute, as an expression for another method.

    Every name in it is one of the module's or a builtin, ``self`` or one of its attributes, or comes from a local that
    is set once; a parameter that ``self`` keeps is read from there.

    Args:
        cls: the class of the instance.
        attribute: as the instance stores it.
        owner: the instance.
        home: the class that the method stands in; None: that of the instance.
        made: what the expression must make; where it calls a class, that must be the class of it.
    """
    found = setting(cls, attribute)
    if found is None or found.value is None:
        return None
    carrier = _Carrier(found, cls, owner, home or cls)
    for value in (found.value, *_made_branches(found)):
        if value is not found.value and not isinstance(value, ast.Call):
            continue
        carrier.imports.clear()
        carrier.withs.clear()
        try:
            text = carrier.text(value)
            around = carrier.around_it()
        except (_StaysError, SyntaxError):
            continue
        if found.called:
            text = text.removeprefix("lambda: ") if isinstance(value, ast.Lambda) else f"{text}()"
        callee = value if found.called else getattr(value, "func", None)
        if not _makes_another(carrier.resolved(callee), made):
            return Remade(text, tuple(dict.fromkeys(carrier.imports)), found.order, around)
    return None


def _made_branches(found: Setting) -> list[ast.expr]:
    """Give what is made where nothing is given: ``Lock()`` in ``lock or Lock()``."""
    value = found.value
    if isinstance(value, ast.BoolOp) and isinstance(value.op, ast.Or):
        return value.values[-1:]
    if isinstance(value, ast.IfExp):
        body, other = value.body, value.orelse
        return [one for one, rest in ((body, other), (other, body)) if isinstance(rest, ast.Name)]
    if isinstance(value, ast.Name) and found.function:
        return simple_values(found.function, value.id)
    return []


def _makes_another(callee: Any, made: object) -> bool:
    return made is not None and safe.is_class(callee) and callee not in safe.mro(type(made))


class _Carrier:
    def __init__(self, found: Setting, cls: type, owner: object, target: type) -> None:
        self.found, self.cls, self.owner, self.target = found, cls, owner, target
        self.parsed, self.function = found.source.parsed, found.function
        self.home = _space(found.source.cls)
        self.locals = locals_of(found.function)
        self.outer = names_around(found)
        self.imports: list[str] = []
        self.open: list[str] = []  # the locals that are being put in
        self.withs: list[ast.With] = []  # what binds names that the expression needs

    def text(self, node: ast.expr) -> str:
        """Give the text of a node as it is to stand elsewhere.

        Raises:
            _StaysError: it cannot.
        """
        changes: dict[int, tuple[Any, str]] = {}
        self._visit(node, frozenset(), changes)
        if any(isinstance(part, ast.JoinedStr) for part in ast.walk(node)):
            if not changes:
                return self._segment(node, [])
            return ast.unparse(rebuilt(node, changes))  # before 3.12 nodes in an f-string do not tell where they are
        return self._segment(node, list(changes.values()))

    def around_it(self) -> str:
        """Give the ``with`` line that binds what the expression needs.

        Raises:
            _StaysError: there is more than one such line, or it needs what is not there.
        """
        if not self.withs:
            return ""
        first = self.withs[0]
        if any(one is not first for one in self.withs):
            raise _StaysError
        items = [(self.text(one.context_expr), one.optional_vars) for one in first.items]
        if any(one is not first for one in self.withs):
            raise _StaysError
        return "with " + ", ".join(f"{text} as {ast.unparse(to)}" if to else text for text, to in items) + ":"

    def resolved(self, node: Any) -> Any:
        """Give the live object that a dotted name of the module's stands for; None for others."""
        if isinstance(node, ast.Attribute):
            space = safe.instance_dict(self.resolved(node.value))
            return (space or {}).get(node.attr)
        if isinstance(node, ast.Name) and node.id not in self.locals:
            return self.home.get(node.id)
        return None

    def _segment(self, node: Any, changes: list[tuple[Any, str]]) -> str:
        start, end = self.parsed.span(node)
        parts, at = [], start
        for first, last, new in sorted((*self.parsed.span(part), new) for part, new in changes):
            parts += [self.parsed.data[at:first], new.encode()]
            at = last
        text = b"".join([*parts, self.parsed.data[at:end]]).decode()
        if isinstance(node, ast.Tuple) and not text.startswith("("):
            text = f"({text})"
        return ast.unparse(ast.parse(f"({text})", mode="eval")) if "\n" in text or "#" in text else text

    def _visit(self, node: Any, bound: frozenset[str], changes: dict[int, tuple[Any, str]]) -> None:
        if isinstance(node, STAYS):
            raise _StaysError
        if isinstance(node, ast.Attribute) and self._is_self(node.value, bound):
            self._note(node, f"self.{self._attribute(node.attr)}", changes)
            return
        if isinstance(node, ast.Name):
            if node.id not in bound:
                self._note(node, self._name(node.id), changes)
            return
        if isinstance(node, ast.Lambda):
            arguments = [part.arg for part in ast.walk(node.args) if isinstance(part, ast.arg)]
            bound |= frozenset(arguments)
        elif isinstance(node, COMPREHENSIONS):
            targets = [name for one in node.generators for name in ast.walk(one.target)]
            bound |= frozenset(name.id for name in targets if isinstance(name, ast.Name))
        for part in ast.iter_child_nodes(node):
            self._visit(part, bound, changes)

    def _note(self, node: Any, new: str, changes: dict[int, tuple[Any, str]]) -> None:
        if new != ast.unparse(node):
            changes[id(node)] = node, new

    def _is_self(self, node: Any, bound: frozenset[str]) -> bool:
        return isinstance(node, ast.Name) and node.id == self.found.receiver != "" and node.id not in bound

    def _attribute(self, name: str) -> str:
        stored = stored_name(name, self.found.source.cls)
        in_class = safe.find_in_class(self.cls, stored)
        if in_class is None and (stored == self.found.attribute or not self._has(stored)):
            raise _StaysError
        if stored == self.found.attribute and type(in_class) is property:
            raise _StaysError
        return spell_name(stored, self.target)

    def _has(self, stored: str) -> bool:
        own = safe.instance_dict(self.owner) or {}
        return stored in own or any(name == stored for name, _ in safe.members(self.owner))

    def _name(self, name: str) -> str:
        if name == self.found.receiver:
            return "self"
        if name in self.locals:
            return self._local(name)
        if name in self.outer or name in _SPECIAL:
            raise _StaysError
        if name in self.home:
            self._bring(name)
        elif not hasattr(builtins, name):
            raise _StaysError
        return name

    def _bring(self, name: str) -> None:
        """See that a global of the file that the expression stands in is there where it goes to."""
        there = _space(self.target)
        if there is self.home or (name in there and there[name] is self.home[name]):
            return
        module = safe.plain_text((safe.instance_dict(self.home[name]) or {}).get("__name__"))
        if name in there or not (module in sys.modules or safe.module_of(self.found.source.cls) in sys.modules):
            raise _StaysError
        if module in sys.modules and sys.modules[module] is self.home[name]:
            self.imports.append(f"import {module}" if module == name else f"import {module} as {name}")
        else:
            self.imports.append(f"from {safe.module_of(self.found.source.cls)} import {name}")

    def _local(self, name: str) -> str:
        """Give what to write for a parameter or a local: the attribute that keeps it, or what it was set to."""
        statement = self.locals[name]
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            return self._imported(name, statement)
        assert self.function is not None
        opened = self._opened_by(name)
        if opened:
            self.withs.append(opened)
            return name
        values = simple_values(self.function, name)
        stores = stores_of(self.function, name)
        kept = self._kept(name) if stores == 0 or (len(values) == 1 and not is_parameter(self.function, name)) else None
        if kept:
            return f"self.{spell_name(kept, self.target)}"
        if len(values) != 1 or is_parameter(self.function, name) or name in self.open or len(self.open) > _MOST_STEPS:
            raise _StaysError
        if uses(self.function, name) > 1 and not is_plain(values[0]):
            raise _StaysError
        self.open.append(name)
        text = self.text(values[0])
        self.open.pop()
        return text if isinstance(values[0], (*_WHOLE, ast.Tuple)) else f"({text})"

    def _opened_by(self, name: str) -> ast.With | None:
        """Give the ``with`` statement that binds a name for the statement that sets the attribute."""
        assert self.function is not None
        for part in inside(self.function):
            if isinstance(part, ast.With) and self.found.statement in part.body:
                bound = [one.optional_vars.id for one in part.items if isinstance(one.optional_vars, ast.Name)]
                if name in bound and stores_of(self.function, name) == 1:
                    return part
        return None

    def _imported(self, name: str, statement: ast.Import | ast.ImportFrom) -> str:
        there = _space(self.target)
        for alias in statement.names:
            if name != (alias.asname or alias.name.partition(".")[0]):
                continue
            if isinstance(statement, ast.ImportFrom) and statement.level:
                raise _StaysError
            if name not in there:
                what = alias.name + (f" as {alias.asname}" if alias.asname else "")
                source = f"from {statement.module} " if isinstance(statement, ast.ImportFrom) else ""
                self.imports.append(f"{source}import {what}")
        return name

    def _kept(self, name: str) -> str | None:
        """Give the attribute that the method keeps a name in: as it is, or as a path made of it."""
        own = safe.instance_dict(self.owner) or dict(safe.members(self.owner))
        for stored in own:
            if stored == self.found.attribute:
                continue
            for one in settings(self.found.source.cls, stored):
                if one.function is self.function and keeps(one.value, name):
                    return stored
        return None


def _space(cls: type) -> dict[str, Any]:
    return safe.instance_dict(sys.modules.get(safe.module_of(cls) or "")) or {}

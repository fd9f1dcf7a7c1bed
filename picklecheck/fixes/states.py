"""From the changes of single attributes to one pair of state methods for the class, in the way that the class is made.

Which methods there are already, slots, frozen classes, bases with state methods of their own: all of it decides what
the methods look like. Source: docs, pickle, "Pickling Class Instances"; `object.__getstate__` exists since Python 3.11
only, so that it is never called here.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from picklecheck import source
from picklecheck.fixes.base import AddImports, AddMethods, Change, Edit, ExtendMethod, Replace
from picklecheck.fixes.classfile import ClassFile, class_file
from picklecheck.fixes.editable import is_editable
from picklecheck.safe import class_dict, dict_getter, find_in_class, is_made_in_c, mro, name_of, plain_text

__all__ = ["Composed", "compose", "home_of"]

_OBJECT = vars(object)
_LEAVES_OUT = re.compile(r"^del (state\[[^\]]+\])$")
_ATTRS = ("s", "attrs", "attributes")  # `attr.s` writes over methods of pickling; `define` leaves them
_METHODS = ("__getstate__", "__setstate__", "__reduce__", "__reduce_ex__")
# C types whose own reduce value carries the instance's dictionary as its state
_CARRY_THEIR_STATE = ("BaseException", "set", "frozenset", "deque", "OrderedDict")


@dataclass(frozen=True, slots=True, kw_only=True)
class Composed:
    """The edits that changes of one class come to.

    Attributes:
        cls: the class that gets the methods.
        place: where it stands.
        edits: the edits to its file.
        methods: the names of the methods of pickling that are new or extended.
        imports: the import statements among the edits.
    """

    cls: type
    place: ClassFile
    edits: tuple[Edit, ...]
    methods: tuple[str, ...]
    imports: tuple[str, ...]


def home_of(change: Change) -> type:
    """Give the class that the methods of a change belong to: the one that sets the attribute, or has such methods."""
    ways = [base for base in mro(change.cls) if class_file(base) is not None]
    place = source.where_set(change.cls, change.attribute)
    for base in ways:
        found = class_file(base)
        has_methods = any(name in class_dict(base) for name in _METHODS)
        if found is not None and (has_methods or (place is not None and _stands_in(place.file, place.line, found))):
            return base
    return ways[0] if ways else change.cls


def _stands_in(file: str, line: int, found: ClassFile) -> bool:
    return file == found.file and found.node.lineno <= line <= (found.node.end_lineno or 0)


def compose(cls: type, changes: Iterable[Change]) -> Composed | None:
    """Give the methods for all changes of a class; None where they would not be asked, or cannot be added.

    Args:
        cls: the class that gets the methods (`home_of` of each change).
        changes: for one attribute each.
    """
    place = class_file(cls)
    if place is None:
        return None
    ordered = sorted(changes, key=lambda change: (change.order, change.attribute))
    return _Composer(cls, place, ordered).composed()


class _Composer:
    def __init__(self, cls: type, place: ClassFile, changes: Sequence[Change]) -> None:
        self._cls, self._place, self._changes = cls, place, changes
        self._own = {node.name: node for node in place.node.body if isinstance(node, ast.FunctionDef)}
        self._sets_plainly = _sets_plainly(cls)
        self._reads_state = "__setstate__" in self._own or _has_method_above(cls, "__setstate__")
        self._slots = _slots(cls)
        self._edits: list[Edit] = []
        self._methods: list[str] = []

    def composed(self) -> Composed | None:
        out = [line for change in self._changes for line in self._out(change)]
        back = [line for change in self._changes for line in self._back(change)]
        if not (self._by_reduce(out) if _reduces_itself(self._cls) else self._by_state(out, bool(back))):
            return None
        if back or (self._slots and "__setstate__" not in self._own):
            self._set_state(back)
        self._edits += [self._add(_lazy(change, self._cls)) for change in self._changes if change.lazy]
        self._edits += _kept_by_attrs(self._cls, self._place)
        imports = [line for change in self._changes for line in change.imports]
        imports += ["import functools"] if any(change.lazy for change in self._changes) else []
        unique = tuple(dict.fromkeys(imports))
        edits = (*self._edits, AddImports(statements=unique)) if unique else tuple(self._edits)
        return Composed(
            cls=self._cls, place=self._place, edits=edits, methods=tuple(self._methods), imports=unique
        )  # fmt: skip

    # -- what the changes say ------------------------------------------------------------------------------------------

    def _out(self, change: Change) -> list[str]:
        if change.lazy:
            return [f'state.pop("{change.attribute}", None)']
        # a method that is there may ask for every name
        return [_LEAVES_OUT.sub(r"\1 = None", line) for line in change.out] if self._reads_state else list(change.out)

    def _back(self, change: Change) -> list[str]:
        if self._sets_plainly:
            return list(change.back)
        return [_without_setattr(statement) for statement in change.back]

    # -- the method that gives the state -------------------------------------------------------------------------------

    def _by_state(self, out: Sequence[str], needed: bool) -> bool:
        if find_in_class(self._cls, "__reduce_ex__") is not _OBJECT["__reduce_ex__"]:
            return False
        if find_in_class(self._cls, "__reduce__") is not _OBJECT["__reduce__"]:
            return False
        own = self._own.get("__getstate__")
        if own is not None:
            copied = ["state = state.copy()"] if _gives_the_dictionary(own) else []
            self._extend("__getstate__", [*copied, *out], result="state")
        else:
            self._edits.append(self._add(_method("__getstate__", "self", [*self._state(), *out, "return state"])))
        self._methods.append("__getstate__")
        return True

    def _state(self) -> list[str]:
        """Give the statements that collect the state as it was up to now."""
        if _has_method_above(self._cls, "__getstate__"):
            return ["state = super().__getstate__().copy()"]
        start = "state = self.__dict__.copy()" if dict_getter(self._cls) else "state = {}"
        if not self._slots:
            return [start]
        names = ", ".join(f'"{name}"' for name in self._slots) + ("," if len(self._slots) == 1 else "")
        return [
            start,
            f"for name in ({names}):\n    if hasattr(self, name):\n        state[name] = getattr(self, name)",
        ]

    def _by_reduce(self, out: Sequence[str]) -> bool:
        """Have the reduce value of a C base carry the changed state."""
        if any(name in self._own for name in ("__reduce__", "__reduce_ex__")) or not _base_carries_state(self._cls):
            return False
        body = [
            "made = super().__reduce__()",
            "state = self.__dict__.copy()",
            *out,
            "return (*made[:2], state, *made[3:])",
        ]
        self._edits.append(self._add(_method("__reduce__", "self", body)))
        self._methods.append("__reduce__")
        return True

    # -- the method that sets it ---------------------------------------------------------------------------------------

    def _set_state(self, back: Sequence[str]) -> None:
        own = self._own.get("__setstate__")
        if own is not None:
            given = own.args.args[1].arg if len(own.args.args) > 1 else "state"
            named = [f"state = {given}"] if given != "state" and any("state" in line for line in back) else []
            self._extend("__setstate__", [*named, *back])
            return
        self._edits.append(self._add(_method("__setstate__", "self, state", [*self._restore(), *back])))

    def _restore(self) -> list[str]:
        if _has_method_above(self._cls, "__setstate__"):
            return ["super().__setstate__(state)"]
        if not self._slots:
            return ["self.__dict__.update(state)"]
        setter = "setattr" if self._sets_plainly else "object.__setattr__"
        return [f"for name, value in state.items():\n    {setter}(self, name, value)"]

    # -- edits ---------------------------------------------------------------------------------------------------------

    def _add(self, method: str) -> Edit:
        return AddMethods(qualname=self._place.qualname, line=self._place.line, methods=(method,))

    def _extend(self, method: str, body: Sequence[str], result: str = "") -> None:
        if body:
            self._edits.append(
                ExtendMethod(
                    qualname=self._place.qualname, line=self._place.line, method=method, body=tuple(body), result=result
                )
            )


def _method(name: str, parameters: str, body: Iterable[str]) -> str:
    return f"def {name}({parameters}):\n" + textwrap.indent("\n".join(body), "    ")


def _lazy(change: Change, cls: type) -> str:
    name = change.attribute
    mangled = f"_{plain_text(cls.__name__).lstrip('_')}__"
    if name.startswith(mangled):
        name = name[len(mangled) - 2 :]
    return f"@functools.cached_property\ndef {name}(self):\n    return {change.lazy}"


def _without_setattr(statement: str) -> str:
    """Write assignments to attributes of `self` so that a class that forbids them lets them through."""
    tree = ast.parse(statement)
    targets = [
        (node, node.targets[0])
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and _is_of_self(node.targets[0])
    ]
    lines = statement.splitlines()
    for node, target in sorted(targets, key=lambda pair: -pair[0].lineno):
        assert isinstance(target, ast.Attribute)
        value = ast.get_source_segment(statement, node.value) or ast.unparse(node.value)
        indent = lines[node.lineno - 1][: node.col_offset]
        behind = lines[(node.end_lineno or node.lineno) - 1].encode()[node.end_col_offset or 0 :].decode()
        lines[node.lineno - 1 : node.end_lineno] = [
            f'{indent}object.__setattr__(self, "{target.attr}", {value}){behind}'
        ]
    return "\n".join(lines)


def _is_of_self(target: ast.expr) -> bool:
    return isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == "self"


def _gives_the_dictionary(method: ast.FunctionDef) -> bool:
    """Tell whether a method returns the instance's own dictionary, which must not be changed."""
    last = method.body[-1]
    return isinstance(last, ast.Return) and last.value is not None and ast.unparse(last.value) in (
        "self.__dict__", "vars(self)",
    )  # fmt: skip


def _sets_plainly(cls: type) -> bool:
    """Tell whether attributes can be set as usual: by `object`, C code, or a library's own rule."""
    setter: Any = find_in_class(cls, "__setattr__")
    if setter is _OBJECT["__setattr__"] or not name_of(setter):
        return True
    if "frozen" in name_of(setter):  # of attrs, which installs one function for all classes
        return False
    file = setter.__code__.co_filename
    return not file.startswith("<") and not is_editable(file)


def _slots(cls: type) -> list[str]:
    """Give the names of the slots of Python classes, those of the bases first."""
    found = []
    for base in reversed(mro(cls)):
        if is_made_in_c(base):
            continue
        named = class_dict(base).get("__slots__", ())
        listed = named if type(named) in (tuple, list, dict, set, frozenset) else ()
        names = [named] if type(named) is str else [name for name in listed if type(name) is str]
        prefix = "_" + plain_text(base.__name__).lstrip("_")
        for name in names:
            private = name.startswith("__") and not name.endswith("__")
            found.append(prefix + name if private else name)
    return [name for name in dict.fromkeys(found) if name not in ("__dict__", "__weakref__")]


def _has_method_above(cls: type, name: str) -> bool:
    """Tell whether a base has the method, `object` left out."""
    return any(name in class_dict(base) for base in mro(cls)[1:] if base is not object)


def _kept_by_attrs(cls: type, place: ClassFile) -> list[Edit]:
    """Have `attr.s` leave the methods of a class with slots as they are. Source: attrs' docs, ``getstate_setstate``."""
    for decorator in place.node.decorator_list if "__attrs_attrs__" in class_dict(cls) else ():
        call = decorator if isinstance(decorator, ast.Call) else None
        given = {keyword.arg: keyword.value for keyword in call.keywords} if call else {}
        named = ast.unparse(call.func).rpartition(".")[2] if call else ""
        if named in _ATTRS and "slots" in given and not {"getstate_setstate", "auto_detect"} & set(given):
            last: Any = list(given.values())[-1]
            text = f"{ast.unparse(last)}, getstate_setstate=False"
            return [
                Replace(
                    line=last.lineno, column=last.col_offset, end_line=last.end_lineno, end_column=last.end_col_offset,
                    text=text,
                )
            ]  # fmt: skip
    return []


def _reduces_itself(cls: type) -> bool:
    return find_in_class(cls, "__reduce__") is not _OBJECT["__reduce__"]


def _base_carries_state(cls: type) -> bool:
    for base in mro(cls):
        if "__reduce__" in class_dict(base):
            return base.__name__ in _CARRY_THEIR_STATE and is_made_in_c(base)
    return False

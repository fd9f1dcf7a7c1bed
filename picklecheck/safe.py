"""Looking at strangers without running them.

Nothing here calls a property, ``__getattr__``, ``__eq__``, ``__hash__``, ``__bool__``, ``__len__`` or ``__repr__`` of a
user's class: types are asked through the slots of `type`, attributes through instance dictionaries and descriptors.
"""

from __future__ import annotations

import types
import weakref
from collections.abc import Callable, Iterator, Mapping
from typing import Any

__all__ = [
    "class_dict", "dict_getter", "find_in_class", "instance_dict", "is_class", "is_made_in_c", "members", "module_of",
    "mro", "name_of", "plain_access", "plain_text", "qualified_name", "qualname_of", "short_repr", "type_name", "under",
]  # fmt: skip

_MRO = type.__dict__["__mro__"]
_DICT = type.__dict__["__dict__"]
_QUALNAME = type.__dict__["__qualname__"]
_MODULE = type.__dict__["__module__"]
_MAX_TEXT = 60
_MAX_ITEMS = 4
_MISSING = object()


def mro(cls: type) -> tuple[type, ...]:
    """Give the method resolution order that the interpreter uses, whatever the metaclass answers."""
    # None for a C type that was never made ready: that of `code.co_lines()` on 3.10 and 3.11
    return _MRO.__get__(cls) or (cls, object)


def class_dict(cls: type) -> Mapping[str, Any]:
    """Give the class's own namespace."""
    return _DICT.__get__(cls) or {}


def is_class(obj: object) -> bool:
    """Tell whether `obj` really is a class (`isinstance` believes what ``__class__`` says)."""
    return issubclass(type(obj), type)


def under(obj: object, *names: str) -> bool:
    """Tell whether a class of the real type's resolution order has one of these full names ("socket.socket")."""
    return any(qualified_name(cls) in names for cls in mro(type(obj)))


def qualname_of(cls: type) -> str:
    """Give the qualified name that is stored in the class."""
    return plain_text(_QUALNAME.__get__(cls))


def plain_text(text: Any) -> str:
    """Give the letters of a string, of which a subclass might say something else; empty for what is no string."""
    if type(text) is str:
        return text
    return str.__getitem__(text, slice(None)) if issubclass(type(text), str) else ""


def name_of(function: Any) -> str:
    """Give the qualified name of a function of Python or C, by its real type; empty for other objects."""
    kind = type(function)
    known = kind is types.FunctionType or kind is types.BuiltinFunctionType
    return plain_text(function.__qualname__) if known else ""


def module_of(cls: type) -> str | None:
    """Give the module's name that is stored in the class; None where it is no string."""
    try:
        name = _MODULE.__get__(cls)
    except AttributeError:
        return None
    return plain_text(name) if issubclass(type(name), str) else None


def qualified_name(cls: type) -> str:
    """Give "module.Class", without the module for builtins."""
    module = module_of(cls)
    return qualname_of(cls) if module in (None, "builtins") else f"{module}.{qualname_of(cls)}"


def type_name(obj: object) -> str:
    """Give the real type's last name, for a label."""
    return qualname_of(type(obj)).rpartition(".")[2]


def find_in_class(cls: type, name: str, default: Any = None) -> Any:
    """Give what the class or a base has under `name`, unbound; `default` where there is nothing."""
    for base in mro(cls):
        found = class_dict(base).get(name, _MISSING)
        if found is not _MISSING:
            return found
    return default


def dict_getter(cls: type) -> Callable[[object], Any] | None:
    """Give the function that reads the own dictionary of an instance, without asking the instance; None without one."""
    for base in mro(cls):
        descriptor = class_dict(base).get("__dict__")
        if type(descriptor) in (types.GetSetDescriptorType, types.MemberDescriptorType):
            return descriptor.__get__  # type: ignore[no-any-return, union-attr]  # a descriptor, by its real type
    return None


def instance_dict(obj: object) -> dict[str, Any] | None:
    """Give the instance's own dictionary, without asking the instance for it; None where there is none."""
    own = dict_getter(type(obj))
    if own is None:
        return None
    try:
        found = own(obj)
    except Exception:  # a C getter may refuse (a proxy whose target is gone): then there is nothing to see
        return None
    return found if type(found) is dict else None


def members(obj: object) -> Iterator[tuple[str, Any]]:
    """Yield name and value of every filled slot and C member (``partial.func``), those of the bases included."""
    seen = set()
    for base in mro(type(obj)):
        for name, descriptor in class_dict(base).items():
            if type(descriptor) is types.MemberDescriptorType and name not in seen and name != "__dict__":
                seen.add(name)
                try:
                    yield name, descriptor.__get__(obj)
                except Exception:  # an empty slot, or a member that only some objects of the type have
                    continue


def is_made_in_c(cls: type) -> bool:
    """Tell whether the class itself (whatever its bases) was made by C code and not by a class statement."""
    kinds = (types.MethodDescriptorType, types.WrapperDescriptorType)
    own = [held for held in class_dict(cls).values() if any(type(held) is kind for kind in kinds)]
    return any(held.__objclass__ is cls for held in own)


def plain_access(cls: type) -> bool:
    """Tell whether attribute access on instances is the interpreter's own (no ``__getattribute__`` of the class's)."""
    found = find_in_class(cls, "__getattribute__")
    return type(found) is types.WrapperDescriptorType and found.__objclass__ not in _LOOK_ELSEWHERE


# C types whose attributes are those of another object
_LOOK_ELSEWHERE = (super, weakref.ProxyType, weakref.CallableProxyType, types.GenericAlias)


def short_repr(obj: object, depth: int = 2) -> str:
    """Give a representation of at most about 60 characters, made without calling code of the user's."""
    kind = type(obj)
    maker = _MAKERS.get(id(kind))
    if maker is not None and (depth or maker is not _container_repr):
        return _cut(maker(obj, depth))
    if is_class(obj):
        return f"<class {qualified_name(obj)}>"  # type: ignore[arg-type]  # a class, by its real type
    return f"<{qualified_name(kind)} object>"


def _number_repr(obj: Any, depth: int) -> str:
    if type(obj) is int and obj.bit_length() > 256:
        return f"<int of {obj.bit_length()} bits>"  # sys.set_int_max_str_digits refuses long ones
    return repr(obj)


def _text_repr(obj: Any, depth: int) -> str:
    return repr(obj[: _MAX_TEXT + 1])


def _function_repr(obj: Any, depth: int) -> str:
    return f"<function {name_of(obj)}>"


def _module_repr(obj: Any, depth: int) -> str:
    return f"<module {plain_text((instance_dict(obj) or {}).get('__name__'))}>"


def _container_repr(obj: Any, depth: int) -> str:
    first, last = tuple(_BRACKETS[type(obj)])
    shown = []
    # pairs are taken as they come: looking a key up would compare it with others
    pairs = obj.items() if type(obj) is dict else ((part, None) for part in obj)
    try:
        for number, (part, held) in enumerate(pairs):
            if number == _MAX_ITEMS:
                shown.append("...")
                break
            text = short_repr(part, depth - 1)
            shown.append(f"{text}: {short_repr(held, depth - 1)}" if type(obj) is dict else text)
    except RuntimeError:  # changed by another thread meanwhile
        shown.append("...")
    return first + ", ".join(shown) + last


_BRACKETS: dict[type, str] = {list: "[]", tuple: "()", set: "{}", frozenset: "{}", dict: "{}"}
# by id, because a class may have a metaclass that defines __hash__ or __eq__
_MAKERS: dict[int, Callable[[Any, int], str]] = {
    **{id(kind): _number_repr for kind in (int, float, complex, bool, type(None), type(...))},
    **{id(kind): _text_repr for kind in (str, bytes, bytearray)},
    **{id(kind): _container_repr for kind in _BRACKETS},
    **{id(kind): _function_repr for kind in (types.FunctionType, types.BuiltinFunctionType)},
    id(types.ModuleType): _module_repr,
}


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_TEXT else text[: _MAX_TEXT - 3] + "..."

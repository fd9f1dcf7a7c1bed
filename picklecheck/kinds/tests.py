"""The tests of the table that are more than a type's name."""

from __future__ import annotations

import copyreg
import pickle
import sys
import types
from collections.abc import Callable
from typing import Any

from picklecheck.kinds.names import look_up
from picklecheck.kinds.subject import Subject
from picklecheck.safe import (
    class_dict,
    find_in_class,
    instance_dict,
    module_of,
    mro,
    name_of,
    plain_access,
    qualname_of,
)
from picklecheck.safe import is_class as really_a_class

__all__: list[str] = []

_DRIVERS = frozenset({
    "sqlite3", "_sqlite3", "apsw", "psycopg", "psycopg2", "psycopg_c", "psycopg_binary", "asyncpg", "pymysql",
    "MySQLdb", "_mysql", "mysql", "_mysql_connector", "pyodbc", "cx_Oracle", "oracledb", "duckdb", "_duckdb", "pymssql",
    "_mssql", "ibm_db", "snowflake", "clickhouse_driver", "fdb", "firebird", "adbc_driver_manager", "aiosqlite",
    "turbodbc", "teradatasql", "hdbcli",
})  # fmt: skip
_REDUCE_METHODS = ("__reduce_ex__", "__reduce__", "__getstate__", "__getnewargs__", "__getnewargs_ex__")
_HOOKS = ("__getattr__", "__getattribute__")
_BOUND = (types.MethodType, type([].__len__))
_OWN = vars(object)
_NOT_THERE = object()


def is_lambda(subject: Subject) -> bool:
    """Tell whether it is a function without a name."""
    return name_of(subject.obj).rpartition(".")[2] == "<lambda>"


def is_local_function(subject: Subject) -> bool:
    """Tell whether it is a function made inside another."""
    return "<locals>" in name_of(subject.obj)


def is_nameless_method(subject: Subject) -> bool:
    """Tell whether it is a method that its owner does not give under its name."""
    obj: Any = subject.obj
    if type(obj) is types.BuiltinFunctionType:
        return obj.__self__ is not None and type(obj.__self__) is not types.ModuleType
    return type(obj) in _BOUND


def is_class(subject: Subject) -> bool:
    """Tell whether it is a class."""
    return really_a_class(subject.obj)


def is_local_class(subject: Subject) -> bool:
    """Tell whether it is a class made inside a function."""
    return is_class(subject) and "<locals>" in qualname_of(subject.obj)  # type: ignore[arg-type]  # a class


def is_unimportable_class(subject: Subject) -> bool:
    """Tell whether it is a class whose module cannot be found."""
    seen = look_up(subject.obj) if is_class(subject) else None
    return seen is not None and not seen.importable


def is_misnamed_class(subject: Subject) -> bool:
    """Tell whether it is a class whose module has nothing under its name."""
    seen = look_up(subject.obj) if is_class(subject) else None
    return seen is not None and not seen.there


def is_lock_of_another_context(subject: Subject) -> bool:
    """Tell whether it is a lock made by the fork context, refused while a child is being spawned (gh-77377)."""
    own = instance_dict(subject.obj) or {}
    semaphore = "multiprocessing.synchronize.SemLock" in subject.names
    return subject.spawning and semaphore and own.get("_is_fork_ctx") is True


def is_part_of_event(subject: Subject) -> bool:
    """Tell whether it is the semaphore or condition inside an event: the event is what the user made."""
    inside = "multiprocessing.synchronize.SemLock" in subject.names
    return inside and bool(
        subject.holders & {"multiprocessing.synchronize.Event", "multiprocessing.synchronize.Condition"}
    )


def is_shared_ctype(subject: Subject) -> bool:
    """Tell whether it is a ctypes object in shared memory (multiprocessing.RawValue, RawArray)."""
    return "_ctypes._CData" in subject.names and "_wrapper" in (instance_dict(subject.obj) or {})


def is_ctypes(subject: Subject) -> bool:
    """Tell whether it is a ctypes object, which is refused when it holds a pointer."""
    return "_ctypes._CData" in subject.names or "_ctypes.CFuncPtr" in subject.names


def is_database(word: str) -> Callable[[Subject], bool]:
    """Give the test for a class of a database driver with that word in its name."""

    def test(subject: Subject) -> bool:
        return any(
            (module_of(cls) or "").partition(".")[0] in _DRIVERS and word in qualname_of(cls).lower()
            for cls in mro(type(subject.obj))
        )

    return test


def comes_from(*packages: str) -> Callable[[Subject], bool]:
    """Give the test for objects of a class, or with a base, that these packages define."""

    def test(subject: Subject) -> bool:
        return any((module_of(cls) or "").partition(".")[0] in packages for cls in mro(type(subject.obj)))

    return test


def is_type_in(module: str, *names: str) -> Callable[[Subject], bool]:
    """Give the test for objects of C types that do not say which module they belong to."""

    def test(subject: Subject) -> bool:
        space = vars(sys.modules[module]) if module in sys.modules else {}
        return any(type(subject.obj) is space.get(name) for name in names)

    return test


def is_cuda(subject: Subject) -> bool:
    """Tell whether it lives on a CUDA device: a tensor or storage of torch's, a stream, an event."""
    if any(name.startswith(("torch.cuda.", "torch._C._Cuda")) for name in subject.names):
        return True
    obj: Any = subject.obj
    tensor = _torch("Tensor")
    if tensor is not None and tensor in mro(type(obj)):
        return bool(tensor.is_cuda.__get__(obj)) and not is_non_leaf_tensor(subject)
    storages = ("torch.storage.UntypedStorage", "torch.storage.TypedStorage", "torch.storage._StorageBase")
    return bool(subject.names & set(storages)) and bool(obj.is_cuda)


def is_non_leaf_tensor(subject: Subject) -> bool:
    """Tell whether it is a tensor with a history that requires a gradient."""
    tensor = _torch("Tensor")
    if tensor is None or tensor not in mro(type(subject.obj)):
        return False
    return bool(tensor.requires_grad.__get__(subject.obj)) and not tensor.is_leaf.__get__(subject.obj)


def _torch(name: str) -> Any:
    return getattr(sys.modules.get("torch"), name, None)


def has_slots_without_state(subject: Subject) -> bool:
    """Tell whether copyreg refused it: slots, no `__getstate__`, and a protocol below 2."""
    cls = type(subject.obj)
    slotted = any("__slots__" in class_dict(base) and class_dict(base)["__slots__"] for base in mro(cls))
    state = find_in_class(cls, "__getstate__")
    traceback, last = subject.error.__traceback__, None
    while traceback is not None:
        last, traceback = traceback.tb_frame.f_globals.get("__name__"), traceback.tb_next
    return slotted and last == copyreg.__name__ and (state is None or state is _OWN.get("__getstate__"))


def is_answered_by_a_hook(subject: Subject) -> bool:
    """Tell whether `__getattr__` or `__getattribute__` stood in the way of the pickler's own questions."""
    if subject.frames:
        return subject.frames[0][0] in _HOOKS
    cls = type(subject.obj)
    hooked = find_in_class(cls, "__getattr__") is not None or not plain_access(cls)
    return hooked and not has_reduce_of_its_own(subject)


def is_state_to_blame(subject: Subject) -> bool:
    """Tell whether `__getstate__` raised, or cannot be called at all."""
    if subject.frames:
        return subject.frames[0][0] == "__getstate__"
    method = find_in_class(type(subject.obj), "__getstate__", _NOT_THERE)
    return method is not _NOT_THERE and type(method) is not types.FunctionType and _is_pythons(method)


def is_foreign_iterator(subject: Subject) -> bool:
    """Tell whether it is an iterator of a C type without a reduce method."""
    cls = type(subject.obj)
    steps = find_in_class(cls, "__next__")
    return steps is not None and not isinstance(steps, types.FunctionType) and has_no_reduce_of_its_own(subject)


def has_reduce_of_its_own(subject: Subject) -> bool:
    """Tell whether Python code of the object's takes part in pickling it."""
    if subject.invalid or type(subject.error) is pickle.PicklingError:
        return True  # it gave a value that C refuses, or a name under which it is not found
    cls = type(subject.obj)
    found = [(find_in_class(cls, name, _OWN.get(name)), _OWN.get(name)) for name in _REDUCE_METHODS]
    return bool(subject.frames) or any(method is not usual for method, usual in found)


def has_no_reduce_of_its_own(subject: Subject) -> bool:
    """Tell whether it is of a C type, and no Python code is to blame."""
    if subject.invalid or type(subject.error) is pickle.PicklingError:
        return False
    if any(not name.endswith("__reduce_cython__") for name, _ in subject.frames):
        return False
    return not any(_is_pythons(find_in_class(type(subject.obj), name, _NOT_THERE)) for name in _REDUCE_METHODS)


def _is_pythons(method: object) -> bool:
    """Tell whether a method was written in Python, or is something that no C type would have there."""
    return method is None or type(method) in (types.FunctionType, int, str, bool)

"""What was being sent when pickling failed: which objects, under the names that the user gave them, by which transport.

Told from the frames that pickling was called from: the library's own, whose local variables hold what the user handed
over. Sources: `Queue._feed`, `Pool._handle_tasks`, `worker` (multiprocessing/pool.py), `_process_worker`
(concurrent/futures/process.py), `BaseProxy._callmethod`, `Server.serve_client`, and loky's copies of these.
"""

from __future__ import annotations

import dataclasses
import functools
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING, Any

from picklecheck.live.calls import Line, line_of_frame, module_of
from picklecheck.safe import instance_dict, is_class, name_of, qualified_name, type_name

if TYPE_CHECKING:
    from picklecheck.live.hook import Hook

__all__ = ["Sent", "call_parts", "name_of_target", "of_process", "sent_by"]

# what a Process holds of its own accord: one with more, or of the user's own class, is told of as a whole
_CARRIERS = ("multiprocessing", "torch", "joblib", "loky", "megengine")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """What crosses.

    Attributes:
        parts: each object under the name that its paths begin with.
        via: the transport's name.
        how: what the user wrote, as "pool.apply_async(work, ...)".
        call: the user's line; None where it is not known.
        future: where the error will be set, if it is to be told of there.
        travels: whether the error itself is about to be sent, in a wrapper.
        pickler: the pickler class, where it is not the transport's.
    """

    parts: Mapping[str, object]
    via: str
    how: str
    call: Line | None = None
    future: Any = None
    travels: bool = False
    pickler: Any = None


def sent_by(hook: Hook, obj: object, frame: FrameType | None) -> Sent:
    """Tell what an object is that was being pickled.

    Args:
        hook: knows the lines that put objects into queues.
        obj: what the pickler got.
        frame: the one that called the pickler.
    """
    for each in _outwards(frame):
        found = _AT.get((module_of(each).removeprefix("joblib.externals."), each.f_code.co_name))
        sent = found and found(hook, obj, each)
        if sent:
            return sent
    line = hook.queued.pop(id(obj), None) or line_of_frame(frame)
    how = f"{frame.f_code.co_name}(...)" if frame is not None else "pickling"
    return Sent(parts={"obj": obj}, via="queue", how="put(...)" if how == "_feed(...)" else how, call=line)


def _outwards(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def call_parts(target: object, args: Any, kwargs: Any) -> dict[str, object]:
    """Give the parts of a call under the names of `Process`: target, args[0], kwargs['k']."""
    parts = {"target": target}
    if type(args) in (tuple, list):
        parts.update((f"args[{number}]", arg) for number, arg in enumerate(args))
    else:
        parts["args"] = args
    if type(kwargs) is dict:
        parts.update((f"kwargs[{key!r}]", value) for key, value in kwargs.items() if type(key) is str)
    return parts


def name_of_target(target: Any) -> str:
    """Give the name of a callable, asking none of its code."""
    if target is None:
        return "None"
    if type(target) is functools.partial:
        return f"partial({name_of_target(target.func)}, ...)"
    name = name_of(target) or (target.__qualname__ if is_class(target) else type_name(target))
    return str(name).rpartition(".")[2]


def of_process(process: Any, frame: FrameType | None) -> Sent:
    """Tell what a Process is started with.

    Args:
        process: one whose start has failed.
        frame: the one that called `start`.
    """
    call = line_of_frame(frame)
    own = instance_dict(process) or {}
    module = qualified_name(type(process)).partition(".")[0]
    if module in _CARRIERS and "_args" in own:
        parts = _known_parts(own) or call_parts(own.get("_target"), own.get("_args"), own.get("_kwargs"))
        return Sent(
            parts=parts, via="process", how=f"Process(target={name_of_target(own.get('_target'))}, ...)", call=call
        )
    name = _expression(frame)
    return Sent(parts={name or "process": process}, via="process", how=f"{type_name(process)}.start()", call=call)


def _known_parts(own: Mapping[str, Any]) -> dict[str, object] | None:
    """Give what the worker of a pool or an executor gets from the user, under the names of their arguments."""
    target, args = own.get("_target"), own.get("_args")
    where = (getattr(target, "__module__", None), name_of(target))
    first = _WORKERS.get(where)  # type: ignore[arg-type]  # any two are no key there
    if first is None or type(args) is not tuple or len(args) < first + 2:
        return None
    initargs = args[first + 1]
    parts = {"initializer": args[first]}
    if type(initargs) is tuple:
        parts.update((f"initargs[{number}]", arg) for number, arg in enumerate(initargs))
    return parts


_STARRED = ("mapstar", "starmapstar")  # what pool.map and pool.starmap call the user's function by
_WORKERS = {("multiprocessing.pool", "worker"): 2, ("concurrent.futures.process", "_process_worker"): 2}


def _expression(frame: FrameType | None) -> str | None:
    """Give what stands before ``.start()`` in the call that a frame is executing."""
    if frame is None:
        return None
    import ast

    try:
        import executing

        node: Any = executing.Source.executing(frame).node
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            value = node.func.value
            return ast.unparse(value) if isinstance(value, ast.Name | ast.Attribute | ast.Subscript) else None
    except Exception:  # no source, or a frame that executing does not understand
        return None
    return None


def _pool_task(hook: Hook, obj: Any, frame: FrameType) -> Sent | None:
    """Tell of a task in the thread that sends the tasks of a pool."""
    if type(obj) is not tuple or len(obj) != 5:
        return None
    job, number, func, args, kwargs = obj
    result = (frame.f_locals.get("cache") or {}).get(job)
    call = getattr(result, "_picklecheck_call", None)
    name = name_of(func)
    if getattr(func, "__module__", None) == "multiprocessing.pool" and name in _STARRED:
        func, items = args[0]
        first = number * (getattr(result, "_chunksize", 1) or 1)
        parts = {"func": func, **{f"iterable[{first + at}]": item for at, item in enumerate(items)}}
        how = f"pool.{name.removesuffix('star')}({name_of_target(func)}, ...)"
        return Sent(parts=parts, via="pool", how=how, call=call)
    how = f"pool task {name_of_target(func)}(...)"
    return Sent(parts=_renamed(call_parts(func, args, kwargs), "target", "func"), via="pool", how=how, call=call)


def _renamed(parts: dict[str, object], before: str, after: str) -> dict[str, object]:
    return {after if name == before else name: value for name, value in parts.items()}


def _executor_task(hook: Hook, obj: Any, frame: FrameType) -> Sent | None:
    """Tell of a task in the thread that feeds the queue of an executor."""
    if qualified_name(type(obj)).rpartition(".")[2] != "_CallItem":
        return None
    handler = getattr(frame.f_locals.get("onerror"), "__self__", None)
    waiting = (instance_dict(handler) or {}).get("pending_work_items") or {}
    future = getattr(waiting.get(obj.work_id), "future", None)
    call = getattr(future, "_picklecheck_call", None)
    if not qualified_name(type(obj)).startswith("concurrent."):
        return Sent(
            parts=_of_joblib(obj),
            via="executor",
            how="joblib task",
            call=call,
            future=future,
            pickler=_loky_pickler(type(obj).__module__.startswith("joblib.")),
        )
    parts, how = _of_executor(obj.fn, obj.args, obj.kwargs)
    return Sent(parts=parts, via="executor", how=how, call=call, future=future)


def _of_executor(func: Any, args: Any, kwargs: Any) -> tuple[dict[str, object], str]:
    if type(func) is functools.partial and name_of(func.func) == "_process_chunk":
        func, items = func.args[0], args[0]
        parts = {"fn": func, **{f"iterables[{at}][{n}]": x for n, row in enumerate(items) for at, x in enumerate(row)}}
        return parts, f"executor.map({name_of_target(func)}, ...)"
    return _renamed(call_parts(func, args, kwargs), "target", "fn"), f"executor.submit({name_of_target(func)}, ...)"


def _of_joblib(item: Any) -> dict[str, object]:
    """Give the parts of a task of loky's; joblib packs several calls into one."""
    batch = item.args[0] if item.args else item.fn
    calls = (instance_dict(batch) or {}).get("items")
    if type(calls) is not list:
        return _renamed(call_parts(item.fn, item.args, item.kwargs), "target", "fn")
    parts: dict[str, object] = {}
    for number, (func, args, kwargs) in enumerate(calls):
        start = f"tasks[{number}]" if len(calls) > 1 else ""
        for name, part in _renamed(call_parts(func, args, kwargs), "target", "func").items():
            parts[f"{start}.{name}" if start else name] = part
    return parts


def _loky_pickler(joblib: bool) -> Any:
    """Give loky's pickler class, which takes reducers before the protocol, as other picklers are called."""
    base = sys.modules[f"{'joblib.externals.' if joblib else ''}loky.backend.reduction"].get_loky_pickler()

    def __init__(self: Any, file: Any, protocol: Any = None) -> None:  # noqa: N807  # of the class below
        base.__init__(self, file, protocol=protocol)

    return type(base.__name__, (base,), {"__init__": __init__})


def _pool_result(hook: Hook, obj: Any, frame: FrameType) -> Sent | None:
    """Tell of a result in a worker of a pool."""
    if type(obj) is not tuple or len(obj) != 3 or type(obj[2]) is not tuple:
        return None
    func, args = frame.f_locals.get("func"), frame.f_locals.get("args")
    if name_of(func) in _STARRED and type(args) is tuple and args and type(args[0]) is tuple:
        func = args[0][0]
    return _result(func, *obj[2])


def _executor_result(hook: Hook, obj: Any, frame: FrameType) -> Sent | None:
    """Tell of a result in a worker of an executor."""
    if qualified_name(type(obj)).rpartition(".")[2] != "_ResultItem":
        return None
    found = _result(None, obj.exception is None, obj.result if obj.exception is None else obj.exception)
    if type(obj).__module__.startswith("concurrent."):
        return found
    return dataclasses.replace(found, pickler=_loky_pickler(type(obj).__module__.startswith("joblib.")))


def _result(func: Any, fine: bool, value: Any) -> Sent:
    of = f" of {name_of_target(func)}" if func is not None else ""
    if not fine:
        value = (instance_dict(value) or {}).get("exc", value)  # what wraps it carries the traceback's text
        return Sent(parts={"error": value}, via="result", how=f"the exception{of}", travels=True)
    return Sent(parts={"result": value}, via="result", how=f"the result{of}", travels=True)


def _proxy_call(hook: Hook, obj: Any, frame: FrameType) -> Sent | None:
    """Tell of a call of a method that a manager's process runs."""
    names = frame.f_locals
    parts = call_parts(None, names.get("args", ()), names.get("kwds", {}))
    del parts["target"]
    how = f"proxy.{names.get('methodname')}(...)"
    return Sent(parts=parts or {"obj": obj}, via="queue", how=how, call=line_of_frame(frame))


def _manager_result(hook: Hook, obj: Any, frame: FrameType) -> Sent | None:
    if type(obj) is not tuple or len(obj) != 2:
        return None
    return Sent(parts={"result": obj[1]}, via="queue", how=f"the result of {frame.f_locals.get('methodname')}()")


_AT: dict[tuple[str, str], Callable[[Any, Any, FrameType], Sent | None]] = {
    ("multiprocessing.pool", "_handle_tasks"): _pool_task,
    ("multiprocessing.pool", "worker"): _pool_result,
    ("multiprocessing.queues", "_feed"): _executor_task,
    ("loky.backend.queues", "_feed"): _executor_task,
    ("concurrent.futures.process", "_sendback_result"): _executor_result,
    ("loky.process_executor", "_sendback_result"): _executor_result,
    ("multiprocessing.managers", "_callmethod"): _proxy_call,
    ("multiprocessing.managers", "serve_client"): _manager_result,
}

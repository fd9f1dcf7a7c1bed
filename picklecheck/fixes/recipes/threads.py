"""Locks, events, queues, pools: what belongs to the threads of one process."""

from __future__ import annotations

from collections.abc import Callable

from picklecheck import safe
from picklecheck.fixes.base import Remedy
from picklecheck.fixes.recipes.case import Case, Spec
from picklecheck.fixes.recipes.shaping import dropped, shaped

__all__ = ["THREADS", "drop", "event_loop", "pool"]

_EXECUTORS = ("ThreadPoolExecutor", "ProcessPoolExecutor")
Maker = Callable[[Case], "Spec | Remedy | None"]


def _made(module: str, name: str, note: str = "") -> Maker:
    """Give the recipe for what is made without arguments, unless the source says otherwise."""

    def make(case: Case) -> Spec | None:
        text = case.spell(module, name)
        found = case.from_source()
        if found is not None:
            return found
        return Spec(back=f"{text}()", test=_test(case), note=note.format(label=case.label))

    return make


def _test(case: Case) -> str:
    """Give the test for a type that has no public name: ``isinstance(x, type(threading.Lock()))``."""
    name = {"_thread.lock": "Lock", "_thread.RLock": "RLock"}.get(safe.qualified_name(type(case.thing)))
    if name:
        return f"isinstance({{x}}, type({case.spell('threading', name)}()))" if case.containers else ""
    module = safe.module_of(type(case.thing)) or ""
    module = "queue" if module == "_queue" else module
    return f"isinstance({{x}}, {case.spell(module, safe.type_name(case.thing))})" if case.containers else ""


def _carried(module: str, name: str, out: str) -> Maker:
    """Give the recipe for what is made of one number."""

    def make(case: Case) -> Spec | None:
        return Spec(out=out, back=f"{case.spell(module, name)}({{x}})")

    return make


def _event(case: Case) -> Spec | None:
    made = case.spell("threading", "Event")
    if case.containers:
        return Spec(back=f"{made}()", test=_test(case), note=f"{case.label} holds events that are not set over there.")
    return Spec(out="{x}.is_set()", back=f"{made}()", after=("if carried:\n    {x}.set()",))


def _queue(name: str) -> Maker:
    def make(case: Case) -> Spec | None:
        made = case.spell("queue", name)
        if type(case.thing).__name__ != name:
            return case.from_source(f"{case.label} is empty over there.")
        if case.containers:
            return Spec(
                out="{x}.maxsize", back=f"{made}({{x}})", note=f"The queues in {case.label} are empty over there."
            )
        after = ("for each in carried[1]:\n    {x}.put(each)",)
        return Spec(out="({x}.maxsize, list({x}.queue))", back=f"{made}(carried[0])", after=after)

    return make


def pool(case: Case) -> Spec | Remedy | None:
    """Make a pool when it is first used, as the source does; else leave it out."""
    found = None if case.life.demand else case.from_source(lazy=True)
    made = shaped(case, found) if found else None
    kind = {f"concurrent.futures.{name}": name for name in _EXECUTORS}.get(_public_name(case.thing))
    if made is None and kind and not case.containers:  # it starts its workers when it is given work
        note = f"{case.label} is new over there, with as many workers."
        return Spec(out="{x}._max_workers", back=f"{case.spell('concurrent.futures', kind)}({{x}})", note=note)
    return made or dropped(case, "a pool and its workers belong to the process that made them.")


def _public_name(thing: object) -> str:
    module, _, name = safe.qualified_name(type(thing)).rpartition(".")
    return f"{module.rpartition('.')[0]}.{name}"


def event_loop(case: Case) -> Spec | None:
    """Make a new event loop."""
    found = case.from_source(f"{case.label} is a new event loop over there.")
    if found and "get_running_loop" not in found.back and "get_event_loop" not in found.back:
        return found
    made = case.spell("asyncio", "new_event_loop")
    return Spec(back=f"{made}()", note=f"{case.label} is a new event loop over there.", type=None)


def drop(why: str) -> Maker:
    """Give the recipe that leaves a thing out."""
    return lambda case: dropped(case, why)


THREADS: dict[str, Maker] = {
    "_thread.lock": _made("threading", "Lock"),
    "_thread.RLock": _made("threading", "RLock"),
    "threading._RLock": _made("threading", "RLock"),
    "threading.Condition": _made("threading", "Condition"),
    "threading.BoundedSemaphore": _carried("threading", "BoundedSemaphore", "{x}._initial_value"),
    "threading.Semaphore": _carried("threading", "Semaphore", "{x}._value"),
    "threading.Barrier": _carried("threading", "Barrier", "{x}.parties"),
    "threading.Event": _event,
    "_thread._local": _made("threading", "local", "{label} is empty over there."),
    "_threading_local.local": _made("threading", "local", "{label} is empty over there."),
    "queue.LifoQueue": _queue("LifoQueue"),
    "queue.PriorityQueue": _queue("PriorityQueue"),
    "queue.Queue": _queue("Queue"),
    "_queue.SimpleQueue": _made("queue", "SimpleQueue", "{label} is empty over there."),
    "concurrent.futures._base.Executor": pool,
    "multiprocessing.pool.Pool": pool,
    "asyncio.events.AbstractEventLoop": event_loop,
    "uvloop.loop.Loop": event_loop,
    "threading.Thread": drop("a thread belongs to the process that started it."),
    "multiprocessing.process.BaseProcess": drop("a process can be used only by the one that started it."),
    "subprocess.Popen": drop("a process can be used only by the one that started it."),
    "_asyncio.Future": drop("a task or future belongs to the event loop that runs it."),
    "asyncio.futures.Future": drop("a task or future belongs to the event loop that runs it."),
    "concurrent.futures._base.Future": drop("a future belongs to the pool that fulfils it."),
    "coroutine": drop("a coroutine belongs to the event loop that runs it."),
    "async_generator": drop("an asynchronous generator belongs to the event loop that runs it."),
    "frame": drop("a frame is part of a call that runs here."),
    "traceback": drop("a traceback holds the frames of calls that ran here."),
}

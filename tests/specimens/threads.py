"""Locks, threads, pools of threads, queues, futures, tasks, and what else belongs to the running of a program."""

import asyncio
import concurrent.futures
import contextlib
import contextvars
import queue
import sched
import sys
import threading
import time

from tests.specimens import Box, culprit, specimen

# locks and what is made of them


class Pair:
    def __init__(self):
        self._lock = threading.Lock()
        self._again = threading.RLock()


@specimen(culprit("lock", "obj._lock"), culprit("lock", "obj._again"), via="process")
def locks_in_attributes():
    return Pair()


@specimen(culprit("lock", "obj.ready._cond._lock", "obj.ready"))
def event():
    return Box(ready=threading.Event())


class Job:
    def __init__(self, context, number):
        self.context = context
        self.number = number


@specimen(
    culprit("lock", "obj[0][0].context.stop._cond._lock", also=("obj[0][1].context.stop._cond._lock",)),
)
def event_shared_by_jobs():
    context = Box(stop=threading.Event(), quality=23)
    return [[Job(context, 0), Job(context, 1)], {}, {"callbacks": None}]


@specimen(culprit("lock", "obj.ready._lock", "obj.ready._lock"))
def condition_over_a_reentrant_lock():
    return Box(ready=threading.Condition())


@specimen(culprit("lock", "obj.lock", "obj.ready._lock", also=("obj.ready._lock",)))
def condition_over_the_owner_s_lock():
    lock = threading.Lock()
    return Box(lock=lock, ready=threading.Condition(lock))


@specimen(culprit("lock", "obj.free._cond._lock"))
def semaphore():
    return Box(free=threading.Semaphore(2))


@specimen(culprit("lock", "obj.free._cond._lock"))
def bounded_semaphore():
    return Box(free=threading.BoundedSemaphore(2))


@specimen(culprit("lock", "obj.gate._cond._lock"))
def barrier():
    return Box(gate=threading.Barrier(2))


@specimen(culprit("thread-local", "obj.session"))
def thread_local():
    return Box(session=threading.local())


_in_progress = threading.local()


class Shown:
    def shown(self):
        return _in_progress


@specimen()
def ok_global_thread_local():
    # a thread-local that a method reads from its module stays where it is
    return {"items": [Shown()], "show": Shown().shown}


# threads

NEW_HANDLE = sys.version_info >= (3, 13)
HANDLE = "_os_thread_handle" if sys.version_info >= (3, 14) else "_handle"


def in_a_thread(path):
    """List what any thread at that path is refused for."""
    found = [
        culprit("lock", f"{path}._started._cond._lock"),
        culprit("file", f"{path}._stderr"),
        culprit("local-function", f"{path}._invoke_excepthook"),
    ]
    return [*found, culprit("thread", f"{path}.{HANDLE}")] if NEW_HANDLE else found


@specimen(*in_a_thread("obj.worker"))
def thread_that_was_not_started():
    return Box(worker=threading.Thread(target=time.sleep, args=(0,), name="feeder"))


@specimen(*in_a_thread("obj.worker"), culprit("lambda", "obj.worker._target"))
def thread_with_a_lambda():
    return Box(worker=threading.Thread(target=lambda: None))


@specimen(
    *in_a_thread("obj.worker"),
    *([] if NEW_HANDLE else [culprit("lock", "obj.worker._tstate_lock")]),
    *([culprit("context", "obj.worker._context")] if sys.version_info >= (3, 14) else ()),
    culprit("lock", "obj.halt"),
)
def thread_that_runs():
    halt = threading.Lock()
    halt.acquire()
    worker = threading.Thread(target=halt.acquire)
    worker.start()
    yield Box(worker=worker, halt=halt)
    halt.release()
    worker.join()


@specimen(
    *in_a_thread("obj.alarm"),
    culprit("lock", "obj.alarm.finished._cond._lock"),
    culprit("lambda", "obj.alarm.function"),
)
def timer():
    return Box(alarm=threading.Timer(60, lambda: None))


class Feeder(threading.Thread):
    def __reduce__(self):
        raise TypeError("start it, do not send it")


@specimen(culprit("thread", "obj.feeder"))
def thread_that_refuses():
    return Box(feeder=Feeder())


@specimen(
    culprit("lock", "obj.plan._lock"),
    *([culprit("itertools", "obj.plan._sequence_generator")] if sys.version_info >= (3, 14) else ()),
)
def scheduler():
    return Box(plan=sched.scheduler(time.time, time.sleep))


# pools of threads and of processes


NEW_PARTS = ("_create_worker_context", "_resolve_work_item_task") if sys.version_info >= (3, 14) else ()


class Service:
    def __init__(self, workers):
        self.workers = workers

    def answer(self, request):
        return request


@specimen(
    culprit("queue", "obj.__self__.workers._work_queue"),
    culprit("lock", "obj.__self__.workers._idle_semaphore._cond._lock"),
    culprit("lock", "obj.__self__.workers._shutdown_lock"),
    *(culprit("local-function", f"obj.__self__.workers.{name}") for name in NEW_PARTS),
    via="pool",
)
def thread_pool_executor():
    with concurrent.futures.ThreadPoolExecutor(1) as workers:
        yield Service(workers).answer


# queues


class Limits:
    def __init__(self):
        self.slots = queue.Queue(2)


@specimen(
    culprit("lock", "obj[0].slots.mutex", also=("obj[0].slots.not_empty._lock", "obj[0].slots.all_tasks_done._lock")),
    via="process",
)
def thread_queue():
    return Limits(), "put"


@specimen(culprit("lock", "obj.waiting.mutex"), culprit("lambda", "obj.waiting.queue[0][1]"))
def priority_queue_with_a_lambda_in_it():
    waiting = queue.PriorityQueue()
    waiting.put((1, lambda: None))
    return Box(waiting=waiting)


@specimen(culprit("queue", "obj.inbox"))
def simple_queue():
    return Box(inbox=queue.SimpleQueue())


# asyncio


@specimen()
def ok_unused_asyncio_lock():
    return Service(Box(lock=asyncio.Lock(), wake=asyncio.Event(), jobs=asyncio.Queue())).answer


@specimen(culprit("future", "obj.calls[0].pending[7]"))
def future_of_an_event_loop():
    loop = asyncio.new_event_loop()
    pending = {7: loop.create_future()}
    loop.close()
    return Box(calls=(Box(pending=pending),))


def in_a_loop(path):
    """List what an event loop at that path is refused for."""
    return [
        culprit("poller", f"{path}._selector._selector"),
        culprit("context", f"list({path}._selector._fd_to_key.values())[0].data[0]._context", anyhow=True),
        culprit("local-function", f"{path}._asyncgens._remove"),
        culprit("local-function", f"{path}._transports._remove"),
    ]


@specimen(
    culprit("future", "obj.jobs._getters[0]"),
    culprit("socket", "obj.jobs._loop._ssock"),
    culprit("socket", "obj.jobs._loop._csock"),
    *in_a_loop("obj.jobs._loop"),
    linux=True,
)
def asyncio_queue_with_a_waiter():
    async def wait():
        jobs = asyncio.Queue()
        getting = asyncio.ensure_future(jobs.get())
        await asyncio.sleep(0)
        return jobs, getting

    loop = asyncio.new_event_loop()
    jobs, getting = loop.run_until_complete(wait())
    yield Box(jobs=jobs)
    getting.cancel()
    loop.run_until_complete(asyncio.gather(getting, return_exceptions=True))
    loop.close()


@specimen(culprit("lock", "obj.answer._condition._lock"))
def future_of_an_executor():
    return Box(answer=concurrent.futures.Future())


@specimen(
    *in_a_loop("obj[0].loop"),
    via="process",
    linux=True,
)
def event_loop():
    loop = asyncio.SelectorEventLoop()
    yield Box(port=8000, loop=loop), "main.py"
    loop.close()


async def notify(user):
    return user


async def stream():
    yield 1


@specimen(culprit("coroutine", "obj['args'][0]"), via="pool")
def coroutine_in_place_of_its_result():
    called = notify(3)
    yield {"func": "tasks.run", "args": (called,), "kwargs": {}}
    called.close()


@specimen(culprit("async-generator", "obj.events"))
def asynchronous_generator():
    return Box(events=stream())


@specimen(culprit("async-generator", "obj.next"))
def step_of_an_asynchronous_generator():
    step = stream().__anext__()
    yield Box(next=step)
    step.close()


# contexts


@specimen(culprit("contextvar", "obj[0].app.request"), via="process")
def context_variable_in_an_attribute():
    return Box(app=Box(machine="gpu", request=contextvars.ContextVar("request", default=None))), 0, 2


@specimen(culprit("contextvar", "obj.undo"))
def token_of_a_context_variable():
    return Box(undo=contextvars.ContextVar("undo").set(1))


@specimen(culprit("context", "obj.tools[1].session.context"))
def context_of_a_session():
    return Box(tools=[print, Box(session=Box(context=contextvars.copy_context(), ready=True))])


current = contextvars.ContextVar("current", default=None)


class Reader:
    @classmethod
    def read(cls):
        return current.get()

    def read_own(self):
        return current.get()


@specimen(via="pool")
def ok_global_context_variable():
    return Reader.read, Reader().read_own


# generators and context managers


def levels():
    number = 0
    while True:
        yield number
        number += 1


@contextlib.contextmanager
def opened():
    yield 1


@specimen(culprit("generator", "obj.levels"))
def generator():
    return Box(levels=levels())


@specimen(culprit("generator", "obj.rows"))
def generator_expression():
    return Box(rows=(row for row in [1, 2]))


@specimen(culprit("generator", "obj.session.gen"), culprit("shadowed-function", "obj.session.func"))
def context_manager_made_of_a_generator():
    return Box(session=opened())


@specimen(culprit("local-function", "obj.exits._exit_callbacks[0][1]"))
def exit_stack_with_a_callback():
    exits = contextlib.ExitStack()
    exits.callback(print)
    yield Box(exits=exits)
    exits.pop_all()

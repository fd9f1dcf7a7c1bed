"""What multiprocessing makes, as an argument of a process that starts, and as a task for one that runs."""

import concurrent.futures.process
import contextlib
import multiprocessing as mp
import multiprocessing.connection
import multiprocessing.managers
import multiprocessing.pool
import multiprocessing.shared_memory
import multiprocessing.sharedctypes
import threading
import time
import warnings

from tests.specimens import Box, culprit, specimen

SPAWN = mp.get_context("spawn")


def child(function, *args):
    """Start a process by fork, which is quick; the test runner may have threads, which is what 3.12 warns of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        process = mp.get_context("fork").Process(target=function, args=args)
        process.start()
    return process


# processes


class Menu(SPAWN.Process):
    def __init__(self, helper):
        super().__init__()
        self.helper = helper
        self.entries = ["a", "b"]

    def run(self):
        pass


@specimen(culprit("weakref", "obj.helper._popen.finalizer._weakref"), via="process", linux=True)
def process_that_holds_one_that_was_started():
    helper = child(time.sleep, 0)
    helper.join()
    yield Menu(helper)
    helper.close()


@specimen(via="process")
def ok_process_that_was_not_started():
    return SPAWN.Process(target=print, args=(1,))


@specimen(culprit("auth-key", "obj._config['authkey']"), via="pool")
def process_as_a_task():
    return SPAWN.Process(target=print)


@specimen(culprit("process", "obj.worker"))
def process_that_refuses():
    return Box(worker=Refusing())


class Refusing(SPAWN.Process):
    def __getstate__(self):
        raise TypeError("start it, do not send it")


@specimen(culprit("lambda", "obj._target"), culprit("lock", "obj._args[0]"), via="process")
def process_with_a_lambda_as_target():
    return SPAWN.Process(target=lambda lock: None, args=(threading.Lock(),))


@specimen(culprit("auth-key", "obj[2]"))
def auth_key_under_plain_pickle():
    return {}, "/run/stats.sock", mp.current_process().authkey


def proxy_type(token):
    return token


@specimen(culprit("lambda", "obj[0]['queue'][0]"), via="process")
def registry_of_a_manager():
    registry = {"sync": (proxy_type, None, None), "queue": (lambda: None, None, proxy_type)}
    return registry, "/run/stats.sock", mp.current_process().authkey


# locks


@specimen(via="process")
def ok_locks_of_spawn_for_a_process():
    return [SPAWN.Lock(), SPAWN.RLock(), SPAWN.Event(), SPAWN.Condition(), SPAWN.Semaphore(2), SPAWN.Barrier(2)]


@specimen(
    culprit("mp-lock", "obj[0]"),
    culprit("mp-lock", "obj[1]"),
    culprit("mp-lock", "obj[2]"),
    culprit("mp-lock", "obj[3]"),
    via="pool",
)
def locks_of_spawn_as_a_task():
    return [SPAWN.Lock(), SPAWN.RLock(), SPAWN.Semaphore(2), SPAWN.BoundedSemaphore(2)]


@specimen(culprit("mp-lock", "obj.lock"))
def lock_of_spawn_under_plain_pickle():
    return Box(lock=SPAWN.Lock())


@specimen(culprit("mp-lock-of-another-context", "obj.lock"), via="process", linux=True, since=(3, 11))
def lock_of_fork_for_a_process_by_spawn():
    return Box(lock=mp.get_context("fork").Lock(), count=1)


@specimen(culprit("lock", "obj[0].locks[1]"), via="process")
def lock_pair_of_a_progress_bar():
    return (Box(locks=[SPAWN.RLock(), threading.RLock()]),)


@specimen(
    culprit("mp-event", "obj['stop']._cond", "obj['stop']"),
    culprit("mp-event", "obj['stop']._flag"),
    culprit("mp-value", "obj['done']"),
    via="pool",
)
def event_and_value_as_a_task():
    return {"stop": SPAWN.Event(), "done": SPAWN.Value("i", 0), "n": 3}


@specimen(culprit("mp-event", "obj.ready"), via="pool")
def condition_as_a_task():
    return Box(ready=SPAWN.Condition())


# queues and connections


class Options:
    def __init__(self, progress):
        self.progress = progress
        self.names = ["a"]


def extract(options):
    return options


@specimen(culprit("mp-queue", "obj[1][0].progress"), via="pool")
def queue_as_a_task():
    inbox = SPAWN.Queue()
    yield extract, (Options(inbox),)
    inbox.close()


@specimen(via="process")
def ok_queues_for_a_process():
    inboxes = [SPAWN.Queue(), SPAWN.JoinableQueue(), SPAWN.SimpleQueue()]
    yield inboxes
    for inbox in inboxes:
        inbox.close()


@specimen(culprit("mp-queue", "obj.simple"), culprit("mp-queue", "obj.joinable"), via="pool")
def queues_of_other_sorts_as_a_task():
    box = Box(simple=SPAWN.SimpleQueue(), joinable=SPAWN.JoinableQueue())
    yield box
    box.simple.close()
    box.joinable.close()


@specimen(via="process")
def ok_pipe_for_a_process():
    ends = SPAWN.Pipe()
    yield ends
    for end in ends:
        end.close()


@specimen()
def ok_pipe_under_plain_pickle_which_arrives_as_a_number():
    ends = SPAWN.Pipe()
    yield ends
    for end in ends:
        end.close()


@specimen(culprit("mp-connection", "obj[0]"), via="pool")
def pipe_that_was_closed():
    ends = SPAWN.Pipe()
    ends[0].close()
    yield ends
    ends[1].close()


@specimen(culprit("socket", "obj.door._listener._socket"), culprit("weakref", "obj.door._listener._unlink._weakref"))
def listener():
    with multiprocessing.connection.Listener() as door:
        yield Box(door=door)


# shared memory


@specimen(via="process")
def ok_values_and_arrays_for_a_process():
    return [SPAWN.Value("i", 0), SPAWN.Array("d", 2), multiprocessing.sharedctypes.RawValue("i", 1)]


@specimen(
    culprit("mp-value", "obj.count"), culprit("mp-value", "obj.cells"), culprit("mp-value", "obj.raw"), via="pool"
)
def values_and_arrays_as_a_task():
    return Box(count=SPAWN.Value("i", 0), cells=SPAWN.Array("d", 2), raw=multiprocessing.sharedctypes.RawValue("i", 1))


@specimen(via="pool")
def ok_block_of_shared_memory():
    block = multiprocessing.shared_memory.SharedMemory(create=True, size=16)
    yield block
    block.close()
    block.unlink()


# pools and managers


@specimen(culprit("pool", "obj.__self__.workers"), via="pool")
def pool_in_the_owner_of_a_task():
    with multiprocessing.pool.ThreadPool(1) as workers:
        yield Farm(workers).work
        workers.terminate()
        workers.join()


class Farm:
    def __init__(self, workers):
        self.workers = workers

    def work(self, number):
        return number


def has_lock(wakeup):
    """Tell whether what wakes an executor's thread has a lock, which a correction within 3.12 and 3.13 brought."""
    wakeup.close()
    return "_lock" in vars(wakeup)


@specimen(
    culprit("lock", "obj.workers._shutdown_lock"),
    culprit("lock", "obj.workers._idle_worker_semaphore._cond._lock"),
    culprit("lock", "obj.workers._work_ids.mutex"),
    culprit("mp-queue", "obj.workers._call_queue"),
    culprit("mp-queue", "obj.workers._result_queue"),
    *(
        [culprit("lock", "obj.workers._executor_manager_thread_wakeup._lock")]
        if has_lock(concurrent.futures.process._ThreadWakeup())
        else ()
    ),
    via="pool",
)
def process_pool_executor():
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=SPAWN) as workers:
        yield Box(workers=workers)


@contextlib.contextmanager
def managing():
    """Start a manager by fork, which is quick."""
    manager = multiprocessing.managers.SyncManager(ctx=mp.get_context("fork"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        manager.start()
    with manager:
        yield manager


@specimen(via="process", linux=True)
def ok_proxies_of_a_manager_for_a_process():
    with managing() as manager:
        yield Box(table=manager.dict(a=1), lock=manager.Lock(), rows=manager.list())


@specimen(via="pool", linux=True)
def ok_proxies_of_a_manager_as_a_task():
    with managing() as manager:
        yield Box(table=manager.dict(a=1), inbox=manager.Queue())


@specimen(
    culprit("auth-key", "obj.manager._authkey"),
    culprit("auth-key", "obj.manager._process._config['authkey']"),
    culprit("weakref", "obj.manager.shutdown._weakref"),
    culprit("weakref", "obj.manager._process._popen.finalizer._weakref"),
    via="pool",
    linux=True,
)
def manager_as_a_task():
    with managing() as manager:
        yield Box(manager=manager)


@specimen(culprit("executor", "obj.workers"))
def executor_that_refuses():
    return Box(workers=Cluster())


class Cluster(concurrent.futures.Executor):
    def __reduce__(self):
        raise TypeError("an executor stays where it is")

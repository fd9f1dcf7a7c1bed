"""A queue crosses as an argument of a process, and fails as part of a task for a pool.

picklecheck explain "examples/pool_task.py:make_task()" --via pool        the queue, with its path
picklecheck explain "examples/pool_task.py:make_task()" --via process     fine
python examples/pool_task.py            what the pool says: "Queue objects should only be shared between processes ..."
python examples/pool_task.py process    the very same task as the target of a process: it runs
python examples/pool_task.py fixed      a pool whose workers are given the queue when they start
"""

import functools
import multiprocessing
import sys

WORDS = ["spawn", "fork", "forkserver"]

context = multiprocessing.get_context("spawn")
_results = None


def measure(words, results):
    writer = multiprocessing.current_process().name
    for word in words:
        results.put((writer, len(word)))


def make_task():
    # Goes wrong in a pool only. A process inherits the queue's pipe and semaphores while it is being started. A pool
    # starts its workers first and sends tasks later, through a pipe that carries bytes and nothing else.
    return functools.partial(measure, WORDS, context.Queue())


def keep(results):
    """Run once in each worker, as its initializer: what is given to it crosses while that worker is being started."""
    global _results
    _results = results


def measure_into_kept(words):
    measure(words, _results)


def fixed_task():
    return functools.partial(measure_into_kept, WORDS)


def run_as_process(task):
    process = context.Process(target=task)
    process.start()
    report(task.args[1])
    process.join()


def report(results):
    for _ in WORDS:
        writer, length = results.get(timeout=60)
        print(f"{writer} measured {length}")


def main(mode):
    if mode == "process":
        run_as_process(make_task())
    elif mode == "fixed":
        results = context.Queue()
        with context.Pool(2, initializer=keep, initargs=(results,)) as pool:
            pool.apply(fixed_task())
            report(results)
    else:
        with context.Pool(2) as pool:
            pool.apply(make_task())


if __name__ == "__main__":
    main("".join(sys.argv[1:]))

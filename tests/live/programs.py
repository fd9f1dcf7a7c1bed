"""Programs that send what cannot cross, and what is said of it."""

from __future__ import annotations

import textwrap
from typing import NamedTuple

COMMON = """
    import threading
    from multiprocessing.managers import BaseManager

    class Bad:
        def __init__(self):
            self.lock = threading.Lock()

    class Boom(Exception):
        def __init__(self, code, text):
            super().__init__(f"{code}: {text}")

    class Thing:
        def take(self, value):
            return 1

        def give(self):
            return Bad()

    class Things(BaseManager):
        pass

    Things.register("Thing", Thing)

    class Worker:
        def __init__(self):
            self.bad = Bad()

    def work(*args, **kwargs):
        return len(args)

    def bad_result(x):
        return [Bad()]

    def boom(x):
        raise Boom(1, "x")
"""
HEAD = """
    import concurrent.futures as futures
    import copy
    import multiprocessing
    import sys
    import threading
    import time
    import common
    from common import Bad

    def note_of(function):
        try:
            function()
        except Exception as error:
            print(type(error).__name__, *getattr(error, "__notes__", ["no note"]), sep="\\n")

    if __name__ == "__main__":
        context = multiprocessing.get_context("spawn")
"""


class Program(NamedTuple):
    """A program's statements, and of the first failure: its transport, path, kind, line, and the exception's name."""

    body: str
    transport: str
    path: str
    kind: str
    error: str
    stage: str = "pickle"
    call: bool = True

    def text(self) -> str:
        """Give the whole program."""
        return textwrap.dedent(HEAD) + textwrap.indent(textwrap.dedent(self.body).strip() + "\n", "    ")


PROGRAMS = {
    "process": Program(
        "note_of(context.Process(target=common.work, args=(1, Bad())).start)",
        "process", "args[1].lock", "lock", "TypeError",
    ),
    "process by keyword": Program(
        "note_of(context.Process(target=common.work, kwargs={'k': [lambda: 0]}).start)",
        "process", "kwargs['k'][0]", "lambda", "PicklingError",
    ),
    "bound method": Program(
        "note_of(context.Process(target=common.Thing().take, args=(Bad(),)).start)",
        "process", "args[0].lock", "lock", "TypeError",
    ),
    "process class": Program(
        """
        class Worker(context.Process):
            pass

        worker = Worker(target=common.work, args=(Bad(),))
        note_of(lambda: worker.start())
        """,
        "process", "worker._args[0].lock", "lock", "TypeError",
    ),
    "pool": Program(
        """
        with context.Pool(1) as pool:
            note_of(lambda: pool.apply(common.work, (1, Bad()), {"k": 2}))
        """,
        "pool", "args[1].lock", "lock", "TypeError",
    ),
    "pool.map": Program(
        """
        with context.Pool(1) as pool:
            note_of(lambda: pool.map(common.work, [1, 2, Bad()], chunksize=1))
        """,
        "pool", "iterable[2].lock", "lock", "TypeError",
    ),
    "pool.imap": Program(
        """
        with context.Pool(1) as pool:
            note_of(lambda: list(pool.imap(lambda x: x, [1])))
        """,
        "pool", "func", "lambda", "PicklingError",
    ),
    "pool's initializer": Program(
        "note_of(lambda: context.Pool(1, initializer=common.work, initargs=(1, Bad())))",
        "process", "initargs[1].lock", "lock", "TypeError",
    ),
    "pool's result": Program(
        """
        with context.Pool(1) as pool:
            note_of(lambda: pool.apply(common.bad_result, (1,)))
        """,
        "result", "result[0].lock", "lock", "MaybeEncodingError",
    ),
    "executor": Program(
        """
        with futures.ProcessPoolExecutor(1, mp_context=context) as executor:
            future = executor.submit(common.work, 1, k=Bad())
            note_of(future.result)
        """,
        "executor", "kwargs['k'].lock", "lock", "TypeError",
    ),
    "executor.map": Program(
        """
        with futures.ProcessPoolExecutor(1, mp_context=context) as executor:
            note_of(lambda: list(executor.map(common.work, [1, 2], [3, Bad()])))
        """,
        "executor", "iterables[1][0].lock", "lock", "TypeError",
    ),
    "executor's result": Program(
        """
        with futures.ProcessPoolExecutor(1, mp_context=context) as executor:
            note_of(executor.submit(common.bad_result, 1).result)
        """,
        "result", "result[0].lock", "lock", "TypeError",
    ),
    "executor's exception": Program(
        """
        with futures.ProcessPoolExecutor(1, mp_context=context) as executor:
            note_of(executor.submit(common.boom, 1).result)
        """,
        "result", "result", "init-arguments", "BrokenProcessPool", "unpickle", call=False,
    ),
    "connection": Program(
        """
        here, there = context.Pipe()
        note_of(lambda: here.send([Bad()]))
        """,
        "queue", "obj[0].lock", "lock", "TypeError",
    ),
    "simple queue": Program(
        "note_of(lambda: context.SimpleQueue().put(Bad()))",
        "queue", "obj.lock", "lock", "TypeError",
    ),
    "manager's argument": Program(
        """
        with common.Things(ctx=context) as manager:
            thing = manager.Thing()
            note_of(lambda: thing.take(Bad()))
        """,
        "queue", "args[0].lock", "lock", "TypeError",
    ),
    "copy": Program(
        "note_of(lambda: copy.deepcopy({'x': [Bad(), lambda: 0]}))",
        "copy", "obj['x'][0].lock", "lock", "TypeError",
    ),
}  # fmt: skip

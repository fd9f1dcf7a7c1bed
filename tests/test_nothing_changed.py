"""What a report leaves behind: nothing. Each program runs in an interpreter of its own, where nothing is set up yet."""

import gc
import os
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest

from picklecheck import explain
from tests.specimens import Box

ROOT = Path(__file__).parents[1]
VIAS = ("pickle", "process", "pool", "executor", "result", "queue", "torch-spawn", "megengine-launcher")
STATE = """
import gc, multiprocessing, os, sys, threading
import picklecheck
from multiprocessing import context, resource_sharer

def state():
    gc.collect()
    return {
        "collector": gc.isenabled(),
        "limit": sys.getrecursionlimit(),
        "search path": list(sys.path),
        "start method": multiprocessing.get_start_method(allow_none=True),
        "spawning": context.get_spawning_popen(),
        "threads": sorted(thread.name for thread in threading.enumerate()),
        "descriptors": sorted(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else None,
        "served": resource_sharer._resource_sharer._listener,
        "switch": sys.getswitchinterval(),
        "trace": (sys.gettrace(), sys.getprofile()),
        "children": multiprocessing.active_children(),
    }

def compare(obj, **options):
    picklecheck.explain([obj], name="obj", **options).release()  # what is imported late is imported now
    before = state()
    assert before["start method"] is None, before
    report = picklecheck.explain([obj], name="obj", **options)
    after = state()
    changed = {name: (before[name], after[name]) for name in before if before[name] != after[name]}
    assert not changed, changed
    return report
"""
OBJECTS = {
    "plain": "obj = {'a': [1, 2]}",
    "lock": "obj = threading.Lock()",
    "process-lock": "obj = multiprocessing.get_context('spawn').Lock()",
    "queue": "obj = multiprocessing.get_context('spawn').Queue()",
    "value": "obj = multiprocessing.get_context('spawn').Value('i')",
    "array": "obj = multiprocessing.get_context('spawn').Array('d', 1000)",
    "socket": "import socket; obj = socket.socketpair()",
    "connection": "obj = multiprocessing.Pipe()",
    "process": "obj = multiprocessing.get_context('spawn').Process(target=print)",
    "deep": "obj = None\nfor _ in range(50_000): obj = [obj]",
    "stuck": (
        "import time\nclass Stuck:\n    def __reduce__(self):\n        while True: time.sleep(0.01)\nobj = Stuck()"
    ),
}


def run(program, *, warnings="error"):
    program = STATE + textwrap.dedent(program)
    done = subprocess.run(
        [sys.executable, "-W", warnings, "-c", program], check=False, capture_output=True, text=True, timeout=120,
        env={**os.environ, "PYTHONPATH": str(ROOT)}, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.mark.parametrize("via", VIAS)
def test_the_process_is_as_it_was(via):
    tried = "\n".join(
        f"print({name!r})\n{make}\ncompare(obj, via={via!r}, timeout={0.3 if name == 'stuck' else 30})\ndel obj"
        for name, make in OBJECTS.items()
    )
    assert run(tried).split() == list(OBJECTS)


def test_what_starts_processes_is_not_started():
    run("""
        import concurrent.futures
        spawn = multiprocessing.get_context("spawn")
        process = spawn.Process(target=print, args=(spawn.Lock(),))
        executor = concurrent.futures.ProcessPoolExecutor(2, spawn, print, (spawn.Queue(),))
        for obj in (process, executor):
            for method in ("spawn", "all"):
                picklecheck.explain(obj, start_method=method)
                held, before = dict(vars(obj)), state()
                assert picklecheck.explain(obj, start_method=method).ok
                assert vars(obj) == held
                assert state() == before
        assert process.pid is None
    """)


def test_no_start_method_is_fixed_by_asking_for_one():
    run("""
        for method in ("spawn", "forkserver", "fork", "all", None):
            picklecheck.explain(print, start_method=method)
            assert multiprocessing.get_start_method(allow_none=True) is None
        multiprocessing.set_start_method("forkserver")
        assert picklecheck.explain(print).start_method == "forkserver"
        assert multiprocessing.get_start_method(allow_none=True) == "forkserver"
    """)


def test_the_descriptors_that_cross_are_still_open():
    run("""
        import socket
        for via in ("process", "pool"):
            one, other = socket.socketpair()
            here, there = multiprocessing.Pipe()
            assert picklecheck.explain([one, here], via=via).ok, via
            one.sendall(b"1")
            assert other.recv(1) == b"1"
            here.send(2)
            assert there.recv() == 2
            del one, other, here, there
    """)


def test_objects_can_still_be_sent_afterwards():
    assert (
        run("""
        if __name__ == "__main__":
            context = multiprocessing.get_context("fork")
            lock, (here, there) = context.Lock(), context.Pipe()
            picklecheck.explain([lock, here, there], via="process")
            child = context.Process(target=lambda: there.send(lock.acquire()))
            child.start()
            print(here.recv())
            child.join()
    """)
        == "True\n"
    )


def test_tensors_stay_out_of_shared_memory():
    pytest.importorskip("torch")
    run(
        """
        import torch
        def shared():
            return [name for name in os.listdir("/dev/shm") if f"torch_{os.getpid()}_" in name]
        made = [torch.ones(4), torch.nn.Parameter(torch.ones(3)), torch.nn.Linear(2, 2), torch.ones(2 << 20)]
        made += [made[0].untyped_storage(), torch.eye(3).to_sparse(), made[0][1:]]
        for strategy in torch.multiprocessing.get_all_sharing_strategies():
            torch.multiprocessing.set_sharing_strategy(strategy)
            for via in ("process", "pool", "pickle"):
                report = compare(made, via=via)
                # over there: plain pickle's storage cannot be loaded, and a sparse one warns, which -W error forbids
                assert {failure.path for failure in report.failures} <= {"obj[0][4]", "obj[0][5]"}
            assert shared() == []
            assert not any(part.is_shared() for part in made[:2] + made[3:5] + [made[2].weight])
    """,
        warnings="ignore",
    )  # torch warns in a child that makes a sparse tensor


@pytest.mark.parametrize("on", [True, False])
@pytest.mark.parametrize("obj", [Box(), threading.Lock()], ids=["passes", "fails"])
def test_the_collector_is_left_as_it_was(on, obj):
    was_on = gc.isenabled()
    try:
        (gc.enable if on else gc.disable)()
        explain(obj, via="pickle")
        assert gc.isenabled() is on
    finally:
        (gc.enable if was_on else gc.disable)()


@pytest.mark.parametrize("via", VIAS)
def test_the_object_is_as_it_was(via):
    held = Box(lock=threading.Lock(), items=[1, {"a": 2}], names={"x"})
    before = {name: id(part) for name, part in vars(held).items()}
    explain(held, via=via)
    assert {name: id(part) for name, part in vars(held).items()} == before
    assert held.items == [1, {"a": 2}]


def test_iterators_in_the_object_s_own_hands_are_not_used_up():
    numbers = iter([1, 2, 3])
    next(numbers)
    assert explain([numbers, reversed([1, 2])], via="pickle").ok
    assert list(numbers) == [2, 3]


MENDED = """
    import sqlite3, threading, weakref

    class Keeper:
        def __init__(self, path):
            self.lock = threading.Lock()
            self.owner = weakref.ref(self)
            self.file = open(path)
            self.database = sqlite3.connect(path + ".db")
            self.numbers = (number for number in range(9))
            self.scale = lambda image: image / 255
"""


def test_trying_fixes_changes_nothing(tmp_path):
    (tmp_path / "keepers.py").write_text(textwrap.dedent(MENDED), encoding="utf-8")
    (tmp_path / "words.txt").write_text("one two three", encoding="utf-8")
    program = """
        sys.path.insert(0, FOLDER)
        import keepers
        def files():
            return {str(path): path.read_bytes() for path in sorted(__import__("pathlib").Path(FOLDER).rglob("*"))
                    if path.is_file()}
        keeper = keepers.Keeper(os.path.join(FOLDER, "words.txt"))
        keeper.file.read(4), next(keeper.numbers), keeper.database.execute("CREATE TABLE words (word)")
        keeper.database.execute("INSERT INTO words VALUES ('begun')")
        def of_class():  # pickling itself keeps the names of the slots there
            return {name: held for name, held in vars(keepers.Keeper).items() if name != "__slotnames__"}
        before, on_disk = (dict(vars(keeper)), of_class(), dict(vars(keepers))), files()
        for options in ({"via": "process", "start_method": "spawn"}, {"via": "pickle"}):
            report = compare(keeper, **options)
            assert len([failure for failure in report.failures if failure.fix]) >= 5, report
        assert (vars(keeper), of_class(), vars(keepers)) == before
        assert files() == on_disk
        assert keeper.file.read(3) == "two"
        assert next(keeper.numbers) == 1
        assert keeper.database.in_transaction
        assert keeper.database.execute("SELECT * FROM words").fetchall() == [("begun",)]
        keeper.file.close(), keeper.database.close()
    """
    run(textwrap.dedent(program).replace("FOLDER", repr(str(tmp_path))))

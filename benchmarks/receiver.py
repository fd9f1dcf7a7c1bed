"""Measures the other side against a plain `pickle.loads` of the same bytes in a spawned process.

python -m benchmarks.receiver

Both times are of the wall clock: for `loads` that of the call alone, in a process started by multiprocessing's spawn,
for picklecheck that of the whole stage, with sending the bytes and starting a trial (the process is there already).
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import statistics
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

import picklecheck
from benchmarks.graphs import instances

ROUNDS = int(os.environ.get("ROUNDS", "5"))


class Lost(Exception):
    """Cannot be rebuilt."""

    def __init__(self, one: object, other: object) -> None:
        super().__init__(one)


def load(pipe: Connection) -> None:
    """Load what comes, and answer how long it took."""
    while data := pipe.recv_bytes():
        start = time.perf_counter()
        kept = pickle.loads(data)
        pipe.send(time.perf_counter() - start)
        del kept


def plain(data: bytes) -> float:
    """Give the seconds of a plain `loads` in a spawned process."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=load, args=(there,))
    process.start()
    found = []
    for _ in range(ROUNDS):
        here.send_bytes(data)
        found.append(here.recv())
    here.send_bytes(b"")
    process.join()
    return statistics.median(found)


def seconds(call: Callable[[], object]) -> float:
    """Give the seconds of a call."""
    found = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        call()
        found.append(time.perf_counter() - start)
    return statistics.median(found)


def stage(root: Any) -> float:
    """Give the seconds by which an answer takes longer when the other side is tried."""

    def explained(roundtrip: bool) -> picklecheck.Report:
        return picklecheck.explain(root, name="obj", via="process", start_method="spawn", roundtrip=roundtrip)

    assert explained(True).size is not None  # and the process is there
    return seconds(lambda: explained(True)) - seconds(lambda: explained(False))


def main() -> None:
    """Print the ratios."""
    root = instances(1_000_000).root
    data = pickle.dumps(root)
    base = plain(data)
    print(f"{len(data) / 1e6:.0f} MB: loads {base:.2f} s, the stage {stage(root) / base:.2f}x")
    small = instances(10).root
    print(f"10 objects: the stage {stage(small) * 1000:.1f} ms")
    kept = [root, Lost(1, 2)]
    picklecheck.explain(kept, name="obj", via="process", start_method="spawn")
    found = seconds(lambda: picklecheck.explain(kept, name="obj", via="process", start_method="spawn"))
    print(f"a failure among them: {found / base:.2f}x of loads in all")


if __name__ == "__main__":
    main()

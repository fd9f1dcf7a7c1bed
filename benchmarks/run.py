"""Measures picklecheck against one plain C `Pickler.dump` of the same graph: ratios, from one run, medians.

python -m benchmarks.run                     the graphs
python -m benchmarks.run --others            what others find on smaller copies, and at which price
python -m benchmarks.run --limits            growth, depth, memory and start-up
"""

from __future__ import annotations

import argparse
import gc
import os
import pickle
import resource
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import picklecheck
from benchmarks.graphs import GRAPHS, Graph, generator, instances

ROUNDS = int(os.environ.get("ROUNDS", "5"))
PATIENCE = 60  # seconds for another tool
SMALL = {"instances": 2_000, "slotted": 2_000, "tree": 2_000, "rows": 2_000, "arrays": 3, "lambdas": 100}


class Sink:
    """Takes the bytes and drops them."""

    def write(self, data: Any) -> int:
        return memoryview(data).nbytes


def seconds(call: Callable[[], object]) -> float:
    """Give the processor time of one call, with nothing left for the collector to do before it."""
    gc.collect()
    start = time.process_time()
    call()
    return time.process_time() - start


def plain_dump(root: object) -> Callable[[], object]:
    return lambda: pickle.Pickler(Sink()).dump(root)


def explained(root: object, via: str) -> Callable[[], picklecheck.Report]:
    return lambda: picklecheck.explain(root, name="obj", via=via, roundtrip=False)  # the other side: receiver.py


def ratios(graph: Graph, base: object, via: str) -> tuple[float, float, int]:
    """Give clean and with culprits as ratios to a plain dump, and how many culprits were found by a right path."""
    plain, clean, planted, found = [], [], [], 0
    for _ in range(ROUNDS):
        plain.append(seconds(plain_dump(base)))
        clean.append(seconds(explained(graph.root, via)))
        graph.plant()
        planted.append(seconds(explained(graph.root, via)))
        report = explained(graph.root, via)()
        found = len(set(graph.paths) & {failure.path for failure in report.failures})
        del report
        graph.pull()
    median = statistics.median
    return median(clean) / median(plain), median(planted) / median(plain), found


def show_graphs(names: list[str]) -> None:
    print(f"{'graph':<12}{'objects':>10}  {'via':<9}{'clean':>7}{'culprits':>10}  found")
    for name in names:
        make, count = GRAPHS[name]
        graph = make(count)
        base = instances(count).root if name == "lambdas" else graph.root
        for via in ("pickle", "process"):
            clean, planted, found = ratios(graph, base, via)
            print(
                f"{name:<12}{count:>10,}  {via:<9}{clean:>6.2f}x{planted:>9.2f}x  {found} of {len(graph.paths)}",
                flush=True,
            )


def by_dill(root: object) -> int:
    """Count what `dill.detect.badobjects` names, by its flat list of the deepest ones."""
    import dill.detect

    found = dill.detect.badobjects(root, depth=4)
    return len(_leaves(found)) if isinstance(found, dict) else int(found is not None)


def _leaves(found: Any) -> list[Any]:
    if not isinstance(found, dict) or not found:
        return [found]
    return [leaf for value in found.values() for leaf in _leaves(value)]


def by_ray(root: object) -> int:
    """Count what Ray's `inspect_serializability` names."""
    import contextlib
    import io

    from ray.util import inspect_serializability

    with contextlib.redirect_stdout(io.StringIO()):
        return len(inspect_serializability(root, name="obj")[1])


def by_pure_python(root: object) -> int:
    """Say whether the pure-Python pickler stops: it names one object's type, and no place."""
    try:
        pickle._Pickler(Sink()).dump(root)  # type: ignore[attr-defined]
    except Exception:
        return 1
    return 0


def by_picklecheck(root: object) -> int:
    return len(picklecheck.explain(root, name="obj", via="pickle").failures)


OTHERS = {
    "picklecheck": by_picklecheck,
    "pure Python": by_pure_python,
    "dill": by_dill,
    "Ray": by_ray,
}


def show_others(names: list[str]) -> None:
    """Show each in a process of its own: importing dill changes what the pure-Python pickler accepts."""
    print(f"{'graph':<12}{'objects':>9}  {'tool':<13}{'price':>9}  found")
    for name in names:
        for tool in OTHERS:
            command = [sys.executable, "-W", "ignore", "-m", "benchmarks.run", "--one", name, tool]
            try:
                done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                said = f"no answer in {PATIENCE} s"
            else:
                said = (done.stdout or done.stderr).strip().splitlines()[-1]
            print(f"{name:<12}{SMALL[name]:>9,}  {tool:<13}{said}", flush=True)


def show_one(name: str, tool: str) -> None:
    make, _ = GRAPHS[name]
    graph = make(SMALL[name])
    base = instances(SMALL[name]).root if name == "lambdas" else graph.root
    plain = statistics.median(seconds(plain_dump(base)) for _ in range(ROUNDS))
    OTHERS[tool]([generator()])  # what is imported on first use is not the price of this graph
    graph.plant(generator)
    wanted = len(graph.paths)
    found: list[int] = []
    price = seconds(lambda: found.append(OTHERS[tool](graph.root))) / plain
    print(f"{price:>8.1f}x  {found[0]} of {wanted}")


def show_limits() -> None:
    few, many = instances(50_000), instances(400_000)
    plain = [statistics.median(seconds(plain_dump(graph.root)) for _ in range(ROUNDS)) for graph in (few, many)]
    for graph in (few, many):
        graph.plant()
    ours = [statistics.median(seconds(explained(graph.root, "pickle")) for _ in range(ROUNDS)) for graph in (few, many)]
    print(
        f"growth from 50,000 to 400,000 instances: {ours[1] / ours[0]:.1f}x (at most 9x); "
        f"a plain dump's: {plain[1] / plain[0]:.1f}x"
    )
    for part in ("chain", *(f"memory{protocol}" for protocol in range(6))):
        done = subprocess.run([sys.executable, "-m", "benchmarks.run", "--limit", part], check=False, text=True)
        if done.returncode:
            print(f"{part}: exit status {done.returncode}")
    bare, imported = (_start(code) for code in ("pass", "import picklecheck"))
    print(
        f"import picklecheck: {imported / bare:.2f}x a bare interpreter, "
        f"{1000 * (imported - bare):.0f} ms more (under 50)"
    )
    helped = _start("import sys; sys.argv = ['picklecheck', '--help']; import picklecheck.cli as c; c.main()")
    print(f"picklecheck --help: {helped / bare:.2f}x a bare interpreter, {1000 * helped:.0f} ms in all (under 400)")


def _start(code: str) -> float:
    def once() -> float:
        before = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=False, stdout=subprocess.DEVNULL)
        return time.perf_counter() - before

    return statistics.median(once() for _ in range(11))


def show_limit(part: str) -> None:
    if part == "chain":
        from benchmarks.graphs import chain

        graph = chain(1_000_000)
        graph.plant()
        start = time.perf_counter()
        report = picklecheck.explain(graph.root, name="obj", via="pickle")
        took = time.perf_counter() - start
        print(
            f"chain of 1,000,000: {[failure.kind for failure in report.failures]} in {took:.1f} s (under 15)",
            flush=True,
        )
    else:
        import numpy as np

        array = np.ones(1 << 31, dtype=np.uint8)
        protocol, before = int(part[-1]), _peak()
        report = picklecheck.explain([array, threading.Lock()], name="obj", via="pickle", protocol=protocol)
        grown = _peak() - before
        print(
            f"2 GB array, protocol {protocol}: {[failure.path for failure in report.failures]}, "
            f"peak grew by {grown:.0f} MB (under 64)"
        )
    sys.stdout.flush()
    os._exit(0)  # a chain of a million takes a while to go


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graphs", nargs="*", help=f"some of {', '.join(GRAPHS)}; left out, all")
    parser.add_argument("--others", action="store_true")
    parser.add_argument("--limits", action="store_true")
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--limit", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        show_one(*given.one)
    elif given.limit:
        show_limit(given.limit)
    elif given.others:
        show_others(given.graphs or list(GRAPHS))
    elif given.limits:
        show_limits()
    else:
        show_graphs(given.graphs or list(GRAPHS))


if __name__ == "__main__":
    main()

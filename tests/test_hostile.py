import asyncio
import bisect
import contextlib
import gc
import json
import multiprocessing.context
import pickle
import re
import subprocess
import sys
import threading
import warnings
from pathlib import Path

import pytest

import picklecheck
from tests import hostile

TRIES_FIXES = True
ROOT = Path(__file__).parents[1]
SECONDS = 180  # for an interpreter of its own: making the object, the report, and printing it three ways
LARGE = 2_000_000  # characters; a report on a hundred failures has less
CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")


def state():
    """Give what must be the same before and after."""
    return {
        "collector": gc.isenabled(),
        "recursion limit": sys.getrecursionlimit(),
        "threads": sorted(thread.name for thread in threading.enumerate()),
        "spawning": multiprocessing.context.get_spawning_popen(),
        "search path": list(sys.path),
        "warnings": list(warnings.filters),
        "hooks": (sys.gettrace(), sys.getprofile(), sys.excepthook, sys.unraisablehook, threading.excepthook),
    }


def run_by_pickle(objects):
    """List what pickle runs of what must never be run, for each object by itself."""
    hostile.RUN.clear()
    for obj in objects:
        with contextlib.suppress(Exception):
            pickle.dumps(obj)
    return set(hostile.RUN)


def passes(obj):
    """Ask pickle itself."""
    try:
        pickle.dumps(obj)
    except (Exception, SystemExit, GeneratorExit, hostile.Strange, asyncio.CancelledError):
        return False
    return True


def examine(name):
    """Ask for a report, print it in every way, and give what is wrong with any of that."""
    specimen = hostile.OBJECTS[name]
    obj = specimen.factory()
    allowed = run_by_pickle(obj) if specimen.run_by_pickle else set()
    hostile.RUN.clear()
    before = state()
    report = picklecheck.explain(obj, name="obj", via="pickle", timeout=specimen.seconds)
    after = state()
    text, page, data = str(report), report.to_html(), json.loads(report.to_json())
    wrong = [f"{what} changed: {before[what]} -> {after[what]}" for what in before if before[what] != after[what]]
    wrong += [f"was run: {what}" for what in dict.fromkeys(hostile.RUN) if what not in allowed]
    for way, said in ("text", text), ("html", page):
        wrong += [f"{way} has {len(said):,} characters"] if len(said) > LARGE else []
        wrong += [f"{way} has the character {found!r}" for found in sorted(set(CONTROL.findall(said)))]
    found = {failure.path: failure.kind for failure in report.failures}
    if specimen.found is not None and found != specimen.found:
        notes = [(failure.path[:100], failure.kind, (failure.error or "")[:100]) for failure in report.failures]
        wrong.append(f"found {[note for note in notes if specimen.found.get(note[0]) != note[1]]}")
        wrong += [f"missed {path} ({kind})" for path, kind in specimen.found.items() if path not in found]
    if data["ok"] != report.ok or len(data["failures"]) != len(report.failures):
        wrong.append("the data say something else than the report")
    report.release()
    return wrong


TOGETHER = [name for name, specimen in hostile.OBJECTS.items() if not specimen.alone]
ALONE = [name for name, specimen in hostile.OBJECTS.items() if specimen.alone]


@pytest.mark.parametrize("name", TOGETHER)
def test_gives_a_report(name):
    assert examine(name) == []


@pytest.mark.parametrize("name", TOGETHER)
def test_agrees_with_pickle(name):
    specimen = hostile.OBJECTS[name]
    assert picklecheck.is_picklable(specimen.factory(), via="pickle") is passes(specimen.factory())


@pytest.mark.parametrize("name", ALONE)
def test_gives_a_report_in_an_interpreter_of_its_own(name):
    program = f"import os, sys; sys.path.insert(0, {str(ROOT)!r})\nfrom tests import test_hostile\n" + LAST_WORDS
    command = [sys.executable, "-c", program, name]
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, timeout=SECONDS, stdin=subprocess.DEVNULL
    )
    assert (done.returncode, done.stdout) == (0, "[]\n"), done.stderr[-2000:]


# It leaves at once: taking a chain of a million objects apart is not what is asked about.
LAST_WORDS = "print(test_hostile.examine(sys.argv[1]), flush=True)\nos._exit(0)\n"


# depth that is just too much


class Passing:
    """Reduces by a method of its own, as most objects at the end of a deep graph do not."""

    def __init__(self, held):
        self.held = held

    def __reduce__(self):
        return Passing, (self.held,)


def nested(box, depth, leaf):
    for _ in range(depth):
        leaf = [leaf] if box is list else box(leaf)
    return leaf


@pytest.mark.parametrize("leaf", [pytest.param(Passing(1), id="instance"), pytest.param(len, id="function")])
@pytest.mark.parametrize("box", [list, Passing, hostile.Holder])
def test_a_harmless_object_at_the_end_of_the_stack_is_no_culprit(box, leaf):
    above = 250
    while passes(nested(box, above, leaf)):
        above *= 2
    deepest = bisect.bisect_left(range(above), True, key=lambda depth: not passes(nested(box, depth, leaf)))
    for depth in range(deepest - 9, deepest + 21, 3):
        found = picklecheck.explain(nested(box, depth, leaf), name="obj", via="pickle").failures
        assert {(failure.path, failure.kind) for failure in found} <= {("obj", "recursion")}, depth
    assert picklecheck.is_picklable(nested(box, deepest - 100, leaf), via="pickle")
    assert not picklecheck.is_picklable(nested(box, deepest + 100, leaf), via="pickle")


# what must come through


class Interrupted:
    def __reduce__(self):
        raise KeyboardInterrupt


@pytest.mark.parametrize("obj", [Interrupted(), [1, Interrupted()], [threading.Lock(), Interrupted()]], ids=range(3))
def test_the_user_s_interrupt_comes_through(obj):
    before = state()
    with pytest.raises(KeyboardInterrupt):
        picklecheck.explain(obj, via="process")
    assert state() == before


@pytest.mark.parametrize("on", [True, False])
def test_the_collector_is_as_it_was(on):
    was_on = gc.isenabled()
    try:
        (gc.enable if on else gc.disable)()
        for obj in ([1], [threading.Lock()], hostile.Deepening()):
            picklecheck.explain(obj, via="pickle")
            assert gc.isenabled() is on
    finally:
        (gc.enable if was_on else gc.disable)()


def test_nothing_of_an_object_is_changed():
    obj = hostile.Untouchable()
    before = {name: id(held) for name, held in vars(obj).items()}
    picklecheck.explain(obj, via="pickle")
    assert {name: id(held) for name, held in vars(obj).items()} == before


def test_properties_are_never_asked():
    class Priced:
        asked = 0

        def __init__(self):
            self.guard = threading.Lock()

        @property
        def price(self):
            type(self).asked += 1
            raise LookupError("no price")

    picklecheck.explain([Priced()], via="pickle")
    assert Priced.asked == 0

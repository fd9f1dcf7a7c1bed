import collections
import functools
import io
import logging
import multiprocessing
import pickle
import sys
import threading
import types
import weakref
from pathlib import Path

import pytest

from picklecheck import explain
from tests.specimens import Box

SOURCE = Path(__file__).read_text()
LOCK = threading.Lock()
SPAWN = multiprocessing.get_context("spawn")


def make(*args):
    return args


def failures(obj, via="pickle", **options):
    return explain(obj, name="obj", via=via, **options).failures


def only(obj, **options):
    (failure,) = failures(obj, **options)
    return failure


def line_of(text):
    """Give the number of the one line of this file that ends with a mark."""
    (found,) = [number for number, line in enumerate(SOURCE.splitlines(), 1) if line.rstrip().endswith(f"# <- {text}")]
    return found


# the owner


class Cache:
    def __init__(self, lock):
        self.lock = lock  # <- cache lock
        self.table = {}


class Trainer:
    def __init__(self, cache):
        self.cache = cache


class Queueing(collections.UserDict):
    pass


class Task(threading.Thread):
    def __init__(self):
        super().__init__()
        self.guard = threading.Lock()


@pytest.mark.parametrize(
    ("factory", "owner"),
    [
        (lambda: Trainer(Cache(LOCK)), f"{__name__}.Cache"),
        (lambda: [Trainer({"a": [LOCK]})], f"{__name__}.Trainer"),
        (lambda: Trainer(types.SimpleNamespace(x=LOCK)), f"{__name__}.Trainer"),
        (lambda: Trainer(collections.UserDict(a=LOCK)), f"{__name__}.Trainer"),
        (lambda: Trainer(functools.partial(make, LOCK)), f"{__name__}.Trainer"),
        (lambda: [logging.LogRecord("a", 1, "b", 2, LOCK, (), None)], "logging.LogRecord"),
        (lambda: Queueing(a=LOCK), f"{__name__}.Queueing"),
        (lambda: [LOCK], None),
        (lambda: {"a": (LOCK,)}, None),
        (lambda: functools.partial(make, LOCK), None),
    ],
)
def test_the_owner_is_the_user_s_class_before_the_library_s(factory, owner):
    assert only(factory()).owner == owner


# where it was set


def a_local_function():
    def inner():  # <- local function
        return None

    return inner


def a_local_class():
    class Inner:  # <- local class
        pass

    return Inner()


class Raising:
    def __reduce__(self):
        return self.helper()

    def helper(self):
        raise ValueError("not here")  # <- raising method


class RaisingState:
    def __getstate__(self):
        raise ValueError("no state")  # <- raising state


class RaisingElsewhere:
    def __reduce__(self):
        return pickle.loads(b"nonsense")  # <- raising elsewhere


A_LAMBDA = [lambda: None]  # <- lambda


@pytest.mark.parametrize(
    ("factory", "mark", "function"),
    [
        (lambda: Cache(LOCK), "cache lock", "Cache.__init__"),
        (lambda: Trainer([Cache(LOCK)]), "cache lock", "Cache.__init__"),
        (lambda: Box(x=a_local_function()), "local function", None),
        (a_local_class, "local class", None),
        (lambda: Trainer(A_LAMBDA), "lambda", None),
        (lambda: Cache(Raising()), "raising method", "helper"),
        (lambda: [RaisingState()], "raising state", "__getstate__"),
        (lambda: [RaisingElsewhere()], "raising elsewhere", "__reduce__"),
    ],
)
def test_the_line_is_that_of_what_went_wrong(factory, mark, function):
    place = only(factory()).assigned_at
    assert place.file == __file__
    assert place.line == line_of(mark)
    assert place.statement.split("  # <-")[0] in SOURCE
    if function:
        assert place.function.rpartition(".")[2] == function.rpartition(".")[2]


# what is true of this object alone


def dead_reference():
    return weakref.ref(Box())


def held_reference():
    held = Box()
    return Box(child=held, back=weakref.ref(held))


STRANGER = Box()


@functools.wraps(make)
def wrapping(*args):
    return make(*args)


def misnamed():
    cls = type("Made", (), {})
    cls.__module__ = "no_such_module_anywhere"
    return [cls]


class EndlessOne:
    def __reduce__(self):
        return make, (EndlessOne(),)


class Changing:
    def __reduce__(self):
        CHANGED[len(CHANGED)] = 1
        return make, ()


CHANGED = {}


@pytest.mark.parametrize(
    ("factory", "said"),
    [
        (dead_reference, "Its target is gone."),
        (held_reference, "Its target (obj.child) is part of what is sent"),
        (lambda: Box(back=weakref.ref(STRANGER)), "Its target, a Box, is not part of what is sent."),
        (lambda: [wrapping], f"{__name__}.make is"),
        (misnamed, "'no_such_module_anywhere'"),
        (a_local_function, "inside a_local_function()"),
        (EndlessOne, "without end"),
    ],
)
def test_a_note_says_what_holds_for_this_object(factory, said):
    assert said in only(factory()).note


def test_a_wrapped_function_is_told_by_its_other_name():
    assert "wrapping" in only([wrapping]).note


def test_a_container_that_changed_is_told_to_have_changed():
    CHANGED.clear()
    CHANGED.update({"a": 1, "b": Changing(), "c": 2})
    with pytest.raises(RuntimeError, match="changed"):
        pickle.dumps(CHANGED)
    found = failures([Box(x=CHANGED)])
    assert any("changed" in failure.note for failure in found)


def test_a_reference_s_way_to_its_target_evaluates():
    obj = held_reference()
    note = only(obj).note
    assert eval(note.partition("(")[2].partition(")")[0]) is obj.child


# the error's words


class Words:
    """Gives a reduce value that C refuses."""

    def __init__(self, value):
        self.value = value

    def __reduce_ex__(self, protocol):
        return self.value


NO_NAME = Words("no_such_name")
CULPRITS = {
    "lock": lambda: LOCK,
    "generator": lambda: (number for number in ()),
    "lambda": lambda: A_LAMBDA[0],
    "local-class": lambda: type(a_local_class()),
    "module": lambda: pickle,
    "weakref": dead_reference,
    "frame": lambda: __import__("sys")._getframe(),
    "code": lambda: make.__code__,
    "mapping": lambda: types.MappingProxyType({}),
    "file": lambda: open(__file__),
    "memory": lambda: memoryview(b""),
    "raises": Raising,
    "state": RaisingState,
    "number": lambda: Words(3),
    "short": lambda: Words((make,)),
    "long": lambda: Words((make, (), 1, None, None, None, None)),
    "not-callable": lambda: Words((3, ())),
    "arguments": lambda: Words((make, [1])),
    "items": lambda: Words((make, (), None, 3)),
    "pairs": lambda: Words((make, (), None, None, 3)),
    "setter": lambda: Words((make, (), 1, None, None, 3)),
    "name": lambda: NO_NAME,
    "wrapped": lambda: wrapping,
    "misnamed": lambda: misnamed()[0],
}


@pytest.mark.parametrize("protocol", [2, 4])
@pytest.mark.parametrize("name", CULPRITS)
def test_the_error_is_in_the_pickler_s_own_words(name, protocol):
    culprit = CULPRITS[name]()
    with pytest.raises(Exception) as caught:  # noqa: PT011  # which one is what is compared
        pickle.Pickler(io.BytesIO(), protocol).dump(culprit)
    failure = only([culprit], protocol=protocol)
    assert failure.obj is culprit
    assert failure.error == f"{type(caught.value).__name__}: {caught.value}"
    if name == "file":
        culprit.close()


@pytest.mark.parametrize("name", ["Lock", "Queue", "Event", "Value", "Condition"])
def test_what_a_pool_refuses_is_told_in_its_words(name):
    made = SPAWN.Value("i") if name == "Value" else getattr(SPAWN, name)()
    with pytest.raises(RuntimeError) as caught:
        multiprocessing.reduction.ForkingPickler.dumps(made)
    assert f"RuntimeError: {caught.value}" in {failure.error for failure in failures([made], "pool")}
    assert failures([made], "process", start_method="spawn") == ()


# depth


def test_a_graph_that_is_too_deep_says_so_first():
    obj = Cache(LOCK)
    for _ in range(10_000):
        obj = Trainer(obj)
    deep, lock = failures(obj)
    assert (deep.kind, deep.path, deep.error.partition(":")[0]) == ("recursion", "obj", "RecursionError")
    assert ".cache repeats" in deep.note
    assert lock.kind == "lock"
    assert eval(lock.path) is LOCK
    while isinstance(obj, Trainer):
        obj.cache, obj = None, obj.cache


def test_nested_containers_are_counted():
    levels = 60_000 if sys.version_info >= (3, 14) else 5_000  # since 3.14 C goes as deep as its stack does
    obj = None
    for _ in range(levels):
        obj = [obj]
    assert f"{levels:,} levels" in only(obj).note


# the rest of a failure


def test_the_class_of_an_instance_is_the_culprit():
    obj = [a_local_class()]
    failure = only(obj)
    assert failure.obj is type(obj[0])
    assert failure.path == "obj[0].__class__"
    assert "obj[0]" in failure.paths


def test_the_trail_leads_from_type_to_type():
    trail = only(Trainer([Cache(LOCK)])).trail
    assert [(crumb.step.after, crumb.type) for crumb in trail] == [
        (".cache", "list"),
        ("[0]", "Cache"),
        (".lock", "lock"),
    ]


def test_references_are_counted():
    assert only([LOCK] * 100).path_count == 100
    assert len(only([LOCK] * 100).paths) == 16

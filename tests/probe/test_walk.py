import copyreg
import gc
import io
import itertools
import pickle
import threading
import weakref
from multiprocessing.reduction import ForkingPickler

import pytest

from tests.probe.walking import first_paths, refused, walked
from tests.specimens import Box

LOCK, OTHER = threading.Lock(), threading.Lock()
LOCAL = lambda: None


class Refusing:
    """Refuses, each in its own words."""

    def __init__(self, error):
        self.error = error

    def __reduce__(self):
        raise self.error


class Reducing:
    """Gives whatever it holds as its reduce value."""

    def __init__(self, value):
        self.value = value

    def __reduce_ex__(self, protocol):
        return self.value(protocol) if callable(self.value) else self.value


def make(*args):
    return args


# culprits, and their order


FIRST, SECOND, THIRD = Refusing(TypeError(1)), Refusing(TypeError(2)), LOCAL


def in_every_part():
    return Reducing((make, (FIRST,), SECOND, iter([THIRD]), iter([(1, 2)])))


@pytest.mark.parametrize(
    ("factory", "expected"),
    [
        (lambda: FIRST, [FIRST]),
        (lambda: [1, "a", None, make, Box], []),
        (lambda: [FIRST, SECOND, FIRST], [FIRST, SECOND]),
        (lambda: {"b": SECOND, "a": FIRST}, [SECOND, FIRST]),
        (lambda: {FIRST: SECOND}, [FIRST, SECOND]),
        (lambda: Box(x=Box(y=FIRST), z=SECOND), [FIRST, SECOND]),
        (lambda: [THIRD, [FIRST], THIRD], [THIRD, FIRST]),
        (lambda: (SECOND, Box(x=(THIRD,)), {"k": {FIRST}}), [SECOND, THIRD, FIRST]),
        (in_every_part, [FIRST, THIRD, SECOND]),
    ],
)
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_every_culprit_once_in_the_order_of_the_pickler(factory, expected, protocol):
    seen = walked(factory(), protocol=protocol)
    assert list(map(id, refused(seen))) == list(map(id, expected))
    assert seen.too_deep is None


@pytest.mark.parametrize("error", [TypeError("a"), SystemExit(1), AttributeError("__reduce_ex__"), GeneratorExit()])
def test_the_error_is_the_object_s_own(error):
    seen = walked([1, Refusing(error), LOCK])
    assert seen.culprits[0].error is error
    assert len(seen.culprits) == 2


def test_the_user_s_interrupt_is_no_culprit():
    with pytest.raises(KeyboardInterrupt):
        walked([LOCK, Refusing(KeyboardInterrupt())])


def test_a_culprit_s_contents_are_not_walked():
    held = Refusing(TypeError())
    held.lock = LOCK
    assert refused(walked([held])) == [held]


def test_the_rest_of_a_refused_reduce_value_is_not_walked():
    seen = walked([Reducing((make, LOCK))])
    assert [type(obj) for obj in refused(seen)] == [Reducing]


def test_a_culprit_in_a_key_does_not_hide_the_value():
    obj = {Box(lock=LOCK): OTHER}
    assert refused(walked(obj)) == [LOCK, OTHER]


# what C refuses and accepts as a reduce value


VALUES = {
    "number": lambda protocol: 3,
    "none": lambda protocol: None,
    "list": lambda protocol: [make, ()],
    "empty": lambda protocol: (),
    "one": lambda protocol: (make,),
    "seven": lambda protocol: (make, (), None, None, None, None, None),
    "not-callable": lambda protocol: (3, ()),
    "arguments-no-tuple": lambda protocol: (make, []),
    "items-no-iterator": lambda protocol: (make, (), None, [1]),
    "pairs-no-iterator": lambda protocol: (make, (), None, None, {}),
    "pairs-not-pairs": lambda protocol: (make, (), None, None, iter([1])),
    "setter-not-callable": lambda protocol: (make, (), {"a": 1}, None, None, 3),
    "new-without-class": lambda protocol: (copyreg.__newobj__, ()),
    "new-of-another-class": lambda protocol: (copyreg.__newobj__, (Box,)),
    "new-ex-short": lambda protocol: (copyreg.__newobj_ex__, (Reducing, ())),
    "new-ex-keywords": lambda protocol: (copyreg.__newobj_ex__, (Reducing, (), [])),
    "name-not-there": lambda protocol: "nowhere",
    "fine": lambda protocol: (make, (1,)),
    "fine-state": lambda protocol: (make, (), {"a": 1}),
    "fine-items": lambda protocol: (make, (), None, iter([1, 2]), iter([(1, 2)])),
    "fine-generator": lambda protocol: (make, (), None, (number for number in range(3))),
    "fine-setter": lambda protocol: (make, (), 1, None, None, make),
    "fine-new": lambda protocol: (copyreg.__newobj__, (Reducing, 1)),
    "fine-new-ex": lambda protocol: (copyreg.__newobj_ex__, (Reducing, (1,), {"a": 1})),
    "fine-name": lambda protocol: "NAMED",
    "tuple-subclass": lambda protocol: Pair((make, ())),
}


class Pair(tuple):
    __slots__ = ()

    def __getitem__(self, number):
        raise LookupError("asked")

    def __len__(self):
        return 99


NAMED = Reducing(VALUES["fine-name"])


def really(obj, protocol, base=pickle.Pickler):
    """Give the error of the real pickler; None where it accepts the object."""
    try:
        base(io.BytesIO(), protocol).dump(obj)
    except Exception as error:
        return error
    return None


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("name", VALUES)
def test_a_reduce_value_is_judged_as_c_judges_it(name, protocol):
    obj = NAMED if name == "fine-name" else Reducing(VALUES[name])
    seen = walked([obj], protocol=protocol)
    assert (refused(seen) == [obj]) is (really([obj], protocol) is not None)


def test_an_iterator_that_never_ends_is_refused(monkeypatch):
    monkeypatch.setattr("picklecheck.probe.reducing._MOST_ITEMS", 1000)
    obj = Reducing(lambda protocol: (make, (), None, itertools.count()))
    seen = walked([obj, LOCK])
    assert refused(seen) == [obj, LOCK]
    assert "did not end" in str(seen.culprits[0].error)


# picklers that were customised


class Chained(pickle.Pickler):
    def reducer_override(self, obj):
        if obj is LOCK:
            return make, ("a lock",)
        if type(obj) is Box and hasattr(obj, "refused"):
            raise ValueError("refused by the pickler")
        return NotImplemented


class WithTable(pickle.Pickler):
    dispatch_table = copyreg.dispatch_table.copy()


class WithTableOfItsOwn(pickle.Pickler):
    def __init__(self, *args):
        super().__init__(*args)
        self.dispatch_table = {type(LOCK): lambda obj: (make, ("a lock",)), Box: lambda obj: (make, (obj.x,))}


class WithPersistentIds(pickle.Pickler):
    def persistent_id(self, obj):
        return "the lock" if obj is LOCK else None


class WithMethods(pickle.Pickler):
    def __init__(self, *args):
        super().__init__(*args)
        self.seen = []

    def dump(self, obj):
        self.seen.append(obj)
        super().dump(obj)

    def reducer_override(self, obj):
        self.seen.append(obj)
        return NotImplemented


WithTable.dispatch_table[type(LOCK)] = lambda obj: (make, ("a lock",))


@pytest.mark.parametrize(
    ("base", "obj", "expected"),
    [
        (Chained, [LOCK, OTHER], 1),
        (Chained, [LOCK, make, Box, Box(x=1)], 0),
        (Chained, [Box(refused=1), OTHER, LOCAL], 3),
        (WithTable, [LOCK, OTHER, Box(x=1)], 0),
        (WithTable, [LOCK, LOCAL], 1),
        (WithTableOfItsOwn, [LOCK, Box(x=1, y=LOCAL)], 0),
        (WithTableOfItsOwn, [LOCK, Box(x=LOCAL)], 1),
        (WithPersistentIds, [LOCK, OTHER, LOCK], 1),
        (WithPersistentIds, [LOCK, Box(x=LOCK)], 0),
        (WithMethods, [LOCK, Box(x=OTHER)], 2),
        (WithMethods, [1, Box()], 0),
        (ForkingPickler, [LOCK, "".join, len], 1),
    ],
)
def test_the_pickler_s_own_customs_hold(base, obj, expected):
    error = really(obj, 4, base)
    assert len(walked(obj, base).culprits) == expected
    assert (error is None) is (expected == 0)


def test_what_a_customised_pickler_replaces_is_looked_into():
    assert refused(walked([Box(x=[LOCAL])], WithTableOfItsOwn)) == [LOCAL]


def test_a_reducer_that_was_registered_is_asked(monkeypatch):
    monkeypatch.setitem(copyreg.dispatch_table, Box, lambda obj: (make, (obj.given,)))
    assert refused(walked([Box(given=LOCK, kept=OTHER)])) == [LOCK]


def test_a_registered_reducer_that_gives_a_name_is_judged_by_name(monkeypatch):
    monkeypatch.setitem(copyreg.dispatch_table, Box, lambda obj: "nowhere")
    held = Box()
    assert refused(walked([held])) == [held]


def test_a_metaclass_with_a_reducer_is_no_name(monkeypatch):
    class Meta(type):
        pass

    class Made(metaclass=Meta):
        pass

    assert refused(walked([Made])) == [Made]
    monkeypatch.setitem(copyreg.dispatch_table, Meta, lambda cls: (make, ("Made",)))
    assert refused(walked([Made])) == []
    assert really([Made], 4) is None


CELLS = [1, LOCK]


def test_cloudpickle_s_pickler_is_walked():
    cloudpickle = pytest.importorskip("cloudpickle")
    held = OTHER

    def task():
        return held, CELLS

    task.__module__ = "__main__"
    assert set(refused(walked([task], cloudpickle.Pickler))) == {OTHER, LOCK}
    assert refused(walked([LOCAL, lambda: 1, type("Made", (), {})], cloudpickle.Pickler)) == []


def test_the_stand_in_is_asked_in_place_of_the_reducer():
    def never(obj):
        raise AssertionError("changes something outside")

    class Pickler(pickle.Pickler):
        dispatch_table = {Box: never}

    stands_in = lambda reducer: (lambda obj: (make, (obj.x,))) if reducer is never else None
    assert refused(walked([Box(x=LOCK)], Pickler, stand_in=stands_in)) == [LOCK]


# what is kept, and what is not


def test_the_bytes_are_those_of_the_data_stream():
    obj = [Box(x=1, y="text"), {"a": (1, 2)}, make]
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert walked(obj, protocol=protocol).bytes == len(pickle.dumps(obj, protocol))


def test_reduce_methods_run_once_where_nothing_is_wrong():
    calls = []
    held = Reducing(lambda protocol: (calls.append(protocol), (make, ()))[1])
    walked([held, held], protocol=3)
    assert calls == [3]


def test_nothing_is_kept_alive_afterwards():
    held = Box(x=[Box()], lock=threading.Lock())
    gone = weakref.ref(held)
    gc.collect()
    gc.disable()
    try:
        seen = walked(held)
        assert first_paths(held) == ["obj.lock"]
        del held, seen
        gc.collect()
        assert gone() is None
    finally:
        gc.enable()


def test_the_watch_ends_when_the_pass_fails():
    events = []

    class Watching:
        def __init__(self, count):
            events.append(count())

        def __enter__(self):
            return self

        def __exit__(self, kind, error, traceback):
            events.append(kind)

    with pytest.raises(KeyboardInterrupt):
        walked([Refusing(KeyboardInterrupt())], watch=Watching)
    assert events == [0, KeyboardInterrupt]

import itertools
import pickle
import sys
import threading

import pytest

from picklecheck.probe import Locator
from tests.probe.walking import paths_of, refused, walked
from tests.specimens import Box

DEPTH = 12_000


class Link:
    def __init__(self, after=None):
        self.after = after


def make(*args):
    return args


def chain(length, end):
    for _ in range(length):
        end = Link(end)
    return end


def nested(depth, end, wrap):
    for _ in range(depth):
        end = wrap(end)
    return end


def take_apart(obj):
    """Let go of a deep graph without the interpreter recursing."""
    while isinstance(obj, Link):
        obj.after, obj = None, obj.after


# depth


def test_a_chain_too_deep_for_c_is_walked_to_its_end():
    lock = threading.Lock()
    obj = chain(DEPTH, [1, lock])
    seen = walked(obj)
    assert isinstance(seen.too_deep, RecursionError)
    assert [culprit is lock for culprit in refused(seen)] == [True]
    (path,) = paths_of(seen)[0]
    assert eval(path, {"obj": obj}) is lock
    take_apart(obj)


def test_a_chain_that_is_only_too_deep_has_no_culprit():
    obj = chain(DEPTH, None)
    seen = walked(obj)
    assert isinstance(seen.too_deep, RecursionError)
    assert seen.culprits == []
    assert sum(step.length for hop in Locator(seen).deepest() for step in hop.steps) == DEPTH - 1
    take_apart(obj)


@pytest.mark.parametrize("depth", [1, 10, 100])
def test_what_c_can_do_is_not_too_deep(depth):
    assert walked(chain(depth, None)).too_deep is None


@pytest.mark.parametrize("where", [[5], [5, 1000, DEPTH - 1], [0, DEPTH // 2]])
def test_culprits_anywhere_in_a_deep_chain_are_found(where):
    obj = chain(DEPTH, None)
    locks, link = {}, obj
    for number in range(DEPTH):
        if number in where:
            link.lock = locks[number] = threading.Lock()
        link = link.after
    seen = walked(obj)
    assert {id(culprit) for culprit in refused(seen)} == {id(lock) for lock in locks.values()}
    for culprit, paths in zip(refused(seen), paths_of(seen), strict=True):
        assert [eval(path, {"obj": obj}) is culprit for path in paths] == [True]
    take_apart(obj)


@pytest.mark.parametrize(
    "wrap", [lambda held: [held], lambda held: {"k": held}, lambda held: (held,), lambda held: [1, [held], {}]],
    ids=["list", "dict", "tuple", "mixed"],
)  # fmt: skip
def test_plain_containers_nested_too_deep(wrap):
    lock = threading.Lock()
    depth = 60_000 if sys.version_info >= (3, 14) else 15_000  # since 3.14 C goes as deep as its stack does
    obj = nested(depth, lock, wrap)
    seen = walked([Box(x=obj)])
    too_deep, depth_seen = seen.too_deep is not None, seen.nested
    assert too_deep
    assert depth_seen >= depth
    assert refused(seen) == [lock]
    assert eval(paths_of(seen)[0][0], {"obj": [Box(x=obj)]}) is lock


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="C has a limit of its own")
def test_a_lower_recursion_limit_counts():
    obj = chain(150, None)
    limit = sys.getrecursionlimit()
    frame, used = sys._getframe(), 0
    while frame:
        frame, used = frame.f_back, used + 1
    sys.setrecursionlimit(used + 120)
    try:
        with pytest.raises(RecursionError):
            pickle.dumps(obj)
        too_deep = walked(obj).too_deep
    finally:
        sys.setrecursionlimit(limit)
    assert isinstance(too_deep, RecursionError)
    assert walked(obj).too_deep is None


class Overflowing:
    def __reduce__(self):
        return self.__reduce__()


class Raising:
    def __reduce__(self):
        raise RecursionError("mine")


@pytest.mark.parametrize("cls", [Overflowing, Raising])
def test_a_recursion_error_of_an_object_s_own_is_no_depth(cls):
    held, lock = cls(), threading.Lock()
    seen = walked([Box(x=1), held, lock])
    assert seen.too_deep is None
    assert set(refused(seen)) == {held, lock}
    assert sorted(paths_of(seen)) == [["obj[1]"], ["obj[2]"]]


# errors that no hook sees


class Changing:
    def __init__(self, box, change):
        self.box, self.change = box, change

    def __reduce__(self):
        self.change(self.box)
        return make, ()


NUMBERS = itertools.count()


@pytest.mark.parametrize(
    ("make_box", "change"),
    [
        (lambda: dict.fromkeys(range(5)), lambda box: box.update({f"new {next(NUMBERS)}": 1})),
        (lambda: dict.fromkeys(range(5)), lambda box: box.popitem() if box else None),
        (lambda: set(range(5)), lambda box: box.add(f"new {next(NUMBERS)}")),
    ],
    ids=["dict-grows", "dict-shrinks", "set-grows"],
)
def test_a_container_that_changes_meanwhile_gives_an_answer(make_box, change):
    box = make_box()
    held = Changing(box, change)
    box.update({held: 1}) if isinstance(box, dict) else box.add(held)
    lock = threading.Lock()
    before = pickle_error([box, lock])
    seen = walked([Box(x=box), lock])
    assert before is not None
    assert any(culprit is lock for culprit in refused(seen))
    paths_of(seen)


def pickle_error(obj):
    try:
        pickle.dumps(obj)
    except Exception as error:
        return error
    return None


class OddIterator:
    def __iter__(self):
        return self

    def __next__(self):
        raise LookupError("no next")


class WithItems:
    def __init__(self, items):
        self.items = items

    def __reduce__(self):
        return list, (), None, self.items


def test_an_iterator_that_raises_is_its_owner_s_failure():
    held, lock = WithItems(OddIterator()), threading.Lock()
    seen = walked([held, lock])
    assert refused(seen) == [held, lock]
    assert isinstance(seen.culprits[0].error, LookupError)


class Unhooked(pickle.Pickler):
    """Refuses some strings, for which no hook is asked."""

    def persistent_id(self, obj):
        if obj == "secret":
            raise PermissionError("not this one")
        return


def test_an_error_that_no_object_can_be_found_for_is_told_for_the_nearest():
    held = Box(name="secret")
    seen = walked([Box(), [held, Box()]], Unhooked)
    assert refused(seen) == [held]
    assert [(type(culprit.error), culprit.nearest) for culprit in seen.culprits] == [(PermissionError, True)]


def test_an_error_beside_the_root_itself_is_told_for_the_root():
    seen = walked(["secret"], Unhooked)
    assert refused(seen) == [["secret"]]
    assert seen.culprits[0].nearest


# chains without end


class Endless:
    def __reduce__(self):
        return make, (Endless(),)


class EndlessPair:
    def __init__(self, lock=None):
        self.lock = lock

    def __reduce_ex__(self, protocol):
        return make, (type(self)(), [self.lock])


@pytest.mark.parametrize("cls", [Endless, EndlessPair])
def test_objects_that_bring_new_ones_for_ever_are_told_once(cls):
    held, lock = cls(), threading.Lock()
    seen = walked([Box(), held, lock])
    found = {obj: culprit.endless for obj, culprit in zip(refused(seen), seen.culprits, strict=True)}
    assert found == {held: True, lock: False}


def test_a_long_chain_is_not_endless():
    lock = threading.Lock()
    obj = chain(30_000, lock)
    seen = walked(obj)
    assert [culprit.endless for culprit in seen.culprits] == [False]
    assert refused(seen) == [lock]
    take_apart(obj)


def local():
    return lambda: None


def cycle(a, b):
    held = Box(x=a)
    held.me, held.y = [held], Box(up=held, z=b)
    return held


CROWD = {
    "one": lambda a, b: [a],
    "two": lambda a, b: [a, b],
    "by-name-later": lambda a, b: [Box(x=a), b],
    "below-and-beside": lambda a, b: Box(below=Box(x=a), beside=a, other=b),
    "beside-and-below": lambda a, b: Box(beside=a, below=Box(x=a), other=b),
    "then-below": lambda a, b: [a, Box(c=Box(y=[a])), b],
    "in-two-instances": lambda a, b: [Box(x=a), Box(x=a), b],
    "shared-instance": lambda a, b: [Box(x=Box(y=a)), b] * 2,
    "containers": lambda a, b: Box(a=[a, {"k": b}], b={a: 1}, c=(Box(d=a), {b})),
    "cycle": cycle,
}


@pytest.mark.parametrize("name", CROWD)
def test_units_see_what_one_dump_sees(name):
    """One more object, too deep, must not change what is found beside it, nor by which paths."""
    a, b, deep = threading.Lock(), local(), chain(DEPTH, None)
    held = CROWD[name](a, b)
    alone, beside = walked([held, None]), walked([held, deep])
    assert alone.too_deep is None
    assert isinstance(beside.too_deep, RecursionError)
    assert set(refused(beside)) == set(refused(alone))
    expected = dict(zip(refused(alone), map(set, paths_of(alone)), strict=True))
    assert dict(zip(refused(beside), map(set, paths_of(beside)), strict=True)) == expected
    take_apart(deep)


@pytest.mark.parametrize("name", CROWD)
def test_units_keep_the_order_of_the_pickler(name):
    a, b, deep = threading.Lock(), local(), chain(DEPTH, None)
    held = CROWD[name](a, b)
    assert refused(walked([held, deep])) == refused(walked([held, None]))
    take_apart(deep)

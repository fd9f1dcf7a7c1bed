import collections
import itertools
import random
import threading

import pytest

from picklecheck.paths import join
from picklecheck.probe import Locator
from tests.probe.walking import first_paths, paths_of, refused, steps_of, walked
from tests.specimens import Box

LOCK, OTHER = threading.Lock(), threading.Lock()
MOST = 16


class Items(list):
    pass


class Fields(dict):
    pass


class Slots:
    __slots__ = ("x",)

    def __init__(self, x):
        self.x = x


Pair = collections.namedtuple("Pair", "left right")


ROW, CELL, HELD = (LOCK,), [LOCK], Box(x=LOCK)  # shared


def paths(obj):
    """Give the paths of the one culprit, after trying them."""
    first_paths(obj)
    (found,) = paths_of(walked(obj))
    return found


# all paths


@pytest.mark.parametrize(
    ("factory", "expected"),
    [
        (lambda: LOCK, {"obj"}),
        (lambda: [LOCK, LOCK], {"obj[0]", "obj[1]"}),
        (lambda: (LOCK, [LOCK]), {"obj[0]", "obj[1][0]"}),
        (lambda: {"a": LOCK, "b": LOCK}, {"obj['a']", "obj['b']"}),
        (lambda: {LOCK: LOCK}, {"list(obj)[0]", "list(obj.values())[0]"}),
        (lambda: [{LOCK}, frozenset({LOCK})], {"list(obj[0])[0]", "list(obj[1])[0]"}),
        (lambda: Box(x=LOCK, y=LOCK), {"obj.x", "obj.y"}),
        (lambda: [Box(x=LOCK), Box(y=LOCK)], {"obj[0].x", "obj[1].y"}),
        (lambda: [Slots(LOCK), LOCK], {"obj[0].x", "obj[1]"}),
        (lambda: [Items([LOCK, LOCK]), LOCK], {"obj[0][0]", "obj[0][1]", "obj[1]"}),
        (lambda: [Fields(a=LOCK, b=[LOCK])], {"obj[0]['a']", "obj[0]['b'][0]"}),
        (lambda: [Pair(LOCK, [LOCK])], {"obj[0].left", "obj[0].right[0]"}),
        (lambda: [collections.deque([LOCK, 1, LOCK])], {"obj[0][0]", "obj[0][2]"}),
        (lambda: collections.OrderedDict(a=LOCK, b=(LOCK,)), {"obj['a']", "obj['b'][0]"}),
        (lambda: Box(x=Box(y=Box(z=LOCK)), short=LOCK), {"obj.x.y.z", "obj.short"}),
        (lambda: [Box(x=ROW), [ROW]], {"obj[0].x[0]", "obj[1][0][0]"}),
        (lambda: [Box(x=CELL), [CELL]], {"obj[0].x[0]", "obj[1][0][0]"}),
        (lambda: [LOCK, Fields(k=CELL), Fields(k=CELL)], {"obj[0]", "obj[1]['k'][0]", "obj[2]['k'][0]"}),
        (lambda: [LOCK, HELD, Box(y=HELD), Box(z=HELD)], {"obj[0]", "obj[1].x", "obj[2].y.x", "obj[3].z.x"}),
        (lambda: [Box(x=[1, Box(y=LOCK)]), {"k": (LOCK,)}], {"obj[0].x[1].y", "obj[1]['k'][0]"}),
    ],
)
def test_every_path_of_a_shared_culprit(factory, expected):
    assert set(paths(factory())) == expected


@pytest.mark.parametrize("wrap", [lambda x: [x], lambda x: {"k": x}, lambda x: Box(a=x), lambda x: Items([x]), Slots])
def test_paths_through_something_shared(wrap):
    shared = wrap(LOCK)
    steps = {list: "[0]", dict: "['k']", Box: ".a", Items: "[0]", Slots: ".x"}[type(shared)]
    obj = [shared, Box(x=shared), {"k": [shared]}]
    assert set(paths(obj)) == {f"obj[0]{steps}", f"obj[1].x{steps}", f"obj[2]['k'][0]{steps}"}


def test_sharing_on_two_levels_multiplies():
    inner = Box(lock=LOCK)
    outer = Box(a=inner, b=inner)
    expected = {f"obj[{i}].{name}.lock" for i in (0, 1) for name in "ab"}
    assert set(paths([outer, outer])) == expected


def test_two_culprits_keep_their_paths_apart():
    obj = [Box(x=LOCK, y=OTHER), [OTHER, LOCK]]
    seen = walked(obj)
    found = dict(zip(map(id, refused(seen)), map(set, paths_of(seen)), strict=True))
    assert found == {id(LOCK): {"obj[0].x", "obj[1][1]"}, id(OTHER): {"obj[0].y", "obj[1][0]"}}


def cycle_of_lists():
    obj = [LOCK]
    obj.append(obj)
    return obj


def cycle_of_instances():
    obj = Box(lock=LOCK)
    obj.child = Box(parent=obj, guard=LOCK)
    return obj


def cycle_between_two():
    one, other = Box(), Box(lock=LOCK)
    one.other, other.one = [other], {"k": one}
    return [one, other]


@pytest.mark.parametrize(
    ("factory", "expected"),
    [
        (cycle_of_lists, {"obj[0]"}),
        (cycle_of_instances, {"obj.lock", "obj.child.guard"}),
        (cycle_between_two, {"obj[1].lock", "obj[0].other[0].lock"}),
    ],
)
def test_a_cycle_is_no_path(factory, expected):
    assert set(paths(factory())) == expected


# the shortest first


def below(depth, x):
    for _ in range(depth):
        x = [x]
    return x


DEEPER = [below(2, LOCK) for _ in range(20)]


@pytest.mark.parametrize(
    ("factory", "shortest"),
    [
        (lambda: [Box(x=[LOCK]), LOCK], "obj[1]"),
        (lambda: [LOCK, Box(x=[LOCK])], "obj[0]"),
        (lambda: [[[[LOCK]]], [[LOCK]], [LOCK]], "obj[2][0]"),
        (lambda: Box(a=Box(b=Box(c=LOCK)), z=LOCK), "obj.z"),
        (lambda: Box(a=Box(b=Box(c=LOCK)), y=Box(z=LOCK)), "obj.y.z"),
        (lambda: [[LOCK], DEEPER], "obj[0][0]"),
        (lambda: [DEEPER, [LOCK]], "obj[1][0]"),
        (lambda: [[LOCK], [Box(x=each) for each in DEEPER]], "obj[0][0]"),
        (lambda: {"deep": DEEPER, "near": {"k": LOCK}}, "obj['near']['k']"),
    ],
)
def test_the_shortest_path_comes_first(factory, shortest):
    assert paths(factory())[0] == shortest


@pytest.mark.parametrize("factory", [lambda: [[LOCK], [LOCK]], lambda: [Box(x=LOCK), Box(x=LOCK)], lambda: [LOCK] * 9])
def test_of_equally_short_paths_the_first_to_be_met_comes_first(factory):
    assert paths(factory())[0].startswith("obj[0]")


def test_paths_are_sorted_by_their_length():
    obj = [Box(a=below(number % 7, LOCK)) for number in range(10)]
    counted = [path.count("[") for path in paths(obj)]
    assert counted == sorted(counted)
    assert len(counted) == 10


# many


def test_many_references_are_counted_and_a_few_told():
    obj = [LOCK] * 200_000
    (located,) = Locator(walked(obj)).culprits()
    assert located.references == 200_000
    assert len(located.ways) == MOST
    assert join("obj", steps_of(located.ways[0])) == "obj[0]"


def test_references_from_many_instances_are_counted():
    (located,) = Locator(walked([Box(x=LOCK) for _ in range(5_000)])).culprits()
    assert located.references == 5_000
    assert 1 < len(located.ways) <= MOST


@pytest.mark.parametrize("count", [1, 2, MOST, MOST + 1])
def test_references_are_exact_when_they_are_few(count):
    (located,) = Locator(walked([Box(x=LOCK) for _ in range(count)])).culprits()
    assert (located.references, len(located.ways)) == (count, min(count, MOST))


# large boxes


LARGE = 40_000
SHAPES = {
    "list": list,
    "tuple": tuple,
    "dict": lambda cells: dict(enumerate(cells)),
    "rows": lambda cells: [cells[at : at + 100] for at in range(0, len(cells), 100)],
    "columns": lambda cells: {"a": cells[: LARGE // 2], "b": {"c": tuple(cells[LARGE // 2 :])}},
    "attribute": lambda cells: Box(table=cells),
    "in-a-tuple-in-a-list": lambda cells: [1, ({"x": cells}, 2)],
}
WHERE = {"start": [0], "middle": [LARGE // 2], "end": [LARGE - 1], "several": [0, 1, 777, LARGE // 2, LARGE - 1]}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("where", WHERE)
def test_culprits_among_many_plain_containers(shape, where):
    cells = [[number] for number in range(LARGE)]
    locks = [threading.Lock() for _ in WHERE[where]]
    for number, lock in zip(WHERE[where], locks, strict=True):
        cells[number].append(lock)
    obj = SHAPES[shape](cells)
    seen = walked(obj)
    assert refused(seen) == locks
    for lock, found in zip(locks, paths_of(seen), strict=True):
        assert [eval(path, {"obj": obj}) is lock for path in found] == [True]


def test_every_path_of_a_culprit_shared_in_a_large_box():
    cells = [[number] for number in range(LARGE)]
    for number in (3, 500, LARGE - 2):
        cells[number].append(LOCK)
    assert set(paths([cells, LOCK])) == {"obj[1]", "obj[0][3][1]", "obj[0][500][1]", f"obj[0][{LARGE - 2}][1]"}


def test_a_large_box_that_is_shared():
    cells = [[number] for number in range(LARGE)]
    cells[7].append(LOCK)
    assert set(paths([cells, Box(x=cells)])) == {"obj[0][7][1]", "obj[1].x[7][1]"}


def tree(width, depth, leaf):
    return [tree(width, depth - 1, leaf) for _ in range(width)] if depth else [leaf()]


def skewed():
    obj = [[LOCK]]
    for number in range(100):
        obj = [[[number] for _ in range(400)], obj]
    return obj


def all_below_one():
    return [[1], [[2], [[3], [[number] for number in range(LARGE)] + [[LOCK]]]]]


@pytest.mark.parametrize("factory", [skewed, all_below_one])
def test_a_nest_that_leans_to_one_side(factory):
    obj = factory()
    assert [eval(path, {"obj": obj}) is LOCK for path in paths(obj)] == [True]


def test_a_large_tree_of_containers():
    numbers = itertools.count()
    obj = tree(6, 6, lambda: LOCK if next(numbers) in (0, 20_000) else 1)
    found = paths(obj)
    assert len(found) == 2
    assert found[0].startswith("obj[0][0][0]")


# graphs at random


def random_graph(seed):
    """Build a graph with sharing; give it with every culprit and all paths that lead to each, cycles left out."""
    chance = random.Random(seed)
    locks = [threading.Lock() for _ in range(chance.randint(1, 3))]
    made = list(locks)
    for _ in range(chance.randint(2, 9)):
        held = [chance.choice(made) for _ in range(chance.randint(1, 3))]
        wraps = [
            list,
            tuple,
            lambda h: dict(zip("abc", h, strict=False)),
            lambda h: Box(**dict(zip("xyz", h, strict=False))),
        ]
        made.append(chance.choice([*wraps, wraps[-1], Items, lambda h: Fields(k=h)])(held))
    return [*made[-3:], chance.choice(made)]


def every_path(obj, text="obj"):
    cls = type(obj)
    if cls in (list, tuple, Items):
        steps = ((f"{text}[{number}]", held) for number, held in enumerate(obj))
    elif cls in (dict, Fields):
        steps = ((f"{text}[{name!r}]", held) for name, held in obj.items())
    elif cls is Box:
        steps = ((f"{text}.{name}", held) for name, held in vars(obj).items())
    else:
        return {id(obj): {text}} if cls is type(LOCK) else {}
    found = {}
    for path, held in steps:
        for culprit, texts in every_path(held, path).items():
            found.setdefault(culprit, set()).update(texts)
    return found


@pytest.mark.parametrize("seed", range(100))
def test_all_paths_in_any_graph(seed):
    obj = random_graph(seed)
    seen, expected = walked(obj), every_path(obj)
    found = dict(zip(map(id, refused(seen)), paths_of(seen), strict=True))
    assert set(found) == set(expected)
    for culprit, texts in expected.items():
        assert set(found[culprit]) <= texts
        assert len(found[culprit]) == min(len(texts), MOST)
        shortest = min(text.count("[") + text.count(".") for text in texts)
        assert found[culprit][0].count("[") + found[culprit][0].count(".") == shortest

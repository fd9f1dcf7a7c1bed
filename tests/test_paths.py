import enum
import random
import types

import pytest

from picklecheck import paths
from picklecheck.paths import (
    Step,
    attribute,
    call,
    fold,
    index,
    item,
    join,
    key,
    raw_attribute,
    raw_item,
    repeat,
    value,
)


def found(path, obj):
    return eval(path, {"obj": obj})


class Number(enum.IntEnum):
    ONE = 1


class Text(str):
    __slots__ = ()


# attributes


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("cache", "obj.cache"),
        ("_Cache__guard", "obj._Cache__guard"),
        ("größe", "obj.größe"),
        ("match", "obj.match"),  # a keyword only at the start of a statement
        ("class", "obj.__dict__['class']"),
        ("None", "obj.__dict__['None']"),
        ("two words", "obj.__dict__['two words']"),
        ("1st", "obj.__dict__['1st']"),
        ("", "obj.__dict__['']"),
        ("it's", 'obj.__dict__["it\'s"]'),
        ("ﬁle", "obj.__dict__['ﬁle']"),  # the compiler would read it as "file"
    ],
)
def test_an_attribute_is_said_so_that_it_evaluates(name, text):
    obj = types.SimpleNamespace()
    obj.__dict__[name] = held = object()
    path = join("obj", [attribute(name)])
    assert path == text
    assert found(path, obj) is held


@pytest.mark.parametrize(
    ("name", "kind"), [("x", "attribute"), ("if", "attribute"), ("__class__", "class"), ("cell_contents", "cell")]
)
def test_steps_to_classes_and_cells_are_told_apart(name, kind):
    assert attribute(name).kind == kind


def test_a_hidden_attribute_is_reached_past_the_object_s_own_access():
    class Hiding:
        def __getattribute__(self, name):
            raise AttributeError(name)

    obj, held = Hiding(), object()
    object.__setattr__(obj, "cache", held)
    assert found(join("obj", [raw_attribute("cache")]), obj) is held


# items


@pytest.mark.parametrize(
    ("mapping_key", "text"),
    [
        ("a", "obj['a']"),
        ('"', "obj['\"']"),
        ("line\nbreak", "obj['line\\nbreak']"),
        ("", "obj['']"),
        (0, "obj[0]"),
        (-3, "obj[-3]"),
        (10**30, f"obj[{10**30}]"),
        (True, "obj[True]"),
        (None, "obj[None]"),
        (b"raw", "obj[b'raw']"),
        (0.1, "obj[0.1]"),
        (-2.5e300, "obj[-2.5e+300]"),
        ((), "obj[()]"),
        ((1,), "obj[(1,)]"),
        ((1, ("b", None)), "obj[(1, ('b', None))]"),
        ("x" * 100, f"obj['{'x' * 100}']"),
    ],
)
def test_a_key_with_a_literal_stands_in_brackets(mapping_key, text):
    path = join("obj", [item(mapping_key)])
    held = object()
    assert path == text
    assert found(path, {mapping_key: held}) is held


@pytest.mark.parametrize(
    "mapping_key",
    [
        float("nan"),
        float("inf"),
        float("-inf"),
        (1, float("nan")),
        frozenset({1}),
        2j,
        ...,
        object(),
        Number.ONE,
        Text("a"),
        (Text("a"),),
        int,
        "x" * 200,
        b"x" * 200,
        10**200,
        10**5000,  # the interpreter does not even print it
        (10**5000,),
        tuple(range(100)),
    ],
    ids=lambda found: str(type(found)),
)
def test_a_key_without_a_short_literal_has_no_such_step(mapping_key):
    assert item(mapping_key) is None


@pytest.mark.parametrize(
    ("steps", "text"),
    [
        ([index(2)], "obj[2]"),
        ([index(1, 2)], "obj[1, 2]"),
        ([value(1)], "list(obj.values())[1]"),
        ([value(1, "dict")], "list(dict.values(obj))[1]"),
        ([key(0)], "list(obj)[0]"),
        ([key(0, "set")], "list(set.__iter__(obj))[0]"),
        ([raw_item("list", 3)], "list.__getitem__(obj, 3)"),
        ([raw_attribute("x")], "object.__getattribute__(obj, 'x')"),
        ([call(".__reduce_ex__(4)[2]")], "obj.__reduce_ex__(4)[2]"),
        ([attribute("cache"), key(0)], "list(obj.cache)[0]"),
        ([key(1), attribute("x"), value(2), index(0)], "list(list(obj)[1].x.values())[2][0]"),
        ([raw_item("tuple", 0), raw_attribute("a")], "object.__getattribute__(tuple.__getitem__(obj, 0), 'a')"),
        ([], "obj"),
    ],
    ids=lambda part: part if isinstance(part, str) else "",
)
def test_steps_are_joined_from_the_inside_out(steps, text):
    assert join("obj", steps) == text


def test_the_root_may_be_any_expression():
    assert join("jobs[3]", [key(0), attribute("x")]) == "list(jobs[3])[0].x"


# folding


class Recorder:
    """Notes the steps that were taken from it."""

    def __init__(self, taken=()):
        self.taken = taken

    def __getattr__(self, name):
        return Recorder((*self.taken, name))

    def __getitem__(self, number):
        return Recorder((*self.taken, number))


def taken(steps):
    return found(join("obj", [step for step, _ in steps]), Recorder()).taken


def attributes(names):
    return [attribute(name) for name in names]


def test_a_short_path_is_left_as_it_is():
    steps = attributes("a" * paths.FOLD_FROM)
    assert fold(steps) == [(step, at) for at, step in enumerate(steps)]


@pytest.mark.parametrize(
    "names",
    [
        "n" * 61,
        "n" * 5000,
        "head" + "n" * 200 + "tail",
        "ab" * 300,
        "ab" * 300 + "a",
        "abcdefghijkl" * 40,
        "x" + "aab" * 100 + "y" + "n" * 100,
        "aaaaaaaaab" * 50,
        "abcdefghijklmnopqrstuvwxyz" * 4,
    ],
)
def test_a_folded_path_takes_the_same_steps(names):
    folded = fold(attributes(names))
    assert taken(folded) == tuple(names)
    assert sum(step.length for step, _ in folded) == len(names)


def test_each_folded_step_knows_the_last_of_those_that_it_stands_for():
    folded = fold(attributes("head" + "n" * 200 + "tail"))
    assert [(step.kind, at) for step, at in folded] == [
        *(("attribute", at) for at in range(4)), ("repeat", 203), *(("attribute", at) for at in range(204, 208)),
    ]  # fmt: skip


def test_the_cycle_that_covers_most_is_taken():
    (step, at), *rest = fold(attributes("ab" * 300 + "c"))
    assert (step.count, step.length, at) == (300, 600, 599)
    assert [step.after for step, _ in rest] == [".c"]


@pytest.mark.parametrize("seed", range(20))
def test_any_mixture_of_runs_takes_the_same_steps(seed):
    chance = random.Random(seed)
    names = "".join(
        "".join(chance.choices("abc", k=chance.randint(1, 4))) * chance.choice([1, 1, 2, 40]) for _ in range(40)
    )
    folded = fold(attributes(names))
    assert taken(folded) == tuple(names)
    assert folded[-1][1] == len(names) - 1


def test_steps_that_wrap_fold_too():
    obj = inner = "end"
    for _ in range(100):
        obj = [{"k": obj}]
    folded = fold([step for _ in range(100) for step in (index(0), value(0))])
    assert len(folded) == 1
    assert found(join("obj", [step for step, _ in folded]), obj) is inner


def test_a_repeat_counts_what_it_stands_for():
    step = repeat([attribute("a"), index(0)], 7)
    assert (step.kind, step.count, step.length) == ("repeat", 7, 14)
    assert repeat([step], 3).length == 42


def test_a_long_path_of_different_steps_still_compiles():
    names = [f"name_{number}" for number in range(80)]
    assert taken(fold(attributes(names))) == tuple(names)


def test_steps_are_values():
    assert attribute("a") == attribute("a") == Step("attribute", ".a")
    with pytest.raises(AttributeError):
        attribute("a").after = ".b"

"""Live objects are pickled as instances of the edited classes, and the classes stay what they are."""

import functools
import io
import pickle

import pytest

from picklecheck.fixes import Made, Named, Sender, class_file
from picklecheck.fixes.sender import methods_in
from picklecheck.probe import rehearse


class Pickler(pickle.Pickler):
    """A class in Python, as the pass has one for each transport: it bears a hook."""


def sent(obj, sender, protocol=4):
    done = rehearse(obj, lambda sink: Pickler(sink, protocol), protocol, instead=sender)
    return done, pickle.loads(b"".join(done.stream))


def edited(cls, method, imports=()):
    """Give what the sender takes for a class to whose text a method is added."""
    place = class_file(cls)
    text = place.text + "\n".join("    " + line for line in method.splitlines()) + "\n"
    return {cls: methods_in(text, cls, place.qualname, imports)}


@pytest.fixture
def cache(load):
    return load(
        """
        class Base:
            def describe(self):
                return "base"

        class Cache(Base):
            __slots__ = ("lock", "rows")

            def __init__(self):
                self.rows, self.lock = [1], lambda: 0
        """
    ).Cache


def test_the_new_method_is_asked_and_the_class_is_left_alone(cache):
    methods = edited(cache, 'def __getstate__(self):\n    return None, {"rows": [*self.rows, 2]}')
    done, found = sent(cache(), Sender(methods, (), 4))
    assert (type(found), found.rows, done.refused) == (cache, [1, 2], [])
    assert "__getstate__" not in vars(cache)


def test_super_means_the_bases_of_the_live_class(cache):
    methods = edited(cache, "def __reduce__(self):\n    return str, (super().describe(),)")
    assert sent(cache(), Sender(methods, (), 4))[1] == "base"


def test_an_instance_of_a_subclass_is_asked_too(cache):
    class Below(cache):
        pass

    methods = edited(cache, "def __reduce__(self):\n    return str, ('below',)")
    assert sent([Below()], Sender(methods, (), 4))[1] == ["below"]


def test_imports_and_annotations_of_the_new_text_do_not_matter_to_the_module(cache):
    method = "def __reduce__(self) -> Missing:\n    return textwrap.dedent, (' x',)"
    assert sent(cache(), Sender(edited(cache, method, ["import textwrap"]), (), 4))[1] == "x"


def test_other_objects_stand_in_for_live_ones(cache):
    live, other = (lambda: 0), (lambda: 1)
    replaces = [(live, Named("os.path", "join")), (other, Made(functools.partial, (Named("builtins", "max"), 3)))]
    done, (first, second, third) = sent([live, live, other], Sender({}, replaces, 4))
    import os

    assert first is second is os.path.join
    assert third(2) == 3
    assert done.refused == []


def test_instances_of_a_class_that_has_another_name_go_by_the_new_one(load):
    module = load("class Right:\n    def __init__(self):\n        self.x = 1\n")
    local = type("Wrong", (), {})
    obj = local()
    obj.x = 5
    _, found = sent(obj, Sender({}, [(local, Named(module.__name__, "Right"))], 4))
    assert (type(found), found.x) == (module.Right, 5)


def test_what_is_still_refused_is_told_and_stands_aside():
    generator = (each for each in "ab")
    done, found = sent({"left": generator, "right": 1}, Sender({}, (), 4))
    assert [obj for obj, _ in done.refused] == [generator]
    assert found == {"left": None, "right": 1}  # what stands in gives None here; a child bears all


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize(
    "text",
    [
        "class Kept(dict):\n    pass\n",
        "class Kept(list):\n    pass\n",
        "class Kept:\n    def __getnewargs__(self): return ()\n",
        "class Kept:\n    def __getnewargs_ex__(self): return (), {}\n",
        "class Kept:\n    def __getstate__(self): return {'own': 1, **vars(self)}\n",
    ],
)
def test_what_is_made_here_is_what_the_interpreter_makes_with_the_method(text, protocol, load):
    """The same class once with the method in its text, and once without it and with a sender that has it."""
    module = load(text)
    obj = module.Kept()
    obj.x = 1
    if isinstance(obj, dict):
        obj["k"] = 2
    if isinstance(obj, list):
        obj.append(2)
    method = "def __getstate__(self):\n    return {'seen': True, **vars(self)}"
    methods = edited(module.Kept, method)
    sink = io.BytesIO()
    done = rehearse(obj, lambda out: Pickler(out, protocol), protocol, instead=Sender(methods, (), protocol))
    module.Kept.__getstate__ = methods[module.Kept]["__getstate__"]
    pickle.Pickler(sink, protocol).dump(obj)
    ours, theirs = pickle.loads(b"".join(done.stream)), pickle.loads(sink.getvalue())
    assert (type(ours), vars(ours)) == (type(theirs), vars(theirs))
    assert list(ours) == list(theirs) if hasattr(ours, "__iter__") else True

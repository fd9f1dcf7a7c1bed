"""What is looked at over there, once an object has arrived."""

import threading
import weakref

import pytest

from picklecheck.receiver.checks import missed
from picklecheck.receiver.guards import Lost


class Box:
    def __init__(self, **held):
        self.__dict__.update(held)


@pytest.fixture
def root():
    made = Box(lock=threading.Lock(), items=[1, 2], text="crop")
    made.owner = weakref.ref(made)
    made.lost = Lost()
    made.none = None
    return made


@pytest.mark.parametrize(
    "check",
    [
        {"path": "root.lock", "type": "_thread.lock"},
        {"path": "root.items[1]", "type": "int"},
        {"path": "root.text"},
        {"path": "root.none", "type": "NoneType"},
        {"path": "root.owner", "calls": True, "same": "root"},
        {"path": "{'here': 1}['here']", "type": "int"},
        {"path": "root.lost.deeper", "type": "int"},
        {"path": "root.items", "same": "root.lost.deeper"},
    ],
)
def test_is_as_it_should_be(root, check):
    assert missed(root, [check]) == []


@pytest.mark.parametrize(
    ("check", "sentence"),
    [
        ({"path": "root.lock", "type": "_thread.RLock"}, "root.lock is a _thread.lock, not a _thread.RLock"),
        ({"path": "root.items", "type": "int"}, "root.items is a list, not an int"),
        (
            {"path": "root.nothing"},
            "root.nothing cannot be read: AttributeError: 'Box' object has no attribute 'nothing'",
        ),
        ({"path": "root.items[9]"}, "root.items[9] cannot be read: IndexError: list index out of range"),
        ({"path": "root.owner", "calls": True, "same": "root.items"}, "root.owner() is not root.items"),
        ({"path": "root.text", "calls": True}, "root.text cannot be called: TypeError: 'str' object is not callable"),
        ({"path": "root."}, "root. cannot be read: SyntaxError: invalid syntax (<string>, line 1)"),
        ({"path": "root.lost", "type": "int"}, "root.lost depends on what is left out"),
    ],
)
def test_is_not_as_it_should_be(root, check, sentence):
    assert missed(root, [check]) == [sentence]


def test_each_check_that_fails_has_its_sentence(root):
    checks = [{"path": "root.text", "type": "int"}, {"path": "root.text"}, {"path": "root.x"}]
    assert [sentence.partition(" ")[0] for sentence in missed(root, checks)] == ["root.text", "root.x"]


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt, RecursionError])
def test_a_property_that_raises_anything_is_a_check_that_fails(error):
    class Odd:
        @property
        def text(self):
            raise error("odd")

    (sentence,) = missed(Odd(), [{"path": "root.text"}])
    assert sentence == f"root.text cannot be read: {error.__name__}: odd"

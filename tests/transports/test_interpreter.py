"""Other interpreters of the same process: what is shared, what is pickled, told by the types alone."""

import sys
import types

import pytest

from picklecheck import UsageError, explain, explain_call
from picklecheck.transports.interpreter import pickled
from tests.specimens import Box


def give(*args, **kwargs):
    return None


def closure():
    outer = 1

    def inner(*args):
        return outer

    return inner


def local():
    def inner(*args):
        return 1

    return inner


class Text(str):
    pass


OBJECTS = {
    "none": (None, []),
    "numbers": ((1, 10**30, 1.5, True), []),
    "text": (("a", b"b"), []),
    "memoryview": (memoryview(b"a"), []),
    "list": ([1], [""]),
    "tuple": ((1, [2], ("a", {3})), ["[1]", "[2][1]"]),
    "dict": ({"a": 1}, [""]),
    "subclass": (Text("a"), [""]),
    "complex": ((1j, ...), ["[0]", "[1]"]),
    "shared-function": ((local(), [1]), ["[1]"]),
    "other-function": ((give, closure()), ["[0]", "[1]"]),
    "class": (Box, [""]),
    "namespace": (types.SimpleNamespace(a=1), [""]),
    "builtin": ((print, len), ["[0]", "[1]"]),
}


@pytest.mark.parametrize("name", OBJECTS)
def test_what_is_shared_is_not_pickled(name):
    obj, expected = OBJECTS[name]
    found = list(pickled(obj, (), lambda function: function.__name__ == "inner" and not function.__closure__))
    assert ["".join(step.after for step in part.steps) for part in found] == expected
    assert all(eval(f"obj{path}", {"obj": obj}) is part.obj for path, part in zip(expected, found, strict=True))


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="it is there")
@pytest.mark.parametrize("ask", [explain, explain_call])
def test_before_314_it_is_one_line(ask):
    with pytest.raises(UsageError) as caught:
        ask(give, via="interpreter")
    assert str(caught.value).startswith(
        "via 'interpreter' needs Python 3.14 (concurrent.interpreters), and this is 3.1"
    )

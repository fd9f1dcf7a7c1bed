"""The state methods of a class, for each way in which a class may be made: applied, and sent on two trips."""

import pickle

import pytest

from picklecheck.fixes import Change, class_file
from picklecheck.fixes.edits import apply
from picklecheck.fixes.states import compose, home_of

LOCK = "_thread.lock"


def drop(cls, attribute="lock", spelled="lock"):
    return Change(
        cls=cls, attribute=attribute, out=(f'del state["{attribute}"]',), back=(f"self.{spelled} = threading.Lock()",)
    )


def edited(load, module, *changes):
    """Give the module with what the changes come to."""
    composed = compose(home_of(changes[0]), changes)
    assert composed is not None
    return load(apply(composed.place.text, composed.edits))


CLASSES = {
    "plain": """
        import threading

        class Cache:
            def __init__(self, rows=()):
                self.rows = rows
                self.lock = threading.Lock()
        """,
    "slots": """
        import threading

        class Cache:
            __slots__ = ("lock", "rows", "never")

            def __init__(self, rows=()):
                self.rows = rows
                self.lock = threading.Lock()
        """,
    "slots and dictionary": """
        import threading

        class Base:
            __slots__ = ("rows",)

        class Cache(Base):
            def __init__(self, rows=()):
                self.rows = rows
                self.lock = threading.Lock()
        """,
    "dataclass": """
        import threading
        from dataclasses import dataclass, field

        @dataclass
        class Cache:
            rows: tuple = ()
            lock: object = field(default_factory=threading.Lock)
        """,
    "frozen dataclass": """
        import threading
        from dataclasses import dataclass, field

        @dataclass(frozen=True)
        class Cache:
            rows: tuple = ()
            lock: object = field(default_factory=threading.Lock)
        """,
    "dataclass with slots": """
        import threading
        from dataclasses import dataclass, field

        @dataclass(slots=True)
        class Cache:
            rows: tuple = ()
            lock: object = field(default_factory=threading.Lock)
        """,
    "attrs": """
        import threading
        import attrs

        @attrs.define
        class Cache:
            rows: tuple = ()
            lock: object = attrs.field(factory=threading.Lock)
        """,
    "attrs, frozen": """
        import threading
        import attrs

        @attrs.frozen
        class Cache:
            rows: tuple = ()
            lock: object = attrs.field(factory=threading.Lock)
        """,
    "attr.s with slots": """
        import threading
        import attr

        @attr.s(frozen=True, slots=True, auto_attribs=True)
        class Cache:
            rows: tuple = ()
            lock: object = attr.ib(factory=threading.Lock)
        """,
    "own __getstate__": """
        import threading

        class Cache:
            def __init__(self, rows=()):
                self.rows = rows
                self.lock = threading.Lock()
                self.seen = []

            def __getstate__(self):
                state = dict(self.__dict__)
                state["seen"] = ["from getstate"]
                return state
        """,
    "own __getstate__ that gives the dictionary itself": """
        import threading

        class Cache:
            def __init__(self, rows=()):
                self.rows = rows
                self.lock = threading.Lock()

            def __getstate__(self):
                return self.__dict__
        """,
    "own __setstate__": """
        import threading

        class Cache:
            def __init__(self, rows=()):
                self.rows = rows
                self.lock = threading.Lock()

            def __setstate__(self, values):
                self.__dict__.update(values)
                self.arrived = True
        """,
    "base with state methods": """
        import threading

        class Base:
            def __getstate__(self):
                return {**self.__dict__, "from_base": True}

            def __setstate__(self, state):
                self.__dict__.update(state)

        class Cache(Base):
            def __init__(self, rows=()):
                self.rows = rows
                self.lock = threading.Lock()
        """,
    "attribute of a base": """
        import threading

        class Base:
            def __init__(self):
                self.lock = threading.Lock()

        class Cache(Base):
            def __init__(self, rows=()):
                super().__init__()
                self.rows = rows
        """,
    "dict subclass": """
        import threading

        class Cache(dict):
            def __init__(self, rows=()):
                super().__init__(key=1)
                self.rows = rows
                self.lock = threading.Lock()
        """,
    "exception": """
        import threading

        class Cache(Exception):
            def __init__(self, rows=()):
                super().__init__(rows)
                self.rows = rows
                self.lock = threading.Lock()
        """,
    "attributes that may not be set": """
        import threading

        class Cache:
            def __init__(self, rows=()):
                object.__setattr__(self, "rows", rows)
                object.__setattr__(self, "lock", threading.Lock())

            def __setattr__(self, name, value):
                raise AttributeError("frozen")
        """,
}


@pytest.mark.parametrize("text", CLASSES.values(), ids=CLASSES)
def test_the_lock_is_left_out_and_made_anew(text, load):
    module = load(text)
    made = edited(load, module, drop(module.Cache)).Cache((1, 2))
    first = pickle.loads(pickle.dumps(made))
    again = pickle.loads(pickle.dumps(first))
    for found in (first, again):
        assert found.rows == (1, 2)
        assert type(found.lock) is type(made.lock)
        assert found.lock is not made.lock
    assert type(made.lock).__name__ == "lock"  # what was sent is what it was


def test_what_an_own_method_does_is_still_done(load):
    module = load(CLASSES["own __getstate__"])
    assert pickle.loads(pickle.dumps(edited(load, module, drop(module.Cache)).Cache())).seen == ["from getstate"]
    module = load(CLASSES["own __setstate__"])
    assert pickle.loads(pickle.dumps(edited(load, module, drop(module.Cache)).Cache())).arrived
    module = load(CLASSES["base with state methods"])
    assert pickle.loads(pickle.dumps(edited(load, module, drop(module.Cache)).Cache())).from_base


def test_items_and_arguments_travel_as_before(load):
    module = load(CLASSES["dict subclass"])
    assert dict(pickle.loads(pickle.dumps(edited(load, module, drop(module.Cache)).Cache()))) == {"key": 1}
    module = load(CLASSES["exception"])
    assert str(pickle.loads(pickle.dumps(edited(load, module, drop(module.Cache)).Cache((3,))))) == "(3,)"


def test_methods_go_to_the_class_that_sets_the_attribute(load):
    module = load(CLASSES["attribute of a base"])
    assert home_of(drop(module.Cache)) is module.Base


def test_a_private_name_is_spelled_as_the_class_spells_it(load):
    module = load(
        """
        import threading

        class Cache:
            def __init__(self):
                self.__lock = threading.Lock()
                self.__pool = None

            def pool(self):
                return self.__pool
        """
    )
    lazy = Change(cls=module.Cache, attribute="_Cache__pool", out=(), lazy="[1]")
    changed = edited(load, module, drop(module.Cache, "_Cache__lock", "__lock"), lazy)
    found = pickle.loads(pickle.dumps(changed.Cache()))
    assert type(found._Cache__lock).__name__ == "lock"
    assert found.pool() == [1]
    assert found.pool() is found.pool()


def test_several_changes_make_one_pair_of_methods_in_their_order(load):
    module = load(CLASSES["plain"])
    rows = Change(cls=module.Cache, attribute="rows", out=('state["rows"] = []',), order=9)
    text = compose(module.Cache, [rows, drop(module.Cache)]).edits
    added = [method for edit in text for method in getattr(edit, "methods", ())]
    assert [method.partition("(")[0] for method in added] == ["def __getstate__", "def __setstate__"]
    assert added[0].index("lock") < added[0].index("rows")


@pytest.mark.parametrize(
    "body",
    [
        "def __reduce__(self): return Cache, ()",
        "def __reduce_ex__(self, protocol): return Cache, ()",
    ],
)
def test_a_class_that_reduces_itself_is_left_alone(body, load):
    module = load(f"class Cache:\n    lock = None\n    {body}\n")
    assert compose(module.Cache, [drop(module.Cache)]) is None


def test_a_class_of_a_library_is_left_alone():
    import queue

    assert class_file(queue.Queue) is None
    assert compose(queue.Queue, [drop(queue.Queue)]) is None

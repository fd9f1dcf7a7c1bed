import traceback

import pytest

from picklecheck.fixes.recipes.state import state
from tests.fixes.state_tools import Modules, install, spot, twice

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")


@pytest.fixture
def modules(tmp_path):
    made = Modules(tmp_path)
    yield made
    made.close()


def in_init(modules, imports, *lines):
    """Give an object of a class whose `__init__` has these lines."""
    body = "\n            ".join(lines)
    module = modules.make(f"""
    {imports}
    class A:
        def __init__(self, path=__file__, given=None):
            {body}
    """)
    return module.A()


def fixed(obj, name, kind, **more):
    remedy = state(spot(obj, name, kind, **more))
    assert remedy is not None
    install(remedy.changes)
    return twice(obj), remedy


LOCKS = [
    ("import threading", "self.x = threading.Lock()", "threading.Lock()"),
    ("from threading import Lock", "self.x = Lock()", "Lock()"),
    ("from threading import Lock as L", "self.x = L()", "L()"),
    ("import threading as t", "self.x = t.RLock()", "t.RLock()"),
    ("import threading", "self.x = threading.Condition()", "threading.Condition()"),
]


@pytest.mark.parametrize(("imports", "line", "text"), LOCKS)
def test_a_lock_is_made_anew(modules, imports, line, text):
    obj = in_init(modules, imports, line)
    there, remedy = fixed(obj, "x", "lock")
    change = remedy.changes[0]
    assert (change.out, change.back, change.imports) == (('del state["x"]',), (f"self.x = {text}",), ())
    assert type(there.x) is type(obj.x)
    assert remedy.note == ""


def test_a_lock_that_was_given_is_made_by_its_type(modules):
    obj = in_init(modules, "import threading as t", "self.x = given")
    obj.x = __import__("threading").RLock()
    _, remedy = fixed(obj, "x", "lock")
    assert remedy.changes[0].out == ('state["x"] = self.x is not None',)
    assert remedy.changes[0].back == ("self.x = t.RLock() if self.x else None",)
    obj.x = None
    assert twice(obj).x is None


def test_locks_in_containers(modules):
    obj = in_init(
        modules, "import threading", "self.x = []", "self.y = {}", "self.z = [threading.Lock() for i in range(3)]"
    )
    lock = __import__("threading").Lock()
    obj.x, obj.y = [lock, 1], {"a": lock, "b": 2}
    changes = []
    for name, first in (("x", obj.x[0]), ("y", obj.y["a"]), ("z", obj.z[0])):
        changes += state(spot(obj, name, "lock", arrivals=[first])).changes
    install(changes)
    there = twice(obj)
    assert type(there.x[0]) is type(lock)
    assert there.x[1] == 1
    assert type(there.y["a"]) is type(lock)
    assert there.y["b"] == 2
    assert [type(each) for each in there.z] == [type(lock)] * 3


def test_events_queues_and_semaphores_keep_what_they_hold(modules):
    obj = in_init(
        modules, "import threading, queue", "self.e = threading.Event()", "self.e.set()", "self.q = queue.Queue(5)",
        "self.q.put(1)", "self.s = threading.Semaphore(3)", "self.p = queue.PriorityQueue()", "self.p.put(2)", "self.p.put(1)",
        "self.b = threading.Barrier(2)", "self.l = threading.local()", "self.sq = queue.SimpleQueue()",
    )  # fmt: skip
    changes = []
    for name in "eqspbl":
        kind = "thread-local" if name == "l" else "lock"
        inner = obj.__dict__[name].__dict__
        arrivals = [] if name == "l" else [next(iter(inner.values()))]
        changes += state(spot(obj, name, kind, arrivals=arrivals)).changes
    changes += state(spot(obj, "sq", "queue")).changes
    install(changes)
    there = twice(obj)
    assert there.e.is_set()
    assert (there.q.maxsize, there.q.get()) == (5, 1)
    assert there.s._value == 3
    assert [there.p.get(), there.p.get()] == [1, 2]
    assert there.b.parties == 2


def test_what_the_class_makes_when_needed_is_left_out(modules):
    module = modules.make("""
    import threading, functools
    class A:
        def __init__(self):
            self.x = None
        def get(self):
            if self.x is None:
                self.x = threading.Lock()
            return self.x
        @functools.cached_property
        def y(self):
            return threading.Lock()
    """)
    obj = module.A()
    obj.get()
    assert obj.y
    first, second = (state(spot(obj, name, "lock")) for name in "xy")
    assert (first.changes[0].out, first.changes[0].back, first.note) == (('state["x"] = None',), (), "")
    assert second.changes[0].out == ('state.pop("y", None)',)
    install([*first.changes, *second.changes])
    there = twice(obj)
    assert there.x is None
    assert there.get()
    assert there.y


def test_pools_are_made_when_first_used(modules):
    module = modules.make("""
    from concurrent.futures import ThreadPoolExecutor
    class A:
        def __init__(self, n=2):
            self.n = n
            self.pool = ThreadPoolExecutor(max_workers=n)
    class B:
        pool: object
        def __init__(self, pool):
            self.pool = pool
    """)
    obj = module.A()
    there, remedy = fixed(obj, "pool", "executor", arrivals=[obj.pool._work_queue])
    assert remedy.changes[0].lazy == "ThreadPoolExecutor(max_workers=self.n)"
    assert "pool" not in there.__dict__
    assert there.pool._max_workers == 2
    other = module.B(obj.pool)
    there, remedy = fixed(other, "pool", "executor", arrivals=[obj.pool._work_queue])
    assert there.pool._max_workers == 2
    assert remedy.note


def test_threads_are_left_out(modules):
    obj = in_init(
        modules,
        "import threading",
        "self.t = threading.Thread()",
        "self.m = {'a': threading.Thread(), 'b': 1}",
        "self.l = [threading.Thread()]",
    )
    for name, arrivals in (("t", [obj.t._started]), ("m", [obj.m["a"]]), ("l", [obj.l[0]])):
        remedy = state(spot(obj, name, "lock", arrivals=arrivals))
        assert remedy.note
    changes = [
        c
        for n, a in (("t", []), ("m", [obj.m["a"]]), ("l", [obj.l[0]]))
        for c in state(spot(obj, n, "thread", arrivals=a)).changes
    ]
    install(changes)
    there = twice(obj)
    assert (there.t, there.m, there.l) == (None, {"b": 1}, [None])


def test_a_constant_of_the_module_keeps_its_name(modules):
    module = modules.make("""
    import threading
    LOCK = threading.Lock()
    class A:
        def __init__(self): self.x = LOCK
    """)
    there, _ = fixed(module.A(), "x", "lock")
    assert there.x is module.LOCK


def test_what_is_inside_something_known_is_its_affair(modules):
    obj = in_init(
        modules,
        "import os, traceback, threading, logging",
        "self.env = os.environ",
        "self.log = logging.Logger('ad-hoc')",
        "self.mod = os",
        "self.gen = enumerate(x for x in 'ab')",
    )
    changes = list(state(spot(obj, "env", "local-function", arrivals=[os_environ().encodekey])).changes)
    changes += state(spot(obj, "log", "logger")).changes
    changes += state(spot(obj, "mod", "module")).changes
    changes += state(spot(obj, "gen", "generator", arrivals=[object()])).changes
    install(changes)
    there = twice(obj)
    assert there.env is os_environ()
    assert there.log.name == "ad-hoc"
    assert there.mod is __import__("os")
    assert list(there.gen) == [(0, "a"), (1, "b")]


def os_environ():
    return __import__("os").environ


def test_a_private_attribute_of_a_base(modules):
    module = modules.make("""
    import threading
    class Base:
        def __init__(self): self.__x = threading.Lock()
        def get(self): return self.__x
    class A(Base): pass
    """)
    there, remedy = fixed(module.A(), "_Base__x", "lock")
    assert remedy.changes[0].back == ("self.__x = threading.Lock()",)
    assert there.get()
    own = state(spot(module.Base(), "_Base__x", "lock"))
    assert own.changes[0].out == ('del state["_Base__x"]',)
    assert own.changes[0].back == ("self.__x = threading.Lock()",)


def test_things_of_several_kinds_in_one_dict(modules):
    obj = in_init(
        modules,
        "import threading",
        "self.x = {'lock': threading.Lock(), 'none': None, 'f': open(path), 't': threading.Thread()}",
    )
    remedies = [
        state(spot(obj, "x", "lock", arrivals=[obj.x["lock"]])),
        state(spot(obj, "x", "file", arrivals=[obj.x["f"]])),
        state(spot(obj, "x", "lock", arrivals=[obj.x["t"], obj.x["t"]._started])),
    ]
    assert remedies[0].changes == remedies[1].changes == remedies[2].changes
    install(remedies[0].changes)
    there = twice(obj)
    assert type(there.x["lock"]) is type(obj.x["lock"])
    assert there.x["f"].name == obj.x["f"].name
    assert there.x["none"] is there.x["t"] is None
    assert "['t']" not in remedies[0].note
    assert '.x["t"] is None over there' in remedies[0].note


def test_one_object_in_two_attributes(modules):
    obj = in_init(
        modules, "import threading", "self.b = self.a = threading.Lock()", "self.c = threading.Condition(self.b)"
    )
    changes = [
        c for n in "abc" for c in state(spot(obj, n, "lock", arrivals=[obj.c._lock] if n == "c" else [])).changes
    ]
    install(changes)
    there = twice(obj)
    assert there.a is there.b is there.c._lock


def test_a_pool_in_a_list_and_handlers(modules):
    obj = in_init(
        modules,
        "import logging\n    from concurrent.futures import ThreadPoolExecutor",
        "self.h = [logging.StreamHandler(), logging.NullHandler()]",
        "self.p = [ThreadPoolExecutor(1) for _ in range(2)]",
    )
    changes = [*state(spot(obj, "h", "lock", arrivals=[obj.h[0], obj.h[0].lock])).changes]
    changes += state(spot(obj, "p", "queue", arrivals=[obj.p[0], obj.p[0]._work_queue])).changes
    install(changes)
    there = twice(obj)
    assert [type(each) for each in there.h] == [type(each) for each in obj.h]
    assert len(there.p) == 2


def test_stacks_libraries_and_pointers(modules):
    obj = in_init(
        modules,
        "import traceback, ctypes, select, asyncio",
        "self.s = traceback.extract_stack()",
        "self.l = ctypes.CDLL(None)",
        "self.p = ctypes.pointer(ctypes.c_int(1))",
        "self.e = select.poll()",
        "self.loop = asyncio.new_event_loop()",
    )
    kinds = {
        "s": ("code", [obj.s[0], None]),
        "l": ("local-class", [obj.l._FuncPtr]),
        "p": ("ctypes-pointer", []),
        "e": ("poller", []),
        "loop": ("context", [object()]),
    }
    changes = [c for n, (kind, arrivals) in kinds.items() for c in state(spot(obj, n, kind, arrivals=arrivals)).changes]
    install(changes)
    there = twice(obj)
    assert type(there.s) is traceback.StackSummary
    assert len(there.s) == len(obj.s)
    assert there.p.contents.value == 1
    for each in (obj, there):
        each.loop.close()


def test_a_function_is_made_as_the_source_makes_it(modules):
    obj = in_init(modules, "", "self.n = 3", "self.x = lambda: self.n")
    there, remedy = fixed(obj, "x", "lambda")
    assert remedy.changes[0].back == ("self.x = lambda: self.n",)
    assert there.x() == 3


def test_what_a_thread_keeps_for_itself_is_left_alone(modules):
    module = modules.make("""
    import threading
    class T(threading.Thread):
        def __init__(self):
            super().__init__()
            self.own = threading.Lock()
    """)
    obj = module.T()
    assert state(spot(obj, "_started", "lock", arrivals=[obj._started._cond])) is None
    assert state(spot(obj, "own", "lock"))


def test_what_is_made_under_a_with_statement(modules):
    obj = in_init(
        modules,
        "import mmap",
        "self.path = path",
        "with open(path, 'rb') as f:",
        "    self.m = mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ)",
    )
    there, remedy = fixed(obj, "m", "mmap")
    assert remedy.changes[0].back == (
        "with open(self.path, 'rb') as f:\n    self.m = mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ)",
    )
    assert there.m[:] == obj.m[:]


def test_a_module_that_was_given(modules):
    obj = in_init(modules, "import textwrap", "self.m = given")
    obj.m = __import__("textwrap")
    there, remedy = fixed(obj, "m", "module")
    assert "importlib.import_module(self.m)" in remedy.changes[0].back[0]
    assert there.m is obj.m


def test_what_comes_by_no_known_way(modules):
    obj = in_init(modules, "", "self.x = given")
    obj.x = (n for n in "ab")
    assert state(spot(obj, "x", "generator")) is None
    assert state(spot(obj, "x", "no-main-guard")) is None

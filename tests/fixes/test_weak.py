import gc
import weakref

import pytest

from picklecheck.fixes.recipes.state import state
from tests.fixes.state_tools import Modules, install, spot, twice

SOURCE = """
import weakref

class Node:
    def __init__(self, parent=None):
        self.children = []
        self.parent = weakref.ref(parent) if parent is not None else None
    def add(self):
        self.children.append(type(self)(self))

class Called:
    def __init__(self, parent):
        self.own = parent
        self.parent = weakref.ref(parent, self._gone)
    def _gone(self, ref): pass

class Plain:
    def __init__(self, *members):
        self.members = list(members)
        self.x = None

class Method:
    def __init__(self, fn):
        self.holder = fn.__self__ if hasattr(fn, "__self__") else None
        self.fn = weakref.WeakMethod(fn) if hasattr(fn, "__self__") else weakref.ref(fn)
    def run(self): return 7

def tick(): return 8
"""


@pytest.fixture
def module(tmp_path):
    made = Modules(tmp_path)
    yield made.make(SOURCE)
    made.close()


def always(obj):
    return True


def test_a_reference_to_what_travels(module):
    root = module.Node()
    root.add()
    root.add()
    remedy = state(spot(root.children[0], "parent", "weakref", travels=always))
    change = remedy.changes[0]
    assert change.out == ('if self.parent is not None:\n    state["parent"] = self.parent()',)
    assert change.back == ("if self.parent is not None:\n    self.parent = weakref.ref(self.parent)",)
    assert [check.calls for check in remedy.checks] == [False, True]
    assert remedy.checks[1].same is root
    install(remedy.changes)
    there = twice(root)
    assert there.parent is None
    assert all(child.parent() is there for child in there.children)


def test_a_reference_to_what_stays(module):
    root = module.Node()
    child = module.Node(root)
    remedy = state(spot(child, "parent", "weakref"))
    assert remedy.note.startswith(".parent is None over there: ")
    install(remedy.changes)
    assert twice(child).parent is None


def test_a_reference_to_what_is_gone(module):
    child = module.Node(module.Node())
    gc.collect()
    remedy = state(spot(child, "parent", "weakref"))
    install(remedy.changes)
    assert twice(child).parent is None


def test_a_callback_is_kept(module):
    obj = module.Called(module.Plain())
    remedy = state(spot(obj, "parent", "weakref", travels=always))
    assert remedy.changes[0].back == ("self.parent = weakref.ref(self.parent, self._gone)",)
    install(remedy.changes)
    there = twice(obj)
    assert there.parent() is there.own
    assert there.parent.__callback__ == there._gone


def test_methods_and_functions_in_one_attribute(module):
    first, second = module.Method(module.Method(module.tick).run), module.Method(module.tick)
    changes = state(spot(first, "fn", "weakref", travels=always)).changes
    assert changes[0].width == 1
    other = state(spot(second, "fn", "weakref", travels=always))
    assert other.changes[0].width == 0
    install(changes)
    there = twice([first, second])
    assert there[0].fn()() == 7
    assert there[1].fn() is module.tick


def members(module):
    return [module.Plain(), module.Plain()]


CONTAINERS = {
    "list": lambda a, b: [weakref.ref(a), weakref.ref(b)],
    "tuple": lambda a, b: (weakref.ref(a), weakref.ref(b)),
    "set": lambda a, b: {weakref.ref(a), weakref.ref(b)},
    "dict": lambda a, b: {"a": weakref.ref(a), "b": weakref.ref(b)},
}


@pytest.mark.parametrize("kind", CONTAINERS)
def test_references_in_containers(module, kind):
    a, b = members(module)
    obj = module.Plain(a, b)
    obj.x = CONTAINERS[kind](a, b)
    first = next(iter(obj.x.values() if kind == "dict" else obj.x))
    remedy = state(spot(obj, "x", "weakref", arrivals=[first], travels=always))
    install(remedy.changes)
    there = twice(obj)
    refs = list(there.x.values() if kind == "dict" else there.x)
    assert type(there.x).__name__ == kind
    assert {id(ref()) for ref in refs} == set(map(id, there.members))


def test_methods_in_a_list(module):
    one = module.Method(module.tick)
    obj = module.Plain(one)
    obj.x = [weakref.WeakMethod(one.run), weakref.ref(module.tick)]
    first = state(spot(one, "fn", "weakref"))
    install([*state(spot(obj, "x", "weakref", arrivals=[obj.x[0]], travels=always)).changes])
    install(first.changes)
    there = twice(obj)
    assert there.x[0]()() == 7
    assert there.x[1]() is module.tick


def test_weak_collections(module):
    a, b = members(module)
    obj = module.Plain(a, b)
    changes = []
    obj.__dict__.update(
        s=weakref.WeakSet([a, b]), v=weakref.WeakValueDictionary(a=a), k=weakref.WeakKeyDictionary({b: 1})
    )
    for name in "svk":
        changes += state(
            spot(obj, name, "local-function", arrivals=[obj.__dict__[name]._remove], travels=always)
        ).changes
    install(changes)
    there = twice(obj)
    assert set(map(id, there.s)) == set(map(id, there.members))
    assert there.v["a"] is there.members[0]
    assert there.k[there.members[1]] == 1


def test_weak_collections_of_what_stays(module):
    a, b = members(module)
    obj = module.Plain()
    obj.s = weakref.WeakSet([a, b])
    remedy = state(spot(obj, "s", "weakref", arrivals=[next(iter(obj.s.data))]))
    assert "empty over there" in remedy.note
    install(remedy.changes)
    assert len(twice(obj).s) == 0


def test_a_proxy(module):
    a, _ = members(module)
    obj = module.Plain(a)
    obj.x = weakref.proxy(a)
    remedy = state(spot(obj, "x", "weakref", travels=always))
    install(remedy.changes)
    there = twice(obj)
    assert there.x.__init__.__self__ is there.members[0]


HANDLE = """
import weakref

class Handle:
    def __init__(self, table, hook):
        self.number = len(table)
        table[self.number] = hook
        self.table = weakref.ref(table)

class Table(dict): pass

class Network:
    def __init__(self):
        self.hooks = Table()
    def register(self, hook):
        return Handle(self.hooks, hook)

class Keeper:
    def __init__(self):
        self.network = Network()
        self.handle = self.network.register(print)

class Made:
    def __init__(self):
        self.table = Table()
        self.handle = Handle(self.table, print)
"""


def handle_spot(keeper, *travelling):
    return spot(
        keeper, "handle", "weakref", arrivals=[keeper.handle.table],
        travels=lambda obj: any(obj is one for one in (keeper, *travelling)),
    )  # fmt: skip


@pytest.mark.parametrize("private", [False, True])
def test_what_a_method_of_something_that_travels_has_done_is_not_done_twice(tmp_path, private):
    made = Modules(tmp_path)
    module = made.make(HANDLE.replace("self.network", "self.__network") if private else HANDLE)
    keeper = module.Keeper()
    network = vars(keeper)["_Keeper__network" if private else "network"]
    remedy = state(handle_spot(keeper, network, network.hooks))
    assert [check.same for check in remedy.checks] == [network.hooks]
    install(remedy.changes)
    there = twice(keeper)
    (hooks,) = (held.hooks for held in vars(there).values() if type(held) is module.Network)
    assert there.handle.table() is hooks
    assert hooks == {0: print}
    assert there.handle.number == 0
    assert keeper.handle.table() is network.hooks
    made.close()


@pytest.mark.parametrize("method", ["__del__", "__copy__", "__reduce__"])
def test_what_does_more_when_it_is_copied_is_made_as_the_source_does(tmp_path, method):
    made = Modules(tmp_path)
    module = made.make(HANDLE.replace("class Table", f"    def {method}(self): pass\n\nclass Table"))
    keeper = module.Keeper()
    remedy = state(handle_spot(keeper, keeper.network, keeper.network.hooks))
    assert remedy.changes[0].back == ("self.handle = self.network.register(print)",)
    made.close()


def test_what_a_class_of_the_module_makes_is_made_by_it_again(tmp_path):
    made = Modules(tmp_path)
    module = made.make(HANDLE)
    keeper = module.Made()
    remedy = state(handle_spot(keeper, keeper.table))
    assert remedy.changes[0].back == ("self.handle = Handle(self.table, print)",)
    made.close()

"""What the interpreter is made of: weak references, frames, code, views, iterators, C objects, ctypes."""

import collections
import ctypes
import datetime
import decimal
import hashlib
import heapq
import itertools
import pickle
import random
import re
import struct
import sys
import textwrap
import traceback
import types
import unittest
import unittest.mock
import weakref
import xml.etree.ElementTree
import xml.parsers.expat
import zoneinfo

from tests.specimens import REDUCED, Box, culprit, specimen

# weak references


class Node:
    def __init__(self, name, parent=None, held=None):
        self.name = name
        self.parent = parent
        self.held = held
        self.children = []
        if parent is not None:
            parent.children.append(self)


class Child:
    def __init__(self, owner):
        self.owner = weakref.ref(owner)


class Parent:
    def __init__(self):
        self.children = [Child(self), Child(self)]


@specimen(culprit("weakref", "obj.children[0].owner", also=("obj.children[1].owner",)))
def weak_reference_shared_by_children():
    return Parent()


@specimen(culprit("weakref", "obj.link"), culprit("weakref", "obj.other"))
def weak_references_to_something_gone():
    return Box(link=weakref.ref(Box()), other=weakref.ref(Box()))


def tick():
    pass


class Agent:
    def step(self):
        pass


class Planned:
    def __init__(self, time, call):
        self.time = time
        self.call = call

    def __lt__(self, other):
        return self.time < other.time


@specimen(culprit("weakref", "obj.planned[0].call"), culprit("weakref", "obj.planned[1].call"))
def weak_callbacks_in_a_heap():
    agent = Agent()
    planned = []
    heapq.heappush(planned, Planned(2, weakref.WeakMethod(agent.step)))
    heapq.heappush(planned, Planned(1, weakref.ref(tick)))
    return Box(agent=agent, planned=planned)


LISTENERS = [Node("listener")]


@specimen(culprit("weakref", "list(obj.listeners.data)[0]"), culprit("local-function", "obj.listeners._remove"))
def weak_set():
    return Box(name="t", listeners=weakref.WeakSet(LISTENERS))


@specimen(
    culprit("weakref", "obj.by_name.data['first']"),
    culprit("local-function", "obj.by_name._remove"),
)
def weak_values():
    return Box(by_name=weakref.WeakValueDictionary(first=LISTENERS[0]))


@specimen(
    culprit("weakref", "list(obj.notes.data)[0]"),
    culprit("local-function", "obj.notes._remove"),
)
def weak_keys():
    notes = weakref.WeakKeyDictionary()
    notes[LISTENERS[0]] = "seen"
    return Box(notes=notes)


@specimen(culprit("local-function", "obj.by_name._remove"))
def empty_weak_values():
    return Box(by_name=weakref.WeakValueDictionary())


@specimen()
def ok_finalizer_which_arrives_dead():
    node = Node("n")
    finalizer = weakref.finalize(node, print)
    yield Box(node=node, finalizer=finalizer)
    finalizer.detach()


@specimen()
def ok_weak_proxy_which_arrives_strong():
    return Box(account=weakref.proxy(LISTENERS[0]))


@specimen(culprit("weakref", "obj.account"))
def weak_proxy_of_something_gone():
    return Box(account=weakref.proxy(Node("gone")))


# modules, frames, code


class Case:
    def __init__(self):
        session = Node("session")
        self.node = Node("case", Node("module", session, textwrap))

    def body(self):
        pass


@specimen(
    culprit("module", "obj.__self__.node.parent.held"),
    via="process",
)
def module_in_a_tree_of_nodes():
    return Case().body


@specimen(culprit("frame", "obj.frame"), culprit("traceback", "obj.trace"))
def frame_and_traceback():
    try:
        raise ValueError
    except ValueError as error:
        return Box(frame=sys._getframe(), trace=error.__traceback__)


@specimen()
def ok_exception_that_was_raised():
    # neither the traceback nor the cause is part of what is pickled
    try:
        try:
            raise KeyError("k")
        except KeyError as cause:
            raise ValueError("v") from cause
    except ValueError as error:
        return error


@specimen(culprit("traceback", "obj.info[2]"))
def exception_info():
    try:
        raise ValueError
    except ValueError:
        return Box(info=sys.exc_info())


def has_code(summary):
    return getattr(summary[0], "_code", None) is not None


@specimen(*([culprit("code", "obj.made_at[0]._code")] if has_code(traceback.extract_stack(limit=1)) else []))
def summary_of_the_stack():
    return Box(inputs=["a"], made_at=traceback.extract_stack(limit=1))


@specimen(culprit("code", "obj['code']"))
def code():
    return {"code": compile("1", "x", "eval")}


def counter():
    count = 0

    def step():
        return count

    return step


@specimen(culprit("cell", "obj.cells[0]"))
def cells_of_a_closure():
    return Box(cells=counter().__closure__)


# descriptors and the like


class Measured:
    @property
    def size(self):
        return 1

    @staticmethod
    def unit():
        return 1

    @classmethod
    def named(cls):
        return cls()


@specimen(
    culprit("descriptor", "obj[0]"),
    culprit("descriptor", "obj[1]"),
    culprit("descriptor", "obj[2]"),
    culprit("descriptor", "obj[3]"),
)
def descriptors():
    space = vars(Measured)
    return [space["size"], space["unit"], space["named"], vars(types.FunctionType)["__code__"]]


@specimen()
def ok_methods_of_builtin_types():
    return [str.join, int.__add__, dict.fromkeys, vars(Slotted)["value"]]


class Slotted:
    __slots__ = ("value",)


@specimen(culprit("misnamed-class", "obj.space.__objclass__", f"obj.space.{REDUCED}[1][0]"))
def descriptor_of_a_type_that_no_module_names():
    return Box(space=vars(types.FunctionType)["__globals__"])


@specimen(culprit("mappingproxy", "obj.space"))
def namespace_of_a_class():
    return Box(space=vars(Measured))


@specimen(culprit("mappingproxy", "obj.settings"))
def read_only_mapping():
    return Box(settings=types.MappingProxyType({"a": 1}))


@specimen()
def ok_simple_namespace():
    return types.SimpleNamespace(a=1, b=[2])


@specimen(culprit("lambda", "obj.run"))
def lambda_in_a_simple_namespace():
    return types.SimpleNamespace(run=lambda: None)


class Derived(Box):
    def above(self):
        return super()


@specimen(culprit("super", "obj.above"), until=(3, 13))
def object_of_super():
    return Box(above=Derived().above())


@specimen(culprit("capsule", "obj.api"))
def capsule():
    return Box(api=datetime.datetime_CAPI)


@specimen()
def ok_singletons():
    return [..., NotImplemented, None, type(...), type(None), type(NotImplemented), True, range(3), slice(1), int]


# views and iterators


@specimen(
    culprit("dict-view", "obj.keys"),
    culprit("dict-view", "obj.values"),
    culprit("dict-view", "obj.items"),
)
def views_of_a_dictionary():
    table = {"a": 1}
    return Box(keys=table.keys(), values=table.values(), items=table.items())


@specimen(culprit("dict-view", "obj.keys"))
def view_of_an_ordered_dictionary():
    return Box(keys=collections.OrderedDict(a=1).keys())


@specimen()
def ok_iterators_of_containers():
    return [
        iter([1]),
        iter((1,)),
        iter({1}),
        iter({"a": 1}),
        iter("a"),
        iter(range(3)),
        iter({"a": 1}.items()),
        reversed([1]),
    ]


def levels():
    number = 0
    while True:
        yield number
        number += 1


@specimen(culprit("generator", f"obj.levels.{REDUCED}[1][0]"))
def generator_inside_enumerate():
    return Box(levels=enumerate(levels()), limit=1000)


@specimen(
    culprit("generator", f"obj.mapped.{REDUCED}[1][1]"),
    culprit("lambda", f"obj.kept.{REDUCED}[1][0]"),
    culprit("generator", f"obj.paired.{REDUCED}[1][0]"),
    culprit("generator", f"obj.paired.{REDUCED}[1][1]"),
)
def map_filter_and_zip():
    return Box(mapped=map(str, levels()), kept=filter(lambda n: n, [1]), paired=zip(levels(), levels(), strict=False))


@specimen()
def ok_map_filter_and_zip():
    return map(str, [1]), filter(None, [1]), zip([1], [2], strict=False), enumerate([1]), reversed([1])


@specimen(until=(3, 13))
def ok_itertools():
    return Box(register=itertools.count(), cycle=itertools.cycle([1]), next=itertools.count(1).__next__)


@specimen(
    culprit("itertools", "obj[1].counts['register']"),
    culprit("itertools", "obj[1].counts['stack']"),
    via="pool",
    since=(3, 14),
)
def counters_of_itertools():
    return 1, Box(names={}, counts={"register": itertools.count(), "stack": itertools.count(4)})


@specimen(culprit("itertools", "obj.number.__self__"), since=(3, 14))
def next_method_of_a_counter():
    return Box(number=itertools.count(1).__next__, nodes={})


@specimen(culprit("generator", f"obj.rows.{REDUCED}[1][0]", f"obj.rows.{REDUCED}[2][0]"), until=(3, 13))
def generator_inside_itertools_chain():
    return Box(rows=itertools.islice(levels(), 3))


@specimen(
    culprit("itertools", "obj.islice"),
    culprit("itertools", "obj.tee"),
    culprit("itertools", "obj.groups"),
    since=(3, 14),
)
def itertools_of_several_sorts():
    return Box(islice=itertools.islice([], 1), tee=itertools.tee([])[0], groups=itertools.groupby([]))


@specimen(culprit("itertools", "obj.pairs"), culprit("itertools", "obj.batches"), since=(3, 12))
def itertools_without_reduce_from_the_start():
    return Box(pairs=itertools.pairwise([1]), batches=itertools.batched([1], 1))


@specimen(
    culprit(
        "extension-object",
        f"obj.matches.{REDUCED}[1][0].__self__",
        f"obj.matches.{REDUCED}[1][0].{REDUCED}[1][0]",
    )
)
def matches_being_found():
    return Box(matches=re.finditer("a", "aa"))


@specimen(culprit("extension-object", "obj.match"), culprit("extension-object", "obj.scanner"))
def match_of_a_regular_expression():
    pattern = re.compile("a")
    return Box(pattern=pattern, match=pattern.match("a"), scanner=pattern.scanner("a"))


# bytes that are not memory of one's own


@specimen(culprit("buffer", "obj.plane"), protocol=4)
def out_of_band_buffer():
    return Box(plane=pickle.PickleBuffer(b"x"))


@specimen(protocol=5)
def ok_buffer_under_protocol_5():
    return Box(plane=pickle.PickleBuffer(b"x"))


# ctypes


class Overlapped(ctypes.Structure):
    _fields_ = (("internal", ctypes.c_ulong), ("event", ctypes.c_void_p))


class Plain(ctypes.Structure):
    _fields_ = (("x", ctypes.c_int), ("y", ctypes.c_double))


class Fetcher:
    def __init__(self):
        self.port = Box(name="COM3", reading=Overlapped(), writing=Overlapped())

    def run(self):
        pass


@specimen(
    culprit("ctypes-pointer", "obj.__self__.port.reading"),
    culprit("ctypes-pointer", "obj.__self__.port.writing"),
    via="process",
)
def structures_with_pointers():
    return Fetcher().run


@specimen()
def ok_structures_without_pointers():
    return Plain(1, 2.0), ctypes.c_int(3)


@specimen(culprit("misnamed-class", "obj.pair.__class__", also=("obj.pair",)))
def array_of_a_type_made_by_multiplication():
    return Box(pair=(ctypes.c_int * 2)(1, 2))


@specimen(culprit("ctypes-pointer", "obj[0].env.viewers['rgb'].config"), via="process")
def pointer_in_a_table_of_viewers():
    return [Box(env=Box(viewers={"rgb": Box(config=ctypes.pointer(ctypes.c_long(0)), width=64)}))]


@specimen(
    culprit("local-class", "obj.library._FuncPtr"),
    culprit("ctypes-pointer", "obj.absolute", also=("obj.library.abs",)),
    via="pool",
    linux=True,
)
def function_of_a_shared_library():
    library = ctypes.CDLL(None)
    return Box(library=library, absolute=library.abs)


@specimen(culprit("ctypes-pointer", "obj.text"))
def pointer_to_characters():
    return Box(text=ctypes.c_char_p(b"x"))


@specimen(culprit("ctypes-pointer", "obj.compare"))
def callback_for_c():
    return Box(compare=ctypes.CFUNCTYPE(ctypes.c_int)(int))


# C objects that know no pickling


@specimen(culprit("extension-object", "obj.engine"), via="process")
def expat_parser():
    return Box(engine=xml.parsers.expat.ParserCreate(), points=[(0, 0)])


@specimen(culprit("extension-object", "obj.tree.parser", "obj.parser.parser"), culprit("extension-object", "obj.pull"))
def xml_parsers():
    parser = xml.etree.ElementTree.XMLParser()
    return Box(tree=Box(parser=parser), pull=xml.etree.ElementTree.TreeBuilder())


@specimen()
def ok_xml_element():
    return xml.etree.ElementTree.fromstring("<a b='c'><d/></a>")


@specimen(culprit("extension-object", "obj.digest"), culprit("extension-object", "obj.keyed"))
def hashes():
    return Box(digest=hashlib.sha256(), keyed=hashlib.blake2b())


@specimen(culprit("extension-object", "obj.layout"))
def layout_of_a_structure():
    return Box(layout=struct.Struct("<i"))


@specimen(culprit("reduce-error", "obj.random"))
def random_numbers_of_the_system():
    return Box(random=random.SystemRandom())


@specimen()
def ok_values_of_the_standard_library():
    return [
        datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc),
        decimal.Decimal("1.5"),
        random.Random(1),
        zoneinfo.ZoneInfo("UTC"),
        re.compile("a"),
        datetime.timedelta(1),
        collections.Counter("ab"),
        complex(1, 2),
    ]


class Evicting(dict):
    def __init__(self, most, choose=random.choice):
        super().__init__(a=1)
        self.most = most
        self.choose = choose


@specimen()
def ok_method_of_the_hidden_random_generator():
    return Evicting(2)


# test doubles


@specimen(
    culprit("shadowed-class", "type(obj.client)", also=("obj.client",)),
    culprit("shadowed-class", "type(obj.magic)", also=("obj.magic",)),
)
def mocks():
    # each mock makes a class of its own, of the same name
    return Box(client=unittest.mock.Mock(), magic=unittest.mock.MagicMock())


@specimen(culprit("reduce-error", "obj.client"))
def mock_that_says_it_is_something_else():
    return Box(client=unittest.mock.Mock(spec=Node))


class Check(unittest.TestCase):
    def runTest(self):
        self.kept = self._outcome


@specimen()
def ok_case_of_unittest_that_does_not_run():
    return Check()


@specimen(culprit("file", "obj.kept.result._original_stdout"), culprit("file", "obj.kept.result._original_stderr"))
def case_of_unittest_that_keeps_its_outcome():
    # a test case has its outcome while it runs, and with it the runner's streams
    case = Check()
    case.run()
    return case

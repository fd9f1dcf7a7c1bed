"""Functions and classes, which travel by name, and what becomes of those whose name leads nowhere or elsewhere."""

import abc
import collections
import dataclasses
import enum
import functools
import operator
import sys
import threading
import types
import typing

from tests.specimens import Box, culprit, specimen

# lambdas

identity = lambda value: value


class Term:
    def __init__(self, op, *terms):
        self.op = op
        self.terms = terms


@specimen(culprit("lambda", "obj.terms[0].terms[1].op"))
def lambda_with_a_name_at_the_top():
    return Term(abs, Term(max, 1, Term(identity, 3)))


class Counter:
    def __init__(self):
        self.words = ["a"]
        self.number_of = collections.defaultdict(lambda: len(self.words))


@specimen(culprit("lambda", "obj[0].counter.number_of.default_factory"), via="pool")
def lambda_as_default_factory():
    return Box(counter=Counter(), limit=512), ["text"]


class Histograms:
    def __init__(self):
        self.by_name = collections.defaultdict(self.start)
        self.plots = [Box(recipe=Box(fill=len)), Box(recipe=Box(fill=lambda event: event * 2))]

    def start(self):
        return []


@specimen(
    culprit("lambda", "obj.plots[1].recipe.fill", "obj.by_name.default_factory.__self__.plots[1].recipe.fill"),
    via="pool",
)
def lambda_below_a_cycle():
    return Histograms()


@specimen(culprit("lambda", "list(obj.listeners)[0]"))
def lambda_in_a_set():
    return Box(title="t", listeners={lambda total: None})


@specimen(
    culprit("lambda", "obj.cast.func"),
    culprit("lambda", "obj.cast.args[0]"),
    culprit("lambda", "obj.cast.keywords['key']"),
)
def lambdas_in_a_partial():
    return Box(cast=functools.partial(lambda *args, key: args, lambda: 0, key=lambda: 1))


@specimen(culprit("lambda", "obj.scale.func"))
def lambda_in_a_partial_over_a_partial():
    # partials of partials are flattened: the inner one's function is the outer one's
    inner = functools.partial(lambda a, b: a, 1)
    return Box(scale=functools.partial(inner, 2))


class Defaults:
    def __init__(self, key=lambda row: row):
        self.key = key


@specimen(culprit("lambda", "obj.key"))
def lambda_as_a_default_argument():
    return Defaults()


# functions that are local, or that another one has taken the place of


class Arena:
    def __init__(self):
        self.size = 3, 3
        replace_methods(self)

    def draw(self):
        return "plain"

    def close(self):
        return None


def replace_methods(arena):
    def draw():
        return "replaced"

    def close():
        return "closed"

    arena.draw = draw
    arena.close = close


@specimen(culprit("local-function", "obj.draw"), culprit("local-function", "obj.close"))
def methods_replaced_by_local_functions():
    return Arena()


def first(count):
    def pick(batch):
        return batch[:count]

    return pick


@specimen(culprit("local-function", "obj['replay'].pickers[0]"), culprit("local-function", "obj['replay'].pickers[2]"))
def local_functions_in_a_bounded_deque():
    return {"replay": Box(size=10, pickers=collections.deque([first(1), len, first(4)], maxlen=8))}


UNDECORATED = []


def within_bounds(function):
    UNDECORATED.append(function)

    def checked(*args, **kwargs):
        return function(*args, **kwargs)

    checked.__name__, checked.__qualname__ = function.__name__, function.__qualname__
    return checked


@within_bounds
def mutate(individual, expr=None):
    return individual


@specimen(culprit("shadowed-function", "obj.mutate.func"), culprit("lambda", "obj.mutate.keywords['expr']"), via="pool")
def function_behind_its_decorator():
    return Box(
        select=functools.partial(sorted, reverse=True),
        mutate=functools.partial(UNDECORATED[0], expr=lambda: 1),
    )


def traced(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args)

    return wrapper


def halve(number):
    return number / 2


halve_traced = traced(halve)


@specimen(culprit("shadowed-function", "obj[0]"))
def wrapper_that_says_it_is_what_it_wraps():
    return halve_traced, 1


@traced
def double(number):
    return number * 2


@specimen()
def ok_wrapper_under_the_name_that_it_says():
    return double, 1


@specimen(culprit("shadowed-function", "obj.first.__wrapped__"))
def decorated_function_inside_an_instance_of_a_wrapper():
    return Box(first=Proxy(double.__wrapped__))


class Proxy:
    def __init__(self, wrapped):
        self.__wrapped__ = wrapped


def gone():
    pass


GONE = gone
del gone


@specimen(culprit("shadowed-function", "obj['hook']"))
def function_that_was_deleted_from_its_module():
    return {"hook": GONE}


def renamed():
    pass


renamed.__module__ = "renamed_module_that_is_nowhere"


@specimen(culprit("shadowed-function", "obj[1]"))
def function_of_a_module_that_is_nowhere():
    return [1, renamed]


class Shape:
    def area(self):
        return 1

    def moved(self):
        return 2

    @staticmethod
    def unit():
        return Shape()

    @classmethod
    def named(cls):
        return cls()


@specimen()
def ok_methods_of_a_class_at_the_top():
    return [
        Shape.area,
        Shape.unit,
        Shape.named,
        Shape().area,
        Shape().unit,
        str.join,
        [].append,
        operator.itemgetter(1),
    ]


def local_shape():
    class Hidden:
        @classmethod
        def named(cls):
            return cls()

        @staticmethod
        def unit():
            return 1

        def area(self):
            return 2

    return Hidden


@specimen(culprit("local-class", "obj.make.__self__"))
def class_method_of_a_local_class():
    return Box(make=local_shape().named)


@specimen(culprit("local-function", "obj.make"))
def static_method_of_a_local_class():
    return Box(make=local_shape().unit)


@specimen(culprit("local-class", "obj.make.__self__.__class__", also=("obj.make.__self__",)))
def method_of_an_instance_of_a_local_class():
    return Box(make=local_shape()().area)


# caches


class Distance:
    def __init__(self):
        self.most = 128
        self._inverse = functools.lru_cache(maxsize=self.most)(self._inverse)

    def _inverse(self, number):
        return 1 / number


@specimen(culprit("lru-cache", "obj.measure._inverse"), via="process")
def lru_cache_over_a_method_in_the_instance():
    return Box(measure=Distance())


@specimen(culprit("lru-cache", "obj.load"))
def lru_cache_over_a_local_function():
    return Box(load=functools.cache(first(2)))


@specimen(culprit("lru-cache", "obj.load"))
def lru_cache_over_a_lambda():
    return Box(load=functools.lru_cache(lambda key: key))


@functools.lru_cache
def cached_at_the_top(key):
    return key


class Caching:
    @functools.lru_cache
    def load(self, key):
        return key

    @functools.cached_property
    def table(self):
        return {}


@specimen()
def ok_lru_cache_at_the_top_and_in_a_class():
    return cached_at_the_top, Caching.load, Caching(), Caching().load


@functools.singledispatch
def describe(thing):
    return "thing"


@describe.register
def _(thing: int):
    return "number"


@specimen()
def ok_single_dispatch_at_the_top():
    return Box(describe=describe)


@specimen(culprit("local-function", "obj.describe"))
def single_dispatch_over_a_local_function():
    return Box(describe=functools.singledispatch(first(1)))


@specimen(culprit("shadowed-function", "obj.describe"))
def single_dispatch_that_says_it_is_its_default():
    return Box(describe=functools.singledispatch(halve))


class Lazy:
    @functools.cached_property
    def convert(self):
        return lambda value: value

    half = functools.partialmethod(halve, 2)

    def scaled(self, factor):
        return factor

    doubled = functools.partialmethod(scaled, 2)


@specimen(culprit("lambda", "obj.convert"))
def cached_property_that_was_asked():
    lazy = Lazy()
    assert lazy.convert(1) == 1
    return lazy


@specimen()
def ok_cached_property_that_was_not_asked():
    return Lazy()


@specimen(culprit("lambda", "obj.half.func"))
def partial_method_over_a_lambda():
    return Box(half=functools.partialmethod(lambda self: 1))


@specimen()
def ok_partial_methods():
    return Lazy().doubled, vars(Lazy)["half"], Lazy().half


@specimen(culprit("local-function", "obj.calls[0].func"), culprit("lock", "obj.calls[1].args[0]"))
def partials_with_a_lock():
    # what a closure closes over is not pickled, and so no culprit beside it; what a partial is given is
    lock = threading.Lock()
    return Box(calls=[functools.partial(guarded(lock), 1), functools.partial(halve, lock)])


def guarded(lock):
    def call(number):
        with lock:
            return number

    return call


# methods without a name


def forward(module, batch, scale):
    return batch


@specimen(culprit("nameless-method", "obj.module.forward"), via="process")
def partial_bound_as_a_method():
    module = Box(name="net")
    module.forward = types.MethodType(functools.partial(forward, scale=2), module)
    return Box(module=module)


@specimen()
def ok_lambda_bound_as_a_method():
    # a bound method is pickled as its owner and a name, which nobody looks up until it is unpickled
    return types.MethodType(lambda self: self, Shape())


# local and misnamed classes


def dataset_class():
    class Sampled(Shape):
        pass

    return Sampled


@specimen(culprit("local-class", "obj.__class__", also=("obj",)), via="process")
def instance_of_a_local_class():
    return dataset_class()()


@specimen(culprit("local-class", "obj[2]", also=("obj[0].__class__", "obj[0]", "obj[1].__class__", "obj[1]")))
def instances_of_one_local_class():
    made = dataset_class()
    return [made(), made(), made]


@specimen(culprit("local-class", "obj['model']"))
def local_class_itself():
    return {"model": dataset_class()}


@functools.lru_cache
def chunk_modes():
    class Mode(enum.IntEnum):
        NONE = 0
        PAGE = 1

    return Mode


@specimen(culprit("local-class", "obj.mode.__class__", also=("obj.mode",)), via="pool")
def member_of_a_local_enum():
    return Box(mode=chunk_modes().PAGE, shape=(4, 4))


@specimen(culprit("local-class", "obj.error.__class__", also=("obj.error",)))
def instance_of_a_local_exception():
    class Refused(Exception):
        pass

    return Box(error=Refused("no"))


@specimen(culprit("local-class", "obj.point.__class__", also=("obj.point",)))
def instance_of_a_local_dataclass():
    @dataclasses.dataclass
    class Point:
        x: int = 0

    return Box(point=Point())


@specimen(culprit("local-class", "obj.point.__class__", also=("obj.point",)))
def instance_of_a_local_dataclass_with_slots():
    @dataclasses.dataclass(slots=True, frozen=True)
    class Point:
        x: int = 0

    return Box(point=Point())


@specimen(culprit("local-class", "obj.point.__class__", also=("obj.point",)))
def instance_of_a_local_named_tuple_class():
    class Point(typing.NamedTuple):
        x: int
        y: int

    return Box(point=Point(1, 2))


@specimen(culprit("misnamed-class", "obj.point.__class__", also=("obj.point",)))
def instance_of_a_named_tuple_made_by_a_call():
    # collections.namedtuple asks for the caller's module and gives a bare name
    return Box(point=collections.namedtuple("PointOnTheFly", "x y")(1, 2))


@specimen(culprit("local-class", "obj.options"))
def local_typed_dict_itself():
    class Options(typing.TypedDict):
        depth: int

    return Box(options=Options)


@specimen()
def ok_value_of_a_local_typed_dict():
    class Options(typing.TypedDict):
        depth: int

    return Box(options=Options(depth=1))


@specimen(culprit("local-class", "obj.service.__class__", also=("obj.service",)))
def instance_of_a_local_class_with_a_metaclass():
    class Service(abc.ABC):
        pass

    return Box(service=Service())


@specimen(culprit("misnamed-class", "obj.member.__class__", also=("obj.member",)))
def instance_of_a_class_made_by_type():
    return Box(member=type("OnTheFly", (), {"__module__": __name__})())


def counted_class():
    class Made:
        pass

    Made.__qualname__ = "CountedClassThatIsNowhere"
    return Made


@specimen(culprit("misnamed-class", "obj[0].__class__", also=("obj[0]",)))
def instance_of_a_local_class_with_a_better_name():
    return [counted_class()()]


Labels = enum.Enum("LabelsUnderAnotherName", ["dog", "cat"])


@specimen(
    culprit("misnamed-class", "obj['default'].__class__", also=("obj['default']", "list(obj['counts'])[0].__class__")),
)
def members_of_a_functional_enum_with_another_name():
    return {"default": Labels.dog, "counts": {Labels.cat: 2}}


class Outer:
    class Inner:
        class Innermost:
            pass


@specimen()
def ok_nested_classes():
    return Outer.Inner(), Outer.Inner.Innermost(), Outer.Inner.Innermost


class Replaced:
    pass


OLD = Replaced()


class Replaced:  # as a reload does
    pass


@specimen(culprit("shadowed-class", "obj['old'].__class__", also=("obj['old']",)))
def instance_of_a_class_from_before_a_reload():
    return {"old": OLD, "new": Replaced()}


@dataclasses.dataclass
class Undecorated:
    value: int = 0


KEPT = Undecorated
Undecorated = functools.partial(Undecorated, value=1)


@specimen(culprit("shadowed-class", "obj.setting.__class__", also=("obj.setting",)))
def instance_of_a_class_whose_name_holds_something_else():
    return Box(setting=Undecorated())


class NativeError(Exception):
    pass


NativeError.__module__ = "native_module_that_is_nowhere"


@specimen(culprit("unimportable-class", "obj[1].__class__", also=("obj[1]",)), via="pool")
def exception_of_a_module_that_is_nowhere():
    return False, NativeError("bad header"), None


EngineProxy = type("EngineProxy", (Box,), {"__module__": property(lambda self: "engines")})


@specimen(culprit("unimportable-class", "obj['engine'].__class__", also=("obj['engine']",)), via="pool")
def class_whose_module_is_a_property():
    return {"engine": EngineProxy(url="db://x"), "workers": 4}


class Meta(type):
    pass


class WithMeta(metaclass=Meta):
    pass


@specimen()
def ok_class_with_a_metaclass():
    return WithMeta, WithMeta(), Meta


@specimen(culprit("local-class", "obj[0]"))
def class_with_a_metaclass_that_is_local():
    class Local(metaclass=Meta):
        pass

    return [Local]


class Registered(type):
    """Classes of it are pickled by a call, in spite of their being classes, only where copyreg says so."""

    def __reduce__(cls):
        raise AssertionError("never asked: a class is pickled by name")


class Plugin(metaclass=Registered):
    pass


@specimen()
def ok_class_whose_metaclass_has_a_reduce_method():
    return Plugin


# what typing makes

Item = typing.TypeVar("Item")


class Stack(typing.Generic[Item]):
    def __init__(self, *items):
        self.items = list(items)


@specimen()
def ok_generic_aliases():
    return list[int], typing.Optional[Shape], Stack[int], int | None, typing.Callable[[int], str], Stack[int](1)  # noqa: UP045


@specimen(culprit("local-class", "obj.hint.__args__[0]"))
def local_class_in_a_generic_alias():
    return Box(hint=list[dataset_class()])


@specimen(culprit("local-class", "obj.hint.__args__[0]"))
def local_class_in_an_alias_of_typing():
    return Box(hint=typing.Dict[dataset_class(), int])  # noqa: UP006


@specimen(culprit("local-class", "obj.hint.__args__[1]"))
def local_class_in_a_union():
    return Box(hint=int | dataset_class())


@specimen(culprit("reduce-error", "obj.type"))
def type_variable_that_is_no_global():
    return Box(type=typing.TypeVar("NowhereAtTheTop"))


@specimen(culprit("reduce-error", "obj.type"))
def parameter_specification_that_is_no_global():
    return Box(type=typing.ParamSpec("NowhereAtTheTopEither"))


@specimen()
def ok_type_variable_at_the_top():
    return Box(type=Item)


NewId = typing.NewType("NewId", int)


@specimen()
def ok_new_type_at_the_top():
    return NewId


# module-level lookups of other sorts


@specimen()
def ok_builtin_functions_and_methods():
    return [len, print, dict.fromkeys, {}.get, "a".join, sys.getsizeof, int.from_bytes, types.SimpleNamespace]

"""The reduce protocol gone wrong: slots, state, hooks, refusals, values that C does not accept, depth."""

import copyreg
import sys
import threading

from tests.specimens import Box, culprit, specimen

# slots


class Keyword:
    __slots__ = ("name",)

    def __init__(self, name):
        self.name = name

    def __reduce_ex__(self, protocol):
        return copyreg._reduce_ex(self, 1)


@specimen(culprit("slots", "obj['form'][0]"))
def slots_under_a_pinned_old_protocol():
    return {"form": [Keyword("a"), 1]}


class Compact:
    __slots__ = ("value",)

    def __init__(self):
        self.value = 1


@specimen(culprit("slots", "obj.compact"), protocol=1)
def slots_under_protocol_1():
    return Box(compact=Compact())


@specimen(protocol=2)
def ok_slots_under_protocol_2():
    return Box(compact=Compact())


# methods of the protocol that raise


class FunctionProxy:
    def __init__(self, wrapped):
        self.__wrapped__ = wrapped

    def __call__(self, *args):
        return self.__wrapped__(*args)

    def __reduce_ex__(self, protocol):
        raise NotImplementedError("a proxy defines its own __reduce_ex__")


@FunctionProxy
def double(number):
    return 2 * number


@specimen(culprit("reduce-error", "obj[0]"), via="pool")
def proxy_that_refuses():
    return double, 21


class Refusing:
    def __reduce__(self):
        raise TypeError("not for sending")


@specimen(culprit("reduce-error", "obj.a"), culprit("reduce-error", "obj.b[0]"))
def reduce_method_that_raises():
    return Box(a=Refusing(), b=[Refusing()])


class Stateful:
    def __init__(self):
        self.guard = threading.Lock()

    def __getstate__(self):
        raise RuntimeError("still in use")


@specimen(culprit("getstate-error", "obj.session"))
def state_method_that_raises():
    # the lock inside is never reached: the object's own method stands before it
    return Box(session=Stateful())


class ForgetfulState:
    def __getstate__(self):
        state = self.__dict__.copy()
        del state["cache"]
        return state


@specimen(culprit("getstate-error", "obj"))
def state_method_that_deletes_what_is_not_there():
    return ForgetfulState()


class NewArguments:
    def __getnewargs__(self):
        raise LookupError("no arguments kept")


@specimen(culprit("reduce-error", "obj.made"))
def arguments_method_that_raises():
    return Box(made=NewArguments())


class Leaving:
    def __reduce__(self):
        sys.exit(3)


@specimen(culprit("reduce-error", "obj[0]"))
def reduce_method_that_exits():
    return [Leaving()]


# values that C refuses


class Answering:
    def __init__(self, value):
        self.value = value

    def __reduce_ex__(self, protocol):
        return self.value


@specimen(*(culprit("reduce-error", f"obj[{number}]") for number in range(9)))
def reduce_values_that_are_refused():
    wrong = [None, 3, (), (list,), (1, ()), (list, []), (list, (), None, [1]), (list, (), None, None, {}), (list,) * 7]
    return [Answering(value) for value in wrong]


class Elsewhere:
    def __reduce__(self):
        return "NOWHERE_TO_BE_FOUND"


@specimen(culprit("reduce-error", "obj.marker"))
def name_as_reduce_value_that_leads_nowhere():
    return Box(marker=Elsewhere())


class Singleton:
    def __reduce__(self):
        return "SINGLE"


SINGLE = Singleton()


@specimen()
def ok_name_as_reduce_value():
    return Box(marker=SINGLE)


@specimen(culprit("reduce-error", "obj.marker"))
def name_as_reduce_value_of_another_object():
    return Box(marker=Singleton())


# hooks of attribute access


class Forwarding:
    def __init__(self, inner):
        self.inner = inner

    def __getattr__(self, name):
        return getattr(self.inner, name)


@specimen()
def ok_forwarding_of_attributes():
    return Forwarding([])


class Endless:
    def __init__(self):
        self.table = {}

    def __getattr__(self, name):
        return self.tabel[name]


@specimen(since=(3, 11))
def ok_hook_that_would_call_itself_for_ever():
    # since 3.11 pickle finds every method that it asks for; what goes wrong, goes wrong on the other side
    return Box(conf=Endless())


@specimen(culprit("getattr-hook", "obj.conf"), until=(3, 10))
def hook_that_calls_itself_for_ever():
    return Box(conf=Endless())


class Answer:
    """Answers every name, so that pickle calls what it finds."""

    def __getattr__(self, name):
        return 3


@specimen(since=(3, 11))
def ok_hook_that_answers_for_every_name():
    return Box(any=Answer())


@specimen(culprit("getattr-hook", "obj.any"), until=(3, 10))
def hook_that_answers_for_every_name():
    return Box(any=Answer())


class Closed:
    def __getattribute__(self, name):
        raise LookupError(name)


@specimen(culprit("getattr-hook", "obj.closed"))
def access_that_refuses_everything():
    return Box(closed=Closed())


# depth


class Link:
    def __init__(self, after):
        self.after = after


def chain(length, end=None):
    for _ in range(length):
        end = Link(end)
    return end


@specimen(culprit("recursion", "obj"))
def chain_that_is_too_deep():
    return chain(100_000)


@specimen(
    culprit("recursion", "obj"),
    culprit("lock", "__import__('functools').reduce(lambda o, _: o.after, range(100000), obj)"),
)
def chain_that_is_too_deep_with_a_lock():
    return chain(100_000, threading.Lock())


@specimen()
def ok_chain_that_is_not_too_deep():
    return chain(100)


class Fresh:
    def __init__(self, number=0):
        self.number = number

    def __reduce__(self):
        return Fresh, (Fresh(self.number + 1),)


@specimen(culprit("reduce-error", "obj"))
def objects_made_without_end():
    return Fresh()


# what no object can be found for


class Growing:
    def __init__(self, table):
        self.table = table

    def __reduce__(self):
        self.table[len(self.table)] = "more"
        return str, ()


@specimen(culprit("unexplained", "obj.table['grower']"))
def table_that_grows_while_it_is_pickled():
    table = {}
    table["grower"] = Growing(table)
    table["last"] = 0
    return Box(table=table)

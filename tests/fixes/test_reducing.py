"""Objects whose own methods of pickling fail."""

from picklecheck.fixes.recipes.reducing import reduce_error, slots
from tests.fixes.arrival_tools import fixed


def test_a_decorated_function_goes_by_its_name(load):
    module = load("""
    class Proxy:
        def __init__(self, wrapped):
            self.__wrapped__ = wrapped

        def __call__(self, *args):
            return self.__wrapped__(*args)

        def __reduce_ex__(self, protocol):
            raise NotImplementedError


    @Proxy
    def double(x):
        return 2 * x
    """)
    assert "return self.__wrapped__.__qualname__" in fixed(reduce_error, module.double, stage="pickle")


def test_slots_under_an_old_protocol(load):
    module = load("""
    class Base:
        __slots__ = ("name",)


    class Key(Base):
        __slots__ = ("_Key__x", "__weakref__")

        def __init__(self, name):
            self.name, self.__x = name, 1
    """)
    text = fixed(slots, module.Key("a"), stage="pickle", protocols=(0, 1, 2, 5))
    assert "return super().__reduce_ex__(max(protocol, 2))" in text


def test_slots_with_a_pinned_protocol(load):
    module = load("""
    import copyreg


    class Key:
        __slots__ = ("name",)

        def __init__(self, name):
            self.name = name

        def __reduce_ex__(self, protocol):
            return copyreg._reduce_ex(self, 1)
    """)
    fixed(slots, module.Key("a"), stage="pickle", protocols=(0, 5))

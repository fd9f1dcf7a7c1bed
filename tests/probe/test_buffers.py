import array
import contextlib
import io
import pickle
import threading
import tracemalloc

import pytest

from picklecheck.probe.buffers import LARGE, measure_for
from tests.probe.walking import refused, walked
from tests.specimens import Box

PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)
BIG = 8 * LARGE
SLACK = 4096


@contextlib.contextmanager
def little_memory(most=BIG // 2):
    """Demand that what is done inside never needs more than so many bytes."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < most
    finally:
        tracemalloc.stop()


def counted(obj, size, protocol):
    """Walk an object without copying it; demand that its size is counted."""
    lock = threading.Lock()
    with little_memory():
        seen = walked([obj, lock], protocol=protocol)
    assert lock in refused(seen) or protocol < 2
    assert size <= seen.bytes <= size + SLACK


# array.array


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("typecode", "bdQ")
def test_arrays_are_not_copied(typecode, protocol):
    obj = array.array(typecode, bytes(BIG))
    walked([array.array(typecode)], protocol=protocol)  # what is imported late is imported now
    counted(Box(x=obj), BIG, protocol)
    assert len(obj) * obj.itemsize == BIG


def test_small_arrays_are_pickled():
    obj = array.array("d", [1.0, 2.0])
    assert walked([obj]).bytes == len(pickle.dumps([obj]))


class Refusing(array.array):
    def __reduce_ex__(self, protocol):
        raise TypeError("stays here")


def test_a_subclass_is_asked_itself():
    obj = Refusing("b", bytes(BIG))
    assert measure_for(Refusing) is None
    assert refused(walked([obj])) == [obj]


# numpy


def numpy_arrays(numpy):
    class Plain(numpy.ndarray):
        pass

    return {
        "flat": numpy.zeros(BIG, numpy.uint8),
        "square": numpy.zeros((1024, BIG // 1024 // 8)),
        "fortran": numpy.asfortranarray(numpy.zeros((1024, BIG // 1024 // 8))),
        "view": numpy.zeros(2 * BIG, numpy.uint8)[::2],
        "read-only": numpy.broadcast_to(numpy.uint8(1), BIG),
        "structured": numpy.zeros(BIG // 16, [("a", "f8"), ("b", "i8")]),
        "dates": numpy.zeros(BIG // 8, "M8[s]"),
        "text": numpy.zeros(BIG // 400, "U100"),
    }


NAMES = ("flat", "square", "fortran", "view", "read-only", "structured", "dates", "text")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("protocol", [2, 4, 5])
def test_numpy_arrays_are_not_copied(name, protocol):
    obj = numpy_arrays(pytest.importorskip("numpy"))[name]
    walked([obj[:2]], protocol=protocol)
    counted(Box(x=obj), obj.nbytes, protocol)


def test_subclasses_and_mapped_files_are_not_copied(tmp_path):
    numpy = pytest.importorskip("numpy")
    mapped = numpy.memmap(tmp_path / "data", numpy.uint8, "w+", shape=BIG)
    matrix = numpy.zeros((1, BIG), numpy.uint8).view(numpy.matrix)
    for obj in (mapped, matrix):
        walked([obj[:1]])
        counted([obj], BIG, 4)


def test_a_subclass_with_a_reduce_method_is_asked_itself():
    numpy = pytest.importorskip("numpy")

    class Odd(numpy.ndarray):
        def __reduce__(self):
            raise TypeError("stays here")

    masked = numpy.ma.masked_array(numpy.zeros(4))
    obj = numpy.zeros(BIG, numpy.uint8).view(Odd)
    assert [each is obj for each in refused(walked([obj, masked]))] == [True]


def test_arrays_of_objects_are_looked_into():
    numpy = pytest.importorskip("numpy")
    lock, obj = threading.Lock(), numpy.empty(LARGE // 4, object)
    obj[-1] = lock
    assert refused(walked([obj])) == [lock]
    records = numpy.zeros(LARGE // 8, [("n", "i8"), ("o", object)])
    records["o"][5] = lock
    assert refused(walked([records])) == [lock]


def test_the_class_of_a_large_array_must_be_found_too():
    numpy = pytest.importorskip("numpy")

    class Local(numpy.ndarray):
        pass

    obj = numpy.zeros(BIG, numpy.uint8).view(Local)
    assert [each is Local for each in refused(walked([obj]))] == [True]
    with pytest.raises((AttributeError, pickle.PicklingError)):
        pickle.dumps(obj)


def test_small_numpy_arrays_are_pickled():
    numpy = pytest.importorskip("numpy")
    obj = numpy.arange(10)
    for protocol in PROTOCOLS:
        assert walked([obj], protocol=protocol).bytes == len(pickle.dumps([obj], protocol))


# bytes and strings are C's


@pytest.mark.parametrize("protocol", [4, 5])
@pytest.mark.parametrize("make", [bytes, bytearray])
def test_plain_bytes_are_not_kept(make, protocol):
    obj = make(BIG)
    with little_memory(2 * BIG):
        seen = walked([obj, obj], protocol=protocol)
    assert BIG <= seen.bytes <= BIG + SLACK


@pytest.mark.parametrize("size", [100, 100_000, BIG])
@pytest.mark.parametrize("make", [bytes, bytearray])
def test_out_of_band_buffers_are_counted_in_band(make, size):
    data = pickle.PickleBuffer(make(size))
    seen = walked([data], protocol=5)
    assert seen.culprits == []
    assert seen.bytes == len(pickle.dumps([data], 5))


@pytest.mark.parametrize("size", [100, 70_000, LARGE - 1, LARGE])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_arrays_of_any_size_pass_under_any_protocol(size, protocol):
    numpy = pytest.importorskip("numpy")
    obj = [numpy.zeros(size, numpy.uint8), array.array("b", bytes(size))]
    seen = walked(obj, protocol=protocol)
    assert seen.culprits == []
    assert abs(seen.bytes - len(pickle.dumps(obj, protocol))) < SLACK or protocol < 3  # text there, and not measured


# torch


@pytest.mark.parametrize("make", ["tensor", "parameter", "untyped", "typed"])
def test_torch_storages_are_not_copied(make):
    torch = pytest.importorskip("torch")
    tensor = torch.zeros(BIG, dtype=torch.uint8)
    obj = {
        "tensor": tensor,
        "parameter": torch.nn.Parameter(tensor, requires_grad=False),
        "untyped": tensor.untyped_storage(),
        "typed": torch.storage.TypedStorage(wrap_storage=tensor.untyped_storage(), dtype=torch.uint8, _internal=True),
    }[make]
    walked([torch.zeros(2)])
    with little_memory():
        seen = walked([obj])
    assert seen.culprits == []
    assert BIG <= seen.bytes <= BIG + SLACK


def test_a_real_pickler_would_have_copied():
    """The measure of the tests above can fail."""
    obj = array.array("b", bytes(BIG))
    with pytest.raises(AssertionError), little_memory():
        pickle.Pickler(io.BytesIO(), 4).dump(obj)

"""Objects of other packages; stand-ins only for those that cannot exist without a device or a program."""

import importlib
import io
import os
import tempfile
import threading

import attrs
import numpy as np

from tests.specimens import Box, culprit, specimen


def from_module(name, factory):
    """Make a specimen whose classes need a package, from a module that is imported only then."""
    return getattr(importlib.import_module(f"tests.specimens.{name}"), factory)()


# numpy


class Categories:
    def __init__(self, values):
        self.values = values
        self.decode = np.array([[len, None], [str, lambda number: values[number]]], dtype=object)


@specimen(culprit("lambda", "obj.sizes['kind'].decode[1, 1]"), via="pool")
def lambda_in_an_array_of_objects():
    return Box(sizes={"kind": Categories(["a", "b"])})


@specimen(culprit("lock", "obj.cell[()]"), culprit("lock", "obj.column[1].guard"))
def arrays_of_objects():
    column = np.empty(2, dtype=object)
    column[1] = Box(guard=threading.Lock())
    return Box(cell=np.array(threading.Lock(), dtype=object), column=column)


@specimen()
def ok_arrays_of_numbers():
    return np.arange(10), np.zeros((2, 3)), np.float32(1), np.dtype("f4"), np.array(["a", None], dtype=object)


@specimen(
    culprit("file", "obj.data.fid", also=("obj.data.zip.fp",)),
    culprit("lock", "obj.data.zip._lock"),
    culprit("getattr-hook", "obj.data.f"),
    via="process",
)
def archive_of_arrays():
    folder = tempfile.TemporaryDirectory()
    path = os.path.join(folder.name, "m.npz")
    np.savez(path, x=np.arange(3))
    data = np.load(path)
    yield Box(data=data)
    data.close()
    folder.cleanup()


@specimen()
def ok_generator_of_random_numbers():
    return np.random.default_rng(1), np.random.RandomState(1)


# attrs


@attrs.define
class Compact:
    name: str
    guard: object = attrs.field(factory=threading.Lock)


@attrs.define(slots=False, frozen=True)
class Loose:
    name: str
    hook: object = None


@specimen(culprit("lock", "obj[0].guard"), culprit("lambda", "obj[1].hook"))
def attrs_classes():
    return [Compact("a"), Loose("b", lambda: None)]


_in_progress = threading.local()


@attrs.define
class Shown:
    bar: str = ""

    def shown(self):
        return _in_progress


@specimen()
def ok_attrs_class_beside_a_thread_local():
    return {"items": [Shown("wow")], "show": Shown("x").shown}


# pandas


def task(row):
    return row[0]


@specimen(culprit("misnamed-class", "obj[1][0].__class__", also=("obj[1][0]",)), needs=("pandas",))
def row_of_a_frame():
    import pandas as pd

    frame = pd.DataFrame({"a": [0, 1], "b": [100, 200]})
    return task, (next(iter(frame.itertuples(index=False))),), {}


@specimen(
    culprit("lock", "obj.iloc[1, 1]"), culprit("lambda", "obj.attrs['note']", "obj._attrs['note']"), needs=("pandas",)
)
def frame_with_culprits():
    import pandas as pd

    frame = pd.DataFrame({"a": [0, 1], "b": [None, threading.Lock()]})
    frame.attrs["note"] = lambda: None
    return frame


@specimen(culprit("lock", "obj.series.iloc[0]"), culprit("lambda", "obj.indexed.index[1]"), needs=("pandas",))
def series_with_culprits():
    import pandas as pd

    return Box(series=pd.Series([threading.Lock()], dtype=object), indexed=pd.Series([1, 2], index=["a", lambda: 0]))


@specimen(culprit("lambda", "obj.groups.keys"), needs=("pandas",))
def groups_of_a_frame():
    import pandas as pd

    return Box(groups=pd.DataFrame({"a": [0, 1]}).groupby(lambda row: row))


@specimen(needs=("pandas",))
def ok_frame():
    import pandas as pd

    return pd.DataFrame({"a": [0, 1], "b": ["x", None]}), pd.Timestamp("2024-01-01"), pd.Categorical(["a"])


# pydantic


@specimen(culprit("misnamed-class", "obj.payload.__class__", also=("obj.payload",)), needs=("pydantic",))
def model_created_under_another_name():
    return from_module("with_pydantic", "created")


@specimen(culprit("lock", "obj.__pydantic_private__['_guard']"), needs=("pydantic",))
def model_with_a_private_attribute():
    return from_module("with_pydantic", "private")


# others


@specimen(culprit("hdf5", "obj.file"), culprit("hdf5", "obj.pixels"), via="process", needs=("h5py",))
def dataset_of_hdf5():
    import h5py

    handle = h5py.File(io.BytesIO(), "w")
    pixels = handle.require_dataset("pixels", (4,), "i4")
    yield Box(file=handle, pixels=pixels)
    handle.close()


@specimen(culprit("extension-object", "obj[0].__self__.codec.packer"), via="pool", needs=("msgpack",))
def compiled_class_without_reduce():
    import msgpack

    return Handler(Box(packer=msgpack.Packer(), compress=False)).run, (1,)


class Handler:
    def __init__(self, codec):
        self.codec = codec

    def run(self, item):
        return item


@specimen(culprit("extension-object", "obj[0].encoder"), needs=("zmq",))
def compiled_class_with_a_pointer():
    import zmq

    context = zmq.backend.Context()
    yield [Box(encoder=context, words=5000)]
    context.term()


@specimen(culprit("extension-object", "obj.encoding.core"), via="process", needs=("rpds",))
def object_of_rust():
    import rpds

    return Box(encoding=Box(name="base", core=rpds.HashTrieMap({"a": 0}).keys()))


# torch


@specimen(
    culprit("non-leaf-tensor", "obj[0].decoder.weight", "obj[0]._modules['decoder'].weight"),
    via="process",
    needs=("torch",),
)
def weight_with_a_history():
    return from_module("with_torch", "voice")


@specimen(needs=("torch",))
def ok_generator_of_torch():
    return from_module("with_torch", "shuffled")


@specimen(needs=("torch",))
def ok_hook_handle_of_torch():
    return from_module("with_torch", "monitored")


@specimen(culprit("future", "obj.ready"), needs=("torch",))
def future_of_torch():
    import torch

    return Box(ready=torch.futures.Future())


# stand-ins: what cannot be without a graphics card, a camera, or a package that few have


def stand_in(full_name):
    """Make an object that refuses as a C object does, of a type that says it is another package's."""
    module, _, name = full_name.rpartition(".")

    class Refusing:
        def __reduce_ex__(self, protocol):
            raise TypeError(f"cannot pickle '{full_name}' object")

    Refusing.__module__, Refusing.__qualname__, Refusing.__name__ = module, name, name
    return Refusing()


@specimen(culprit("cuda", "obj.stream"), via="process")
def stream_of_a_graphics_card():
    return Box(stream=stand_in("torch.cuda.streams.Stream"))


@specimen(culprit("video-capture", "obj.camera"), via="process")
def camera():
    return Box(camera=stand_in("cv2.VideoCapture"))


@specimen(culprit("lmdb", "obj.env"), via="process")
def environment_of_lmdb():
    return Box(env=stand_in("lmdb.Environment"))


@specimen(culprit("database-connection", "obj.connection"), culprit("database-cursor", "obj.cursor"))
def database_of_another_driver():
    return Box(connection=stand_in("psycopg2.extensions.connection"), cursor=stand_in("psycopg2.extensions.cursor"))

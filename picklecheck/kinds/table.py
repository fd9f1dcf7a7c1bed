"""The table: a slug and a test for each kind, most specific first; the last row fits everything.

The words of a kind (reason, advice, worked fixes) stand on its page, ``pages/<slug>.md``. Tests look at the real type,
by its full name, so that nothing is imported to look: an object of torch cannot exist where torch is not loaded.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from picklecheck.kinds import tests
from picklecheck.kinds.subject import Subject

__all__ = ["ROWS", "WITHOUT_OBJECT"]

Test = Callable[[Subject], Any]


def _type(*names: str) -> Test:
    """Give the test for objects whose real type, or a base of it, has one of these full names."""
    wanted = frozenset(names)
    return lambda subject: wanted & subject.names


def _exactly(*classes: type) -> Test:
    return lambda subject: any(type(subject.obj) is cls for cls in classes)


# Kinds of what stops a child from starting. No object is of these: they are found in the source, or in the main module.
WITHOUT_OBJECT = ("no-main-guard", "start-at-import", "work-at-import", "main-not-importable", "frozen")

_VIEWS = tuple(type(getattr({}, name)()) for name in ("keys", "values", "items"))

ROWS: tuple[tuple[str, Test], ...] = (
    ("unexplained", lambda subject: subject.nearest),
    # functions and classes, by name
    ("lambda", tests.is_lambda),
    ("local-function", tests.is_local_function),
    ("shadowed-function", _exactly(types.FunctionType)),
    ("lru-cache", _type("functools._lru_cache_wrapper")),
    ("nameless-method", tests.is_nameless_method),
    ("shadowed-function", _exactly(types.BuiltinFunctionType)),
    ("local-class", tests.is_local_class),
    ("unimportable-class", tests.is_unimportable_class),
    ("misnamed-class", tests.is_misnamed_class),
    ("shadowed-class", tests.is_class),
    # multiprocessing
    ("auth-key", _type("multiprocessing.process.AuthenticationString")),
    ("mp-lock-of-another-context", tests.is_lock_of_another_context),
    ("mp-event", tests.is_part_of_event),
    ("mp-event", _type("multiprocessing.synchronize.Event", "multiprocessing.synchronize.Condition",
                       "multiprocessing.synchronize.Barrier")),
    ("mp-lock", _type("multiprocessing.synchronize.SemLock", "_multiprocessing.SemLock")),
    ("mp-queue", _type("multiprocessing.queues.Queue", "multiprocessing.queues.SimpleQueue")),
    ("mp-value", _type("multiprocessing.sharedctypes.SynchronizedBase", "multiprocessing.heap.Arena",
                       "multiprocessing.heap.BufferWrapper")),
    ("mp-value", tests.is_shared_ctype),
    ("mp-connection", _type("multiprocessing.connection._ConnectionBase", "multiprocessing.connection.Listener")),
    ("process", _type("multiprocessing.process.BaseProcess")),
    ("pool", _type("multiprocessing.pool.Pool")),
    # the interpreter
    ("weakref", _type("weakref", "weakref.ReferenceType", "weakref.ref")),
    ("weakref", _type("weakref.ProxyType", "weakref.CallableProxyType", "weakproxy", "weakcallableproxy")),
    ("thread-local", _type("_thread._local", "_threading_local.local")),
    ("lock", _type("_thread.lock", "_thread.RLock", "_thread.LockType")),
    ("thread", _type("threading.Thread", "_thread._ThreadHandle")),
    ("executor", _type("concurrent.futures._base.Executor")),
    ("queue", _type("_queue.SimpleQueue", "queue.Queue")),
    ("future", _type("_asyncio.Future", "_asyncio.Task", "asyncio.futures.Future", "concurrent.futures._base.Future",
                     "torch.Future")),
    ("coroutine", _type("coroutine", "coroutine_wrapper")),
    ("async-generator", _type("async_generator", "async_generator_asend", "async_generator_athrow")),
    ("generator", _exactly(types.GeneratorType)),
    ("dict-view", _exactly(*_VIEWS)),
    ("dict-view", _type("odict_keys", "odict_values", "odict_items")),
    ("itertools", lambda subject: any(name.startswith("itertools.") for name in subject.names)),
    ("module", _type("module")),
    ("frame", _exactly(types.FrameType)),
    ("traceback", _exactly(types.TracebackType)),
    ("code", _exactly(types.CodeType)),
    ("cell", _exactly(types.CellType)),
    ("mappingproxy", _exactly(types.MappingProxyType)),
    ("super", _exactly(super)),
    ("capsule", _type("PyCapsule")),
    ("context", _type("_contextvars.Context")),
    ("contextvar", _type("_contextvars.ContextVar", "_contextvars.Token")),
    ("descriptor", _type("property", "staticmethod", "classmethod", "getset_descriptor", "member_descriptor",
                         "classmethod_descriptor", "wrapper_descriptor", "method_descriptor",
                         "functools.cached_property")),
    ("memoryview", _exactly(memoryview)),
    ("buffer", _type("pickle.PickleBuffer", "_pickle.PickleBuffer")),
    ("mmap", _type("mmap.mmap")),
    # handles
    ("archive", _type("zipfile.ZipFile", "zipfile.ZipExtFile", "zipfile._SharedFile", "tarfile.TarFile",
                      "gzip.GzipFile", "bz2.BZ2File", "lzma.LZMAFile", "compression.zstd._zstdfile.ZstdFile",
                      "zlib.Compress", "zlib.Decompress", "zlib._ZlibDecompressor", "_bz2.BZ2Compressor",
                      "_bz2.BZ2Decompressor", "_lzma.LZMACompressor", "_lzma.LZMADecompressor",
                      "numpy.lib.npyio.NpzFile", "numpy.lib._npyio_impl.NpzFile")),
    ("ssl-context", _type("_ssl._SSLContext", "_ssl._SSLSocket", "_ssl.MemoryBIO", "_ssl.SSLSession", "ssl.SSLObject",
                          "ssl.SSLSocket")),
    ("socket", _type("_socket.socket", "socket.socket")),
    ("poller", _type("select.epoll", "select.poll", "select.kqueue", "select.devpoll", "select.kevent",
                     "selectors.BaseSelector")),
    ("subprocess", _type("subprocess.Popen", "subprocess.Handle", "asyncio.subprocess.Process")),
    ("file", _type("_io._IOBase", "io.IOBase", "tempfile._TemporaryFileWrapper")),
    ("tkinter", _type("_tkinter.tkapp", "_tkinter.Tcl_Obj", "_tkinter.tktimertoken", "tkinter.Misc", "tkinter.Image",
                      "tkinter.Variable")),
    ("logger", _type("logging.Logger", "logging.Handler")),
    # other packages
    ("database-cursor", tests.is_database("cursor")),
    ("database-connection", tests.is_database("connection")),
    ("hdf5", tests.comes_from("h5py", "tables", "netCDF4", "h5netcdf")),
    ("lmdb", tests.comes_from("lmdb")),
    ("lmdb", tests.is_type_in("lmdb.cpython", "Environment", "Transaction", "Cursor", "_Database")),
    ("video-capture", _type("cv2.VideoCapture", "cv2.VideoWriter")),
    ("video-capture", tests.comes_from("av", "decord", "imageio_ffmpeg", "imageio")),
    ("cuda", tests.is_cuda),
    ("non-leaf-tensor", tests.is_non_leaf_tensor),
    ("ctypes-pointer", tests.is_ctypes),
    # by what went wrong in the object's own methods
    ("slots", tests.has_slots_without_state),
    ("getattr-hook", tests.is_answered_by_a_hook),
    ("getstate-error", tests.is_state_to_blame),
    ("iterator", tests.is_foreign_iterator),
    ("extension-object", tests.has_no_reduce_of_its_own),
    ("reduce-error", tests.has_reduce_of_its_own),
    ("recursion", lambda subject: isinstance(subject.error, RecursionError)),
    ("unexplained", lambda subject: True),
)  # fmt: skip

"""What is put around the functions of multiprocessing and its kin while a program is watched.

On success each does what was there and notes, once for each line of the program, that something crossed. Everything
else is done only after something has failed, by `telling`. The names are those of CPython 3.10 to 3.15, torch 2,
MegEngine 1.13 and loky 3; one that is missing is left out.
"""

from __future__ import annotations

import sys
from _thread import _local
from collections.abc import Callable
from types import FrameType
from typing import Any

from picklecheck.live.calls import Line, line_of, user_frame
from picklecheck.live.journal import Journal
from picklecheck.live.patching import Patches, Point

__all__ = ["Hook", "active", "start", "stop"]

Function = Callable[..., Any]
_MOST_WAITING = 100_000


class _Here(_local):
    """What is true of one thread: whether we explain something in it, so that what that sends is not the program's."""

    explaining = False


class Hook:
    """What is known while a program is watched.

    Attributes:
        journal: where it is told.
        start_method: the one to use where the program chooses none; None: the interpreter's own.
        queued: the line that put an object into a queue, by the object's identity, until a thread has pickled it.
        here: what is true of the running thread.
        followed: how many failures of other processes were told on what followed from them.
    """

    def __init__(self, journal: Journal, start_method: str | None = None) -> None:
        self.journal = journal
        self.start_method = start_method
        self.queued: dict[int, Line] = {}
        self.here = _Here()
        self.followed = 0
        self._seen: set[tuple[object, ...]] = set()
        self._patches = Patches(_points(self))

    def apply(self) -> None:
        """Put everything in place."""
        self._patches.apply()

    def undo(self) -> None:
        """Put back what was there."""
        self._patches.undo()

    def crossed(self, transport: str, target: str, method: str | None = None, child: int | None = None) -> None:
        """Note that something crosses, by the user's line that the caller's caller was called from."""
        line = line_of(2)
        key = (transport, line, method, child if line is None else None)
        if child is None and (line is None or key in self._seen):
            return
        first = key not in self._seen
        self._seen.add(key)
        self.journal.write(
            {"event": "crossed", "transport": transport, "target": target, "method": method, "child": child,
             "call": line and line._asdict(), "first": first}
        )  # fmt: skip

    def failed(self, tell: str, error: BaseException, *given: object) -> None:
        """Have a failure told, by the function of `telling` of this name; what goes wrong in that is only noted."""
        if self.here.explaining:
            return
        self.here.explaining = True
        try:
            from picklecheck.live import telling

            getattr(telling, tell)(self, error, *given)
        except Exception:  # ours; the program's own error goes on
            import traceback

            self.journal.write({"event": "trouble", "text": traceback.format_exc()})
        finally:
            self.here.explaining = False


_active: list[Hook] = []


def active() -> Hook | None:
    """Give the hook that is in place; None where there is none."""
    return _active[-1] if _active else None


def start(journal: Journal, start_method: str | None = None) -> Hook:
    """Put a hook in place."""
    hook = Hook(journal, start_method)
    _active.append(hook)
    hook.apply()
    return hook


def stop() -> None:
    """Take the hook away."""
    _active.pop().undo()


def _points(hook: Hook) -> list[Point]:
    """Give what is replaced where."""
    return [
        Point("multiprocessing.context", "_default_context", _default_method(hook)),
        Point("multiprocessing.process", "BaseProcess.start", _start(hook)),
        Point("multiprocessing.spawn", "_main", _child(hook)),
        Point("multiprocessing.reduction", "ForkingPickler.dumps", _dumps(hook)),
        Point("multiprocessing.reduction", "ForkingPickler.loads", _loads(hook)),
        Point("multiprocessing.queues", "Queue.put", _put(hook)),
        Point("multiprocessing.queues", "JoinableQueue.put", _put(hook)),
        Point("multiprocessing.pool", "ApplyResult.__init__", _task(hook, "pool")),
        Point("multiprocessing.pool", "IMapIterator.__init__", _task(hook, "pool")),
        Point("multiprocessing.pool", "MaybeEncodingError.__init__", _wrapped(hook)),
        Point("multiprocessing.managers", "BaseManager.start", _follows(hook, (EOFError,))),
        Point("multiprocessing.connection", "_ConnectionBase.recv", _follows(hook, (EOFError,))),
        Point("concurrent.futures.process", "_WorkItem.__init__", _task(hook, "executor")),
        Point("concurrent.futures.process", "_ExceptionWithTraceback.__init__", _wrapped(hook)),
        Point("concurrent.futures.process", "BrokenProcessPool.__init__", _broken(hook)),
        *[
            point
            for loky in ("loky", "joblib.externals.loky")
            for point in (
                Point(f"{loky}.backend.queues", "dumps", _dumps_of_loky(hook)),
                Point(f"{loky}.process_executor", "_WorkItem.__init__", _task(hook, "joblib")),
                Point(f"{loky}.process_executor", "_ExceptionWithTraceback.__init__", _wrapped(hook)),
            )
        ],
        Point("torch.multiprocessing.queue", "ConnectionWrapper.send", _sent_by_torch(hook)),
        Point(
            "torch.utils.data.dataloader",
            "_MultiProcessingDataLoaderIter._try_get_data",
            _follows(hook, (RuntimeError,)),
        ),
        Point("copy", "deepcopy", _deepcopy(hook)),
    ]


def _named(function: Function, like: Any) -> Function:
    """Let a function look like the one that it stands for; what is copied is text."""
    for name in ("__module__", "__name__", "__qualname__", "__doc__"):
        setattr(function, name, getattr(like, name, None))
    function.__dict__["__wrapped__"] = like
    return function


def _default_method(hook: Hook) -> Callable[[Any], Any]:
    """Let the default context use the method that was asked for; a program that chooses one keeps its choice."""

    def around(default: Any) -> Any:
        contexts = vars(sys.modules["multiprocessing.context"]).get("_concrete_contexts", {})
        if hook.start_method in contexts:
            default._default_context = contexts[hook.start_method]
        return default

    return around


def _start(hook: Hook) -> Callable[[Function], Function]:
    def around(original: Function) -> Function:
        def start(self: Any) -> Any:
            try:
                result = original(self)
            except Exception as error:
                hook.failed("process", error, self, sys._getframe(1))
                raise
            if not hook.here.explaining:
                hook.crossed("process", "", _method(self), self.pid)
            return result

        return _named(start, original)

    return around


def _method(process: Any) -> str | None:
    popen = process._popen
    method = type(popen).__dict__.get("method")
    return method if type(method) is str else None


def _child(hook: Hook) -> Callable[[Function], Function]:
    """Watch how a child is prepared, and how it unpickles what it is to run."""

    def around(original: Function) -> Function:
        def _main(*args: Any, **kwargs: Any) -> Any:
            from picklecheck.live.childhood import Childhood

            childhood = Childhood(vars(sys.modules["multiprocessing.spawn"]))
            try:
                return original(*args, **kwargs)
            except Exception as error:
                if not childhood.over:
                    hook.failed("childhood", error, childhood)
                raise
            finally:
                childhood.leave()

        return _named(_main, original)

    return around


def _dumps(hook: Hook) -> Callable[[Any], Any]:
    def around(original: Any) -> Any:
        function = original.__func__

        def dumps(cls: Any, obj: Any, protocol: Any = None) -> Any:
            try:
                result = function(cls, obj, protocol)
            except Exception as error:
                hook.failed("sent", error, obj, sys._getframe(1))
                raise
            if hook.queued.pop(id(obj), None) is None and not hook.here.explaining:
                _directly(hook, sys._getframe(1))
            return result

        return classmethod(_named(dumps, function))

    return around


# what calls dumps in a thread of the library's own: the user's line was noted when the object was handed over
_THREADS = frozenset({"_feed", "_handle_tasks"})


def _directly(hook: Hook, frame: FrameType | None) -> None:
    """Note what a line of the program sends itself, by a connection or a simple queue."""
    caller = frame and frame.f_back
    if frame is None or caller is None or frame.f_code.co_name in _THREADS or caller.f_code.co_name in _THREADS:
        return
    found = user_frame(caller)
    if found is not None and user_frame(caller) is caller:
        hook.crossed("queue", f"{frame.f_code.co_name}(...)")


def _loads(hook: Hook) -> Callable[[Any], Any]:
    def around(original: Any) -> Any:
        function = original.__func__ if isinstance(original, staticmethod) else original

        def loads(data: Any, /, **options: Any) -> Any:
            try:
                return function(data, **options)
            except Exception as error:
                hook.failed("received", error, data, sys._getframe(1))
                raise

        return staticmethod(_named(loads, function))

    return around


def _put(hook: Hook) -> Callable[[Function], Function]:
    """Note which line put an object into a queue: a thread pickles it later."""

    def around(original: Function) -> Function:
        def put(self: Any, obj: Any, *args: Any, **kwargs: Any) -> Any:
            line = line_of()
            if line is not None and len(hook.queued) < _MOST_WAITING:
                hook.queued[id(obj)] = line
                hook.crossed("queue", "put(...)")
            return original(self, obj, *args, **kwargs)

        return _named(put, original)

    return around


def _task(hook: Hook, transport: str) -> Callable[[Function], Function]:
    """Note which line hands over a task, on what stands for its result."""

    def around(original: Function) -> Function:
        def init(self: Any, *args: Any, **kwargs: Any) -> None:
            line = line_of()
            hook.crossed(transport, "")
            original(self, *args, **kwargs)
            (self if transport == "pool" else args[0])._picklecheck_call = line

        return _named(init, original)

    return around


def _wrapped(hook: Hook) -> Callable[[Function], Function]:
    """Hand on what was said of an exception to what travels in place of it."""

    def around(original: Function) -> Function:
        def init(self: Any, exc: Any, *args: Any, **kwargs: Any) -> None:
            original(self, exc, *args, **kwargs)
            hook.failed("wrapped", exc, self)

        return _named(init, original)

    return around


def _broken(hook: Hook) -> Callable[[Function], Function]:
    """Let the error of a broken pool say what broke it, where a child has told."""

    def around(original: Function) -> Function:
        def init(self: Any, *args: Any, **kwargs: Any) -> None:
            original(self, *args, **kwargs)
            hook.failed("follows", self)

        return _named(init, original)

    return around


def _follows(hook: Hook, errors: tuple[type[BaseException], ...]) -> Callable[[Function], Function]:
    """Let an error that only follows from a child's say what the child has told."""

    def around(original: Function) -> Function:
        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                return original(*args, **kwargs)
            except errors as error:
                hook.failed("follows", error)
                raise

        return _named(call, original)

    return around


def _dumps_of_loky(hook: Hook) -> Callable[[Function], Function]:
    def around(original: Function) -> Function:
        def dumps(obj: Any, *args: Any, **kwargs: Any) -> Any:
            try:
                return original(obj, *args, **kwargs)
            except Exception as error:
                hook.failed("sent", error, obj, sys._getframe(1))
                raise

        return _named(dumps, original)

    return around


def _sent_by_torch(hook: Hook) -> Callable[[Function], Function]:
    def around(original: Function) -> Function:
        def send(self: Any, obj: Any) -> Any:
            try:
                return original(self, obj)
            except Exception as error:
                hook.failed("sent", error, obj, sys._getframe(1))
                raise

        return _named(send, original)

    return around


def _deepcopy(hook: Hook) -> Callable[[Function], Function]:
    def around(original: Function) -> Function:
        def deepcopy(x: Any, *args: Any, **kwargs: Any) -> Any:
            try:
                return original(x, *args, **kwargs)
            except Exception as error:
                hook.failed("copied", error, x, sys._getframe(1))
                raise

        return _named(deepcopy, original)

    return around

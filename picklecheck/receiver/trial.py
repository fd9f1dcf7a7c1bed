"""One trial in the child: the very bytes, or those written for explaining."""

from __future__ import annotations

import gc
import io
import pickle
import signal
import threading
from types import FrameType
from typing import Any

from picklecheck.receiver import again, checks, shapes
from picklecheck.receiver.guards import Lost, Recorder, TooLong
from picklecheck.receiver.patches import patch
from picklecheck.receiver.told import told

__all__ = ["run"]

_MOST_ROUNDS = 50


_ABSENT = "picklecheck.standins", "absent"


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == _ABSENT:
            return Lost
        patch(module)
        return super().find_class(module, name)


class _AgainUnpickler(_Unpickler):
    large: list[Any]

    def persistent_load(self, pid: int) -> Any:
        return self.large[pid]


def run(request: dict[str, Any], data: bytes, reached: Any) -> dict[str, Any]:
    """Do what a request asks for.

    Args:
        request: `explain`: whether the bytes are written for explaining; for those `patience`: seconds for a step,
            `left_out`: the numbers that are not even tried, `wanted`: of which numbers the shape is to be told;
            for the very bytes `checks` (`checks.missed`), `again`: whether to make a second trip, with `pickler`,
            `protocol` and `spawning` (`again.pickled`, `again.spawning`).
        data: the bytes.
        reached: shared memory for the number of the last object that was begun; None where nobody could read it.

    Returns:
        The answer, of JSON types.
    """
    gc.disable()
    if request["explain"]:
        return _explain(request, data, reached)
    try:
        loaded = _Unpickler(io.BytesIO(data)).load()
    except BaseException as error:
        return {"ok": False, "error": told(error)}
    _kept.append(loaded)  # it is not taken apart: the process ends
    answer: dict[str, Any] = {"ok": True, "missed": checks.missed(loaded, request.get("checks", ()))}
    if request.get("again"):
        answer.update(_second_trip(loaded, request, answer["missed"]))
    return answer


_kept: list[Any] = []


def _second_trip(loaded: Any, request: dict[str, Any], missed: list[str]) -> dict[str, Any]:
    """Pickle what has arrived and load it here; give what was raised, or what is missed besides."""
    stage = "pickle"
    try:
        with again.spawning(request):
            pickled = again.pickled(loaded, request)
        stage = "unpickle"
        unpickler = _AgainUnpickler(io.BytesIO(pickled.data))
        unpickler.large = pickled.large
        second = unpickler.load()
    except BaseException as error:
        return {"again": {**told(error), "stage": stage}}
    _kept.append(second)
    more = checks.missed(second, request.get("checks", ()))
    return {"missed": [*missed, *(f"after a second trip: {sentence}" for sentence in more)]}


def _explain(request: dict[str, Any], data: bytes, reached: Any) -> dict[str, Any]:
    """Unpickle as often as it takes: where C itself stops, what it stopped at is left out the next time."""
    recorder = Recorder(reached, request["left_out"])
    _Alarm(recorder, request["patience"]).start()
    error: BaseException | None = None
    for _ in range(_MOST_ROUNDS):
        recorder.begin()
        error = _once(recorder, data)
        if error is None or not recorder.stopped_at(error):
            break
    failures = list(recorder.failures.values())
    answer: dict[str, Any] = {"ok": error is None, "failures": failures, "absent": recorder.absent}
    if error is not None:
        answer["error"] = told(error)
    else:
        answer["shapes"] = shapes.tell(recorder.loaded, request["wanted"])
    return answer


def _once(recorder: Recorder, data: bytes) -> BaseException | None:
    unpickler = _Guarded(io.BytesIO(data))
    unpickler.recorder = recorder
    try:
        recorder.kept.append(unpickler.load())
    except BaseException as error:
        return error
    return None


class _Guarded(pickle.Unpickler):
    recorder: Recorder

    def find_class(self, module: str, name: str) -> Any:
        if module == "picklecheck.guarded":
            return getattr(self.recorder, name)
        if (module, name) == _ABSENT:
            return self.recorder.stand_in
        try:
            patch(module)
            return super().find_class(module, name)
        except BaseException as error:
            return self.recorder.not_found(module, name, error)


class _Alarm:
    """Breaks off a step that does not end, where signals can."""

    def __init__(self, recorder: Recorder, patience: float) -> None:
        self._recorder, self._patience, self._seen = recorder, patience, -1

    def start(self) -> None:
        if hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGALRM, self._ring)
            signal.setitimer(signal.ITIMER_REAL, self._patience, self._patience)

    def _ring(self, number: int, frame: FrameType | None) -> None:
        now = self._recorder.steps
        module = None if frame is None else frame.f_globals.get("__name__")
        if now == self._seen and str(module).partition(".")[0] != "picklecheck":
            raise TooLong
        self._seen = now

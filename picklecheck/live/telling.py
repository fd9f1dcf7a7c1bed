"""From an error of the program's to its report: on the error itself as a note, and in the journal.

Everything here runs only after something has failed, and in the thread in which it did.
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import os
import pickle
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from picklecheck import api, kinds, transports
from picklecheck.live import arriving
from picklecheck.live.calls import line_of_frame, module_of
from picklecheck.live.sent import Sent, of_process, sent_by
from picklecheck.model import Failure, Place, Report
from picklecheck.receiver.told import told
from picklecheck.render.note import MARK, note

if TYPE_CHECKING:
    from types import FrameType

    from picklecheck.live.childhood import Childhood
    from picklecheck.live.hook import Hook

__all__ = ["childhood", "copied", "follows", "passed_by", "process", "received", "sent", "wrapped"]

_SECONDS = 10.0
_FOLLOWING = (BrokenPipeError, ConnectionError, EOFError)
_NOTES = "__notes__"


def process(hook: Hook, error: BaseException, started: Any, frame: FrameType | None) -> None:
    """Tell why a process could not be started, if it is for what it was started with."""
    modules = [(module_of(each), each.f_code.co_name) for each in _frames(error)]
    if any(name == "dump" and module.endswith(".reduction") for module, name in modules):
        method = next((m.rpartition("popen_")[2] for m, _ in modules if ".popen_" in m), "spawn")
        what = of_process(started, frame)
        _refused(hook, error, what, method.removesuffix("_posix").removesuffix("_win32"))
    elif isinstance(error, _FOLLOWING):
        follows(hook, error)


def _frames(error: BaseException) -> Iterator[FrameType]:
    link = error.__traceback__
    while link is not None:
        yield link.tb_frame
        link = link.tb_next


def sent(hook: Hook, error: BaseException, obj: object, frame: FrameType | None) -> None:
    """Tell why an object could not be sent to a process that runs."""
    _refused(hook, error, sent_by(hook, obj, frame), None)


def _refused(hook: Hook, error: BaseException, what: Sent, method: str | None) -> None:
    """Tell which objects were refused, where they are the reason."""
    if _is_told(error):
        return
    transport = transports.find(what.via)
    if what.pickler is not None:
        transport = dataclasses.replace(transport, pickler=lambda: what.pickler)
    options = api.Options(
        start_method=None if method == "loky" else method, roundtrip=False, fixes=False, timeout=_SECONDS
    )
    report = dataclasses.replace(api.run_parts(what.parts, transport, options), target=what.how, notes=())
    if report.ok:
        report = dataclasses.replace(report, failures=(_unexplained(error, what),))
    _tell(hook, error, report, what)
    report.release()


def _unexplained(error: BaseException, what: Sent) -> Failure:
    """Say that it was refused then, and passes now."""
    kind = kinds.get("reduce-error")
    said = told(error)
    return Failure(
        path=next(iter(what.parts), None), kind=kind.slug, title=kind.title, reason=kind.reason, advice=kind.advice,
        note="It can be pickled now: something has changed it meanwhile.", error=f"{said['type']}: {said['text']}",
    )  # fmt: skip


def copied(hook: Hook, error: BaseException, obj: object, frame: FrameType | None) -> None:
    """Tell what `copy.deepcopy` refused: it asks as pickle does, but takes functions and weak references whole."""
    if _is_told(error) or _is_inner(frame):
        return
    options = api.Options(name="obj", via="pickle", protocol=4, roundtrip=False, fixes=False, timeout=_SECONDS)
    report = api.run(obj, options)
    failures = tuple(failure for failure in report.failures if _is_refused_by_copy(failure.obj))
    if failures:
        report = dataclasses.replace(report, failures=failures, target="copy.deepcopy(obj)", transport="copy", notes=())
        _tell(hook, error, report, Sent(parts={}, via="copy", how="copy.deepcopy(obj)", call=line_of_frame(frame)))
    report.release()


def _is_inner(frame: FrameType | None) -> bool:
    """Tell whether a copy is part of another one, which will tell."""
    while frame is not None:
        if frame.f_code.co_name == "deepcopy" and module_of(frame) == "picklecheck.live.hook":
            return True
        frame = frame.f_back
    return False


def _is_refused_by_copy(obj: Any) -> bool:
    try:
        _original(copy.deepcopy)(obj)
    except Exception:
        return True
    return False


def _original(function: Any) -> Any:
    return getattr(function, "__wrapped__", function)


def received(hook: Hook, error: BaseException, data: Any, frame: FrameType | None) -> None:
    """Tell why what another process has sent cannot be unpickled here."""
    if _is_told(error):
        return
    root = _root_of(frame)
    failure = arriving.failure_of(bytes(data), error, root)
    how = _RECEIVED.get(root, "what was received")
    call = None if root in ("pool", "executor", "result") else line_of_frame(frame)
    via = root if root in ("pool", "executor", "result") else "queue"
    _tell(hook, error, _report(how, via, None, failure), Sent(parts={}, via=via, how=how, call=call))


_RECEIVED = {
    "pool": "a task that a worker got",
    "executor": "a task that a worker got",
    "result": "the result of a task, or its exception",
}


def _root_of(frame: FrameType | None) -> str:
    """Tell what it is that the frame's caller receives."""
    while frame is not None:
        found = _RECEIVING.get((module_of(frame).removeprefix("joblib.externals."), frame.f_code.co_name))
        if found is not None:
            return found
        frame = frame.f_back
    return "obj"


_RECEIVING = {
    ("multiprocessing.pool", "worker"): "pool",
    ("multiprocessing.pool", "_handle_results"): "result",
    ("concurrent.futures.process", "_process_worker"): "executor",
    ("concurrent.futures.process", "wait_result_broken_or_wakeup"): "result",
    ("loky.process_executor", "_process_worker"): "executor",
    ("loky.process_executor", "wait_result_broken_or_wakeup"): "result",
}


def childhood(hook: Hook, error: BaseException, started: Childhood) -> None:
    """Tell why this child could not be started: the import of its main module failed, or what it was sent."""
    method = _start_method()
    if started.loads < 2:
        failure = _import_failure(error)
        what = "the import of the main module"
    elif isinstance(error, EOFError) or "truncated" in str(error):
        return  # the parent stopped sending, and says why
    else:
        failure = arriving.failure_of(started.data, error, "process")
        what = "Process(...)"
    report = _report(what, "process", method, failure)
    _tell(hook, error, report, Sent(parts={}, via="process", how=what))


def _start_method() -> str:
    return "forkserver" if "multiprocessing.forkserver" in sys.modules and len(sys.argv) < 2 else "spawn"


def _import_failure(error: BaseException) -> Failure:
    """Say what stopped the import of the main module."""
    modules = [(module_of(each), each.f_code.co_name) for each in _frames(error)]
    inside = [frame for frame in told(error)["frames"] if frame["function"] == "<module>"]
    slug = "main-not-importable"
    if any(name == "_check_not_importing_main" for _, name in modules):
        slug = "no-main-guard"
    elif inside:
        slug = "work-at-import"
    kind = kinds.get(slug)
    place = Place(file=inside[0]["file"], line=inside[0]["line"]) if inside else None
    said = told(error)
    return Failure(
        path=None, kind=kind.slug, title=kind.title, stage="bootstrap", name="__main__", assigned_at=place,
        reason=kind.reason, advice=kind.advice, error=f"{said['type']}: {' '.join(said['text'].split())}",
    )  # fmt: skip


def _report(target: str, via: str, method: str | None, failure: Failure) -> Report:
    return Report(
        target=target, target_type="", transport=via, start_method=method, protocol=pickle.DEFAULT_PROTOCOL,
        failures=(failure,),
    )  # fmt: skip


def _tell(hook: Hook, error: BaseException, report: Report, what: Sent) -> None:
    """Put the report on the error, or where that will be found, and into the journal."""
    call = what.call and what.call._asdict()
    text = note(report, what.how, call)
    hook.journal.write({"event": "failed", "report": report.to_dict(), "call": call, "note": text})
    if what.future is not None:
        _attach_later(hook, what.future, text)
    elif what.travels:
        _travelling.append((error, text))
    elif hook.journal.claim(text):
        attach(error, text)


# what was said of an error that is sent to another process in a wrapper, until it is wrapped
_travelling: list[tuple[BaseException, str]] = []


def wrapped(hook: Hook, error: Any, wrapper: Any) -> None:
    """Put what was said of an error on what travels in its place."""
    for number, (known, text) in enumerate(_travelling):
        if known is error:
            del _travelling[number]
            attach(wrapper if isinstance(wrapper, BaseException) else error, text, aloud=False)
            return


def _attach_later(hook: Hook, future: Any, text: str) -> None:
    """Attach to the exception that is set on a future: it may be another one than was raised."""
    original = future.set_exception

    def set_exception(error: Any) -> None:
        vars(future).pop("set_exception", None)
        attach(error, text)
        original(error)

    future.set_exception = set_exception


def follows(hook: Hook, error: BaseException) -> None:
    """Let an error that follows from a child's say what the child told."""
    if _is_told(error):
        return
    failed = [event["note"] for event in hook.journal.events() if event["event"] == "failed" and _breaks(event)]
    if len(failed) > hook.followed:  # what was told before does not break what breaks now
        hook.followed = len(failed)
        attach(error, f"{MARK}this follows from another error:\n{failed[-1]}", aloud=False)


def _breaks(event: dict[str, Any]) -> bool:
    """Tell whether a failure ends a process, or the thread that takes results."""
    stages = {finding["stage"] for finding in event["report"]["failures"]}
    elsewhere = event["pid"] != os.getpid() or event["report"]["transport"] == "result"
    return elsewhere and bool(stages & {"unpickle", "bootstrap"})


def passed_by(error: BaseException) -> None:
    """Tell of a copy by a `deepcopy` that was imported before the hook was there: the frames still hold the object."""
    from picklecheck.live.hook import active

    hook = active()
    if hook is None or _is_told(error):
        return
    code = _original(copy.deepcopy).__code__
    frame = next((each for each in _frames(error) if each.f_code is code), None)
    if frame is not None:
        hook.failed("copied", error, frame.f_locals["x"], frame.f_back)


def _is_told(error: BaseException) -> bool:
    notes = getattr(error, _NOTES, ())
    return type(notes) is list and any(type(each) is str and each.startswith(MARK) for each in notes)


def attach(error: BaseException, text: str, *, aloud: bool = True) -> None:
    """Add a note to an exception (docs, `BaseException.add_note`; PEP 678).

    Args:
        error: the exception.
        text: the note.
        aloud: whether to print it where tracebacks show no notes, on Python 3.10.
    """
    with contextlib.suppress(Exception):  # a class that refuses attributes
        if sys.version_info >= (3, 11):
            error.add_note(text)
            return
        notes = error.__dict__.setdefault(_NOTES, [])
        notes.append(text)
    if aloud:
        sys.stderr.write(f"{text}\n")

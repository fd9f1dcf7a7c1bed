"""The Python interface: joins the transport, the pass, the kinds and the renderers to one report."""

from __future__ import annotations

import contextlib
import dataclasses
import math
import os
import pickle
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import FrameType
from typing import TYPE_CHECKING, Any

from picklecheck.errors import UsageError
from picklecheck.model import Failure, Finding, Report, Size
from picklecheck.render import RENDERERS
from picklecheck.safe import is_class, name_of, qualname_of, type_name

if TYPE_CHECKING:
    from picklecheck.crossing import Crossed
    from picklecheck.findings import Told
    from picklecheck.told_there import Trip
    from picklecheck.transports import Transport

__all__ = ["Options", "assert_picklable", "explain", "explain_call", "is_picklable", "not_loaded", "run", "run_parts"]

Watch = Callable[[Callable[[], int]], contextlib.AbstractContextManager[object]]
_MOST_NAME = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What every face asks for; the fields are the keyword arguments of `explain`, and whether fixes are looked for."""

    name: str | None = None
    via: str | None = None
    start_method: str | None = None
    protocol: int | None = None
    roundtrip: bool = True
    timeout: float = 30.0
    fixes: bool = True


def explain(
    obj: object,
    *,
    name: str | None = None,
    via: str | None = None,
    start_method: str | None = None,
    protocol: int | None = None,
    roundtrip: bool = True,
    timeout: float = 30.0,
) -> Report:
    """Find every object that stops `obj` from reaching another process, with its exact path.

    Args:
        obj: any object: a dataset, a loader, a process target, a task's arguments.
        name: what the paths are rooted at; left out, the expression that the caller wrote.
        via: "pickle" (plain pickle), "process" (an argument of a Process), "pool" or "executor" (a task for workers
            that already run), "result" (what a task gives back), "queue" (`queue.put`, `Connection.send`),
            "dataloader", "torch-spawn", "megengine-launcher", "interpreter" (Python 3.14), or a registered name.
            Left out, the object decides: of a data loader, a process that is to be started, a pool or an executor,
            what it starts its processes with is explained; all else is taken as an argument of a process.
        start_method: "spawn", "forkserver", "fork", or "all" for a verdict for each (`Report.verdicts`); left out, the
            object's own, or the one that multiprocessing would use; where that is "fork", which pickles nothing, the
            report answers for spawn.
        protocol: 0 to 5; left out, the transport's own.
        roundtrip: whether the other side is tried too where it can be pickled: a process that is started as the start
            method would start one gets the very bytes and unpickles them. It is kept for the next object.
        timeout: seconds, more than 0, without any progress after which a `__reduce_ex__` that does not return is broken
            off; and how long the other process may take to start, and to unpickle.

    Returns:
        The report. It holds the culprits until `Report.release()`.

    Raises:
        UsageError: an unknown transport, start method or protocol, or a timeout that is none.
    """
    name = name or _name_in_caller(sys._getframe(1))
    return run(obj, Options(**_options(locals())))


def explain_call(
    target: Callable[..., object],
    args: Sequence[object] = (),
    kwargs: Mapping[str, object] | None = None,
    *,
    via: str = "process",
    start_method: str | None = None,
    protocol: int | None = None,
    roundtrip: bool = True,
    timeout: float = 30.0,
) -> Report:
    """Find every object that stops a call from reaching another process.

    Args:
        target: the function, as `Process(target=...)` or `pool.apply_async` gets it.
        args: its positional arguments.
        kwargs: its keyword arguments.
        via, start_method, protocol, roundtrip, timeout: as for `explain`.

    Returns:
        The report; its paths are rooted at ``target``, ``args[0]`` and ``kwargs['k']``.

    Raises:
        UsageError: an unknown transport, start method or protocol; `args` is no tuple or list; a timeout that is none.
    """
    from picklecheck import crossing
    from picklecheck.transports import Call

    call = Call(target=target, args=_arguments(args), kwargs=dict(kwargs or {}))
    options = Options(name=f"{_name_of(target)}(...)", **_options(locals()))
    return _run(crossing.of_call(call, via=via, start_method=start_method), options, None, name=None)


def _arguments(args: object) -> tuple[object, ...]:
    """Give the positional arguments of a call; what is no list of them is more likely the first one alone."""
    if type(args) not in (tuple, list):
        raise UsageError(f"args is a tuple of the positional arguments, such as (x,); this is a {type_name(args)}")
    return tuple(args)  # type: ignore[arg-type]  # one of the two, by its real type


def _name_of(target: Any) -> str:
    name = name_of(target) or (qualname_of(target) if is_class(target) else type_name(target))
    return name.rpartition(".")[2] if "<" in name else name


def is_picklable(
    obj: object,
    *,
    via: str | None = None,
    start_method: str | None = None,
    protocol: int | None = None,
    roundtrip: bool = True,
    timeout: float = 30.0,
) -> bool:
    """Tell whether `obj` reaches another process; the arguments are those of `explain`.

    Raises:
        UsageError: an unknown transport, start method or protocol, or a timeout that is none.
    """
    report = run(obj, Options(name="obj", fixes=False, **_options(locals())))
    report.release()
    return report.ok


def assert_picklable(
    obj: object,
    *,
    name: str | None = None,
    via: str | None = None,
    start_method: str | None = None,
    protocol: int | None = None,
    roundtrip: bool = True,
    timeout: float = 30.0,
) -> None:
    """Assert that `obj` reaches another process; the arguments are those of `explain`.

    Raises:
        AssertionError: it cannot; the text is the report. It holds no object of the user's.
        UsageError: an unknown transport, start method or protocol, or a timeout that is none.
    """
    __tracebackhide__ = True
    name = name or _name_in_caller(sys._getframe(1))
    report = run(obj, Options(**_options(locals())))
    if report.ok:
        return
    from picklecheck.render.text import assertion

    text = assertion(report)
    report.release()
    raise AssertionError(text)


def run(obj: object, options: Options, *, watch: Watch | None = None) -> Report:
    """Answer for one object and a face's options.

    Args:
        obj: any object.
        options: what was asked.
        watch: called with a function that counts the objects walked so far; gives a context manager for that time.

    Raises:
        UsageError: an unknown transport, start method or protocol, or a timeout that is none.
    """
    from picklecheck import crossing

    name = options.name or "obj"
    crossed = crossing.of_object(obj, name, via=options.via, start_method=options.start_method)
    return _run(crossed, options, watch, name=name)


def run_parts(parts: Mapping[str, object], transport: Transport, options: Options) -> Report:
    """Answer for some objects that cross together, each under a name of its own.

    Args:
        parts: the objects, by the expressions that their paths begin with.
        transport: how they cross.
        options: what was asked; `via` is not looked at.

    Raises:
        UsageError: an unknown start method or protocol, or a timeout that is none.
    """
    from picklecheck import crossing

    crossed = crossing.of_parts(parts, transport, start_method=options.start_method)
    return _run(crossed, options, None, name=None)


def not_loaded(options: Options, findings: Iterable[Finding]) -> Report:
    """Answer for an object that was not loaded, since loading its file would start processes.

    Args:
        options: what was asked.
        findings: what the reading of the file found; each has a place.

    Raises:
        UsageError: an unknown transport, start method or protocol, or a timeout that is none.
    """
    from picklecheck import transports

    _seconds(options.timeout)
    failures = tuple(_unloaded(finding) for finding in findings)
    transport = transports.find(options.via)
    method, _ = transports.resolve_start_method(options.start_method or transport.start_method)
    file = failures[0].name or ""
    return Report(
        target=options.name or "obj",
        target_type="",
        title=file,
        transport=transport.name,
        start_method=method if transport.starts_process else None,
        protocol=_protocol(options.protocol),
        failures=failures,
        notes=(f"{file} was not loaded: that would start the processes here too.",),
        renderers=RENDERERS,
    )


def _unloaded(finding: Finding) -> Failure:
    """Give a finding about a file as what stops an object of that file; it is shown under the file's name."""
    place = finding.assigned_at
    return dataclasses.replace(finding.as_failure(), name=os.path.basename(place.file) if place else None)


def _options(given: Mapping[str, Any]) -> dict[str, Any]:
    return {field: given[field] for field in Options.__dataclass_fields__ if field in given}


def _run(crossed: Crossed, options: Options, watch: Watch | None, *, name: str | None) -> Report:
    from picklecheck.findings import failures_of
    from picklecheck.probe import collector_off, walk

    transport = crossed.transport
    protocol, seconds = _protocol(options.protocol), _seconds(options.timeout)
    base = transport.pickler()
    pickler = type(base.__name__, (base,), {})

    def make(sink: Any) -> pickle.Pickler:
        return pickler(sink, protocol)  # type: ignore[no-any-return]

    failures = [] if crossed.refusal is None else [crossed.refusal]
    given = (crossed.given, crossed.parts)
    with collector_off(), transport.during():
        seen = walk(
            crossed.payload, make, protocol, stand_in=transport.stand_in, seconds=seconds, watch=watch,
            keep=options.roundtrip,
        )  # fmt: skip
        told = failures_of(seen, name, make=make, spawning=transport.starts_process, given=given)
        nothing = bool(failures or told.failures) or crossed.parts == ()
        size = None if nothing else Size(objects=len(seen.objects), bytes=seen.bytes)
        notes = crossed.notes_after(seen.objects, not (failures or told.failures))
        if not options.roundtrip:
            del seen  # before the collector is back: what it would look through is gone
    if not options.roundtrip or crossed.refusal is not None or crossed.parts == ():
        there = _Beyond(failures=tuple(told.failures))
    else:
        from picklecheck.told_there import Trip

        trip = Trip(
            walk=seen, name=name, make=make, start_method=crossed.child, seconds=seconds,
            spawning=transport.starts_process, by_a_thread=transport.by_a_thread, given=given,
            holders=told.holders, stand_in=transport.stand_in,
        )  # fmt: skip
        with transport.during():
            there = _beyond(trip, told, fixes=options.fixes)
    failures += there.failures
    return Report(
        target=options.name or "obj",
        target_type="call" if name is None else type_name(crossed.given),
        title=crossed.title,
        transport=transport.name,
        start_method=crossed.start_method,
        verdicts=crossed.verdicts(not failures),
        protocol=protocol,
        failures=tuple(failures),
        hazards=there.hazards,
        size=size,
        arrived=there.arrived,
        notes=(*notes, *there.notes),
        edited=there.edited,
        renderers=RENDERERS,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Beyond:
    """What is found beyond the pass: on the other side, and of fixes."""

    failures: tuple[Failure, ...]
    hazards: tuple[Finding, ...] = ()
    arrived: bool = False
    notes: tuple[str, ...] = ()
    edited: Mapping[str, tuple[str, str]] = field(default_factory=dict)


def _beyond(trip: Trip, told: Told, *, fixes: bool) -> _Beyond:
    """Try the other side, and fixes for what failed."""
    from picklecheck.arrivals import arrive

    there = arrive(trip)
    failures = (*told.failures, *there.failures)
    notes = there.notes
    edited: Mapping[str, tuple[str, str]] = {}
    if fixes and failures:
        from picklecheck.mending import mend

        mended = mend(failures, (*told.ways, *[None] * len(there.failures)), trip)
        failures, notes, edited = mended.failures, (*notes, *mended.notes), mended.edited
    return _Beyond(failures=failures, hazards=there.hazards, arrived=there.complete, notes=notes, edited=edited)


def _protocol(asked: int | None) -> int:
    if asked is None:
        return pickle.DEFAULT_PROTOCOL
    if type(asked) is not int or not 0 <= asked <= pickle.HIGHEST_PROTOCOL:
        raise UsageError(f"no protocol {asked!r}: choose from 0 to {pickle.HIGHEST_PROTOCOL}")
    return asked


def _seconds(asked: object) -> float:
    if isinstance(asked, int | float) and not isinstance(asked, bool) and 0 < asked < math.inf:
        return asked
    raise UsageError(f"timeout {asked!r}: choose a number of seconds above 0")


def _name_in_caller(frame: FrameType) -> str | None:
    """Give the source text of the first argument of the call that `frame` is executing; None where it is not known."""
    import ast

    try:
        import executing

        found = executing.Source.executing(frame)
        node: Any = found.node
        if node is None:
            node = _only_call(found.source.statements_at_line(frame.f_lineno))
    except Exception:  # no source, or a frame that executing does not understand
        return None
    if not isinstance(node, ast.Call):
        return None
    given = node.args[:1] or [word.value for word in node.keywords if word.arg == "obj"]
    if not given or isinstance(given[0], ast.Starred):
        return None
    text = ast.unparse(given[0])
    if len(text) > _MOST_NAME or "\n" in text:
        return None
    simple = (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.List, ast.Tuple, ast.Dict, ast.Set, ast.Constant)
    return text if isinstance(given[0], simple) else f"({text})"


def _only_call(statements: Iterable[Any]) -> Any:
    """Give the one call of ours in the statements of a line; pytest's rewritten asserts are not told apart on 3.10."""
    import ast

    ours = ("explain", "assert_picklable")
    calls = [node for statement in statements for node in ast.walk(statement) if isinstance(node, ast.Call)]
    calls = [call for call in calls if ast.unparse(call.func).rpartition(".")[2] in ours]
    return calls[0] if len(calls) == 1 else None

"""Events made into findings: the kind, the reason and the advice in words."""

from __future__ import annotations

from picklecheck import kinds
from picklecheck.model import Finding, Place
from picklecheck.receiver.guard import conditions
from picklecheck.receiver.guard.advice import advice, of_module
from picklecheck.receiver.guard.events import Event, Sort
from picklecheck.receiver.guard.sources import Source

__all__ = ["finding"]

_STOPPED = (
    'Python stops it with "An attempt has been made to start a new process before the current process has finished its '
    'bootstrapping phase".'
)
_UNNOTICED = "Under fork, the default on Linux up to Python 3.13, nothing is imported again and it goes unnoticed."
_ONLY_FORK = (
    "With the start method fork nothing is imported again, so this runs only where fork can be chosen: not on Windows, "
    "and not under spawn or forkserver, the defaults of macOS and of Linux from Python 3.14."
)
_SERVER = (
    "The name of the process guards under spawn only: the fork server imports the file too (Python 3.14), and the name "
    "of its process is MainProcess."
)
_DEADLOCK = "An executor may also wait for ever: its thread needs the module, which is not yet imported."


def finding(event: Event, source: Source, others: list[Event], *, imported: bool) -> Finding:
    """Give an event as a finding.

    Args:
        event: what happens.
        source: the file that it happens in.
        others: all events of the file.
        imported: whether the file is a module that others import, and no program.
    """
    module = imported and event.sort == Sort.START and not event.module
    slug = _slug(event, imported=imported)
    line = event.anchor.line
    text = source.lines[line - 1].strip() if 0 < line <= len(source.lines) else None
    return Finding(
        path=None,
        path_count=0,
        kind=slug,
        stage="bootstrap",
        severity=event.severity,
        title=kinds.get(slug).title,
        name=f"__main__.{event.name}" if event.sort == Sort.NAME else None,
        assigned_at=Place(file=source.path, line=line, statement=text),
        reason=_reason(event, source, imported=imported),
        note=_note(event),
        advice=(of_module if module else advice)(event, source, others),
    )


def _slug(event: Event, *, imported: bool) -> str:
    if event.sort == Sort.WORK:
        return "work-at-import"
    if event.sort == Sort.START and (event.module or imported):
        return "start-at-import"
    return "no-main-guard"


def _reason(event: Event, source: Source, *, imported: bool) -> str:
    file = source.path.replace("\\", "/").rpartition("/")[2]
    what = f"The import of {event.module} {event.what}" if event.module else f"It {event.what}"
    if event.sort == Sort.START:
        return _start(event, file, what, imported=imported)
    if event.sort == Sort.METHOD:
        return (
            f"{what}. Each spawned child imports {file} again and gets RuntimeError: context has already been set, "
            "before it has begun its work."
        )
    if event.sort == Sort.AS_MAIN:
        return (
            f"{what}. Its main guard is open in each child too: a child that imports {file} runs that code again, and "
            "it would start children itself."
        )
    if event.sort == Sort.NAME:
        return f"{what}. A child imports {file} without running that block, and stops here with NameError."
    if event.sort == Sort.ENDS:
        return f"{what}. A child that imports {file} ends here too, before it has begun its work."
    if event.sort == Sort.GUARD:
        return f"It {event.what}. Python gives the module that is run the name __main__, and no other one."
    return _work(event, file, what)


def _start(event: Event, file: str, what: str, *, imported: bool) -> str:
    if event.method == "fork":
        return f"{what} when the file is imported. {_ONLY_FORK}"
    again = f"Each spawned child imports {file} again and would start children itself; {_STOPPED}"
    if event.method is None:
        again = f"{again} {_UNNOTICED}"
    if imported and "executor" in event.what:
        again = f"{again} {_DEADLOCK}"
    guard = next((name for name in map(conditions.process_test, event.anchor.guards) if name), None)
    if guard == "parent_process":
        again = f"{again} parent_process() is no guard: while a child imports the file it is None there too."
    elif any(map(conditions.is_name_test, event.anchor.guards)):
        again = f"{again} {_SERVER}"
    elif guard:
        again = f"{again} {guard}() is no guard: a child imports the file before it knows what it is."
    return f"{what} when the file is imported. {again}"


def _work(event: Event, file: str, what: str) -> str:
    ends = "the child dies before it has begun its work" if "second time" in what else "it never comes to its own work"
    if "input" in what:
        ends = "the child waits, or dies with EOFError, before it has begun its work"
    if event.severity == "warning":
        ends = "it is done once more for each of them, while the program runs"
    return f"{what}. Each spawned child imports {file} again and repeats it: {ends}."


def _note(event: Event) -> str:
    place = event.origin
    if place is None:
        return ""
    calls = f"{' -> '.join(f'{name}()' for name in event.chain)}: " if event.chain else ""
    return f"{calls}{place}" + (f": {place.statement}" if place.statement else "")

"""The bootstrap reading: what a child would do while it imports a file, told from the source; nothing is run."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from picklecheck.model import Finding
from picklecheck.receiver.guard import conditions
from picklecheck.receiver.guard.advice import GUARD, can_move, lines_to_move
from picklecheck.receiver.guard.events import Event, Sort
from picklecheck.receiver.guard.frozen import frozen_finding
from picklecheck.receiver.guard.needed import Missed, missed
from picklecheck.receiver.guard.reading import read
from picklecheck.receiver.guard.sources import Source, Unreadable
from picklecheck.receiver.guard.wording import finding
from picklecheck.receiver.guard.world import World

__all__ = ["GUARD", "Missed", "Result", "Unguarded", "Unreadable", "read_files", "starting", "unguarded"]

_STARTS = (Sort.START, Sort.AS_MAIN)
_MUST_MOVE = (*_STARTS, Sort.METHOD, Sort.ENDS)
_IF_PROCESSES_START = (Sort.WORK, Sort.NAME, Sort.ENDS)


@dataclass(frozen=True, slots=True)
class Result:
    """What the reading of some files gave.

    Attributes:
        findings: in the order of the files and their lines.
        unread: one line for each file that could not be read.
    """

    findings: tuple[Finding, ...] = ()
    unread: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unguarded:
    """What of one file belongs under its main guard.

    Attributes:
        lines: first and last line of each run of top-level statements that has to move.
        findings: the errors of the file.
        missed: names that only the guarded block has, and that a child may need.
    """

    lines: tuple[tuple[int, int], ...]
    findings: tuple[Finding, ...]
    missed: tuple[Missed, ...]


def read_files(paths: Iterable[str]) -> Result:
    """Read Python files as a child would import them.

    What a file does by importing another one is told at the other, where that is among the files too.

    Args:
        paths: files; each is taken as a program that is run, unless another file imports it.

    Returns:
        The findings; nothing is raised for a file that cannot be read.
    """
    world = World()
    read_ones: list[tuple[Source, list[Event]]] = []
    unread: list[str] = []
    for path in paths:
        try:
            source = world.open(path)
            read_ones.append((source, _events(world, source)))
        except Unreadable as error:
            unread.append(str(error))
    told = {source.path for source, events in read_ones if events}
    found = [one for source, events in read_ones for one in _findings(world, source, events, told)]
    return Result(tuple(found), tuple(unread))


def starting(path: str) -> tuple[Finding, ...]:
    """Read one file for what surely starts processes when the file is imported.

    Returns:
        The errors among the findings of `read_files` that say so; none where the file cannot be read.
    """
    world = World()
    try:
        source = world.open(path)
        events = [event for event in _events(world, source) if event.sort in _STARTS and _is_sure(event)]
        return tuple(one for one in _findings(world, source, events, set()) if one.severity == "error")
    except Unreadable:
        return ()


def unguarded(path: str, data: bytes | None = None) -> Unguarded:
    """Read one file for the statements that belong under its main guard.

    Args:
        path: the file, a program.
        data: what is read in place of what the file holds.

    Raises:
        Unreadable: it cannot be read, or is no Python.
    """
    world = World({} if data is None else {path: data})
    source = world.open(path)
    events = _events(world, source)
    moving = [event for event in events if event.sort in _MUST_MOVE and can_move(event)]
    # a guard that is never true has to be written anew: moved, it would only be hidden
    beside = [event for event in events if event.sort != Sort.GUARD]
    lines = {span for event in moving for span in lines_to_move(event, source, beside)}
    errors = tuple(one for one in _findings(world, source, events, set()) if one.severity == "error")
    return Unguarded(tuple(sorted(lines)), errors, missed(source))


def _is_sure(event: Event) -> bool:
    """Tell whether it happens whoever imports the file; a test of the process lets the first one through."""
    tests = event.anchor.guards
    return event.certain or any(conditions.process_test(test) or conditions.is_name_test(test) for test in tests)


def _events(world: World, source: Source) -> list[Event]:
    if not (source.is_odd or world.is_related(source) or _may_work(world, source)):
        world.check(source)
        return []
    events = read(world, source)
    if os.path.basename(source.path) == "__main__.py":  # run with its package, and no child imports it again
        events = [event for event in events if event.sort == Sort.GUARD]
    if any(event.sort in _IF_PROCESSES_START for event in events) and not _imports_again(world, source):
        events = [event for event in events if event.sort not in _IF_PROCESSES_START]
    return events


def _may_work(world: World, source: Source) -> bool:
    return source.works and world.is_imported(source, by_starters=True)


def _imports_again(world: World, source: Source) -> bool:
    """Tell whether a file seems to belong to a program whose children import it again."""
    return world.starts_somewhere(source) and _methods(source.tree) != {"fork"}


def _methods(tree: ast.Module) -> set[object]:
    """Give the start methods that a file asks for by name."""
    return {
        node.args[0].value
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and getattr(node.func, "attr", getattr(node.func, "id", "")) in ("get_context", "set_start_method")
        and node.args
        and isinstance(node.args[0], ast.Constant)
    }


def _findings(world: World, source: Source, events: list[Event], told: set[str]) -> Iterator[Finding]:
    own = [event for event in events if not (event.module and event.origin and event.origin.file in told)]
    imported = bool(own) and _is_module(world, source)
    for event in sorted(own, key=lambda event: event.anchor.line):
        yield finding(event, source, own, imported=imported)
    frozen = frozen_finding(source) if source.starts else None
    if frozen:
        yield frozen


def _is_module(world: World, source: Source) -> bool:
    """Tell whether a file is imported by others and never run: it has no main guard of its own."""
    if b"__main__" in source.data:
        return False
    return source.is_package or world.is_imported(source)

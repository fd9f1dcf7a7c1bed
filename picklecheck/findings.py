"""From what the pass found to what a report says: each culprit with its paths, kind, owner, place, and words."""

from __future__ import annotations

import itertools
import linecache
import pickle
import sys
import types
import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from picklecheck import kinds, source
from picklecheck.model import Crumb, Failure, Place
from picklecheck.paths import FOLD_FROM, Step, fold, join
from picklecheck.probe import UNSEEN, Culprit, Hop, Invalid, Located, Locator, NoAnswer, Walk, Way, words_for
from picklecheck.safe import (
    is_class,
    is_made_in_c,
    module_of,
    mro,
    name_of,
    plain_text,
    qualified_name,
    short_repr,
    type_name,
)
from picklecheck.transports import Part

__all__ = ["Given", "Teller", "Told", "Words", "failures_of"]

_RAISED_THERE = frozenset({"reduce-error", "getstate-error", "getattr-hook"})
_NO_STEP = Step("root", "")
_ARGS = vars(BaseException)["args"]
_CARRIERS = frozenset({"concurrent", "megengine", "multiprocessing", "torch"})
_MOST_TEXT = 500
_MOST_TARGETS = 20
Root = Callable[[Sequence[Step]], str]
Steps = list[tuple[Step, object]]
Given = tuple[object, Sequence[Part] | None]


def failures_of(
    walk: Walk, name: str | None, *, spawning: bool, make: Callable[[Any], pickle.Pickler], given: Given | None = None
) -> Told:
    """Tell of each culprit, in the order of the pass; first of all of a graph that is too deep.

    Args:
        walk: what the pass saw.
        name: the root's name; None for the arguments of a call, where each has its own.
        spawning: whether it was pickled as if a child was being spawned.
        make: gives a pickler of the transport's class for a sink.
        given: what the user holds, where the walk's root is a list of parts of it.
    """
    teller = Teller(walk, name, spawning, make, given)
    located = teller.locator.culprits()
    found = [teller.failure(each) for each in located]
    ways: list[Located | None] = [*located]
    endless = any(culprit.endless for culprit in walk.culprits)
    if walk.too_deep is not None and not endless:  # how deep the rest goes cannot be told beside a chain without end
        found.insert(0, teller.too_deep(walk.too_deep))
        ways.insert(0, None)
    return Told(found, ways, _holders(located))


def _holders(located: Sequence[Located]) -> frozenset[int] | None:
    if any(each.references > len(each.ways) for each in located):
        return None
    return frozenset(id(hop.holder) for each in located for way in each.ways for hop in way)


@dataclass(frozen=True, slots=True)
class Told:
    """What is told of one walk.

    Attributes:
        failures: one for each culprit.
        ways: for each of them what leads to it; None for a graph that is too deep.
        holders: the ids of the objects that hold a culprit, at whatever depth; None where not all of them are known.
    """

    failures: list[Failure]
    ways: list[Located | None]
    holders: frozenset[int] | None


@dataclass(frozen=True, slots=True)
class Words:
    """What is said of a culprit whatever leads to it; the same for all functions made from one piece of code."""

    kind: kinds.Kind
    type: str
    value: str
    place: Place | None
    note: str


class Teller:
    """Tells the culprits of one walk; the other side tells its own in the same way, with other words.

    Args:
        walk: what the pass saw.
        name: the root's name; None for the arguments of a call.
        spawning: whether it was pickled as if a child was being spawned.
        make: gives a pickler of the transport's class for a sink.
        given: what the user holds, where the walk's root is a list of parts of it.
    """

    def __init__(
        self,
        walk: Walk,
        name: str | None,
        spawning: bool,
        make: Callable[[Any], pickle.Pickler],
        given: Given | None = None,
    ) -> None:
        self._walk = walk
        self._given, self._parts = given or (walk.root, None)
        self._name = name
        self._spawning = spawning
        self._make = make
        self.locator = Locator(walk)
        self._targets = 0
        self._wholes: dict[int, kinds.Kind | None] = {}
        self._alike: dict[tuple[int, str, str], Words] = {}

    def failure(self, located: Located) -> Failure:
        """Give what a report says of one culprit."""
        culprit = located.culprit
        obj = self._walk.objects[culprit.index]
        if obj is self._walk.root:
            obj = self._given
        first = self._from_given(located.ways[0])
        words = self._words(culprit, obj, first[-1].holder if first[-1].steps else None)
        paths, trail = self.paths(located.ways)
        owner, attribute = _owner(first, self._given)
        holder, advice = self._holder(first, words.kind)
        place = words.place
        if place is None and owner is not None:
            place = source.where_set(owner, attribute)
        return Failure(
            path=paths[0],
            paths=tuple(paths),
            path_count=max(located.references, len(located.ways)),
            kind=words.kind.slug,
            title=words.kind.title,
            type=words.type,
            value=words.value,
            owner=None if owner is None else qualified_name(owner),
            assigned_at=place,
            reason=words.kind.reason,
            advice=advice,
            note=" ".join(filter(None, (words.note, holder))),
            error=self._said(culprit.error, obj),
            trail=trail,
            box=[obj],
        )

    def _holder(self, way: Way, kind: kinds.Kind) -> tuple[str, str]:
        """Say what the culprit is part of, where no part of that can be sent (a thread, an archive); and what to do."""
        steps = _flat(way)
        if not steps:
            return "", kind.advice
        steps.pop()
        if self._parts is None and self._name is not None:
            steps.insert(0, (_NO_STEP, self._given))
        for number, (_, held) in enumerate(steps):
            key = id(type(held))
            if key not in self._wholes:
                self._wholes[key] = kinds.whole(held)
            whole = self._wholes[key]
            if whole is not None and whole.slug != kind.slug:
                path = self._join([step for step, _ in steps[: number + 1]])
                there = "" if number or self._parts is not None else " itself"
                note = (
                    f"It is part of {path}{there}, which is a {qualified_name(type(held))}: no part of that can be "
                    f"sent, so leave it out as a whole (picklecheck kinds {whole.slug})."
                )
                return note, whole.advice
        return "", kind.advice

    def _words(self, culprit: Culprit, obj: Any, holder: object) -> Words:
        key = (id(obj.__code__), name_of(obj), plain_text(obj.__module__)) if type(obj) is types.FunctionType else None
        if key is None or key not in self._alike:
            words = self._find_words(culprit, obj, holder)
            if key is None:
                return words
            self._alike[key] = words
        return self._alike[key]

    def _find_words(self, culprit: Culprit, obj: object, holder: object) -> Words:
        error = culprit.error
        kind = kinds.find(
            kinds.Subject(obj, error, holder, self._spawning, culprit.nearest, invalid=type(error) is Invalid)
        )
        raised = _raised_at(error) if kind.slug in _RAISED_THERE else None
        place = raised or source.where_defined(obj)
        return Words(kind, qualified_name(type(obj)), short_repr(obj), place, self._note(error, obj, culprit.endless))

    def too_deep(self, error: BaseException) -> Failure:
        """Say that the graph is too deep for C, how deep it is, and what repeats."""
        kind = kinds.get("recursion")
        folded = _folded(_flat(self._from_given(self.locator.deepest())))
        repeats = [step for step, _ in folded if step.kind == "repeat"]
        note = f"The deepest object lies {sum(step.length for step, _ in folded):,} steps below the root."
        if repeats:
            longest = max(repeats, key=lambda step: step.count)
            cycle = longest.before.partition("lambda o, _: o")[2].partition(", range(")[0]
            note += f" {cycle} repeats {longest.count:,} times."
        elif self._walk.nested:
            note = f"Plain containers lie {self._walk.nested:,} levels inside each other."
        return Failure(
            path=self._join([]),
            paths=(self._join([]),),
            kind=kind.slug,
            title=kind.title,
            type=qualified_name(type(self._given)),
            value=short_repr(self._given),
            reason=kind.reason,
            advice=kind.advice,
            note=note,
            error=_text_of(error),
            box=[self._given],
        )

    def _from_given(self, way: Way) -> Way:
        """Give a way from what the user holds in place of one from the list of its parts, which only we hold."""
        if self._parts is None or not way or not way[0].steps:
            return way
        first = way[0]
        part = self._parts[_number(first.steps[0])]
        start = Hop(self._given, part.steps + first.steps[1:], part.arrivals + first.arrivals[1:])
        return (start, *way[1:])

    def paths(self, ways: Sequence[Way]) -> tuple[list[str], tuple[Crumb, ...]]:
        """Give the expressions for some ways, and the steps of the first one."""
        folded = [_folded(_flat(self._from_given(way))) for way in ways]
        trails = [[step for step, _ in steps] for steps in folded]
        paths = [self._join(steps) for steps in trails]
        # where the culprit is a class, the user looks for the instance
        paths += [self._join(steps[:-1]) for steps in trails if steps and steps[-1].kind == "class"]
        crumbs = tuple([Crumb(step, type_name(arrival)) for step, arrival in folded[0]])
        return paths if len(paths) == 1 else list(dict.fromkeys(paths)), crumbs

    def _join(self, steps: Sequence[Step]) -> str:
        if self._name is not None:
            return join(self._name, steps)
        return join(steps[0].after[2:-2], steps[1:]) if steps else "target"

    def _note(self, error: BaseException, obj: object, endless: bool) -> str:
        if type(error) is Invalid:
            text = str(error)
            return f"{text[0].upper()}{text[1:]}."
        if endless:
            return "Its reduce value brings an object made for it, and so does that one's, without end."
        if isinstance(error, NoAnswer):
            return "It did not come back within the time limit, and was broken off."
        if type(error) is RuntimeError and "changed" in _text_of(error):
            return "Something changed it while it was pickled; another thread, or code that runs during pickling."
        if any(base is weakref.ReferenceType for base in mro(type(obj))):
            return self._target_note(obj)
        return kinds.lookup_note(obj)

    def _target_note(self, obj: Any) -> str:
        self._targets += 1
        if self._targets > _MOST_TARGETS:
            return ""
        target = weakref.ReferenceType.__call__(obj)
        if target is None:
            return "Its target is gone."
        way = self.locator.way_to(target)
        if way is None:
            return f"Its target, a {type_name(target)}, is not part of what is sent."
        path = self._join([step for step, _ in _folded(_flat(self._from_given(way)))])
        return f"Its target ({path}) is part of what is sent, so it can be made again over there."

    def _said(self, error: BaseException, obj: object) -> str | None:
        if type(error) is Invalid:
            return None if error.value is UNSEEN else words_for(self._make, obj, error.value)
        return _text_of(error)


def _number(step: Step) -> int:
    """Give the number in the step into the list of parts."""
    return int(step.after[1:-1])


def _flat(way: Way) -> Steps:
    """Give the steps of a way, each with what it arrives at."""
    return list(itertools.chain.from_iterable([zip(hop.steps, hop.arrivals, strict=True) for hop in way]))


def _folded(steps: Steps) -> Steps:
    """Fold the steps, each with what the last of them arrives at."""
    if len(steps) <= FOLD_FROM:
        return steps
    return [(step, steps[at][1]) for step, at in fold([step for step, _ in steps])]


def _is_carrier(cls: type) -> bool:
    """Tell whether a class is a library's own whose attributes hold what the user gave it: a loader, a process."""
    return (module_of(cls) or "").partition(".")[0] in _CARRIERS


def _owner(way: Way, given: object) -> tuple[type | None, str]:
    """Give the class whose attribute leads to the culprit, and the attribute: the user's own before the library's."""
    nearest: tuple[type | None, str] = None, ""
    for hop in reversed(way):
        for step in hop.steps[:1]:
            name = step.after[1:] if step.kind == "attribute" and not step.before else ""
            if not name.isidentifier() or is_class(hop.holder) or is_made_in_c(type(hop.holder)):
                continue
            cls = type(hop.holder)
            if hop.holder is given and _is_carrier(cls):
                continue  # the line that set it is the library's
            if nearest[0] is None:
                nearest = cls, name
            if (module_of(cls) or "").partition(".")[0] not in sys.stdlib_module_names:
                return cls, name
    return nearest


def _raised_at(error: BaseException) -> Place | None:
    """Give the line where an object's own method raised: the deepest one in the file that the pickler called into."""
    frames = list(_own_frames(error))
    if not frames:
        return None
    file = frames[0][0].co_filename
    code, line = next((code, line) for code, line in reversed(frames) if code.co_filename == file)
    statement = linecache.getline(file, line).strip() or None
    return Place(file=file, line=line, statement=statement, function=getattr(code, "co_qualname", code.co_name))


def _own_frames(error: BaseException) -> Iterator[tuple[types.CodeType, int]]:
    traceback = error.__traceback__
    while traceback is not None:
        module = traceback.tb_frame.f_globals.get("__name__")
        if type(module) is not str or (module != "copyreg" and module.partition(".")[0] != "picklecheck"):
            yield traceback.tb_frame.f_code, traceback.tb_lineno
        traceback = traceback.tb_next


def _text_of(error: BaseException) -> str:
    """Give "TypeError: ..." without calling code of an exception class of the user's."""
    text = ", ".join([arg if type(arg) is str else short_repr(arg) for arg in _arguments(error)])
    name = type_name(error)
    return (f"{name}: {text}" if text else name)[:_MOST_TEXT]


def _arguments(error: BaseException) -> tuple[object, ...]:
    return _ARGS.__get__(error)  # type: ignore[no-any-return]  # whatever a property of a class says

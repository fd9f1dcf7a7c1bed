"""What stands in the child for the names of `picklecheck.guarded`: calls that go on after a failure."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from picklecheck.receiver.told import told

__all__ = ["Lost", "Recorder", "TooLong"]

_LOOK_AT = 1_000
_MOST_FRAMES = 5_000
_HASHING = ("__hash__", "__eq__")
_BATCH = 1_000


class TooLong(BaseException):
    """Raised into a step that did not end in time."""

    def __str__(self) -> str:
        """Say it."""
        return "no answer within the time limit"


class Lost:
    """Stands for what could not be made; it bears whatever is done with it."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Give itself."""
        return self

    def __getitem__(self, key: Any) -> Any:
        return self

    def __setitem__(self, key: Any, value: Any) -> None:
        return

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __len__(self) -> int:
        return 0


class Recorder:
    """Makes objects and sets their states as unpickling does, and notes by number what raises.

    Args:
        reached: shared memory for the number of the last object that was begun, or None.
        left_out: the numbers of objects that are not even tried.

    Attributes:
        failures: number, or name, -> what was raised.
        loaded: number -> object.
        steps: how many steps were begun.
        absent: whether something stands in for what cannot be made in a trial.
    """

    def __init__(self, reached: Any, left_out: Iterable[int] = ()) -> None:
        self._reached = reached
        self.failures: dict[Any, dict[str, Any]] = {}
        self.kept: list[Any] = []
        self.steps = 0
        self.absent = False
        self._left_out = set(left_out)
        self.begin()

    def begin(self) -> None:
        """Begin a round."""
        self.loaded: dict[int, Any] = {}
        self._numbers: dict[int, int] = {}
        self._done: set[int] = set()

    # -- the names of `picklecheck.guarded` ----------------------------------------------------------------------------

    def made(self, number: int, func: Any, *args: Any) -> Any:
        """Call what makes an object."""
        if number in self._left_out or type(func) is Lost or any(type(arg) is Lost for arg in args):
            obj: Any = Lost()
        else:
            obj = self._step(number, "call", args, func, *args)
        self._numbers[id(obj)] = number
        self.loaded[number] = obj
        return obj

    def set_state(self, obj: Any, state: Any) -> None:
        """Set a state as BUILD does."""
        self._after(obj, state, build, obj, state)

    def set_all(self, obj: Any, rest: tuple[Any, Any, Any, Any]) -> None:
        """Add items and pairs, and set the state."""
        self._after(obj, rest, _fill, obj, *rest)

    # ------------------------------------------------------------------------------------------------------------------

    def not_found(self, module: str, name: str, error: BaseException) -> Lost:
        """Note that a name cannot be found, and stand in for it."""
        file = getattr(sys.modules.get(module), "__file__", None)
        failure = {"number": None, "role": "name", "module": module, "name": name, "error": told(error),
                   "file": file if type(file) is str else None}  # fmt: skip
        self.failures.setdefault((module, name), failure)
        return Lost()

    def stand_in(self) -> Lost:
        """Stand in for what cannot be made in a trial."""
        self.absent = True
        return Lost()

    def stopped_at(self, error: BaseException) -> bool:
        """Note the object at which unpickling itself stopped; tell whether there is one that is new."""
        found = self._hashed(error) or self._first_of_ours(error)
        if found is None or found in self._left_out:
            return False
        self._note(found, "hash" if self._hashed(error) is not None else "load", error)
        return True

    def _after(self, obj: Any, given: Any, func: Callable[..., Any], *args: Any) -> None:
        if type(obj) is Lost:
            return
        number = self._numbers.get(id(obj))
        if number is None:
            func(*args)
        elif number not in self._left_out:
            self._step(number, "state", (given,), func, *args)
            self._done.add(number)

    def _step(self, number: int, role: str, given: Any, func: Callable[..., Any], *args: Any) -> Any:
        self.steps += 1
        if self._reached is not None:
            self._reached[:8] = (number + 1).to_bytes(8, "little", signed=True)
        try:
            return func(*args)
        except BaseException as error:
            hashed = self._hashed(error)
            if hashed is not None:
                self._note(hashed, "hash", error)
            elif not ((self.failures or self.absent) and _holds_lost(given)):  # else it may be a consequence
                self._note(number, role, error)
            return Lost()

    def _note(self, number: int, role: str, error: BaseException) -> None:
        self._left_out.add(number)
        self.failures.setdefault(number, {"number": number, "role": role, "error": told(error)})

    def _hashed(self, error: BaseException) -> int | None:
        """Give the number of an object that was hashed or compared before its state was there."""
        for name, number in self._owners(error):
            if name in _HASHING and number not in self._done:
                return number
        return None

    def _first_of_ours(self, error: BaseException) -> int | None:
        return next((number for _, number in self._owners(error)), None)

    def _owners(self, error: BaseException) -> Iterator[tuple[str, int]]:
        """Yield, for each frame of an exception whose first argument is an object of ours, its name and the number."""
        traceback, count = error.__traceback__, 0
        while traceback is not None and count < _MOST_FRAMES:
            frame, code = traceback.tb_frame, traceback.tb_frame.f_code
            if code.co_argcount and frame.f_globals.get("__name__") != __name__:
                first = frame.f_locals.get(code.co_varnames[0])
                number = self._numbers.get(id(first))
                if number is not None and self.loaded.get(number) is first:
                    yield code.co_name, number
            traceback, count = traceback.tb_next, count + 1


def _holds_lost(given: Any) -> bool:
    """Tell whether a stand-in for what was lost lies in plain containers; of large ones a part is looked at."""
    waiting = [given]
    for seen, thing in enumerate(waiting):
        if type(thing) is Lost:
            return True
        if seen + len(waiting) > _LOOK_AT:
            return False
        if type(thing) in (list, tuple, set, frozenset):
            waiting += thing
        elif type(thing) is dict:
            waiting += [*thing.keys(), *thing.values()]
    return False


def _fill(obj: Any, items: Any, pairs: Any, state: Any, setter: Any) -> None:
    """Do what APPENDS, SETITEMS and BUILD do (Modules/_pickle.c: `do_append`, `do_setitems`, `load_build`)."""
    if items:
        extend = None if type(obj) is list else getattr(obj, "extend", None)
        if type(obj) is list:
            list.extend(obj, items)
        elif extend is not None:
            for start in range(0, len(items), _BATCH):
                extend(items[start : start + _BATCH])
        else:
            for item in items:
                obj.append(item)
    for key, value in pairs or ():
        obj[key] = value
    if state is not None:
        if setter is None:
            build(obj, state)
        else:
            setter(obj, state)


def build(obj: Any, state: Any) -> None:
    """Set a state as C does (Modules/_pickle.c: `load_build`)."""
    missing = object()
    setstate: Any = getattr(obj, "__setstate__", missing)
    if setstate is not missing:
        setstate(state)
        return
    slots = None
    if isinstance(state, tuple) and len(state) == 2:
        state, slots = state
    if state:
        own = obj.__dict__
        for key, value in state.items():
            own[sys.intern(key) if type(key) is str else key] = value
    if slots:
        for key, value in slots.items():
            setattr(obj, key, value)

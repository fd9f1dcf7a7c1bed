"""What is known of an attribute that leads to a culprit, and what a recipe says of how it crosses."""

from __future__ import annotations

import json
from collections import OrderedDict, defaultdict, deque
from dataclasses import dataclass, field
from typing import Any

from picklecheck.fixes.base import Change, Check, Spot
from picklecheck.fixes.carrying import Remade, remake
from picklecheck.fixes.setting import Life, life, setting
from picklecheck.fixes.spelling import spell, spell_name
from picklecheck.fixes.states import home_of

__all__ = ["DICTS", "SETS", "Case", "Spec", "case_of"]

SETS = (set, frozenset)
DICTS = (dict, OrderedDict, defaultdict)
_CONTAINERS = (list, deque, tuple, *SETS, *DICTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """How one thing crosses; ``{x}`` stands for it in the texts, in those of `back` for what was carried.

    Attributes:
        out: an expression for what is carried; empty: nothing is.
        back: an expression that makes it again; empty: what is carried is what arrives.
        around: a ``with`` line that what makes it stands under; empty: none.
        after: statements that follow, for what no expression does; they see what was carried as `carried`.
        lazy: whether it is made when it is first used.
        test: an expression that tells such a thing from others in a container.
        imports: what the texts need.
        note: what is different over there.
        order: the line that sets it.
        type: the full name of its type.
        checks: what is looked at over there in place of the type.
        width: as in `Change`.
    """

    out: str = ""
    back: str = ""
    around: str = ""
    after: tuple[str, ...] = ()
    lazy: bool = False
    test: str = ""
    imports: tuple[str, ...] = ()
    note: str = ""
    order: int = 0
    type: str | None = None
    checks: tuple[Check, ...] | None = None
    width: int = 0


@dataclass(eq=False)
class Case:
    """A spot with what is known of its attribute.

    Attributes:
        spot: the spot.
        cls: the owner's class.
        home: the class of the hierarchy that gets the methods.
        thing: the first object on the way that is no plain container.
        containers: the plain containers before it.
        whole: whether the culprit lies inside the thing.
        life: how the attribute lives.
        imports: what the names that were spelled need.
    """

    spot: Spot
    cls: type
    home: type
    thing: Any
    containers: tuple[Any, ...]
    whole: bool
    life: Life
    imports: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The attribute as a method of the class writes it: ``self.__x``."""
        return f"self.{spell_name(self.spot.attribute, self.home)}"

    @property
    def key(self) -> str:
        """The literal of its name in the state."""
        return json.dumps(self.spot.attribute)

    @property
    def label(self) -> str:
        """The attribute in a note."""
        return f".{spell_name(self.spot.attribute, self.home)}"

    @property
    def order(self) -> int:
        """The line that sets it; 0 where that is not known."""
        found = setting(self.cls, self.spot.attribute)
        return found.line if found else 0

    def spell(self, module: str, name: str) -> str:
        """Give the text for a name of another module; the import goes with the change."""
        text, imports = spell(self.home, module, name)
        self.imports += imports
        return text

    def source(self) -> Remade | None:
        """Give the expression that the source sets the attribute to; None for things in a container."""
        if self.containers:
            return None
        found = remake(self.cls, self.spot.attribute, self.spot.owner, self.thing, self.home)
        return None if found is None or found.text in ("None", "{}", "[]", "()") else found

    def from_source(self, note: str = "", *, lazy: bool = False) -> Spec | None:
        """Give what makes it as the source does; None where that cannot be done elsewhere."""
        found = self.source()
        if found is None:
            return None
        self.imports.clear()  # of what was spelled in its place
        text = found.text.replace("{", "{{").replace("}", "}}")
        lazy = lazy and not found.around
        around = found.around.replace("{", "{{").replace("}", "}}")
        return Spec(back=text, around=around, imports=found.imports, order=found.order, note=note, lazy=lazy)


def case_of(spot: Spot) -> Case:
    """Look at what an attribute holds."""
    cls = type(spot.owner)
    home = home_of(Change(cls=cls, attribute=spot.attribute, out=()))
    containers: list[Any] = []
    for number, thing in enumerate([spot.value, *spot.arrivals]):
        if not any(type(thing) is kind for kind in _CONTAINERS):
            whole = number < len(spot.arrivals)
            return Case(spot, cls, home, thing, tuple(containers), whole, life(cls, spot.attribute))
        containers.append(thing)
    return Case(spot, cls, home, spot.value, (), False, life(cls, spot.attribute))

"""What is known of an attribute that leads to a culprit, and what a recipe says of how it crosses."""

from __future__ import annotations

import json
from collections import OrderedDict, defaultdict, deque
from dataclasses import dataclass, field
from typing import Any

from picklecheck import safe
from picklecheck.fixes.base import Change, Check, Spot
from picklecheck.fixes.carrying import Remade, remake
from picklecheck.fixes.setting import Life, life, setting
from picklecheck.fixes.spelling import spell, spell_name
from picklecheck.fixes.states import home_of

__all__ = ["SETS", "Case", "Spec", "case_of", "items_of"]

SETS = (set, frozenset)
_DICTS = (dict, OrderedDict, defaultdict)
_CONTAINERS = (list, deque, tuple, *SETS, *_DICTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """How one thing crosses; ``{x}`` stands for it in the texts, in those of `back` for what was carried.

    Attributes:
        out: an expression for what is carried; empty: nothing is.
        back: an expression that makes it again; empty: what is carried is what arrives.
        before: statements on this side, before what is carried is taken from it.
        around: a ``with`` line that what makes it stands under; empty: none.
        after: statements that follow, for what no expression does; they see what was carried as `carried`.
        lazy: whether it is made when it is first used.
        test: an expression that tells such a thing from others in a container.
        imports: what the texts need.
        note: what is different over there.
        order: greater for what the source sets later.
        type: the full name of its type.
        checks: what is looked at over there in place of the type.
        width: as in `Change`.
    """

    out: str = ""
    back: str = ""
    before: tuple[str, ...] = ()
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
        sub: where the thing is in what the attribute holds: ``["key"]``.
        imports: what the names that were spelled need.
    """

    spot: Spot
    cls: type
    home: type
    thing: Any
    containers: tuple[Any, ...]
    whole: bool
    life: Life
    sub: str = ""
    imports: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The attribute as a method of the class writes it: ``self.__x``."""
        return f"self.{spell_name(self.spot.attribute, self.home)}{self.sub}"

    @property
    def key(self) -> str:
        """The literal of its name in the state."""
        return json.dumps(self.spot.attribute)

    @property
    def label(self) -> str:
        """The attribute in a note."""
        return f".{spell_name(self.spot.attribute, self.home)}{self.sub}"

    @property
    def order(self) -> int:
        """A number that is greater for what the source sets later; 0 where that is not known."""
        found = setting(self.cls, self.spot.attribute)
        return found.order if found else 0

    def spell(self, module: str, name: str) -> str:
        """Give the text for a name of another module; the import goes with the change."""
        text, imports = spell(self.home, module, name)
        self.imports += imports
        return text

    def source(self) -> Remade | None:
        """Give the expression that the source sets the attribute to; None for things in a container."""
        if self.containers or self.sub:
            return None
        found = remake(self.cls, self.spot.attribute, self.spot.owner, self.thing, self.home)
        if found is None or found.text in ("None", "{}", "[]", "()"):
            return None
        twin = self._twin()
        return Remade(f"self.{spell_name(twin, self.home)}", (), found.order) if twin else found

    def _twin(self) -> str:
        """Give the first of several attributes that one statement gives the same object; empty for that one itself."""
        found = setting(self.cls, self.spot.attribute)
        if found is None or found.targets < 2:
            return ""
        own = safe.instance_dict(self.spot.owner) or {}
        alike = [name for name, held in own.items() if held is self.thing and name < self.spot.attribute]
        others = [(name, setting(self.cls, name)) for name in alike]
        return min([name for name, other in others if other and other.statement is found.statement], default="")

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


def items_of(container: Any) -> list[Any]:
    """Give the items of a plain container, of a dict its values."""
    return list(container.values() if any(type(container) is kind for kind in _DICTS) else container)

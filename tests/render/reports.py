"""Reports made by hand, one for each thing that a screen must be able to show."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from picklecheck import paths
from picklecheck.model import Crumb, Failure, Place, Report, Size
from picklecheck.paths import Step

REASONS = {
    "weakref": (
        "weak reference",
        "A weak reference points at an object of this process; it has no meaning in another one.",
        "Leave it out of the state and make it again in __setstate__, or keep a plain reference.",
    ),
    "lock": (
        "lock",
        "A lock belongs to the threads of this process; another process cannot share it by value.",
        "Leave it out of the state in __getstate__ and make a new one in __setstate__.",
    ),
    "arguments": (
        "lost arguments",
        "It is rebuilt by calling its class, and the arguments that travel are not those that it takes.",
        "Pass all arguments on to super().__init__().",
    ),
    "lambda": (
        "lambda",
        "A lambda has no name that another process could look up.",
        "Give it a name: write it as a function at the top level of a module.",
    ),
}


def steps(text: str) -> list[Step]:
    """Give the steps of a path such as ".cache[0]" or ".d{0}", where braces mean a key by its place."""
    found = []
    for name, item, key in re.findall(r"\.(\w+)|\[([^\]]*)\]|\{(\d+)\}", text):
        found.append(paths.attribute(name) if name else Step("item", f"[{item}]") if item else paths.key(int(key)))
    return found


def failure(kind: str, way: str, types: str, root: str = "dataset", **more: Any) -> Failure:
    """Give a failure at a path, with the types on the way separated by spaces."""
    walked = steps(way)
    title, reason, advice = REASONS[kind]
    trail = tuple(Crumb(step, type_) for step, type_ in zip(walked, types.split(), strict=True))
    text = paths.join(root, walked)
    facts: dict[str, Any] = {
        "path": text, "paths": (text,), "kind": kind, "title": title, "reason": reason, "advice": advice,
        "trail": trail, "type": types.rpartition(" ")[2],
    }  # fmt: skip
    return Failure(**{**facts, **more})


def report(*failures: Failure, target: str = "dataset", **more: Any) -> Report:
    """Give a report of these failures."""
    facts: dict[str, Any] = {
        "target": target, "target_type": "CropDataset", "transport": "process", "start_method": "spawn", "protocol": 4,
        "failures": failures, "python": "3.11.7",
    }  # fmt: skip
    return Report(**{**facts, **more})


def _place(line: int, statement: str | None, function: str | None = None) -> Place:
    return Place(file="/srv/project/train.py", line=line, statement=statement, function=function)


def three() -> Report:
    init = "TileCache.__init__"
    return report(
        failure(
            "weakref", ".cache.owner", "TileCache ReferenceType", owner="train.TileCache",
            assigned_at=_place(41, "self.owner = weakref.ref(owner)", init),
            error="TypeError: cannot pickle 'weakref.ReferenceType' object",
            note="Its target, dataset, is part of what is sent.",
        ),
        failure(
            "lock", ".cache.lock", "TileCache RLock", owner="train.TileCache",
            assigned_at=_place(42, "self.lock = threading.RLock()", init),
            error="TypeError: cannot pickle '_thread.RLock' object",
            paths=("dataset.cache.lock", "dataset.sampler.guard"), path_count=2,
        ),
        failure(
            "lambda", ".transform.steps[2]", "Compose list function", owner="train.Compose",
            assigned_at=_place(58, "Compose([crop, flip, lambda image: image / 255])"),
            error="PicklingError: Can't pickle <function <lambda> at 0x7f>: attribute lookup train.<lambda> failed",
        ),
        notes=(
            "Under fork nothing is pickled, so this works today on Linux up to Python 3.13; it fails on macOS, "
            "Windows, and Linux from Python 3.14.",
        ),
    )  # fmt: skip


def root_itself() -> Report:
    return report(
        failure("lambda", "", "", root="scale", type="function", assigned_at=_place(3, "scale = lambda x: x / 255")),
        target="scale", target_type="function",
    )  # fmt: skip


def many(number: int = 20_000) -> Report:
    rows = (
        failure(
            "lock", f".rows[{row}].lock", "list Row lock", owner="train.Row",
            assigned_at=_place(12, "self.lock = threading.Lock()", "Row.__init__"),
        )
        for row in range(number)
    )  # fmt: skip
    return report(*rows, failure("lambda", ".key", "function", assigned_at=_place(30, "self.key = lambda row: row.id")))


def unlike(number: int = 60) -> Report:
    return report(
        *(
            failure(
                "lambda", f".hooks['{name}']", "dict function", assigned_at=_place(name, f"hooks[{name}] = lambda: 0")
            )
            for name in range(number)
        )
    )


def unlike_names(number: int = 20_000) -> Report:
    return report(*(failure("lock", f".lock_{name}", "lock", owner="train.Bag") for name in range(number)))


def deep() -> Report:
    repeat = Step(
        "repeat", ")", "__import__('functools').reduce(lambda o, _: o.next, range(999998), ", 999_998, 999_998
    )
    walked = (Crumb(repeat, "Node"), Crumb(paths.attribute("lock"), "lock"))
    text = paths.join("chain", [crumb.step for crumb in walked])
    return report(
        failure("lock", "", "", root="chain", path=text, paths=(text,), trail=walked, type="lock", owner="train.Node"),
        target="chain", target_type="Node",
        notes=("The chain is 1,000,000 objects long: the pickler itself gives up at about 500.",),
    )  # fmt: skip


def long_chain() -> Report:
    names = [f"part{number}" for number in range(12)]
    path = "".join(f".{name}" for name in names) + ".items[0].lock"
    types = " ".join([*(name.title() for name in names), "list", "Item", "lock"])
    return report(failure("lock", path, types, root="root", owner="app.Item"), target="root", target_type="Root")


def nested(levels: int = 50) -> Report:
    found = [
        failure(
            "lock", ".next" * level + ".lock", " ".join(["Node"] * level + ["lock"]), root="chain", owner="app.Node"
        )
        for level in range(levels)
    ]
    return report(*found, target="chain", target_type="Node")


HOSTILE = "\x1b[31mred\x1b[0m\n[red]bold[/red] \u202eevil \ud800 </script><img src=x onerror=alert(1)>"


def hostile() -> Report:
    key = f"[{HOSTILE!r}]"
    trail = (Crumb(Step("item", key), HOSTILE), Crumb(paths.attribute("größe"), "Größe"))
    text = f"obj{key}.größe"
    return report(
        failure(
            "lock", "", "", path=text, paths=(text, f"obj.{HOSTILE}"), path_count=2, trail=trail, type=HOSTILE,
            title=HOSTILE, owner=HOSTILE, note=HOSTILE, error=HOSTILE, value=HOSTILE, reason="", advice="",
            assigned_at=Place(file=f"/tmp/{HOSTILE}.py", line=1, statement=HOSTILE, function=HOSTILE),
        ),
        target="obj", target_type=HOSTILE, notes=(HOSTILE,),
    )  # fmt: skip


def pathless() -> Report:
    return report(
        failure("lock", "", "", path=None, paths=(), type="lock", value="<_thread.lock object>", owner="app.Queue"),
        failure("lock", ".cache{0}", "dict lock", path_count=200_000),
    )


def fine() -> Report:
    return report(
        target="queue_item", target_type="dict", size=Size(objects=14, bytes=1_230),
        notes=("2 arrays were measured and not copied.",),
    )  # fmt: skip


def call() -> Report:
    handler = failure("lock", "['target'].__self__.lock", "method Handler lock", owner="app.Handler")
    argument = failure("lambda", "['args'][0]", "tuple function")
    keyword = failure("lambda", "['kwargs']['key']", "dict function")
    named = ("target.__self__.lock", "args[0]", "kwargs['key']")
    found = [
        replace(found, path=path, paths=(path,))
        for found, path in zip((handler, argument, keyword), named, strict=True)
    ]
    return report(*found, target="call", target_type="call")


def weakrefs(number: int = 300) -> Report:
    rows = (
        failure(
            "weakref", f".rows[{row}].owner", "list Row ReferenceType", owner="train.Row",
            note=f"Its target (dataset.tables['t{row}'][{row}]) is part of what is sent." if row < 20 else "",
        )
        for row in range(number)
    )  # fmt: skip
    return report(*rows)


def wide() -> Report:
    return report(
        failure(
            "lock",
            "['日本語のとても長い鍵の名前です日本語のとても長い鍵の名前です']",
            "lock",
            type="日本語の型" * 9,
            owner="m.日本",
        ),
        failure("lock", ".short", "lock", owner="m.Other"),
    )


def plain_pickle() -> Report:
    return report(failure("lock", ".lock", "lock"), transport="pickle", start_method=None)


def over_there() -> Report:
    return report(
        failure(
            "arguments", ".cause", "LookupFailed", stage="unpickle", owner="train.Outcome",
            assigned_at=_place(30, "def __init__(self, table, key):", "LookupFailed.__init__"),
            note="Over there LookupFailed.__init__ is called with ('no bob'): 'key' is lost.",
            error="TypeError: LookupFailed.__init__() missing 1 required positional argument: 'key'",
        ),
        failure("arguments", ".rows[0]", "list Rows", stage="unpickle", name="__main__.Rows"),
    )  # fmt: skip


def not_started() -> Report:
    found = failure(
        "arguments", "", "", path=None, paths=(), stage="bootstrap", name="__main__", error="ValueError: not here",
        assigned_at=_place(3, "raise ValueError('not here')"),
    )  # fmt: skip
    return report(found)


def hazards() -> Report:
    lost = failure("arguments", ".order", "Order", stage="behaviour", severity="warning", owner="train.Sweep")
    doubled = failure("arguments", ".default", "object", stage="behaviour", severity="warning")
    return report(hazards=(lost, doubled), arrived=True, size=Size(objects=3, bytes=500))


MAKERS: dict[str, Callable[[], Report]] = {
    make.__name__: functools.cache(make)
    for make in (
        three, root_itself, many, unlike, unlike_names, deep, long_chain, nested, hostile, pathless, fine, plain_pickle,
        call, weakrefs, wide, over_there, not_started, hazards,
    )
}  # fmt: skip

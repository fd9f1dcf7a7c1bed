"""What came back, told so that it can be compared without the object: its type, its attributes, whether it is `is`."""

from __future__ import annotations

import sys
from typing import Any

from picklecheck.safe import instance_dict, members, qualified_name

__all__ = ["tell"]

_MISSING = object()


def tell(loaded: dict[int, Any], wanted: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Tell the shapes of the objects with those numbers.

    Args:
        loaded: number -> object.
        wanted: `number`, and `module` and `name` of the module attribute that it was over there, or None.
    """
    return [_shape(loaded[asked["number"]], asked) for asked in wanted if asked["number"] in loaded]


def _shape(obj: Any, asked: dict[str, Any]) -> dict[str, Any]:
    names = [name for name in instance_dict(obj) or {} if type(name) is str]
    names += [name for name, _ in members(obj)]
    same = None
    if asked["module"] is not None:
        module = sys.modules.get(asked["module"])
        same = (instance_dict(module) or {}).get(asked["name"], _MISSING) is obj
    return {"number": asked["number"], "type": qualified_name(type(obj)), "attributes": names, "same": same}

"""The names under which the steps of unpickling are written when they are written for explaining.

The sender writes ``made(number, func, *args)`` where the transport's data stream says ``func(*args)``. The child does
not call these functions: its unpickler answers for their names with methods that call the real function, and note the
number where that raises.
"""

from __future__ import annotations

from typing import Any

__all__ = ["made", "set_all", "set_state"]


def made(number: int, func: Any, *args: Any) -> Any:
    """Stand for the call that makes an object.

    Args:
        number: the object's place in the sender's sequence.
        func: what the reduce value calls.
        args: with these arguments.
    """
    raise NotImplementedError  # only its name is used


def set_state(obj: Any, state: Any) -> None:
    """Stand for the setting of a state."""
    raise NotImplementedError


def set_all(obj: Any, rest: tuple[Any, Any, Any, Any]) -> None:
    """Stand for all that follows the making of an object.

    Args:
        obj: the object.
        rest: its items, its pairs of key and value, its state, and the function that sets that; each may be None.
    """
    raise NotImplementedError

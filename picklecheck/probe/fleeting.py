"""Which objects are made anew by pickling and are gone after it, where the receiver needs them to be there still."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

from picklecheck.probe.walk import STUB, Sink, Walk, unhook

__all__ = ["fleeting"]

Watch = Callable[[Any], Callable[[], bool] | None]


def fleeting(
    walk: Walk, make: Callable[[Sink], pickle.Pickler], watch: Watch, stand_in: Callable[[Any], Any]
) -> list[int]:
    """Pickle a walk's root once more, this time keeping nothing alive, and see what does not outlive that.

    Args:
        walk: a walk without culprits.
        make: gives a pickler of the transport's class for a sink.
        watch: gives for an object that matters a function that tells whether it is gone; None for all others.
        stand_in: the transport's; what has one is left out, since its real reducer changes something.

    Returns:
        The places in the walk's sequence of what is gone, ascending.
    """
    places = [place for place, obj in enumerate(walk.objects) if watch(obj) is not None]
    if not places:
        return []
    gone: list[Callable[[], bool]] = []

    pickler = make(Sink())
    table = getattr(pickler, "dispatch_table", {})

    def hook(obj: Any) -> Any:
        is_gone = watch(obj)
        if is_gone is not None:
            gone.append(is_gone)
            return STUB
        reducer = table.get(type(obj))
        return NotImplemented if reducer is None or stand_in(reducer) is None else STUB

    pickler.reducer_override = hook  # type: ignore[method-assign]  # and the dispatch table stays, for all others
    try:
        pickler.dump(walk.root)
    except Exception:  # not what it was a moment ago: nothing can be said
        return []
    finally:
        unhook(pickler)
        pickler.clear_memo()
    if len(gone) != len(places):
        return []
    return [place for place, is_gone in zip(places, gone, strict=True) if is_gone()]

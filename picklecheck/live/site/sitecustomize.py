"""Found before any other `sitecustomize` by an interpreter that is to be watched; hands on to the one behind it."""

import os
import sys

_NAME = "sitecustomize"


def _hand_on() -> None:
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [path for path in sys.path if os.path.abspath(path or ".") != here]
    ours = sys.modules.pop(_NAME, None)
    try:
        __import__(_NAME)  # the one that would have been found
    except ImportError as error:
        if error.name != _NAME:
            raise
        if ours is not None:
            sys.modules[_NAME] = ours


def _begin() -> None:
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    sys.path.append(root)  # another interpreter's, or one that does not have it installed
    try:
        from picklecheck.live import begin
    except ImportError:  # it is too old for us
        return
    finally:
        sys.path.remove(root)
    begin()


if os.environ.get("PICKLECHECK_RUN"):
    _begin()
_hand_on()

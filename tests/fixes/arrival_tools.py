"""Tries a remedy: the file is edited in a copy, the live object is pickled with it, and a child loads it twice."""

import os
import pickle
import subprocess
import sys
from pathlib import Path

import picklecheck
from picklecheck.fixes.base import Spot
from picklecheck.fixes.plan import plan
from picklecheck.fixes.sender import Sender

CHILD = """
import pickle, sys
from collections import deque

def shape(obj, seen):
    if id(obj) in seen:
        return "..."
    seen = seen | {id(obj)}
    if isinstance(obj, type) or callable(obj) and hasattr(obj, "__qualname__"):
        return obj.__qualname__
    kind, own = type(obj).__qualname__, getattr(obj, "__dict__", None)
    told = [kind, str(obj) if isinstance(obj, (BaseException, str, int, float)) else ""]
    if isinstance(own, dict) and not hasattr(type(obj), "__members__"):
        told.append(sorted((name, shape(value, seen)) for name, value in own.items()))
    if isinstance(obj, dict):
        told.append([(shape(key, seen), shape(value, seen)) for key, value in dict.items(obj)])
    elif isinstance(obj, (list, tuple, deque)):
        told.append([shape(each, seen) for each in type(obj).__iter__(obj)])
    elif isinstance(obj, (set, frozenset)):
        told.append(sorted(map(str, (shape(each, seen) for each in obj))))
    for cls in type(obj).__mro__:
        names = cls.__dict__.get("__slots__", ())
        names = [names] if isinstance(names, str) else names
        told += [(name, shape(getattr(obj, name), seen)) for name in names if hasattr(obj, name)]
    return told
"""

MAIN = """
data = sys.stdin.buffer.read()
first = pickle.loads(data)
again = {protocol: pickle.loads(pickle.dumps(first, protocol)) for protocol in PROTOCOLS}
for second in again.values():
    assert shape(second, frozenset()) == shape(first, frozenset()), (shape(first, frozenset()), second)
print(shape(first, frozenset()))
"""

_space = {}
exec(CHILD, _space)
shape = _space["shape"]


def dumped(obj, found, protocol):
    """Pickle an object as the sender of a trial does."""
    import io

    sender = Sender(found.methods, found.replaces, protocol)

    class Pickler(pickle.Pickler):
        def reducer_override(self, obj):
            return sender(obj)

    buffer = io.BytesIO()
    Pickler(buffer, protocol).dump(obj)
    return buffer.getvalue()


def fixed(recipe, obj, root=None, *, kind="", stage="unpickle", protocols=(2, 4, 5)):
    """Apply the remedy for an object; give the edited text, once the object has made the trips."""
    remedy = recipe(Spot(obj=obj, kind=kind, stage=stage))
    assert remedy is not None
    found = plan([remedy])
    assert found is not None
    (file, (_, text)), *others = found.texts.items()
    assert not others
    root = obj if root is None else root
    before = Path(file).read_text(encoding="utf-8")
    data = [dumped(root, found, protocol) for protocol in protocols]
    Path(file).write_text(text, encoding="utf-8")
    try:
        for each in data:
            told = _child(Path(file).parent, each, protocols)
            assert told == repr(shape(root, frozenset()))
    finally:
        Path(file).write_text(before, encoding="utf-8")
    return text


def _child(directory, data, protocols):
    source = CHILD + MAIN.replace("PROTOCOLS", repr(protocols))
    paths = [str(directory), str(Path(picklecheck.__file__).parent.parent)]
    done = subprocess.run(
        [sys.executable, "-c", source],
        input=data,
        capture_output=True,
        timeout=60,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().strip()

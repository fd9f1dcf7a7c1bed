"""Makes modules of source text, spots of their objects, and classes with the methods that a remedy asks for."""

import importlib.util
import pickle
import sys
import textwrap
import types

from picklecheck.fixes.base import Spot
from picklecheck.fixes.states import home_of


class Modules:
    def __init__(self, path):
        self.path, self.names = path, []

    def make(self, text):
        name = f"state_module_{len(self.names)}"
        path = self.path / f"{name}.py"
        path.write_text(textwrap.dedent(text))
        spec = importlib.util.spec_from_file_location(name, path)
        self.names.append(name)
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
        return sys.modules[name]

    def close(self):
        for name in self.names:
            del sys.modules[name]


def spot(owner, name, kind, *, arrivals=(), travels=lambda obj: False):
    value = owner.__dict__[name]
    return Spot(
        obj=arrivals[-1] if arrivals else value,
        kind=kind,
        owner=owner,
        attribute=name,
        value=value,
        rest=(None,) * len(arrivals),
        arrivals=tuple(arrivals),
        travels=travels,
    )


def methods_of(changes):
    """Give the source of the state methods that changes ask for, for use in a class."""
    changes = sorted(changes, key=lambda change: change.order)
    lines = ["def __getstate__(self):", "    state = self.__dict__.copy()"]
    for change in changes:
        lines += [textwrap.indent(line, "    ") for line in change.out]
    lines += ["    return state", "def __setstate__(self, state):", "    self.__dict__.update(state)"]
    for change in changes:
        lines += [textwrap.indent(line, "    ") for line in change.back]
    for change in changes:
        if change.lazy:
            lines += ["import functools", "@functools.cached_property", f"def {change.attribute}(self):"]
            lines += [f"    return {change.lazy}"]
    return "\n".join(lines)


def install(changes):
    """Give the class the methods, and its module the imports."""
    cls = home_of(changes[0])
    space = sys.modules[cls.__module__].__dict__
    for change in changes:
        for statement in change.imports:
            exec(statement, space)
    text = f"class {cls.__name__}:\n" + textwrap.indent(methods_of(changes), "    ")
    made = types.FunctionType(compile(text, "<methods>", "exec"), space)
    before = space.get(cls.__name__)
    made()
    for name, held in vars(space[cls.__name__]).items():
        if name in ("__getstate__", "__setstate__") or hasattr(held, "__set_name__"):
            setattr(cls, name, held)
    space[cls.__name__] = before


def twice(obj):
    first = pickle.loads(pickle.dumps(obj))
    pickle.loads(pickle.dumps(first))
    return first

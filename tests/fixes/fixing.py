"""Modules made of source text, the remedies for what they hold, and the edited text at work in a process of its own."""

import importlib
import io
import itertools
import pickle
import subprocess
import sys
import textwrap

from picklecheck.fixes import edits
from picklecheck.fixes.base import Made, Named, Spot

_NUMBERS = itertools.count()
_CHILD = """
import pickle, sys
sys.path.insert(0, {folder!r})
import {module}
got = pickle.loads({data!r})
got = pickle.loads(pickle.dumps(got))
print(eval({ask!r}, vars({module}) | {{"got": got}}))
"""


def _named(module, qualname):
    raise NotImplementedError


class _Pickler(pickle._Pickler):
    """Pickles what stands in for live objects, as the trial does."""

    def __init__(self, sink, pairs):
        super().__init__(sink, 4)
        self.pairs = {id(live): new for live, new in pairs}

    def save(self, obj, *args, **kwargs):
        obj = self.pairs.get(id(obj), obj)
        if type(obj) is Named:
            module = self.written[obj.module] = obj.module
            self.write(pickle.GLOBAL + f"{module}\n{obj.qualname}\n".encode())
        elif type(obj) is Made:
            self.save_reduce(obj.func, obj.args, obj=obj)
        else:
            super().save(obj, *args, **kwargs)

    written: dict = {}


class Program:
    """A module in a folder of its own."""

    def __init__(self, folder, text):
        self.name = f"fixing_{next(_NUMBERS)}"
        self.folder = folder
        self.file = folder / f"{self.name}.py"
        self.text = textwrap.dedent(text).lstrip("\n")
        self.file.write_text(self.text, encoding="utf-8")
        sys.path.insert(0, str(folder))
        try:
            self.module = importlib.import_module(self.name)
        finally:
            sys.path.remove(str(folder))

    def remedy(self, recipe, obj, kind, **more):
        return recipe(Spot(obj=obj, kind=kind, **more))

    def edited(self, *remedies):
        found = [edit for remedy in remedies for file, edit in remedy.edits if file == str(self.file)]
        return edits.apply(self.text, found)

    def crosses(self, obj, remedies, ask):
        """Give what the edited module, in a new process, answers about the object as `got`, loaded twice."""
        sink = io.BytesIO()
        pairs = [pair for remedy in remedies for pair in remedy.replaces]
        _Pickler(sink, pairs).dump(obj)
        folder = self.folder / f"edited_{next(_NUMBERS)}"
        folder.mkdir()
        (folder / self.file.name).write_text(self.edited(*remedies), encoding="utf-8")
        code = _CHILD.format(folder=str(folder), module=self.name, data=sink.getvalue(), ask=ask)
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr + self.edited(*remedies)
        return done.stdout.strip()

    def again(self, remedies, ask):
        """Give what an expression gives in the edited module, once pickled and loaded there."""
        folder = self.folder / f"edited_{next(_NUMBERS)}"
        folder.mkdir()
        (folder / self.file.name).write_text(self.edited(*remedies), encoding="utf-8")
        code = f"import sys, pickle; sys.path.insert(0, {str(folder)!r}); import {self.name} as m\ncross = lambda obj: pickle.loads(pickle.dumps(obj))\nprint(str(({ask})))"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr + self.edited(*remedies)
        return done.stdout.strip()

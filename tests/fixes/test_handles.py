import os
import pickle
import subprocess
import sys

import pytest

from picklecheck.fixes.recipes.state import state
from tests.fixes.state_tools import Modules, install, spot, twice

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")


@pytest.fixture
def modules(tmp_path):
    made = Modules(tmp_path)
    yield made
    made.close()


@pytest.fixture
def path(tmp_path):
    found = tmp_path / "data.txt"
    found.write_text("one\ntwo\nthree\n")
    return str(found)


def in_init(modules, imports, *lines, args=()):
    body = "\n            ".join(lines)
    return modules.make(f"""
    {imports}
    class A:
        def __init__(self, path):
            {body}
    """).A(*args)


def fixed(obj, name, kind, arrivals=()):
    remedy = state(spot(obj, name, kind, arrivals=arrivals))
    assert remedy is not None
    install(remedy.changes)
    return twice(obj), remedy


@pytest.mark.parametrize("mode", ["r", "rb", "r+", "a", "w", "wb", "w+", "w+b", "ab+"])
def test_a_file_is_opened_again(modules, path, mode):
    obj = in_init(modules, "", f"self.x = open(path, {mode!r})", args=[path])
    if "r" in mode:
        obj.x.readline()
    else:
        obj.x.write(b"abc" if "b" in mode else "abc")
    position = obj.x.tell()
    obj.x.flush()
    size = os.path.getsize(path)
    there, _ = fixed(obj, "x", "file")
    assert os.path.getsize(path) == size
    assert there.x.tell() == position
    assert type(there.x) is type(obj.x) or mode in ("w", "wb")
    assert there.x.writable() == obj.x.writable()
    obj.x.close()
    there.x.close()


def test_streams_temporary_files_and_closed_ones(modules, path):
    obj = in_init(
        modules,
        "import sys, tempfile",
        "self.s = sys.stderr",
        "self.t = tempfile.NamedTemporaryFile()",
        "self.c = open(path)",
        "self.c.close()",
        args=[path],
    )
    changes = []
    for name in "stc":
        remedy = state(spot(obj, name, "file"))
        assert bool(remedy.note) == (name != "s")
        changes += remedy.changes
    install(changes)
    there = twice(obj)
    assert there.s is __import__("sys").stderr
    assert (there.t, there.c) == (None, None)
    obj.t.close()


def test_a_file_that_is_opened_when_needed(modules, path):
    module = modules.make("""
    class A:
        def __init__(self, path):
            self.path = path
            self._fh = None
        def read(self):
            if self._fh is None:
                self._fh = open(self.path)
            return self._fh
    """)
    obj = module.A(path)
    obj.read()
    there, remedy = fixed(obj, "_fh", "file")
    assert (remedy.changes[0].out, remedy.changes[0].back, remedy.note) == (('state["_fh"] = None',), (), "")
    there.read().close()
    obj._fh.close()


def test_archives(modules, path, tmp_path):
    import gzip
    import tarfile
    import zipfile

    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.write(path, "data.txt")
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        archive.add(path, "data.txt")
    with gzip.open(tmp_path / "a.gz", "wb") as archive:
        archive.write(b"one two three")
    obj = in_init(
        modules,
        "import zipfile, tarfile, gzip",
        "self.z = zipfile.ZipFile(path + '/a.zip')",
        "self.t = tarfile.open(path + '/a.tar')",
        "self.g = gzip.open(path + '/a.gz')",
        args=[str(tmp_path)],
    )
    obj.g.read(4)
    changes = []
    for name, inner in (("z", obj.z.fp), ("t", obj.t.fileobj), ("g", None)):
        changes += state(spot(obj, name, "file" if inner else "archive", arrivals=[inner] if inner else [])).changes
    install(changes)
    there = twice(obj)
    assert there.z.namelist() == there.t.getnames() == ["data.txt"]
    assert there.g.read() == b"two three"
    for each in (obj, there):
        each.z.close(), each.t.close(), each.g.close()


def test_databases(modules, tmp_path):
    obj = in_init(
        modules, "import sqlite3", "self.path = path", "self.d = sqlite3.connect(path)", "self.c = self.d.cursor()",
        "self.m = sqlite3.connect(':memory:')", "self.m.execute('create table t (a)')", "self.m.execute('insert into t values (5)')",
        args=[str(tmp_path / "d.db")],
    )  # fmt: skip
    changes = []
    for name, kind in (("d", "database-connection"), ("c", "database-cursor"), ("m", "database-connection")):
        changes += state(spot(obj, name, kind)).changes
    install(changes)
    assert changes[0].back == ("self.d = sqlite3.connect(self.path)",)
    assert changes[1].back == ("self.c = self.d.cursor()",)
    there = twice(obj)
    assert there.c.execute("select 1").fetchone() == (1,)
    assert there.m.execute("select a from t").fetchone() == (5,)
    for each in (obj, there):
        each.d.close(), each.m.close()


def test_maps_and_views(modules, path):
    obj = in_init(
        modules,
        "import mmap",
        "self.m = mmap.mmap(-1, 8)",
        "self.m.write(b'abc')",
        "self.v = memoryview(self.m)",
        "self.w = memoryview(given) if (given := b'xyz') else None",
        args=[path],
    )
    changes = [
        c
        for name, kind in (("m", "mmap"), ("v", "memoryview"), ("w", "memoryview"))
        for c in state(spot(obj, name, kind)).changes
    ]
    install(changes)
    there = twice(obj)
    assert bytes(there.m[:3]) == b"abc"
    assert there.v.obj is there.m
    assert there.w.tobytes() == b"xyz"


def test_arrays(modules, tmp_path):
    np = pytest.importorskip("numpy")
    np.savez(tmp_path / "a.npz", x=np.arange(3))
    obj = in_init(modules, "import numpy as np", "self.data = np.load(path)", args=[str(tmp_path / "a.npz")])
    there, remedy = fixed(obj, "data", "lock", [obj.data.zip, obj.data.zip._lock])
    assert remedy.changes[0].out == ('state["data"] = self.data.fid.name',)
    assert remedy.changes[0].back == ("self.data = np.load(self.data)",)
    assert there.data["x"].sum() == 3
    obj.data.close()
    there.data.close()


@pytest.mark.parametrize("mode", ["r", "a", "w"])
def test_hdf5(modules, tmp_path, mode):
    h5py = pytest.importorskip("h5py")
    where = str(tmp_path / "a.h5")
    with h5py.File(where, "w") as file:
        file["x"] = [1, 2]
    obj = in_init(
        modules,
        "import h5py",
        f"self.f = h5py.File(path, {mode!r})",
        "self.d = self.f.require_dataset('x', (2,), 'i8')",
        args=[where],
    )
    changes = [*state(spot(obj, "f", "hdf5")).changes, *state(spot(obj, "d", "hdf5")).changes]
    assert changes[1].out == ('state["d"] = self.d.name',)
    install(changes)
    data = pickle.dumps(obj)
    obj.f.close()
    there = pickle.loads(data)
    assert there.d.shape == (2,)
    assert there.f.mode == "r"
    assert twice(there).f.filename == where


@pytest.mark.parametrize(("line", "name"), [("", "f"), ("self.f = self.f['x']", "f")], ids=["file", "data set"])
def test_what_is_written_to_hdf5_is_on_the_disk_when_it_is_opened_over_there(modules, tmp_path, line, name):
    h5py = pytest.importorskip("h5py")
    where = str(tmp_path / "a.h5")
    obj = in_init(
        modules, "import h5py", "self.f = h5py.File(path, 'a')", "self.f['x'] = [1, 2]", line or "pass", args=[where]
    )
    install(state(spot(obj, name, "hdf5")).changes)
    (obj.f if line else obj.f["x"])[:] = [5, 6]
    pickle.dumps(obj)
    read = f"import h5py; print(h5py.File({where!r}, 'r', locking=False)['x'][:].tolist())"
    done = subprocess.run([sys.executable, "-c", read], capture_output=True, text=True, check=False, timeout=60)
    assert done.stdout == "[5, 6]\n", done.stderr
    (obj.f if isinstance(obj.f, h5py.File) else obj.f.file).close()


def test_tensors(modules):
    torch = pytest.importorskip("torch")
    obj = in_init(
        modules,
        "import torch",
        "self.w = torch.ones(2, requires_grad=True) * 2",
        "self.d = {'a': self.w * 2, 'b': 1}",
        args=[""],
    )
    changes = [
        *state(spot(obj, "w", "non-leaf-tensor")).changes,
        *state(spot(obj, "d", "non-leaf-tensor", arrivals=[obj.d["a"]])).changes,
    ]
    install(changes)
    there = twice(obj)
    assert torch.equal(there.w, torch.ones(2) * 2)
    assert there.d["b"] == 1

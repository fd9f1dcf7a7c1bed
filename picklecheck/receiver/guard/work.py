"""What is done at import level that each child repeats: folders made, files written, ports taken, questions asked."""

from __future__ import annotations

from typing import NamedTuple

from picklecheck.receiver.guard.values import (
    Arguments,
    Bound,
    Const,
    Known,
    Made,
    Mixed,
    Sequence,
    Value,
    options,
)
from picklecheck.receiver.guard.varying import varies

__all__ = ["Work", "is_path", "work_of_call", "work_of_method"]


class Work(NamedTuple):
    """What is done.

    Attributes:
        what: the predicate of a sentence.
        severity: "error" where the second time fails or never ends.
        errors: the exceptions that the second time raises.
    """

    what: str
    severity: str = "warning"
    errors: tuple[str, ...] = ()


_EXISTS = ("FileExistsError", "OSError", "IOError", "EnvironmentError")
_GONE = ("FileNotFoundError", "OSError", "IOError", "EnvironmentError")
_IN_USE = ("OSError", "IOError", "EnvironmentError")
_NO_INPUT = ("EOFError",)

_MAKES = Work("makes a folder that is there the second time", "error", _EXISTS)
_REMOVES = Work("removes what is gone the second time", "error", _GONE)
_MOVES = Work("moves what is no longer there the second time", "error", _GONE)
_COPIES = Work("copies a folder onto one that is there the second time", "error", _EXISTS)
_WIPES = Work("removes a folder, which may be in use by then")
_WRITES = Work("writes a file")
_ASKS = Work("waits for input, which a child does not get", "error", _NO_INPUT)
_LISTENS = Work("takes a port that is in use the second time", "error", _IN_USE)
_SERVES = Work("goes on until the program ends", "error")
_WINDOW = Work("opens a window, or waits for one to be closed")
_TABLE = Work("makes a table that is there the second time", "error", ("OperationalError", "DatabaseError", "Error"))
_LOCKS = Work("takes a lock that is taken the second time", "error", _IN_USE)
_READS = Work("reads the standard input, of which nothing is left the second time")
_TESTS = Work("runs the tests, and ends the program", "error", ("SystemExit",))
_MOVES_IN = Work("changes into a folder that is not below the one where a child begins", "error", _GONE)
_SHARES = Work("makes shared memory of a name that is taken the second time", "error", _EXISTS)
_RUN = Work("begins a run of its own in the log")
_VARIES = Work("makes a folder of another name in each process")

_CALLS = {
    "os.mkdir": _MAKES,
    "os.mkfifo": _MAKES,
    "os.symlink": _MAKES._replace(what="makes a link that is there the second time"),
    "os.link": _MAKES._replace(what="makes a link that is there the second time"),
    "shutil.copytree": _COPIES,
    **dict.fromkeys(("os.remove", "os.unlink", "os.rmdir", "os.removedirs"), _REMOVES),
    **dict.fromkeys(("os.rename", "os.renames", "os.replace", "shutil.move"), _MOVES),
    "shutil.rmtree": _WIPES,
    **dict.fromkeys(
        ("numpy.save", "numpy.savez", "numpy.savez_compressed", "numpy.savetxt", "torch.save", "cv2.imwrite",
         "megengine.save", "urllib.request.urlretrieve", "joblib.dump", "soundfile.write", "imageio.imwrite",
         "matplotlib.pyplot.savefig"),
        _WRITES,
    ),
    "input": _ASKS,
    **dict.fromkeys(("sys.stdin.read", "sys.stdin.readline", "sys.stdin.readlines"), _READS),
    **dict.fromkeys(("fcntl.flock", "fcntl.lockf", "msvcrt.locking"), _LOCKS),
    **dict.fromkeys(("unittest.main", "pytest.main"), _TESTS),
    "getpass.getpass": _ASKS,
    "socket.create_server": _LISTENS,
    **dict.fromkeys(
        ("http.server.HTTPServer", "http.server.ThreadingHTTPServer", "socketserver.TCPServer",
         "socketserver.ThreadingTCPServer", "socketserver.UDPServer", "wsgiref.simple_server.make_server",
         "xmlrpc.server.SimpleXMLRPCServer", "multiprocessing.connection.Listener"),
        _LISTENS,
    ),
    **dict.fromkeys(("uvicorn.run", "waitress.serve", "aiohttp.web.run_app", "bottle.run"), _SERVES),
    **dict.fromkeys(("tkinter.Tk", "tkinter.mainloop", "matplotlib.pyplot.show"), _WINDOW),
    **dict.fromkeys(
        ("wandb.init", "mlflow.start_run", "torch.utils.tensorboard.SummaryWriter", "tensorboardX.SummaryWriter"),
        _RUN,
    ),
}  # fmt: skip
_PATH_METHODS = {
    **dict.fromkeys(("write_text", "write_bytes"), _WRITES),
    "unlink": _REMOVES,
    "rmdir": _REMOVES,
    **dict.fromkeys(("rename", "replace"), _MOVES),
    "symlink_to": _MAKES._replace(what="makes a link that is there the second time"),
}
_METHODS = {
    **dict.fromkeys(("serve_forever", "run_forever", "infinite_polling", "start_polling"), _SERVES),
    "mainloop": _WINDOW,
    **dict.fromkeys(("to_csv", "to_parquet", "to_pickle", "to_hdf", "to_feather", "to_excel", "savefig"), _WRITES),
}
_PATHS = frozenset(f"pathlib.{name}" for name in ("Path", "PosixPath", "WindowsPath"))
_OPENS = frozenset(("h5py.File", "zipfile.ZipFile", "tarfile.open", "numpy.memmap"))
_GIVES_PATH = frozenset(
    ("parent", "joinpath", "with_name", "with_suffix", "with_stem", "resolve", "absolute", "expanduser", "cwd", "home")
)


def work_of_call(name: str, arguments: Arguments) -> Work | None:
    """Say what a call of a function does that a child repeats; None for what does no harm."""
    if name in ("open", "io.open", "codecs.open", "gzip.open", "bz2.open", "lzma.open"):
        return _opening(arguments.get(0, "file"), arguments.get(1, "mode"))
    if name == "os.makedirs":
        return _making(arguments.get(0, "name"), arguments.get(2, "exist_ok"))
    if name == "shutil.copytree" and _may_be_true(arguments.get(None, "dirs_exist_ok")):
        return None
    if name.endswith(("Server", "create_server", "make_server", "Listener")) and _any_port(arguments):
        return None
    if name == "os.chdir":
        return _entering(arguments.get(0, "path"))
    if name in _OPENS:
        return _opening_with_lock(name, arguments)
    if name == "multiprocessing.shared_memory.SharedMemory":
        return _SHARES if arguments.get(0, "name") and _may_be_true(arguments.get(1, "create")) else None
    if name == "logging.FileHandler":
        return _WRITES if _is_write(arguments.get(1, "mode")) else None
    if name == "logging.basicConfig":
        return _WRITES if _has(arguments, "filename") and _is_write(arguments.get(None, "filemode")) else None
    return _CALLS.get(name)


def work_of_method(owner: Value, name: str, arguments: Arguments) -> Work | None:
    """Say what a call of a method does that a child repeats; None for what does no harm."""
    if is_path(owner):
        if name == "mkdir":
            return _making(owner, arguments.get(2, "exist_ok"))
        if name == "open":
            return _opening(owner, arguments.get(0, "mode"))
        if name == "unlink" and _may_be_true(arguments.get(0, "missing_ok")):
            return None
        return _PATH_METHODS.get(name)
    if name == "bind" and _is_made(owner, "socket.socket"):
        return None if _any_port(arguments) else _LISTENS
    if name == "run" and _is_made(owner, "flask.Flask", "bottle.Bottle", "dash.Dash", "sanic.Sanic", "quart.Quart"):
        return _SERVES
    if name == "execute":
        return _TABLE if _makes_table(arguments.get(0, "sql")) else None
    if name.startswith("to_") and not (arguments.positional or arguments.keywords):
        return None
    return _METHODS.get(name)


def is_path(value: Value, depth: int = 8) -> bool:
    """Tell whether a value is a `pathlib.Path`."""
    if depth == 0:
        return False
    if isinstance(value, Made):
        made, _, last = value.known.name.rpartition(".")
        return value.known.name in _PATHS or (last in _GIVES_PATH and made.partition("()")[0] in _PATHS)
    if isinstance(value, Bound):
        return value.name in _GIVES_PATH and is_path(value.owner, depth - 1)
    if isinstance(value, Mixed):
        return any(is_path(part, depth - 1) for part in value.parts)
    return len(options(value)) > 1 and any(is_path(one, depth - 1) for one in options(value))


def _making(path: Value | None, exist_ok: Value | None) -> Work | None:
    if path is not None and varies(path):
        return _VARIES
    return None if _may_be_true(exist_ok) else _MAKES


def _opening(file: Value | None, mode: Value | None) -> Work | None:
    if not isinstance(mode, Const) or not isinstance(mode.value, str) or not set(mode.value) & set("wxa"):
        return None
    if isinstance(file, Known) and file.name == "os.devnull":
        return None
    if isinstance(file, Const) and (isinstance(file.value, int) or str(file.value).startswith(("/dev/", "NUL"))):
        return None
    if "x" in mode.value:
        return Work("makes a file that is there the second time", "error", _EXISTS)
    return _WRITES


def _entering(path: Value | None) -> Work | None:
    """Say what `os.chdir` does: a child begins in the folder that the sender is in by then."""
    if not isinstance(path, Const) or not isinstance(path.value, str):
        return None
    return None if path.value.startswith(("/", "~", "\\")) or path.value[1:2] == ":" or path.value == "." else _MOVES_IN


def _opening_with_lock(name: str, arguments: Arguments) -> Work | None:
    mode = arguments.get(1, "mode") if name != "numpy.memmap" else arguments.get(2, "mode")
    text = mode.value if isinstance(mode, Const) else None
    if not isinstance(text, str) or not set(text) & set("wxa"):
        return None
    return _LOCKS if name == "h5py.File" else _WRITES


def _makes_table(sql: Value | None) -> bool:
    words = sql.value.upper().split() if isinstance(sql, Const) and isinstance(sql.value, str) else []
    return words[:2] == ["CREATE", "TABLE"] and words[2:3] != ["IF"]


def _may_be_true(value: Value | None) -> bool:
    return value is not None and not (isinstance(value, Const) and not value.value)


def _has(arguments: Arguments, name: str) -> bool:
    return name in arguments.keywords


def _is_write(mode: Value | None) -> bool:
    return isinstance(mode, Const) and isinstance(mode.value, str) and "w" in mode.value


def _is_made(value: Value, *names: str) -> bool:
    return any(isinstance(one, Made) and one.known.name in names for one in options(value))


def _any_port(arguments: Arguments) -> bool:
    """Tell whether the system chooses the port, so that each process gets one of its own."""
    for value in arguments.all():
        if isinstance(value, Sequence) and any(isinstance(item, Const) and item.value == 0 for item in value.items[1:]):
            return True
    return False

"""Tables: which calls of libraries start processes, and what a child sees while it imports the main module.

Names are full names after `canonical`. A row says what happens, as the predicate of a sentence: "the statement ...".
"""

from __future__ import annotations

from picklecheck.receiver.guard.values import POSITIVE, Arguments, Const, Default, Known, Made, Value, options

__all__ = [
    "AS_MAIN", "BUILTIN_ITERATES", "CALLS_BACK", "EAGER", "FROM_STARS", "LAUNCHERS", "LOADS", "answer", "canonical",
    "constant", "is_loader", "is_starter", "loads", "start_of_call", "start_of_method", "workers",
]  # fmt: skip

_PREFIXES = (
    ("torch.multiprocessing.spawn.", "torch.multiprocessing."),
    ("torch.utils.data.dataloader.DataLoader", "torch.utils.data.DataLoader"),
    ("concurrent.futures.process.", "concurrent.futures."),
    ("multiprocessing.pool.Pool", "multiprocessing.Pool"),
    ("multiprocessing.context.Process", "multiprocessing.Process"),
    ("multiprocessing.process.BaseProcess", "multiprocessing.Process"),
    ("multiprocessing.process.", "multiprocessing."),
    ("multiprocessing.context.BaseContext.", "multiprocessing."),
    ("dask.distributed.", "distributed."),
    ("pymc3.", "pymc."),
    ("gymnasium.", "gym."),
)
_TWINS = ("torch.multiprocessing.", "multiprocess.", "billiard.", "pathos.multiprocessing.")
_OWN = frozenset(("torch.multiprocessing.spawn", "torch.multiprocessing.start_processes"))
_CONTEXTS = {"Spawn": "spawn", "Fork": "fork", "ForkServer": "forkserver"}
_OF_CONTEXT = {
    f"multiprocessing.context.{title}{noun}": (f"multiprocessing{'' if noun == 'Context' else '.Process'}", method)
    for title, method in _CONTEXTS.items()
    for noun in ("Process", "Context")
}


def canonical(known: Known) -> Known:
    """Give the one name of something that can be imported from several places."""
    name, method = known.name, known.method
    if name in _OWN:
        return known
    for twin in _TWINS:
        if name.startswith(twin) or f"{name}." == twin:
            name = "multiprocessing." + name[len(twin) :] if name.startswith(twin) else "multiprocessing"
    for prefix, instead in _PREFIXES:
        if name.startswith(prefix):
            name = instead + name[len(prefix) :]
            break
    name, method = _OF_CONTEXT.get(name, (name, method))
    return known if (name, method) == (known.name, known.method) else Known(name, method)


_POOL = "makes a pool, whose processes start at once"
_MANAGER = "starts the process of a manager"
_CALLS = {
    "multiprocessing.Pool": _POOL,
    "multiprocessing.ProcessPool": _POOL,
    "multiprocessing.ProcessingPool": _POOL,
    "pathos.pools.ProcessPool": _POOL,
    "multiprocessing.Manager": _MANAGER,
    "multiprocessing.Process.start": "starts a process",
    "multiprocessing.managers.SharedMemoryManager.__enter__": _MANAGER,
    "torch.multiprocessing.spawn": "starts processes",
    "torch.multiprocessing.start_processes": "starts processes",
    "torch_xla.distributed.xla_multiprocessing.spawn": "starts processes",
    "torch_xla.launch": "starts processes",
    "accelerate.notebook_launcher": "starts processes",
    "tqdm.contrib.concurrent.process_map": "starts the processes of an executor",
    "aiomultiprocess.Pool": _POOL,
    "gensim.models.LdaMulticore": _POOL,
    "gensim.models.ldamulticore.LdaMulticore": _POOL,
    "tsfresh.extract_features": _POOL,
    "tsfresh.extract_relevant_features": _POOL,
    "p_tqdm.p_map": _POOL,
    "p_tqdm.p_umap": _POOL,
    "stable_baselines3.common.vec_env.SubprocVecEnv": "starts one process for each environment",
    "stable_baselines3.common.vec_env.subproc_vec_env.SubprocVecEnv": "starts one process for each environment",
    "gym.vector.AsyncVectorEnv": "starts one process for each environment",
    "vllm.LLM": "starts the engine's process",
    "pymc.sample": "starts one process for each chain",
}
LOADS = "iterates a data loader that has worker processes"
_EXECUTOR = "gives a task to an executor, which starts its worker processes"
_METHODS = {
    ("multiprocessing.Process", "start"): "starts a process",
    ("aiomultiprocess.Process", "start"): "starts a process",
    ("gensim.models.CoherenceModel", "get_coherence"): _POOL,
    ("gensim.models.coherencemodel.CoherenceModel", "get_coherence"): _POOL,
    **dict.fromkeys(
        (("concurrent.futures.ProcessPoolExecutor", name) for name in ("submit", "map")),
        _EXECUTOR,
    ),
    **dict.fromkeys(
        ((f"multiprocessing.managers.{name}", method)
         for name in ("BaseManager", "SyncManager", "SharedMemoryManager") for method in ("start", "__enter__")),
        _MANAGER,
    ),
    **dict.fromkeys(
        (("mpire.WorkerPool", name) for name in ("map", "imap", "map_unordered", "imap_unordered", "apply",
                                                 "apply_async")),
        "starts the pool's processes",
    ),
    **dict.fromkeys((("pebble.ProcessPool", name) for name in ("schedule", "map", "submit")), _EXECUTOR),
    **dict.fromkeys((("ultralytics.YOLO", name) for name in ("train", "val")), "loads its data with worker processes"),
}  # fmt: skip
_STARTERS = frozenset(owner for owner, _ in _METHODS)
# Arguments that keep a call in one process, for the packages that have such.
_ALONE = {"pymc": (("cores", 1), ("chains", 1)), "tsfresh": (("n_jobs", 0),)}
# What wraps a function so that calling it starts processes.
LAUNCHERS = frozenset(("megengine.distributed.launcher", "megengine.distributed.launcher.launcher"))
# Runs other code as the main module: its main guard is open in a child too.
AS_MAIN = {
    "exec": (1, "globals"),
    "runpy.run_path": (2, "run_name"),
    "runpy.run_module": (2, "run_name"),
    "importlib.util.spec_from_file_location": (0, "name"),
    "importlib.machinery.SourceFileLoader": (0, "fullname"),
    "imp.load_source": (0, "name"),
}
# Methods that hand a loader which they are given to an iteration.
_FITS = frozenset(("fit", "validate", "test", "predict", "train", "evaluate", "fit_generator", "learn"))
# The place of `num_workers` among the arguments.
_NUM_WORKERS = {"torch.utils.data.DataLoader": 5, "megengine.data.DataLoader": 4}
_NUM_PROC = frozenset(("map", "filter", "from_generator", "load_dataset", "save_to_disk", "push_to_hub"))
# Functions of libraries that call, before they return, a function they are given.
CALLS_BACK = frozenset(
    (
        "asyncio.run", "fire.Fire", "typer.run", "absl.app.run", "app.run", "timeit.timeit", "timeit.repeat",
        "map", "filter", "sorted", "max", "min", "sum", "any", "all", "list", "tuple", "next", "functools.reduce",
        "contextlib.ExitStack.enter_context", "trio.run", "anyio.run", "curses.wrapper", "tf.app.run",
        "asyncio.run_coroutine_threadsafe", "uvloop.run", "cProfile.runctx",
    )
)  # fmt: skip
BUILTIN_ITERATES = frozenset(
    ("iter", "list", "tuple", "set", "frozenset", "enumerate", "zip", "map", "filter", "sorted", "sum", "max", "min",
     "any", "all", "next", "dict", "collections.deque", "functools.reduce", "collections.Counter")
)  # fmt: skip
# Builtins that give back what they were given, to iterate over.
EAGER = frozenset(("iter", "list", "tuple", "set", "frozenset", "sorted", "reversed", "collections.deque"))

_POSITIVE_CALLS = ("os.cpu_count", "os.process_cpu_count", "multiprocessing.cpu_count", "len", "max")
# What a child finds while it imports the main module, before it is told which process it is.
_IN_CHILD: dict[str, object] = {
    "multiprocessing.parent_process()": None,
    "multiprocessing.current_process().daemon": False,
    "multiprocessing.current_process()._identity": (),
    "multiprocessing.current_process()._inheriting": True,
    "typing.TYPE_CHECKING": False,
    "typing_extensions.TYPE_CHECKING": False,
    "sys.frozen": False,
}
# What `from module import *` may have brought.
FROM_STARS = frozenset(
    (
        *_CALLS, *(name for name, _ in _METHODS), *(name.removesuffix("()") for name in _IN_CHILD), *LAUNCHERS,
        "multiprocessing.get_context", "multiprocessing.set_start_method", "torch.utils.data.DataLoader",
        "megengine.data.DataLoader", "pathlib.Path", "os.mkdir", "os.makedirs", "os.remove", "os.rename",
        "shutil.rmtree", "tkinter.Tk",
    )
)  # fmt: skip


def constant(name: str) -> Value | None:
    """Give the value that an attribute or the answer of a call has in a child; None where it is not known."""
    return Const(_IN_CHILD[name]) if name in _IN_CHILD else None


def answer(known: Known) -> Value | None:
    """Give what a call is known to give in a child; None where it is not known."""
    return POSITIVE if known.name in _POSITIVE_CALLS else constant(f"{known.name}()")


def is_loader(known: Known) -> bool:
    """Tell whether instances of a library's class are data loaders."""
    return any("loader" in part.lower() for part in known.name.split(".")[-2:])


def is_starter(known: Known) -> bool:
    """Tell whether methods of a library's object start processes."""
    return known.name in _STARTERS


def workers(known: Known, arguments: Arguments) -> bool | None:
    """Tell whether a loader has worker processes; None where only a run would show."""
    position = _NUM_WORKERS.get(known.name)
    given = arguments.get(position, "num_workers")
    return False if given is None else _above(given, 0)


def start_of_call(known: Known, arguments: Arguments) -> str | None:
    """Say how calling a library's function or class starts processes; None where it does not."""
    if known.name in _CALLS:
        alone = any(_is(arguments, name, number) for name, number in _ALONE.get(known.name.partition(".")[0], ()))
        return None if alone else _CALLS[known.name]
    if any(_is_subprocess_env(value) for value in arguments.keywords.values()):
        return "starts one process for each environment"
    if known.name in ("distributed.LocalCluster", "distributed.Client"):
        return _cluster(known, arguments)
    if known.name == "uvicorn.run" and (_true(arguments, "reload") or _more(arguments, "workers", 1)):
        return "starts the server's processes"
    if known.name.startswith("scipy.") and _more_or_all(arguments, "workers"):
        return _POOL
    return _by_keyword(known.name.rpartition(".")[2], arguments)


def _is_subprocess_env(value: Value) -> bool:
    return isinstance(value, Known) and value.name.endswith(".SubprocVecEnv")


def _by_keyword(name: str, arguments: Arguments) -> str | None:
    if _true(arguments, "use_multiprocessing"):
        return "loads its data with worker processes"
    if name == "pipe" and _more_or_all(arguments, "n_process"):
        return "starts one process for each part of its data"
    if name in _NUM_PROC and _more(arguments, "num_proc", 1):
        return _POOL
    return None


def _cluster(known: Known, arguments: Arguments) -> str | None:
    processes = arguments.keywords.get("processes")
    if isinstance(processes, Const) and not processes.value:
        return None
    if known.name == "distributed.Client" and (arguments.positional or "address" in arguments.keywords):
        return None
    return "starts the processes of a local cluster"


def start_of_method(made: Known, made_with: Arguments, method: str, arguments: Arguments) -> str | None:
    """Say how calling a method of a library's object starts processes; None where it does not."""
    if method == "run_in_executor":
        return _EXECUTOR if any(_is_executor(value) for value in arguments.all()) else None
    if method in _FITS and (any(map(loads, arguments.all())) or any(map(_has_loaders, made_with.all()))):
        return LOADS
    return _METHODS.get((made.name, method)) or _by_keyword(method, arguments)


def _is_executor(value: Value) -> bool:
    return any(isinstance(v, Made) and v.known.name == "concurrent.futures.ProcessPoolExecutor" for v in options(value))


def _has_loaders(value: Value) -> bool:
    """Tell whether a value is settings that give a trainer's loaders worker processes."""
    return isinstance(value, Made) and _more(value.arguments, "dataloader_num_workers", 0)


def loads(value: Value) -> bool:
    """Tell whether a value is a loader that surely has worker processes."""
    return any(
        isinstance(one, Made) and is_loader(one.known) and workers(one.known, one.arguments) is True
        for one in options(value)
    )


def _above(value: Value, least: int) -> bool | None:
    if value is POSITIVE:
        return True
    answers = {
        one.value > least if isinstance(one, (Const, Default)) and isinstance(one.value, (int, float)) else None
        for one in options(value)
        if not (isinstance(one, Const) and one.value is None)
    }
    if not answers:
        return False
    return answers.pop() if len(answers) == 1 else None


def _more(arguments: Arguments, name: str, least: int) -> bool:
    return name in arguments.keywords and _above(arguments.keywords[name], least) is True


def _more_or_all(arguments: Arguments, name: str) -> bool:
    return _more(arguments, name, 1) or _is(arguments, name, -1)


def _is(arguments: Arguments, name: str, wanted: object) -> bool:
    given = arguments.keywords.get(name)
    return isinstance(given, Const) and given.value == wanted


def _true(arguments: Arguments, name: str) -> bool:
    return _is(arguments, name, True)

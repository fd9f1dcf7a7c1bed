"""PyTorch's DataLoader and `torch.multiprocessing.spawn`, beside the real ones."""

import functools
import multiprocessing
import os
import sys
import threading
import weakref

import pytest

from picklecheck import UsageError, explain, explain_call
from tests.specimens import Box
from tests.transports.real import check, check_call, error_of

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore")  # torch warns in front of each failure, and of few cores

from torch.utils.data import DataLoader, Dataset, IterableDataset, RandomSampler, get_worker_info  # noqa: E402


class Numbers(Dataset):
    def __init__(self, **held):
        self.__dict__.update(held)

    def __len__(self):
        return 4

    def __getitem__(self, number):
        return number


class Stream(IterableDataset):
    def __init__(self, **held):
        self.__dict__.update(held)

    def __iter__(self):
        return iter(range(4))


class Loader(DataLoader):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.guard = threading.Lock()  # stays in this process


def collate(batch):
    assert get_worker_info() is not None
    return torch.tensor(batch)


def prepare(number, *more):
    pass


def local():
    def inner(batch):
        return batch

    return inner


def cache():
    return Box(lock=threading.Lock())


def graph():
    return torch.ones(2, requires_grad=True) * 2


class Sampler(RandomSampler):
    guard = property(lambda self: 1 / 0)

    def __init__(self, data):
        super().__init__(data)
        self.lock = threading.Lock()


def spawned(dataset, **options):
    return DataLoader(dataset, **{"num_workers": 1, "multiprocessing_context": "spawn", "batch_size": 2, **options})


FAILING = {
    "lock": (lambda: spawned(Numbers(cache=cache())), {"loader.dataset.cache.lock": "lock"}),
    "iterable": (lambda: spawned(Stream(cache=cache())), {"loader.dataset.cache.lock": "lock"}),
    "collate": (lambda: spawned(Numbers(), collate_fn=lambda batch: batch), {"loader.collate_fn": "lambda"}),
    "collate-local": (lambda: spawned(Numbers(), collate_fn=local()), {"loader.collate_fn": "local-function"}),
    "collate-partial": (
        lambda: spawned(Numbers(), collate_fn=functools.partial(collate, lambda: 1)),
        {"loader.collate_fn.args[0]": "lambda"},
    ),
    "init": (lambda: spawned(Numbers(), worker_init_fn=lambda number: 1), {"loader.worker_init_fn": "lambda"}),
    "all": (
        lambda: spawned(Numbers(table=[cache()]), collate_fn=local(), worker_init_fn=lambda number: 1),
        {
            "loader.dataset.table[0].lock": "lock",
            "loader.collate_fn": "local-function",
            "loader.worker_init_fn": "lambda",
        },
    ),
    "method": (
        lambda: spawned(Numbers(), collate_fn=Box(guard=threading.Lock()).__init__),
        {"loader.collate_fn.__self__.guard": "lock"},
    ),
    "subclass": (
        lambda: Loader(Numbers(cache=cache()), num_workers=2, multiprocessing_context="spawn"),
        {"loader.dataset.cache.lock": "lock"},
    ),
    "non-leaf": (lambda: spawned(Numbers(weight=graph())), {"loader.dataset.weight": "non-leaf-tensor"}),
    "batch-sampler": (
        lambda: DataLoader(Numbers(cache=cache()), batch_sampler=[[0]], num_workers=1, multiprocessing_context="spawn"),
        {"loader.dataset.cache.lock": "lock"},
    ),
    "weakref": (lambda: spawned(Numbers(owner=weakref.ref(graph))), {"loader.dataset.owner": "weakref"}),
}
FINE = {
    "tensors": lambda: spawned(Numbers(data=torch.ones(8), table=[torch.nn.Parameter(torch.ones(2))])),
    "what-stays": lambda: Loader(
        Numbers(), num_workers=1, multiprocessing_context="spawn", sampler=Sampler([1, 2, 3, 4]), batch_size=2,
        generator=torch.Generator(), collate_fn=collate, worker_init_fn=functools.partial(prepare, 1),
        persistent_workers=True,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FAILING)
def test_the_verdict_and_the_paths_are_those_of_a_loader_that_cannot_start(name):
    make, expected = FAILING[name]
    loader = make()
    report = check(loader, "loader", expected)
    assert (report.transport, report.start_method) == ("dataloader", "spawn")
    error = error_of(iter, loader)
    assert report.failures[0].error == f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("name", FINE)
def test_a_loader_that_is_fine_starts(name):
    loader = FINE[name]()
    assert check(loader, "loader", {}).ok
    assert sum(len(batch) for batch in loader) == 4


def test_the_loader_is_left_as_it_was():
    loader = spawned(Numbers(data=torch.ones(1000)), generator=torch.Generator(), shuffle=True)
    explain(loader)
    before, kept = dict(vars(loader)), (torch.get_rng_state(), loader.generator.get_state())
    opened = sorted(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else None
    assert explain(loader, start_method="all").ok
    assert vars(loader).keys() == before.keys()
    assert all(vars(loader)[key] is before[key] for key in before)
    assert loader._iterator is None
    assert torch.equal(torch.get_rng_state(), kept[0])
    assert torch.equal(loader.generator.get_state(), kept[1])
    assert not loader.dataset.data.is_shared()
    if opened is not None:
        assert sorted(os.listdir("/proc/self/fd")) == opened
    assert multiprocessing.get_start_method(allow_none=True) in (None, *multiprocessing.get_all_start_methods())


def test_without_workers_nothing_crosses():
    report = explain(DataLoader(Numbers(cache=cache())), name="loader", start_method="all")
    assert report.ok
    assert report.start_method is None
    assert report.notes == ("num_workers is 0: it loads in this process, and nothing crosses.",)
    assert set(report.verdicts.values()) == {True}
    assert str(report).startswith("✓ loader (torch DataLoader, no workers) can start\n")


class Computed(DataLoader):
    """As some wrappers do: the dataset is a property."""

    def __init__(self, dataset, **options):
        self.kept, self.asked = dataset, 0
        super().__init__(dataset, **options)

    @property
    def dataset(self):
        self.__dict__["asked"] += 1
        return self.kept

    @dataset.setter
    def dataset(self, value):
        pass


def test_a_part_that_is_computed_is_told_and_not_run():
    loader = Computed(Numbers(), num_workers=1, collate_fn=lambda batch: batch)
    before = loader.asked
    report = explain(loader, start_method="spawn")
    assert loader.asked == before
    assert [failure.path.rpartition(".")[2] for failure in report.failures] == ["collate_fn"]
    assert report.notes[0].startswith("`dataset` is computed by code of the loader's")


CONTEXTS = [*multiprocessing.get_all_start_methods(), None]


@pytest.mark.parametrize("name", CONTEXTS)
@pytest.mark.parametrize("as_object", [True, False])
def test_the_start_method_is_the_loader_s_own(name, as_object):
    context = multiprocessing.get_context(name) if as_object and name else name
    loader = DataLoader(Numbers(), num_workers=3, multiprocessing_context=context)
    report = explain(loader, name="loader", start_method=None if name else "forkserver")
    assert report.start_method == {"fork": "spawn", None: "forkserver"}.get(name, name)
    assert report.title == "torch DataLoader, 3 workers"


def test_the_loader_itself_may_be_an_argument():
    loader = spawned(Numbers(), sampler=Sampler([1, 2]))
    report = explain(loader, name="loader", via="process", start_method="spawn")
    assert "loader.sampler.lock" in {path for failure in report.failures for path in failure.paths}


def test_via_names_loaders_only():
    with pytest.raises(UsageError) as caught:
        explain([1], via="dataloader")
    assert str(caught.value) == "via 'dataloader': this is a list, and no loader that it knows"
    with pytest.raises(UsageError, match="no call crosses"):
        explain_call(print, via="dataloader")
    assert explain(spawned(Numbers()), via="dataloader").title == "torch DataLoader, 1 worker"


# torch.multiprocessing.spawn


CALLS = {
    "fine": (prepare, (1, torch.ones(2)), {}),
    "args": (prepare, ([threading.Lock()],), {"args[0][0]": "lock"}),
    "target": (lambda number: 1, (), {"target": "lambda"}),
}


@pytest.mark.parametrize("name", CALLS)
def test_the_verdict_is_that_of_torch_s_spawn(name):
    target, args, expected = CALLS[name]
    report = check_call(expected, target, args, via="torch-spawn")
    assert report.start_method == "spawn"
    error = error_of(torch.multiprocessing.spawn, target, args, nprocs=1)
    assert report.ok is (error is None), error


def test_spawn_takes_no_keywords():
    with pytest.raises(UsageError, match="positional arguments only"):
        explain_call(prepare, (), {"more": 1}, via="torch-spawn")


def test_start_processes_may_be_given_another_start_method():
    assert explain_call(prepare, via="torch-spawn", start_method="forkserver").start_method == "forkserver"


# file descriptors


@pytest.mark.skipif(sys.platform != "linux", reason="file_descriptor is the default there")
def test_more_tensors_than_descriptors_are_told():
    import resource

    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    many = [torch.ones(1) for _ in range(80)]
    same = [many[0][:], many[0]] * 50
    opened = len(os.listdir("/proc/self/fd"))
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, limit[1]))
    try:
        told, fine, plain = (
            explain(obj, via=via).notes for obj, via in ((many, "process"), (same, "process"), (many, "pickle"))
        )
        torch.multiprocessing.set_sharing_strategy("file_system")
        elsewhere = explain(many, via="queue").notes
    finally:
        torch.multiprocessing.set_sharing_strategy("file_descriptor")
        resource.setrlimit(resource.RLIMIT_NOFILE, limit)
    assert told[-1].startswith(
        "80 tensors cross, each with a file descriptor of its own, and this process may open 64:"
    )
    assert not any("descriptor" in note for note in (*fine, *plain, *elsewhere))
    assert len(os.listdir("/proc/self/fd")) == opened
    assert not any(tensor.is_shared() for tensor in many)


# CUDA, where there is none: stood in for by what the reducers look at


class Cuda:
    """As much of a CUDA tensor as torch's reducer and its stand-in ask for."""

    is_cuda, requires_grad, is_leaf = True, False, True


def test_a_cuda_tensor_passes_here_and_its_storage_does_not():
    from picklecheck.standins import absent
    from picklecheck.transports.torch import stand_in

    reductions = torch.multiprocessing.reductions
    assert stand_in(reductions.reduce_tensor)(Cuda()) == (absent, ())
    ours, theirs = error_of(stand_in(reductions.reduce_storage), Cuda()), error_of(reductions.reduce_storage, Cuda())
    assert (type(ours), str(ours)) == (type(theirs), str(theirs))
    non_leaf = Cuda()
    non_leaf.requires_grad, non_leaf.is_leaf = True, False
    assert "non-leaf tensor" in str(error_of(stand_in(reductions.reduce_tensor), non_leaf))

"""MegEngine loaders and launchers, and what really becomes of them: a program prints it, as a user's would run.

python -m tests.transports.megengine_loaders      one line for each: its name, and "ok" or the exception
"""

import multiprocessing
import os
import threading
import warnings

import numpy as np
from megengine import distributed
from megengine.data import Collator, DataLoader, SequentialSampler, StreamSampler
from megengine.data.dataset import Dataset, StreamDataset
from megengine.data.transform import Transform


class Numbers(Dataset):
    def __init__(self, **held):
        self.__dict__.update(held)

    def __len__(self):
        return 4

    def __getitem__(self, number):
        return np.array([number])


class Stream(StreamDataset):
    def __init__(self, **held):
        self.__dict__.update(held)

    def __iter__(self):
        return iter([np.array([number]) for number in range(4)])


class Step(Transform):
    def __init__(self, **held):
        self.__dict__.update(held)

    def apply(self, sample):
        return sample


class Joined(Collator):
    def __init__(self, **held):
        super().__init__()
        self.__dict__.update(held)


class Loader(DataLoader):
    pass


class Sampler(SequentialSampler):
    def __init__(self, dataset):
        super().__init__(dataset, batch_size=2)
        self.lock = threading.Lock()  # stays here


def mapped(dataset, cls=DataLoader, sampler=None, **options):
    loader = cls(dataset, sampler=sampler or SequentialSampler(dataset, batch_size=2), **options)
    loader.num_workers = 1  # given above, it makes MegEngine 1.13 read a file that only machines with cgroup v1 have
    return loader


def streamed(dataset, **options):
    loader = DataLoader(dataset, sampler=StreamSampler(batch_size=2), **{"parallel_stream": True, **options})
    loader.num_workers = 1
    return loader


def lock():
    return [threading.Lock()]


def both():
    return mapped(
        Numbers(guard=lock()), cls=Loader, transform=Step(steps=[len, lambda x: x]), collator=Joined(at=lock())
    )


LOADERS = {
    "map": (lambda: mapped(Numbers(x=1), transform=Step()), {}),
    "sampler-stays": (lambda: mapped(Numbers(), sampler=Sampler(Numbers())), {}),
    "stream": (lambda: streamed(Stream()), {}),
    "dataset": (lambda: mapped(Numbers(guard=lock())), {"loader.dataset.guard[0]": "lock"}),
    "stream-dataset": (lambda: streamed(Stream(guard=lock())), {"loader.dataset.guard[0]": "lock"}),
    "samples-sent": (
        lambda: streamed(Stream(guard=lock()), parallel_stream=False),
        {"loader.dataset.guard[0]": "lock"},
    ),
    "transform": (
        lambda: mapped(Numbers(), transform=Step(function=lambda image: image)),
        {"loader.transform.function": "lambda"},
    ),
    "collator": (lambda: mapped(Numbers(), collator=Joined(guard=lock())), {"loader.collator.guard[0]": "lock"}),
    "all": (
        both,
        {
            "loader.dataset.guard[0]": "lock",
            "loader.transform.steps[1]": "lambda",
            "loader.collator.at[0]": "lock",
        },
    ),
}


def train(*args, **kwargs):
    return len(args)


def decorated(*args):
    return len(args)


def launched(function):
    return distributed.launcher(function, n_gpus=1, device_type="cpu")


def decorate():
    """Do as the decorator does, when it is asked for: it starts a server, and imports should not."""
    global decorated
    if type(decorated) is type(launched):
        decorated = launched(decorated)
    return decorated


CALLS = {
    "launched": (lambda: launched(train), (), {}),
    "launched-with-lock": (
        lambda: launched(train),
        (lock(),),
        {"args[0][0]": "lock"},
    ),
    "decorated": (decorate, (), {"target.func": "shadowed-function"}),
}


def tried(action):
    try:
        action()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "ok"


def start(process):
    """Start a process of a launcher's; its pickling is what is looked at, and a group needs devices."""
    real(process)
    process.terminate()
    process.join()
    raise StopIteration


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    os.environ.setdefault("MGE_PLASMA_MEMORY", str(64 * 2**20))
    multiprocessing.set_start_method("spawn")
    for name, (make, _) in LOADERS.items():
        print(name, tried(lambda: list(make())), sep="\t", flush=True)  # noqa: B023  # called at once
    real = multiprocessing.Process.start
    for name, (make, args, _) in CALLS.items():
        launcher = make()  # starts a server
        multiprocessing.Process.start = start
        said = tried(lambda: launcher(*args))  # noqa: B023  # called at once
        multiprocessing.Process.start = real
        print(name, "ok" if said.startswith("StopIteration") else said, sep="\t", flush=True)
        launcher.server = None

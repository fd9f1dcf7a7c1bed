"""A MegEngine DataLoader whose workers are spawned, with two weak references on the way. Needs MegEngine.

picklecheck explain examples/megengine_loader.py:dataset             the weak reference in the dataset
picklecheck explain examples/megengine_loader.py:transform           the one in the handle of a forward hook
picklecheck explain "examples/megengine_loader.py:make_loader()"     both, as the loader hands them to its workers
python examples/megengine_loader.py             MegEngine's failure: "cannot pickle 'weakref.ReferenceType' object"
python examples/megengine_loader.py hook        the same for the hook: the message cannot tell the two apart
python examples/megengine_loader.py fixed       both taken care of: two workers make batches
"""

import multiprocessing
import os
import sys
import weakref

import megengine
import megengine.module
import numpy as np
from megengine.data import DataLoader, SequentialSampler
from megengine.data.dataset import Dataset
from megengine.data.transform import Transform


class LabelIndex:
    """Looks labels up in the dataset that owns it."""

    def __init__(self, owner):
        # Goes wrong: a weak reference means something only in the process where its target lives.
        self.owner = weakref.ref(owner)

    def __getitem__(self, number):
        return self.owner().labels[number]


class PortableIndex(LabelIndex):
    def __getstate__(self):
        return {"owner": self.owner()}

    def __setstate__(self, state):
        self.owner = weakref.ref(state["owner"])


class CropDataset(Dataset):
    def __init__(self, index=LabelIndex):
        self.images = np.arange(8 * 16, dtype=np.float32).reshape(8, 16)
        self.labels = np.arange(8)
        self.index = index(self)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, number):
        return self.images[number], self.index[number]


class Embed(Transform):
    """Runs a small network on each image; after a fork MegEngine refuses to, so the workers have to be spawned."""

    def __init__(self):
        self.network = megengine.module.Linear(16, 4)
        # Goes wrong, though no weak reference is in sight: the handle keeps one to the table that its hook stands in.
        self.handle = self.network.register_forward_hook(check)

    def apply(self, sample):
        image, label = sample
        return self.network(megengine.Tensor(image[None])).numpy()[0], label, multiprocessing.current_process().name


class PortableEmbed(Embed):
    def __getstate__(self):
        return {"network": self.network}  # the hook goes along in the network; only the handle to remove it stays here


def check(module, inputs, outputs):
    assert np.isfinite(outputs.numpy()).all()


dataset, transform = CropDataset(), Embed()


def make_loader(images=dataset, embed=transform):
    loader = DataLoader(images, sampler=SequentialSampler(images, batch_size=4), transform=embed)
    loader.num_workers = 2  # given above, it makes MegEngine 1.13 read a file that only machines with cgroup v1 have
    return loader


def fixed_loader():
    return make_loader(CropDataset(PortableIndex), PortableEmbed())


if __name__ == "__main__":
    os.environ.setdefault("MGE_PLASMA_MEMORY", str(64 * 2**20))  # shared memory for batches; 4 GB where nothing is said
    multiprocessing.set_start_method("spawn")
    modes = {"hook": lambda: make_loader(images=CropDataset(PortableIndex)), "fixed": fixed_loader}
    for vectors, labels, workers in modes.get("".join(sys.argv[1:]), make_loader)():
        print(f"{workers[0]}: {vectors.shape}, labels {labels.tolist()}")

"""A PyTorch dataset that keeps its HDF5 file open, and a DataLoader whose workers are spawned. Needs torch and h5py.

picklecheck explain "examples/torch_h5py.py:make_dataset()"     all three culprits, each with its path
python examples/torch_h5py.py                                   what PyTorch says: one of them, and not where it is
python examples/torch_h5py.py fixed                             the same tiles, with the file opened in each worker
"""

import atexit
import pathlib
import shutil
import sys
import tempfile

import h5py
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, get_worker_info


class TileDataset(Dataset):
    def __init__(self, path):
        # Goes wrong: an open file belongs to the HDF5 library of this process. h5py refuses to pickle any handle.
        self.file = h5py.File(path, "r")
        # Goes wrong next: what was taken out of the file is a handle too, not an array (`[:]` would read an array).
        self.images = self.file["images"]
        # Goes wrong last: functions travel by name, and a lambda has none that a worker could look up.
        self.transform = lambda image: torch.from_numpy(image) / 255.0

    def __len__(self):
        return len(self.images)

    def __getitem__(self, number):
        return self.transform(self.images[number])


class PortableTileDataset(Dataset):
    """Travels with the file's path; every worker opens the file for itself when it is first asked for a tile."""

    def __init__(self, path):
        self.path = path
        self.file = None
        with h5py.File(path, "r") as file:
            self.size = len(file["images"])

    def __len__(self):
        return self.size

    def __getitem__(self, number):
        if self.file is None:
            self.file = h5py.File(self.path, "r")
        return scale(self.file["images"][number])


def scale(image):
    return torch.from_numpy(image) / 255.0


def write_tiles():
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = str(pathlib.Path(folder, "tiles.h5"))
    with h5py.File(path, "w") as file:
        file["images"] = np.arange(8 * 4 * 4, dtype=np.float32).reshape(8, 4, 4)
    return path


def make_dataset():
    return TileDataset(write_tiles())


def make_loader():
    return DataLoader(make_dataset(), batch_size=4, num_workers=2, multiprocessing_context="spawn", collate_fn=collate)


def fixed_loader():
    tiles = PortableTileDataset(write_tiles())
    return DataLoader(tiles, batch_size=4, num_workers=2, multiprocessing_context="spawn", collate_fn=collate)


def collate(tiles):
    """Stack tiles into a batch, which says which worker made it."""
    return get_worker_info().id, torch.stack(tiles)


if __name__ == "__main__":
    for worker, batch in fixed_loader() if sys.argv[1:] == ["fixed"] else make_loader():
        print(f"worker {worker}: {tuple(batch.shape)}, brightest {batch.max():.3f}")

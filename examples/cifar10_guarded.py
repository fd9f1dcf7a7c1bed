"""The program of cifar10.py with a main guard, and what both have in common: the dataset. Needs PyTorch.

picklecheck explain "examples/cifar10_guarded.py:make_loader()"     fine: nothing in it stops the workers
python examples/cifar10_guarded.py      two spawned workers make batches
"""

import pickle
import tempfile
from pathlib import Path

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

ROOT = Path(tempfile.gettempdir(), "picklecheck-cifar10")


class ToTensor:
    def __call__(self, image):
        return torch.from_numpy(image).permute(2, 0, 1).float() / 255


class Normalize:
    def __init__(self, mean, std):
        self.mean, self.std = mean, std

    def __call__(self, image):
        return (image - self.mean) / self.std


class Compose:
    def __init__(self, transforms):
        self.transforms = transforms

    def __call__(self, image):
        for transform in self.transforms:
            image = transform(image)
        return image


class CIFAR10(Dataset):
    """As torchvision's: images from the batch files in `root`, one transform. With `download` they are made up here."""

    folder = "cifar-10-batches-py"
    batches = ("data_batch_1", "data_batch_2")

    def __init__(self, root, transform=None, download=False):
        self.root, self.transform = Path(root), transform
        if download:
            self.download()
        entries = [pickle.loads((self.root / self.folder / name).read_bytes()) for name in self.batches]
        images = np.vstack([entry["data"] for entry in entries]).reshape(-1, 3, 32, 32)
        self.data = images.transpose(0, 2, 3, 1)
        self.targets = [label for entry in entries for label in entry["labels"]]

    def __len__(self):
        return len(self.data)

    def __getitem__(self, number):
        image = self.data[number]
        return image if self.transform is None else self.transform(image), self.targets[number]

    def download(self):
        (self.root / self.folder).mkdir(parents=True, exist_ok=True)
        for seed, name in enumerate(self.batches):
            images = np.random.default_rng(seed).integers(0, 256, (4, 3072), dtype=np.uint8)
            path = self.root / self.folder / name
            if not path.exists():
                path.write_bytes(pickle.dumps({"data": images, "labels": list(range(4 * seed, 4 * seed + 4))}))


def make_loader():
    trainset = CIFAR10(ROOT, transform=Compose([ToTensor(), Normalize(0.5, 0.5)]), download=True)
    # spawn is the default on macOS and Windows; said here, the program does the same everywhere
    return DataLoader(trainset, batch_size=4, num_workers=2, multiprocessing_context="spawn")


def main():
    for images, labels in make_loader():
        print(tuple(images.shape), labels.tolist())


if __name__ == "__main__":
    main()

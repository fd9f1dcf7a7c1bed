"""A training loop as many blogs have it: it stands at import level, without a main guard. Needs PyTorch.

Nothing in the loader stops it: what cannot cross is the program. Each spawned worker imports it again, comes to the
loop, and would start workers itself. `picklecheck explain examples/cifar10.py:loader` names it, and loads nothing.

python examples/cifar10.py              fails: "... before the current process has finished its bootstrapping phase"
python examples/cifar10_guarded.py      the same program with its loop under a main guard: it runs
"""

from cifar10_guarded import CIFAR10, ROOT, Compose, Normalize, ToTensor
from torch.utils.data import DataLoader

transform = Compose([ToTensor(), Normalize(0.5, 0.5)])
trainset = CIFAR10(ROOT, transform=transform, download=True)
# spawn is the default on macOS and Windows; said here, the program does the same everywhere
loader = DataLoader(trainset, batch_size=4, num_workers=2, multiprocessing_context="spawn")

for images, labels in loader:  # Goes wrong: this line runs in the main process and in every worker
    print(tuple(images.shape), labels.tolist())

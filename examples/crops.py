"""A dataset of image tiles that no spawned process can receive.

picklecheck explain examples/crops.py:dataset     every culprit, each with its path
python examples/crops.py                          what multiprocessing says: one culprit, and not where it is
python examples/crops.py fixed                    the same work with all three taken care of
"""

import multiprocessing
import sys
import threading
import weakref


class TileCache:
    """Keeps the tiles that were read, and asks its owner for those that were not."""

    def __init__(self, owner):
        self.tiles = {}
        # Goes wrong: a weak reference means something only in the process where its target lives.
        self.owner = weakref.ref(owner)
        # Goes wrong as well, once the weak reference is gone: a lock is held by threads of one process.
        self.lock = threading.RLock()

    def tile(self, number):
        with self.lock:
            if number not in self.tiles:
                self.tiles[number] = self.owner().read(number)
            return self.tiles[number]


class Transform:
    def __init__(self):
        # Goes wrong last: functions travel by name, and `lambda` has none that another process could look up.
        self.steps = [sorted, lambda tile: [pixel / 255 for pixel in tile]]

    def __call__(self, tile):
        for step in self.steps:
            tile = step(tile)
        return tile


class CropDataset:
    def __init__(self, size=8):
        self.size = size
        self.cache = TileCache(self)
        self.transform = Transform()

    def read(self, number):
        return [(number * 37 + pixel * 11) % 256 for pixel in range(16)]

    def __len__(self):
        return self.size

    def __getitem__(self, number):
        return self.transform(self.cache.tile(number))


class PortableCache(TileCache):
    """The cache that crosses: its owner travels as a plain reference, and both handles are made again over there."""

    def __getstate__(self):
        return {"tiles": self.tiles, "owner": self.owner()}

    def __setstate__(self, state):
        self.tiles = state["tiles"]
        self.owner = weakref.ref(state["owner"])
        self.lock = threading.RLock()


def scale(tile):
    return [pixel / 255 for pixel in tile]


def fixed_dataset():
    crossing = CropDataset()
    crossing.cache = PortableCache(crossing)
    crossing.transform.steps = [sorted, scale]
    return crossing


def work(crops):
    brightest = max(max(crops[number]) for number in range(len(crops)))
    print(f"{multiprocessing.current_process().name}: {len(crops)} crops, brightest {brightest:.3f}", flush=True)


dataset = CropDataset()

if __name__ == "__main__":
    shipped = fixed_dataset() if sys.argv[1:] == ["fixed"] else dataset
    process = multiprocessing.get_context("spawn").Process(target=work, args=(shipped,))
    process.start()
    process.join()
    sys.exit(process.exitcode)

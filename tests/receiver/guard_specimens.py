"""Programs for the bootstrap reading: what must be found stands as a comment in the line, `# <- kind` or `# <- kind?`
for a warning. A program of several files names each in a line "=== name"; the first is the one that is run.
"""

import re
import textwrap
from typing import NamedTuple


class Specimen(NamedTuple):
    id: str
    files: dict
    expected: frozenset  # (file, line, kind, severity)


def _specimen(name, text):
    text = textwrap.dedent(text).lstrip("\n")
    parts = re.split(r"^=== (.*)\n", text, flags=re.MULTILINE)
    files = {"main.py": parts[0]} if len(parts) == 1 else dict(zip(parts[1::2], parts[2::2], strict=True))
    marks = [
        (file, number, mark[1], "warning" if mark[2] else "error")
        for file, content in files.items()
        for number, line in enumerate(content.splitlines(), 1)
        for mark in re.finditer(r"# <- ([a-z-]+)(\?)?", line)
    ]
    return Specimen(name, files, frozenset(marks))


FOUND = {
    # how a process is started
    "process": """
        from multiprocessing import Process
        def work(): pass
        p = Process(target=work)
        p.start()  # <- no-main-guard
        p.join()
    """,
    "process-without-a-name": """
        import multiprocessing
        multiprocessing.Process(target=print).start()  # <- no-main-guard
    """,
    "class-under-another-name": """
        import multiprocessing as mp
        Worker = mp.Process
        def make():
            return Worker(target=print)
        make().start()  # <- no-main-guard
    """,
    "loader-class-under-another-name": """
        import torch.utils.data
        Loader = torch.utils.data.DataLoader
        def make():
            return Loader([1], num_workers=2)
        for batch in make():  # <- no-main-guard
            pass
    """,
    "processes-in-a-list": """
        import multiprocessing as mp
        processes = [mp.Process(target=print) for _ in range(4)]
        for p in processes:
            p.start()  # <- no-main-guard
        for p in processes:
            p.join()
    """,
    "processes-appended": """
        from multiprocessing import Process
        jobs = []
        for i in range(3):
            job = Process(target=print, args=(i,))
            jobs.append(job)
            job.start()  # <- no-main-guard
        [job.join() for job in jobs]
    """,
    "processes-appended-and-started-later": """
        from multiprocessing import Process
        jobs = []
        for i in range(3):
            jobs.append(Process(target=print, args=(i,)))
        for job in jobs:
            job.start()  # <- no-main-guard
    """,
    "started-in-a-comprehension": """
        from multiprocessing import Process
        [p.start() for p in [Process(target=print)]]  # <- no-main-guard
    """,
    "started-by-map": """
        from multiprocessing import Process
        list(map(lambda p: p.start(), [Process(target=print)]))  # <- no-main-guard
    """,
    "started-by-the-class": """
        from multiprocessing import Process
        workers = [Process(target=print)]
        for worker in workers:
            Process.start(worker)  # <- no-main-guard
    """,
    "joblib-with-multiprocessing": """
        from joblib import Parallel, delayed
        Parallel(n_jobs=2, backend="multiprocessing")(delayed(abs)(n) for n in range(3))  # <- no-main-guard
    """,
    "made-in-a-global": """
        from multiprocessing import Pool
        pool = None
        def begin():
            global pool
            pool = Pool(2)
        begin()  # <- no-main-guard
        print(pool.map(abs, [1]))
    """,
    "raised-as-an-exit": """
        import multiprocessing as mp
        def main():
            mp.Pool(2)
        raise SystemExit(main())  # <- no-main-guard
    """,
    "processes-in-a-dictionary": """
        import multiprocessing as mp
        workers = {"a": mp.Process(target=print)}
        workers["a"].start()  # <- no-main-guard
    """,
    "processes-in-the-values": """
        import multiprocessing as mp
        workers = {}
        workers["a"] = mp.Process(target=print)
        for w in workers.values():
            w.start()  # <- no-main-guard
    """,
    "processes-in-the-items": """
        import multiprocessing as mp
        workers = {n: mp.Process(target=print) for n in "ab"}
        for name, w in workers.items():
            w.start()  # <- no-main-guard
    """,
    "pool": """
        from multiprocessing import Pool
        pool = Pool(2)  # <- no-main-guard
        print(pool.map(abs, [1]))
    """,
    "pool-in-with": """
        import multiprocessing as mp
        with mp.Pool(2) as pool:  # <- no-main-guard
            print(pool.map(abs, [1]))
    """,
    "pool-of-the-pool-module": """
        from multiprocessing.pool import Pool
        Pool().map(abs, [1])  # <- no-main-guard
    """,
    "executor": """
        from concurrent.futures import ProcessPoolExecutor
        with ProcessPoolExecutor() as pool:
            print(list(pool.map(abs, [1])))  # <- no-main-guard
    """,
    "executor-by-its-module": """
        import concurrent.futures
        pool = concurrent.futures.ProcessPoolExecutor(max_workers=2)
        future = pool.submit(abs, 1)  # <- no-main-guard
    """,
    "executor-by-its-module-under-another-name": """
        import concurrent.futures as cf
        with cf.ProcessPoolExecutor() as ex:
            futures = [ex.submit(abs, n) for n in range(3)]  # <- no-main-guard
            for f in cf.as_completed(futures):
                print(f.result())
    """,
    "executor-of-an-event-loop": """
        import asyncio
        from concurrent.futures import ProcessPoolExecutor
        async def main():
            loop = asyncio.get_running_loop()
            with ProcessPoolExecutor() as pool:
                return await loop.run_in_executor(pool, abs, -1)
        asyncio.run(main())  # <- no-main-guard
    """,
    "manager": """
        from multiprocessing import Manager
        shared = Manager().dict()  # <- no-main-guard
    """,
    "manager-of-ones-own": """
        from multiprocessing.managers import BaseManager
        class Tiles(BaseManager): pass
        Tiles.register("tile", dict)
        manager = Tiles()
        manager.start()  # <- no-main-guard
    """,
    "manager-of-ones-own-in-with": """
        from multiprocessing.managers import SyncManager
        class Tiles(SyncManager): pass
        with Tiles() as manager:  # <- no-main-guard
            print(manager.list())
    """,
    "context": """
        import multiprocessing
        ctx = multiprocessing.get_context("spawn")
        ctx.Process(target=print).start()  # <- no-main-guard
    """,
    "context-without-a-name": """
        from multiprocessing import get_context
        get_context("forkserver").Pool(1)  # <- no-main-guard
    """,
    "context-class": """
        from multiprocessing.context import SpawnProcess
        SpawnProcess(target=print).start()  # <- no-main-guard
    """,
    "assigned-class": """
        import multiprocessing as mp
        ctx = mp.get_context("spawn")
        start = ctx.Process
        start(target=print).start()  # <- no-main-guard
    """,
    "assigned-method": """
        import multiprocessing as mp
        go = mp.Process(target=print).start
        go()  # <- no-main-guard
    """,
    "by-getattr": """
        import multiprocessing as mp
        getattr(mp, "Process")(target=print).start()  # <- no-main-guard
    """,
    "by-import-module": """
        import importlib
        mp = importlib.import_module("multiprocessing")
        mp.Process(target=print).start()  # <- no-main-guard
    """,
    "star-import": """
        from multiprocessing import *
        p = Process(target=print)
        p.start()  # <- no-main-guard
    """,
    "partial": """
        import functools, multiprocessing as mp
        make = functools.partial(mp.Process, target=print)
        make().start()  # <- no-main-guard
    """,
    "one-of-two": """
        import multiprocessing as mp, threading, sys
        Worker = mp.Process if len(sys.argv) > 1 else threading.Thread
        Worker(target=print).start()  # <- no-main-guard
    """,
    "subclass": """
        import multiprocessing
        class Worker(multiprocessing.Process):
            def run(self):
                print("running")
        worker = Worker()
        worker.start()  # <- no-main-guard
    """,
    "subclass-that-starts-itself": """
        from multiprocessing import Process
        class Worker(Process):
            def __init__(self):
                super().__init__()
                self.start()
        Worker()  # <- no-main-guard
    """,
    "subclass-with-its-own-start": """
        from multiprocessing import Process
        class Worker(Process):
            def start(self):
                print("starting")
                super().start()
        Worker().start()  # <- no-main-guard
    """,
    "subclass-of-a-subclass": """
        import multiprocessing as mp
        class Base(mp.Process): pass
        class Worker(Base): pass
        Worker().start()  # <- no-main-guard
    """,
    "torch-spawn": """
        import torch.multiprocessing as mp
        def work(rank): pass
        mp.spawn(work, nprocs=2)  # <- no-main-guard
    """,
    "torch-process": """
        import torch.multiprocessing as mp
        mp.Process(target=print).start()  # <- no-main-guard
    """,
    "torch-from": """
        from torch import multiprocessing
        multiprocessing.Pool(2)  # <- no-main-guard
    """,
    "multiprocess": """
        from multiprocess import Pool
        Pool(2)  # <- no-main-guard
    """,
    "dask": """
        from dask.distributed import Client
        client = Client(n_workers=2)  # <- no-main-guard
    """,
    "tqdm-process-map": """
        from tqdm.contrib.concurrent import process_map
        process_map(abs, [1])  # <- no-main-guard
    """,
    "scipy-workers": """
        from scipy.optimize import differential_evolution
        differential_evolution(sum, [(0, 1)], workers=-1)  # <- no-main-guard
    """,
    "subproc-environments": """
        from stable_baselines3.common.vec_env import SubprocVecEnv
        env = SubprocVecEnv([print])  # <- no-main-guard
    """,
    "environments-in-processes": """
        from stable_baselines3.common.env_util import make_vec_env
        from stable_baselines3.common.vec_env import SubprocVecEnv
        env = make_vec_env("CartPole-v1", n_envs=4, vec_env_cls=SubprocVecEnv)  # <- no-main-guard
    """,
    "coherence": """
        from gensim.models import CoherenceModel
        print(CoherenceModel(topics=[]).get_coherence())  # <- no-main-guard
    """,
    "spacy-pipe": """
        import spacy
        nlp = spacy.blank("en")
        docs = list(nlp.pipe(["a"], n_process=2))  # <- no-main-guard
    """,
    "datasets-map": """
        from datasets import load_dataset
        data = load_dataset("x")
        data = data.map(len, num_proc=4)  # <- no-main-guard
    """,
    "megengine-launcher": """
        import megengine.distributed as dist
        @dist.launcher
        def main():
            print("training")
        main()  # <- no-main-guard
    """,
    "megengine-launcher-with-arguments": """
        import megengine.distributed as dist
        @dist.launcher(n_gpus=2)
        def main():
            print("training")
        main()  # <- no-main-guard
    """,
    "megengine-launcher-called": """
        from megengine.distributed import launcher
        def main():
            print("training")
        launcher(main)()  # <- no-main-guard
    """,
    # loaders
    "loader": """
        from torch.utils.data import DataLoader
        loader = DataLoader([1, 2], num_workers=2)
        for batch in loader:  # <- no-main-guard
            print(batch)
    """,
    "loader-of-the-module": """
        from torch.utils import data
        loader = data.DataLoader([1, 2], batch_size=2, num_workers=4)
        for i, batch in enumerate(loader):  # <- no-main-guard
            print(batch)
    """,
    "loader-by-full-name": """
        import torch
        loader = torch.utils.data.DataLoader([1], num_workers=1)
        batch = next(iter(loader))  # <- no-main-guard
    """,
    "loader-under-another-name": """
        import torch.utils.data as data
        WORKERS = 2
        loader = data.DataLoader([1], num_workers=WORKERS)
        batches = list(loader)  # <- no-main-guard
    """,
    "loader-asked-for-its-iterator": """
        from torch.utils.data import DataLoader
        batches = DataLoader([1], num_workers=2).__iter__()  # <- no-main-guard
    """,
    "loaders-of-a-function": """
        from torch.utils.data import DataLoader
        class Config:
            num_workers = 4
        def get_loaders(config):
            return DataLoader([1], num_workers=config.num_workers), DataLoader([2], num_workers=config.num_workers)
        train_loader, test_loader = get_loaders(Config)
        print(len(train_loader))
        for epoch in range(2):
            for batch in train_loader:  # <- no-main-guard
                print(batch)
    """,
    "loader-in-a-comprehension": """
        from torch.utils.data import DataLoader
        total = sum(len(b) for b in DataLoader([1], num_workers=2))  # <- no-main-guard
    """,
    "loader-with-tqdm": """
        from torch.utils.data import DataLoader
        from tqdm import tqdm
        loader = DataLoader([1], num_workers=2)
        for batch in tqdm(loader):  # <- no-main-guard
            print(batch)
    """,
    "loader-with-all-processors": """
        import os
        from torch.utils.data import DataLoader
        for batch in DataLoader([1], num_workers=os.cpu_count()):  # <- no-main-guard
            print(batch)
    """,
    "loader-with-positional-workers": """
        from torch.utils.data import DataLoader
        loader = DataLoader([1], 1, False, None, None, 2)
        for batch in loader:  # <- no-main-guard
            print(batch)
    """,
    "loader-with-options": """
        from torch.utils.data import DataLoader
        options = {"num_workers": 2, "pin_memory": True}
        loader = DataLoader([1], **options)
        for epoch in range(2):
            for batch in loader:  # <- no-main-guard
                print(batch)
    """,
    "loader-with-options-of-dict": """
        from torch.utils.data import DataLoader
        options = dict(num_workers=2)
        for batch in DataLoader([1], **options):  # <- no-main-guard
            print(batch)
    """,
    "loader-with-unknown-workers": """
        import argparse
        from torch.utils.data import DataLoader
        parser = argparse.ArgumentParser()
        args = parser.parse_args()
        loader = DataLoader([1], num_workers=args.workers)
        for batch in loader:  # <- no-main-guard?
            print(batch)
    """,
    "loader-with-workers-of-an-option": """
        import argparse
        from torch.utils.data import DataLoader
        parser = argparse.ArgumentParser()
        group = parser.add_argument_group("loading")
        group.add_argument("-j", "--num-workers", type=int, default=4)
        args = parser.parse_args()
        for batch in DataLoader([1], num_workers=args.num_workers):  # <- no-main-guard
            print(batch)
    """,
    "started-where-an-option-says-so": """
        import argparse, multiprocessing as mp
        parser = argparse.ArgumentParser()
        parser.add_argument("--jobs", type=int, default=1)
        args, rest = parser.parse_known_args()
        if args.jobs > 1:
            mp.Pool(args.jobs)  # <- no-main-guard
    """,
    "loaders-in-a-dictionary": """
        from torch.utils.data import DataLoader
        loaders = {phase: DataLoader([1], num_workers=2) for phase in ("train", "val")}
        for phase in ("train", "val"):
            for batch in loaders[phase]:  # <- no-main-guard
                print(batch)
    """,
    "loader-handed-to-a-function": """
        from torch.utils.data import DataLoader
        def train(batches):
            for batch in batches:
                print(batch)
        train(DataLoader([1], num_workers=2))  # <- no-main-guard
    """,
    "loader-made-by-a-function": """
        from torch.utils.data import DataLoader
        def make(workers=2):
            return DataLoader([1], num_workers=workers)
        for batch in make():  # <- no-main-guard
            print(batch)
    """,
    "loader-in-an-attribute": """
        from torch.utils.data import DataLoader
        class Trainer:
            def __init__(self, data):
                self.loader = DataLoader(data, num_workers=2)
            def run(self):
                for batch in self.loader:
                    print(batch)
        trainer = Trainer([1])
        trainer.run()  # <- no-main-guard
    """,
    "loader-handed-to-a-trainer": """
        import lightning as L
        from torch.utils.data import DataLoader
        trainer = L.Trainer()
        trainer.fit(None, DataLoader([1], num_workers=2))  # <- no-main-guard
    """,
    "loader-of-a-data-module": """
        import lightning as L
        from torch.utils.data import DataLoader
        class Data(L.LightningDataModule):
            def train_dataloader(self):
                return DataLoader([1], num_workers=2)
        trainer = L.Trainer()
        trainer.fit(None, datamodule=Data())  # <- no-main-guard
    """,
    "loader-of-training-arguments": """
        from transformers import Trainer, TrainingArguments
        args = TrainingArguments("out", dataloader_num_workers=4)
        trainer = Trainer(model=None, args=args)
        trainer.train()  # <- no-main-guard
    """,
    "loader-made-by-a-library": """
        from timm.data import create_loader
        loader = create_loader([1], 224, num_workers=4)
        for batch in loader:  # <- no-main-guard
            print(batch)
    """,
    "loader-of-ones-own": """
        from torch.utils.data import DataLoader
        class Loader(DataLoader):
            def __init__(self, data):
                super().__init__(data, num_workers=2)
        for batch in Loader([1]):  # <- no-main-guard
            print(batch)
    """,
    "loader-of-megengine": """
        from megengine.data import DataLoader
        loader = DataLoader([1], num_workers=2)
        for batch in loader:  # <- no-main-guard
            print(batch)
    """,
    "torchvision": """
        import torch
        import torchvision
        import torchvision.transforms as transforms

        transform = transforms.Compose([transforms.ToTensor()])
        trainset = torchvision.datasets.CIFAR10(root="./data", train=True, download=True, transform=transform)
        trainloader = torch.utils.data.DataLoader(trainset, batch_size=4, shuffle=True, num_workers=2)
        classes = ("plane", "car")

        def imshow(img):
            print(img)

        dataiter = iter(trainloader)  # <- no-main-guard
        images, labels = next(dataiter)
        imshow(images)
    """,
    # by what way
    "through-a-function": """
        import multiprocessing as mp
        def main():
            child = mp.Process(target=print)
            child.start()
        main()  # <- no-main-guard
    """,
    "through-functions": """
        import multiprocessing as mp
        def launch(target):
            mp.Process(target=target).start()
        def main():
            launch(print)
        print("begin")
        result = main()  # <- no-main-guard
    """,
    "through-a-method": """
        import multiprocessing as mp
        class Runner:
            def run(self):
                with mp.Pool(2) as pool:
                    pool.map(abs, [1])
        Runner().run()  # <- no-main-guard
    """,
    "through-init": """
        import multiprocessing as mp
        class Runner:
            def __init__(self):
                self.manager = mp.Manager()
        runner = Runner()  # <- no-main-guard
    """,
    "through-post-init": """
        import multiprocessing as mp
        from dataclasses import dataclass
        @dataclass
        class Runner:
            size: int = 2
            def __post_init__(self):
                self.pool = mp.Pool(self.size)
        runner = Runner()  # <- no-main-guard
    """,
    "through-call": """
        import multiprocessing as mp
        class Runner:
            def __call__(self):
                mp.Pool(2)
        Runner()()  # <- no-main-guard
    """,
    "through-a-property": """
        import multiprocessing as mp
        class Runner:
            @property
            def pool(self):
                return mp.Pool(2)
        Runner().pool.map(abs, [1])  # <- no-main-guard
    """,
    "through-a-class-method": """
        import multiprocessing as mp
        class Runner:
            @classmethod
            def go(cls):
                cls.helper()
            @staticmethod
            def helper():
                mp.Pool(2)
        Runner.go()  # <- no-main-guard
    """,
    "through-a-base": """
        import multiprocessing as mp
        class Base:
            def run(self):
                self.go()
        class Runner(Base):
            def go(self):
                mp.Process(target=print).start()
        Runner().run()  # <- no-main-guard
    """,
    "through-enter": """
        import multiprocessing as mp
        class Workers:
            def __enter__(self):
                self.pool = mp.Pool(2)
                return self.pool
            def __exit__(self, *error):
                self.pool.close()
        with Workers() as pool:  # <- no-main-guard
            pool.map(abs, [1])
    """,
    "through-a-context-manager": """
        import contextlib
        import multiprocessing as mp
        @contextlib.contextmanager
        def workers():
            pool = mp.Pool(2)
            yield pool
            pool.close()
        with workers() as pool:  # <- no-main-guard
            pool.map(abs, [1])
    """,
    "through-a-generator": """
        import multiprocessing as mp
        def results():
            with mp.Pool(2) as pool:
                yield from pool.imap(abs, [1])
        for result in results():  # <- no-main-guard
            print(result)
    """,
    "through-a-lambda": """
        import multiprocessing as mp
        run = lambda: mp.Pool(2)
        run()  # <- no-main-guard
    """,
    "through-a-closure": """
        import multiprocessing as mp
        def outer():
            def inner():
                mp.Process(target=print).start()
            return inner
        outer()()  # <- no-main-guard
    """,
    "through-a-decorated-function": """
        import functools, multiprocessing as mp
        def timed(function):
            @functools.wraps(function)
            def wrapper(*args, **kwargs):
                return function(*args, **kwargs)
            return wrapper
        @timed
        def main():
            mp.Pool(2)
        main()  # <- no-main-guard
    """,
    "through-click": """
        import click, multiprocessing as mp
        @click.command()
        @click.option("--size", default=2)
        def main(size):
            mp.Pool(size)
        main()  # <- no-main-guard
    """,
    "through-fire": """
        import fire, multiprocessing as mp
        def main(size=2):
            mp.Pool(size)
        fire.Fire(main)  # <- no-main-guard
    """,
    "through-sys-exit": """
        import sys, multiprocessing as mp
        def main():
            mp.Pool(2)
        sys.exit(main())  # <- no-main-guard
    """,
    "through-a-thread": """
        import threading, multiprocessing as mp
        def main():
            mp.Pool(2)
        t = threading.Thread(target=main)
        t.start()  # <- no-main-guard
    """,
    "in-a-class-body": """
        import multiprocessing as mp
        class Config:
            manager = mp.Manager()  # <- no-main-guard
            shared = manager.dict()
    """,
    "in-a-decorator": """
        import multiprocessing as mp
        def pooled(pool):
            return lambda function: function
        @pooled(mp.Pool(2))  # <- no-main-guard
        def work(n):
            return n
    """,
    "by-a-decorator": """
        import multiprocessing as mp
        def background(function):
            mp.Process(target=function).start()
            return function
        @background  # <- no-main-guard
        def work():
            return 1
    """,
    "in-a-default": """
        import multiprocessing as mp
        def work(n, pool=mp.Pool(2)):  # <- no-main-guard
            return n
    """,
    "in-a-base": """
        import multiprocessing as mp
        def base():
            mp.Pool(2)
            return object
        class Work(base()):  # <- no-main-guard
            pass
    """,
    "in-try": """
        import multiprocessing as mp
        try:
            pool = mp.Pool(2)  # <- no-main-guard
        finally:
            print("done")
    """,
    "in-a-handler": """
        import multiprocessing as mp
        try:
            import fast
        except ImportError:
            fast = mp.Pool(2)  # <- no-main-guard
    """,
    "in-else-of-try": """
        import multiprocessing as mp
        try:
            import json
        except ImportError:
            pass
        else:
            mp.Pool(2)  # <- no-main-guard
    """,
    "in-while": """
        import multiprocessing as mp
        n = 0
        while n < 2:
            mp.Process(target=print).start()  # <- no-main-guard
            n += 1
    """,
    "under-an-option": """
        import sys, multiprocessing as mp
        if len(sys.argv) > 1:
            pool = mp.Pool(2)  # <- no-main-guard
        else:
            pool = None
    """,
    "under-a-platform": """
        import sys, multiprocessing as mp
        if sys.platform == "win32":
            mp.freeze_support()
        mp.Process(target=print).start()  # <- no-main-guard
    """,
    "in-match": """
        import sys, multiprocessing as mp
        match sys.argv:
            case [_, "go"]:
                mp.Process(target=print).start()  # <- no-main-guard
    """,
    "by-a-walrus": """
        import multiprocessing as mp
        if (pool := mp.Pool(2)) is not None:  # <- no-main-guard
            pool.map(abs, [1])
    """,
    "in-a-long-statement": """
        import multiprocessing as mp
        results = list(  # <- no-main-guard
            mp.Pool(2).map(
                abs,
                [1, 2],
            )
        )
    """,
    "on-several-lines": """
        import multiprocessing as mp
        a = mp.Process(target=print)
        b = mp.Process(target=print)
        a.start()  # <- no-main-guard
        b.start()  # <- no-main-guard
    """,
    # fork
    "fork-by-context": """
        import multiprocessing as mp
        mp.get_context("fork").Process(target=print).start()  # <- no-main-guard?
    """,
    "fork-by-set-start-method": """
        import multiprocessing as mp
        mp.set_start_method("fork")
        mp.Process(target=print).start()  # <- no-main-guard?
    """,
    "fork-of-an-executor": """
        import multiprocessing as mp
        from concurrent.futures import ProcessPoolExecutor
        with ProcessPoolExecutor(mp_context=mp.get_context("fork")) as pool:
            pool.submit(abs, 1)  # <- no-main-guard?
    """,
    # guards that do not guard
    "guard-misspelt": """
        import multiprocessing as mp
        if __name__ == "main":  # <- no-main-guard
            mp.Process(target=print).start()
    """,
    "guard-with-a-space": """
        import multiprocessing as mp
        if __name__ == "__main__ ":  # <- no-main-guard
            mp.Process(target=print).start()
    """,
    "guard-with-one-underscore": """
        import multiprocessing as mp
        if "_main_" == __name__:  # <- no-main-guard
            mp.Process(target=print).start()
    """,
    "guard-in-capitals": """
        import multiprocessing as mp
        if __name__ == "__MAIN__":  # <- no-main-guard
            mp.Process(target=print).start()
    """,
    "guard-in-quotes": """
        import multiprocessing as mp
        if "__name__" == "__main__":  # <- no-main-guard
            mp.Process(target=print).start()
    """,
    "guard-that-is-open-in-the-child": """
        import multiprocessing as mp
        if __name__ in ("__main__", "__mp_main__"):
            mp.Process(target=print).start()  # <- no-main-guard
    """,
    "guard-the-wrong-way-round": """
        import multiprocessing as mp
        if __name__ != "__main__":
            mp.Process(target=print).start()  # <- no-main-guard
    """,
    "guard-with-or": """
        import os, multiprocessing as mp
        if __name__ == "__main__" or os.environ.get("RUN"):
            mp.Process(target=print).start()  # <- no-main-guard
    """,
    "guard-by-parent-process": """
        import multiprocessing as mp
        if mp.parent_process() is None:
            mp.Process(target=print).start()  # <- no-main-guard
    """,
    "guard-by-not-parent-process": """
        from multiprocessing import parent_process, Pool
        def main():
            Pool(2)
        if not parent_process():
            main()  # <- no-main-guard
    """,
    "guard-by-parent-process-in-a-variable": """
        import multiprocessing as mp
        is_main = mp.parent_process() is None
        if is_main:
            mp.Process(target=print).start()  # <- no-main-guard
    """,
    "guard-by-the-name-of-the-process": """
        import multiprocessing as mp
        if mp.current_process().name == "MainProcess":
            mp.get_context("forkserver").Process(target=print).start()  # <- no-main-guard
    """,
    "guard-by-daemon": """
        import multiprocessing as mp
        if not mp.current_process().daemon:
            mp.Process(target=print, daemon=True).start()  # <- no-main-guard
    """,
    "guard-by-the-main-thread": """
        import threading, multiprocessing as mp
        if threading.current_thread() is threading.main_thread():
            mp.Process(target=print).start()  # <- no-main-guard
    """,
    "guard-in-a-function-and-a-start-outside": """
        import multiprocessing as mp
        def main():
            if __name__ == "__main__":
                print("main")
            mp.Process(target=print).start()
        main()  # <- no-main-guard
    """,
    "guard-round-a-part": """
        import multiprocessing as mp
        def work(): pass
        if __name__ == "__main__":
            print("starting")
        p = mp.Process(target=work)
        p.start()  # <- no-main-guard
    """,
    "guard-round-freeze-support": """
        from multiprocessing import freeze_support, Pool
        if __name__ == "__main__":
            freeze_support()
        pool = Pool(2)  # <- no-main-guard
    """,
    "lines-outside-the-guard": """
        import multiprocessing as mp
        if __name__ == "__main__":
            with mp.Pool(2) as pool:
                results = pool.map(abs, [1])
        print(results)  # <- no-main-guard
    """,
    "lines-outside-the-guard-in-a-function": """
        import multiprocessing as mp
        def report():
            print(results)
        if __name__ == "__main__":
            with mp.Pool(2) as pool:
                results = pool.map(abs, [1])
        report()  # <- no-main-guard
    """,
    "import-under-the-guard-used-outside": """
        import multiprocessing as mp
        if __name__ == "__main__":
            import json
            mp.Process(target=print).start()
        TEXT = json.dumps([1])  # <- no-main-guard
    """,
    "class-body-uses-a-guarded-name": """
        import multiprocessing as mp
        if __name__ == "__main__":
            size = 3
            mp.Process(target=print).start()
        class Grid:
            width = size  # <- no-main-guard
    """,
    "start-method-set-outside": """
        import multiprocessing as mp
        mp.set_start_method("spawn")  # <- no-main-guard
        if __name__ == "__main__":
            mp.Process(target=print).start()
    """,
    "start-method-of-torch-set-outside": """
        from torch.multiprocessing import Pool, set_start_method
        set_start_method("spawn")  # <- no-main-guard
        if __name__ == "__main__":
            Pool(2)
    """,
    # other code run as the main module
    "exec-as-main": """
        TEXT = open("job.txt").read()
        exec(TEXT, {"__name__": "__main__"})  # <- no-main-guard
    """,
    "exec-as-main-in-a-variable": """
        space = {"__name__": "__main__", "x": 1}
        exec(compile("print(1)", "job", "exec"), space)  # <- no-main-guard
    """,
    "exec-as-main-by-dict": """
        space = dict(__name__="__main__")
        exec("print(1)", space)  # <- no-main-guard
    """,
    "exec-as-main-by-item": """
        space = {}
        space["__name__"] = "__main__"
        exec("print(1)", space)  # <- no-main-guard
    """,
    "run-path-as-main": """
        import runpy
        runpy.run_path("job.py", run_name="__main__")  # <- no-main-guard
    """,
    "run-module-as-main": """
        from runpy import run_module
        run_module("job", {}, "__main__")  # <- no-main-guard
    """,
    "loaded-as-main": """
        import importlib.util
        spec = importlib.util.spec_from_file_location("__main__", "job.py")  # <- no-main-guard
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    """,
    # modules
    "module": """
        === main.py
        if __name__ == "__main__":
            import report
            print(report.TOTAL)
        === report.py
        from concurrent.futures import ProcessPoolExecutor
        pool = ProcessPoolExecutor(1)
        TOTAL = pool.submit(abs, 1).result()  # <- start-at-import
    """,
    "module-of-a-package": """
        === main.py
        from app.shared import manager
        if __name__ == "__main__":
            print(manager)
        === app/__init__.py
        === app/shared.py
        import multiprocessing
        manager = multiprocessing.Manager()  # <- start-at-import
    """,
    "package": """
        === app/__init__.py
        from multiprocessing import Pool
        POOL = Pool(2)  # <- start-at-import
        === app/part.py
        from . import POOL
    """,
    "function-of-a-module": """
        === main.py
        import helpers
        helpers.run_all()  # <- no-main-guard
        === helpers.py
        import multiprocessing as mp
        def run_all():
            with mp.Pool(2) as pool:
                return pool.map(abs, [1])
    """,
    "function-from-a-module": """
        === main.py
        from helpers import run_all as go
        print("start")
        go()  # <- no-main-guard
        === helpers.py
        import multiprocessing as mp
        def run_all():
            with mp.Pool(2) as pool:
                return pool.map(abs, [1])
    """,
    "function-of-a-package": """
        === main.py
        import app.jobs as jobs
        jobs.run_all()  # <- no-main-guard
        === app/__init__.py
        === app/jobs.py
        from .tools import start
        def run_all():
            start()
        === app/tools.py
        import multiprocessing as mp
        def start():
            mp.Process(target=print).start()
    """,
    "function-by-its-full-name": """
        === main.py
        import app.jobs
        app.jobs.run_all()  # <- no-main-guard
        === app/__init__.py
        === app/jobs.py
        import multiprocessing as mp
        def run_all():
            mp.Process(target=print).start()
    """,
    "class-of-a-module": """
        === main.py
        from engine import Engine
        engine = Engine(workers=2)  # <- no-main-guard
        === engine.py
        import multiprocessing as mp
        class Engine:
            def __init__(self, workers):
                self.pool = mp.Pool(workers)
    """,
    "loader-of-a-module": """
        === main.py
        from data import loader
        for batch in loader:  # <- no-main-guard
            print(batch)
        === data.py
        from torch.utils.data import DataLoader
        loader = DataLoader([1], num_workers=2)
    """,
    "star-import-of-a-module": """
        === main.py
        from helpers import *
        run_all()  # <- no-main-guard
        === helpers.py
        import multiprocessing as mp
        def run_all():
            mp.Pool(2)
    """,
    # work
    "mkdir": """
        import os, multiprocessing as mp
        os.mkdir("out")  # <- work-at-import
        if __name__ == "__main__":
            mp.Process(target=print).start()
    """,
    "makedirs": """
        from os import makedirs
        from multiprocessing import Pool
        makedirs("out/run")  # <- work-at-import
        if __name__ == "__main__":
            Pool(2)
    """,
    "makedirs-not-ok": """
        import os
        from torch.utils.data import DataLoader
        os.makedirs("out", exist_ok=False)  # <- work-at-import
        if __name__ == "__main__":
            for batch in DataLoader([1], num_workers=2):
                print(batch)
    """,
    "path-mkdir": """
        from pathlib import Path
        from multiprocessing import Pool
        OUT = Path("out") / "run"
        OUT.mkdir(parents=True)  # <- work-at-import
        if __name__ == "__main__":
            Pool(2)
    """,
    "path-of-the-file": """
        import pathlib, multiprocessing
        HERE = pathlib.Path(__file__).resolve().parent
        (HERE / "cache").mkdir()  # <- work-at-import
        if __name__ == "__main__":
            multiprocessing.Pool(2)
    """,
    "folder-named-after-the-time": """
        import os, time, multiprocessing as mp
        OUT = f"runs/{time.strftime('%Y%m%d-%H%M%S')}"
        os.makedirs(OUT, exist_ok=True)  # <- work-at-import?
        if __name__ == "__main__":
            mp.Process(target=print).start()
    """,
    "path-named-after-the-time": """
        from datetime import datetime
        from pathlib import Path
        from multiprocessing import Pool
        OUT = Path("runs") / datetime.now().strftime("%H%M%S")
        OUT.mkdir(parents=True, exist_ok=True)  # <- work-at-import?
        if __name__ == "__main__":
            Pool(2)
    """,
    "file-written": """
        import multiprocessing as mp
        log = open("run.log", "w")  # <- work-at-import?
        if __name__ == "__main__":
            mp.Process(target=print).start()
    """,
    "file-written-in-with": """
        import json, multiprocessing as mp
        with open("config.json", mode="w") as file:  # <- work-at-import?
            json.dump({}, file)
        if __name__ == "__main__":
            mp.Process(target=print).start()
    """,
    "file-made": """
        import multiprocessing as mp
        lock = open("run.lock", "x")  # <- work-at-import
        if __name__ == "__main__":
            mp.Process(target=print).start()
    """,
    "path-written": """
        from pathlib import Path
        import multiprocessing as mp
        Path("state.txt").write_text("new")  # <- work-at-import?
        if __name__ == "__main__":
            mp.Process(target=print).start()
    """,
    "log-emptied": """
        import logging, multiprocessing as mp
        logging.basicConfig(filename="run.log", filemode="w")  # <- work-at-import?
        if __name__ == "__main__":
            mp.Process(target=print).start()
    """,
    "folder-removed": """
        import shutil, multiprocessing as mp
        shutil.rmtree("out", ignore_errors=True)  # <- work-at-import?
        if __name__ == "__main__":
            mp.Process(target=print).start()
    """,
    "folder-removed-if-there": """
        import os, shutil, multiprocessing as mp
        if os.path.exists("out"):
            shutil.rmtree("out")  # <- work-at-import?
        if __name__ == "__main__":
            mp.Process(target=print).start()
    """,
    "file-removed": """
        import os, multiprocessing as mp
        os.remove("old.txt")  # <- work-at-import
        if __name__ == "__main__":
            mp.Process(target=print).start()
    """,
    "file-renamed": """
        import os, multiprocessing as mp
        os.rename("new.txt", "old.txt")  # <- work-at-import
        if __name__ == "__main__":
            mp.Process(target=print).start()
    """,
    "question": """
        import multiprocessing as mp
        name = input("Name? ")  # <- work-at-import
        if __name__ == "__main__":
            mp.Process(target=print, args=(name,)).start()
    """,
    "port": """
        import socket, multiprocessing as mp
        server = socket.socket()
        server.bind(("localhost", 8000))  # <- work-at-import
        if __name__ == "__main__":
            mp.Process(target=print).start()
    """,
    "server": """
        import multiprocessing as mp
        from http.server import HTTPServer, BaseHTTPRequestHandler
        server = HTTPServer(("", 8000), BaseHTTPRequestHandler)  # <- work-at-import
        if __name__ == "__main__":
            mp.Process(target=print).start()
    """,
    "window": """
        import tkinter as tk, multiprocessing as mp
        def begin():
            mp.Process(target=print).start()
        root = tk.Tk()  # <- work-at-import?
        tk.Button(root, command=begin)
        root.mainloop()  # <- work-at-import?
    """,
    "exit-where-it-is-imported": """
        import sys, multiprocessing as mp
        if __name__ != "__main__":
            sys.exit()  # <- no-main-guard
        mp.Process(target=print).start()
    """,
    "raise-where-it-is-imported": """
        import multiprocessing as mp
        if __name__ != "__main__":
            raise ImportError("a program")  # <- no-main-guard
        mp.Process(target=print).start()
    """,
    "exit-outside-the-guard": """
        import sys, multiprocessing as mp
        if __name__ == "__main__":
            mp.Process(target=print).start()
        sys.exit(0)  # <- no-main-guard
    """,
    "tests-outside-the-guard": """
        import unittest, multiprocessing as mp
        class Test(unittest.TestCase):
            def test(self):
                mp.Process(target=print).start()
        unittest.main()  # <- work-at-import
    """,
    "folder-entered": """
        import os, multiprocessing as mp
        os.chdir("data")  # <- work-at-import
        if __name__ == "__main__":
            mp.Process(target=print).start()
    """,
    "lock-taken": """
        import fcntl, multiprocessing as mp
        lock = open("run.lock")
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # <- work-at-import
        if __name__ == "__main__":
            mp.Process(target=print).start()
    """,
    "hdf5-written": """
        import h5py, multiprocessing as mp
        file = h5py.File("x.h5", "w")  # <- work-at-import
        if __name__ == "__main__":
            mp.Process(target=print).start()
    """,
    "shared-memory-made": """
        from multiprocessing import Process
        from multiprocessing.shared_memory import SharedMemory
        block = SharedMemory(name="frames", create=True, size=10)  # <- work-at-import
        if __name__ == "__main__":
            Process(target=print).start()
    """,
    "table-made": """
        import sqlite3, multiprocessing as mp
        connection = sqlite3.connect("x.db")
        connection.cursor().execute("CREATE TABLE t (a)")  # <- work-at-import
        if __name__ == "__main__":
            mp.Process(target=print).start()
    """,
    "input-read": """
        import sys, multiprocessing as mp
        numbers = [int(word) for word in sys.stdin.read().split()]  # <- work-at-import?
        if __name__ == "__main__":
            mp.Process(target=print).start()
    """,
    "endless-loop": """
        import time, multiprocessing as mp
        def begin():
            mp.Process(target=print).start()
        while True:  # <- work-at-import
            time.sleep(1)
    """,
    "work-in-a-function": """
        import os, multiprocessing as mp
        def prepare(folder):
            os.mkdir(folder)
        prepare("out")  # <- work-at-import
        if __name__ == "__main__":
            mp.Process(target=print).start()
    """,
    "work-of-a-module": """
        === main.py
        import multiprocessing as mp
        import config
        if __name__ == "__main__":
            mp.Process(target=print, args=(config.OUT,)).start()
        === config.py
        import os
        OUT = "out"
        os.mkdir(OUT)  # <- work-at-import
    """,
    "work-where-another-module-starts": """
        === main.py
        import os
        import runner
        os.mkdir("out")  # <- work-at-import
        if __name__ == "__main__":
            runner.run()
        === runner.py
        import multiprocessing as mp
        def run():
            mp.Process(target=print).start()
    """,
    # frozen
    "frozen-by-a-spec": """
        === app.py
        import multiprocessing as mp
        if __name__ == "__main__":  # <- frozen?
            mp.Process(target=print).start()
        === app.spec
        a = Analysis(["app.py"])
    """,
}

FINE = {
    "guarded": """
        import multiprocessing as mp
        def work(): pass
        if __name__ == "__main__":
            mp.Process(target=work).start()
    """,
    "guarded-the-other-way-round": """
        import multiprocessing as mp
        if "__main__" == __name__:
            mp.Process(target=print).start()
    """,
    "guarded-with-and": """
        import sys, multiprocessing as mp
        if __name__ == "__main__" and len(sys.argv) > 1:
            mp.Process(target=print).start()
    """,
    "guarded-with-and-in-front": """
        import sys, multiprocessing as mp
        if sys.argv and __name__ == "__main__":
            mp.Process(target=print).start()
    """,
    "guarded-by-a-boolean-expression": """
        import multiprocessing as mp
        __name__ == "__main__" and mp.Process(target=print).start()
    """,
    "guarded-by-a-choice": """
        import multiprocessing as mp
        pool = mp.Pool(2) if __name__ == "__main__" else None
    """,
    "guarded-by-is": """
        import multiprocessing as mp
        if __name__ is "__main__":
            mp.Process(target=print).start()
    """,
    "guarded-by-in": """
        import multiprocessing as mp
        if __name__ in ("__main__",):
            mp.Process(target=print).start()
    """,
    "guarded-by-a-variable": """
        import multiprocessing as mp
        MAIN = __name__ == "__main__"
        if MAIN:
            mp.Process(target=print).start()
    """,
    "guarded-by-not": """
        import multiprocessing as mp
        if not __name__ == "__main__":
            pass
        else:
            mp.Process(target=print).start()
    """,
    "guarded-by-else": """
        import multiprocessing as mp
        if __name__ != "__main__":
            print("imported")
        else:
            mp.Process(target=print).start()
    """,
    "guarded-by-match": """
        import multiprocessing as mp
        match __name__:
            case "__main__":
                mp.Process(target=print).start()
            case _:
                print("imported")
    """,
    "guarded-by-a-table": """
        import multiprocessing as mp
        def main():
            mp.Pool(2)
        {"__main__": main}.get(__name__, print)()
    """,
    "guarded-by-a-decorator": """
        import multiprocessing as mp
        def program(function):
            if function.__module__ == "__main__":
                function()
            return function
        @program
        def main():
            mp.Pool(2)
    """,
    "guarded-by-the-environment": """
        import os, multiprocessing as mp
        if "IS_CHILD" not in os.environ:
            os.environ["IS_CHILD"] = "1"
            mp.Process(target=print).start()
    """,
    "main-of-a-package": """
        === app/__main__.py
        from .cli import main
        main()
        === app/__init__.py
        === app/cli.py
        import multiprocessing as mp
        def main():
            mp.Pool(2)
    """,
    "folder-entered-by-a-full-path": """
        import os, multiprocessing as mp
        os.chdir("/tmp")
        os.chdir(os.path.dirname(os.path.abspath(__file__)))
        if __name__ == "__main__":
            mp.Process(target=print).start()
    """,
    "an-exit-that-depends": """
        import sys, multiprocessing as mp
        if sys.version_info < (3, 8):
            sys.exit("too old")
        if __name__ == "__main__":
            mp.Process(target=print).start()
    """,
    "file-made-and-removed": """
        import os, tempfile, multiprocessing as mp
        handle, name = tempfile.mkstemp()
        os.close(handle)
        os.remove(name)
        def can_link():
            os.symlink("a", "b")
            os.remove("b")
        try:
            can_link()
        except OSError:
            pass
        if __name__ == "__main__":
            mp.Process(target=print).start()
    """,
    "a-table-made-with-care": """
        import sqlite3, multiprocessing as mp
        connection = sqlite3.connect("x.db")
        connection.execute("create table if not exists t (a)")
        if __name__ == "__main__":
            mp.Process(target=print).start()
    """,
    "guarded-by-a-return": """
        import multiprocessing as mp
        def main():
            if __name__ != "__main__":
                return
            mp.Process(target=print).start()
        main()
    """,
    "guarded-in-a-function": """
        import multiprocessing as mp
        def main():
            if __name__ == "__main__":
                mp.Process(target=print).start()
        main()
    """,
    "guarded-by-a-function": """
        import multiprocessing as mp
        def is_main():
            return __name__ == "__main__"
        if is_main():
            mp.Process(target=print).start()
    """,
    "guarded-in-try": """
        import multiprocessing as mp
        try:
            if __name__ == "__main__":
                mp.Process(target=print).start()
        except KeyboardInterrupt:
            pass
    """,
    "guarded-by-inheriting": """
        import multiprocessing as mp
        if not getattr(mp.current_process(), "_inheriting", False):
            mp.Process(target=print).start()
    """,
    "guarded-by-the-name-under-spawn": """
        import multiprocessing as mp
        if mp.current_process().name == "MainProcess":
            mp.get_context("spawn").Process(target=print).start()
    """,
    "guarded-main-called": """
        from concurrent.futures import ProcessPoolExecutor
        def main():
            with ProcessPoolExecutor() as pool:
                print(list(pool.map(abs, [1])))
        if __name__ == "__main__":
            main()
    """,
    "guarded-twice": """
        import multiprocessing as mp
        if __name__ == "__main__":
            pool = mp.Pool(2)
        def work(): pass
        if __name__ == "__main__":
            print(pool.map(abs, [1]))
    """,
    "guarded-fork": """
        import multiprocessing as mp
        if __name__ == "__main__":
            mp.set_start_method("fork")
            mp.Process(target=print).start()
    """,
    "guarded-start-method": """
        import multiprocessing as mp
        if __name__ == "__main__":
            mp.set_start_method("spawn")
            mp.Process(target=print).start()
    """,
    "start-method-forced": """
        import multiprocessing as mp
        mp.set_start_method("spawn", force=True)
        if __name__ == "__main__":
            mp.Process(target=print).start()
    """,
    "start-method-tried": """
        import multiprocessing as mp
        try:
            mp.set_start_method("spawn")
        except RuntimeError:
            pass
        if __name__ == "__main__":
            mp.Process(target=print).start()
    """,
    "fork-method-set-outside": """
        import multiprocessing as mp
        mp.set_start_method("fork")
        if __name__ == "__main__":
            mp.Process(target=print).start()
    """,
    "made-and-not-started": """
        from multiprocessing import Process
        from concurrent.futures import ProcessPoolExecutor
        child = Process(target=print)
        pool = ProcessPoolExecutor()
        if __name__ == "__main__":
            child.start()
    """,
    "shared-things": """
        import multiprocessing as mp
        lock, queue, value, event = mp.Lock(), mp.Queue(), mp.Value("i", 0), mp.Event()
        reader, writer = mp.Pipe()
        ctx = mp.get_context("spawn")
        if __name__ == "__main__":
            ctx.Process(target=print, args=(lock,)).start()
    """,
    "count-of-processors": """
        import multiprocessing
        WORKERS = multiprocessing.cpu_count()
        print(multiprocessing.current_process().name)
    """,
    "threads": """
        import threading
        from concurrent.futures import ThreadPoolExecutor
        from multiprocessing.pool import ThreadPool
        import multiprocessing.dummy
        with ThreadPoolExecutor() as pool:
            print(list(pool.map(abs, [1])))
        ThreadPool(2).map(abs, [1])
        multiprocessing.dummy.Pool(2).map(abs, [1])
        threading.Thread(target=print).start()
    """,
    "subprocess": """
        import subprocess, sys
        subprocess.run([sys.executable, "-V"])
        subprocess.Popen(["true"]).wait()
    """,
    "loader-without-workers": """
        from torch.utils.data import DataLoader
        loader = DataLoader([1], batch_size=2)
        other = DataLoader([1], num_workers=0)
        for batch in loader:
            print(batch)
        print(list(other))
    """,
    "loader-with-no-workers-of-an-option": """
        import argparse
        from torch.utils.data import DataLoader
        parser = argparse.ArgumentParser()
        parser.add_argument("--workers", type=int, default=0)
        args = parser.parse_args()
        for batch in DataLoader([1], num_workers=args.workers):
            print(batch)
    """,
    "loader-not-iterated": """
        from torch.utils.data import DataLoader
        loader = DataLoader([1], num_workers=2)
        print(len(loader), loader.dataset)
        if __name__ == "__main__":
            for batch in loader:
                print(batch)
    """,
    "loader-in-an-uncalled-function": """
        from torch.utils.data import DataLoader
        loader = DataLoader([1], num_workers=2)
        def train():
            for batch in loader:
                print(batch)
        if __name__ == "__main__":
            train()
    """,
    "started-in-an-uncalled-method": """
        import multiprocessing as mp
        class Runner:
            def run(self):
                mp.Process(target=print).start()
        runner = Runner()
    """,
    "something-else-called-process": """
        class Process:
            def start(self):
                print("started")
        def Pool(n):
            return n
        Process().start()
        Pool(2)
    """,
    "a-start-of-something-else": """
        import time
        class Clock:
            def start(self):
                self.begun = time.time()
        clock = Clock()
        clock.start()
    """,
    "type-checking": """
        from typing import TYPE_CHECKING
        if TYPE_CHECKING:
            from multiprocessing import Pool
            pool = Pool(2)
    """,
    "dead-code": """
        import multiprocessing as mp
        DEBUG = False
        if DEBUG:
            mp.Process(target=print).start()
        if 0:
            mp.Pool(2)
    """,
    "dask-client-with-an-address": """
        from dask.distributed import Client
        client = Client("tcp://scheduler:8786")
        other = Client(processes=False)
    """,
    "threads-under-the-names-of-processes": """
        import multiprocessing.dummy as mp
        from multiprocessing import dummy, pool
        import psutil
        mp.Process(target=print).start()
        dummy.Pool(2).map(abs, [1])
        pool.ThreadPool(2).map(abs, [1])
        print(psutil.Process().parent())
    """,
    "joblib": """
        from joblib import Parallel, delayed
        print(Parallel(n_jobs=2)(delayed(abs)(n) for n in range(3)))
    """,
    "harmless": """
        import logging, re
        import multiprocessing as mp
        print("loading")
        PATTERN = re.compile("a")
        log = logging.getLogger(__name__)
        text = open(__file__).read()
        with open(__file__, "rb") as file:
            data = file.read()
        if __name__ == "__main__":
            mp.Process(target=print).start()
    """,
    "argparse": """
        import argparse, multiprocessing as mp
        parser = argparse.ArgumentParser()
        args = parser.parse_args()
        if __name__ == "__main__":
            mp.Process(target=print).start()
    """,
    "folder-made-with-care": """
        import os, pathlib, contextlib, multiprocessing as mp
        os.makedirs("a", exist_ok=True)
        pathlib.Path("b").mkdir(parents=True, exist_ok=True)
        if not os.path.exists("c"):
            os.mkdir("c")
        if not pathlib.Path("d").is_dir():
            pathlib.Path("d").mkdir()
        try:
            os.mkdir("e")
        except FileExistsError:
            pass
        with contextlib.suppress(OSError):
            os.mkdir("f")
        pathlib.Path("g").unlink(missing_ok=True)
        if __name__ == "__main__":
            mp.Process(target=print).start()
    """,
    "folder-made-and-no-process": """
        import os
        os.mkdir("out")
        name = input("Name? ")
    """,
    "folder-made-and-no-workers": """
        import os
        from torch.utils.data import DataLoader
        os.mkdir("out")
        for batch in DataLoader([1], num_workers=0):
            print(batch)
    """,
    "guarded-name-asked-for-with-care": """
        import multiprocessing as mp
        if __name__ == "__main__":
            size = 3
            mp.Process(target=print).start()
        try:
            print(size)
        except NameError:
            pass
    """,
    "folder-made-and-only-fork": """
        import os, multiprocessing as mp
        os.mkdir("out")
        if __name__ == "__main__":
            mp.get_context("fork").Process(target=print).start()
    """,
    "guarded-name-and-no-process": """
        if __name__ == "__main__":
            x = 1
        print(x)
    """,
    "guarded-name-bound-outside-too": """
        import multiprocessing as mp
        size = 2
        if __name__ == "__main__":
            size = 3
            mp.Process(target=print).start()
        print(size)
    """,
    "guarded-name-used-in-an-uncalled-function": """
        import multiprocessing as mp
        def report():
            print(size)
        if __name__ == "__main__":
            size = 3
            mp.Process(target=print).start()
            report()
    """,
    "guarded-name-is-a-builtin": """
        import multiprocessing as mp
        if __name__ == "__main__":
            max = 3
            mp.Process(target=print).start()
        print(max)
    """,
    "guard-in-the-else-sets-the-name": """
        import multiprocessing as mp
        if __name__ == "__main__":
            mode = "main"
            mp.Process(target=print).start()
        else:
            mode = "child"
        print(mode)
    """,
    "free-port": """
        import socket, multiprocessing as mp
        server = socket.socket()
        server.bind(("localhost", 0))
        if __name__ == "__main__":
            mp.Process(target=print).start()
    """,
    "loop-with-an-end": """
        import multiprocessing as mp
        n = 0
        while True:
            n += 1
            if n > 3:
                break
        if __name__ == "__main__":
            mp.Process(target=print).start()
    """,
    "exec-with-its-own-name": """
        import multiprocessing as mp
        exec("x = 1")
        exec("y = 1", {"__name__": __name__})
        exec("z = 1", globals())
        if __name__ == "__main__":
            exec("w = 1", {"__name__": "__main__"})
            mp.Process(target=print).start()
    """,
    "module-guarded": """
        === main.py
        import helpers
        if __name__ == "__main__":
            helpers.run_all()
        === helpers.py
        import multiprocessing as mp
        def run_all():
            mp.Pool(2)
        if __name__ == "__main__":
            run_all()
    """,
    "modules-that-import-each-other": """
        === main.py
        import other
        import multiprocessing as mp
        def go():
            other.come()
        if __name__ == "__main__":
            go()
        === other.py
        import main
        def come():
            main.mp.Pool(2)
    """,
    "frozen-with-support": """
        === app.py
        import multiprocessing as mp
        if __name__ == "__main__":
            mp.freeze_support()
            mp.Process(target=print).start()
        === app.spec
        a = Analysis(["app.py"])
    """,
    "recursion": """
        import multiprocessing as mp
        def down(n):
            return down(n - 1) if n else [down(i) for i in range(n)]
        down(9)
        def a(): return b()
        def b(): return a()
        a()
    """,
    "empty": "",
    "nothing-but-a-text": '"""Uses multiprocessing.Process(...) and Pool(2)."""\n',
}

FOUND = [_specimen(name, text) for name, text in FOUND.items()]
FINE = [_specimen(name, text) for name, text in FINE.items()]

"""Objects that do their worst while they are unpickled; a child imports them from here."""

import ctypes
import os
import signal
import sys
import threading
import time


class Hostile:
    def __init__(self):
        self.x = 1

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.act()


class Crashes(Hostile):
    def act(self):
        ctypes.string_at(0)


class LeavesAtOnce(Hostile):
    def act(self):
        os._exit(3)


class LoopsForEver(Hostile):
    def act(self):
        while True:
            pass


class SleepsForEver(Hostile):
    def act(self):
        time.sleep(10_000)


class Slow(Hostile):
    def act(self):
        time.sleep(0.15)


class HoldsOn(Hostile):
    def act(self):
        while True:
            try:
                time.sleep(1)
            except BaseException:
                pass


class Exits(Hostile):
    def act(self):
        sys.exit(4)


class Interrupts(Hostile):
    def act(self):
        raise KeyboardInterrupt


class Recurses(Hostile):
    def act(self):
        self.act()


class HasNoMemory(Hostile):
    def act(self):
        raise MemoryError


class TalksMuch(Hostile):
    def act(self):
        raise ValueError("x" * 10_000_000)


class CannotSay(Exception):
    def __str__(self):
        raise RuntimeError


class RaisesThat(Hostile):
    def act(self):
        raise CannotSay("words")


class KillsItself(Hostile):
    def act(self):
        os.kill(os.getpid(), signal.SIGKILL)


class KillsTheChild(Hostile):
    def act(self):
        os.kill(os.getppid(), signal.SIGKILL)


class ClosesEverything(Hostile):
    def act(self):
        os.closerange(0, 1000)


# these do no harm, and are to pass


class Prints(Hostile):
    def act(self):
        for _ in range(100):
            sys.stdout.write("x" * 1_000_000)
            sys.stderr.write("x" * 1_000)


class WritesToDescriptors(Hostile):
    def act(self):
        os.write(1, b"\x00" * 1000)
        os.write(2, b"\x00" * 1000)


class ReadsStdin(Hostile):
    def act(self):
        assert sys.stdin.read() == ""


class StartsThreads(Hostile):
    def act(self):
        for _ in range(5):
            threading.Thread(target=time.sleep, args=(10_000,)).start()


class Forks(Hostile):
    def act(self):
        if not os.fork():
            time.sleep(10_000)


class ChangesEverything(Hostile):
    def act(self):
        os.chdir("/")
        sys.path.clear()
        os.environ.clear()
        sys.setrecursionlimit(150)


class ImportedBefore(Hostile):
    seen = []

    def act(self):
        assert not self.seen
        self.seen.append(1)


FAIL = {
    Crashes: "died by SIGSEGV", LeavesAtOnce: "exit code 3", LoopsForEver: "time limit", SleepsForEver: "time limit",
    HoldsOn: "no answer within", Exits: "SystemExit: 4", Interrupts: "KeyboardInterrupt", Recurses: "RecursionError",
    HasNoMemory: "MemoryError", TalksMuch: "ValueError: xxx", RaisesThat: "CannotSay: words",
    KillsItself: "died by SIGKILL", ClosesEverything: "exit code 0",
}  # fmt: skip
PASS = (
    Prints, WritesToDescriptors, ReadsStdin, StartsThreads, Forks, ChangesEverything, ImportedBefore, ImportedBefore,
)  # fmt: skip

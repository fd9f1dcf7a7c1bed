"""A process whose target is a method: the whole object behind the method has to travel with it.

picklecheck explain examples/bound_method.py:target     the culprits, behind target.__self__
python examples/bound_method.py                         what multiprocessing says: "cannot pickle '_thread.lock' object"
python examples/bound_method.py fixed                   the same work, with the handles opened where they are used
"""

import multiprocessing
import pathlib
import sqlite3
import sys
import tempfile
import threading

WORDS = ["spawn", "fork", "forkserver", "spawn"]


class Indexer:
    """Counts words in a table."""

    def __init__(self, path):
        self.path = path
        # Goes wrong: a lock is held by threads of one process, and only there.
        self.lock = threading.Lock()
        # Goes wrong next: a connection is an open file with cursors and transactions, all of this process.
        self.connection = sqlite3.connect(path)

    def run(self):
        with self.lock, self.connection:
            store(self.connection)


class PortableIndexer:
    """Takes along what it needs to open its handles, and opens them in the process that runs it."""

    def __init__(self, path):
        self.path = path

    def run(self):
        connection = sqlite3.connect(self.path)
        with connection:
            store(connection)
        connection.close()


def store(connection):
    connection.execute("CREATE TABLE IF NOT EXISTS words (word TEXT, writer TEXT)")
    writer = multiprocessing.current_process().name
    connection.executemany("INSERT INTO words VALUES (?, ?)", [(word, writer) for word in WORDS])


def fixed_target(path=":memory:"):
    return PortableIndexer(path).run


# Nothing here looks like data: the name `run` alone seems to be sent. The object in target.__self__ goes along.
target = Indexer(":memory:").run


def start(function):
    process = multiprocessing.get_context("spawn").Process(target=function)
    process.start()
    process.join()
    return process.exitcode


def main():
    if sys.argv[1:] != ["fixed"]:
        return start(target)
    with tempfile.TemporaryDirectory() as folder:
        path = str(pathlib.Path(folder, "words.db"))
        exitcode = start(fixed_target(path))
        connection = sqlite3.connect(path)
        for writer, count in connection.execute("SELECT writer, count(*) FROM words GROUP BY writer"):
            print(f"{writer} stored {count} words")
        connection.close()
    return exitcode


if __name__ == "__main__":
    sys.exit(main())

"""Things of the operating system: files, sockets, maps, pollers, children, archives, databases, windows, loggers."""

import bz2
import csv
import gzip
import io
import logging
import logging.handlers
import lzma
import mmap
import os
import queue
import select
import selectors
import socket
import sqlite3
import ssl
import subprocess
import sys
import tarfile
import tempfile
import urllib.request
import zipfile
import zlib
from pathlib import Path

from tests.specimens import Box, culprit, specimen


def closing(obj, *things):
    """Yield an object, then close some things."""
    try:
        yield obj
    finally:
        for thing in things:
            thing.close()


# files


class Extractor:
    def __init__(self, payload):
        self.payload = payload
        self.source = Box(raw=payload)

    def extract(self, name):
        pass


@specimen(culprit("file", "obj.__self__.payload", also=("obj.__self__.source.raw",)), via="process")
def file_by_two_ways():
    payload = open(__file__, "rb")
    yield from closing(Extractor(payload).extract, payload)


@specimen(
    culprit("file", "obj.text"),
    culprit("file", "obj.text_buffer"),
    culprit("file", "obj.raw"),
)
def files_of_each_layer():
    text = open(__file__, encoding="utf-8")
    raw = open(__file__, "rb", buffering=0)
    yield from closing(Box(text=text, text_buffer=text.buffer, raw=raw), text, raw)


@specimen(culprit("file", "obj.out", also=("obj.handlers['plain']",)))
def standard_streams():
    return Box(
        out=sys.__stdout__, handlers={"plain": sys.__stdout__}, in_memory=io.StringIO("x"), bytes=io.BytesIO(b"x")
    )


@specimen()
def ok_files_in_memory_and_paths():
    return io.BytesIO(b"abc"), io.StringIO("abc"), Path(__file__)


@specimen(culprit("file", "obj.scratch"))
def temporary_file():
    scratch = tempfile.TemporaryFile()
    yield from closing(Box(scratch=scratch), scratch)


@specimen(culprit("file", "obj.scratch.file", also=("obj.scratch._closer.file",)))
def named_temporary_file():
    scratch = tempfile.NamedTemporaryFile()
    yield from closing(Box(scratch=scratch), scratch)


@specimen()
def ok_temporary_directory_whose_finalizer_arrives_dead():
    folder = tempfile.TemporaryDirectory()
    yield Box(folder=folder)
    folder.cleanup()


@specimen()
def ok_spooled_temporary_file_in_memory():
    spool = tempfile.SpooledTemporaryFile()
    yield from closing(spool, spool)


@specimen(culprit("iterator", "obj.entries"))
def directory_being_scanned():
    entries = os.scandir(os.path.dirname(__file__))
    yield from closing(Box(entries=entries), entries)


@specimen(culprit("extension-object", "obj.entry"))
def entry_of_a_directory():
    with os.scandir(os.path.dirname(__file__)) as entries:
        entry = next(entries)
    return Box(entry=entry)


@specimen(culprit("iterator", "obj.rows"), culprit("extension-object", "obj.out"))
def csv_reader_and_writer():
    return Box(rows=csv.reader(["a,b"]), out=csv.writer(io.StringIO()))


@specimen(culprit("iterator", "obj.rows.reader"))
def csv_reader_of_dictionaries():
    return Box(rows=csv.DictReader(["a,b", "1,2"]))


# archives


@specimen(
    culprit("file", "obj.reading._buffer"),
    culprit("archive", "obj.writing.compress"),
    *([culprit("file", "obj.writing._buffer")] if sys.version_info >= (3, 12) else ()),
)
def gzip_files():
    reading, writing = (
        gzip.GzipFile(fileobj=io.BytesIO(gzip.compress(b"x"))),
        gzip.GzipFile(fileobj=io.BytesIO(), mode="w"),
    )
    yield from closing(Box(reading=reading, writing=writing), reading, writing)


@specimen(
    culprit("file", "obj.bz2._buffer"), culprit("file", "obj.xz._buffer"), culprit("archive", "obj.out._compressor")
)
def bz2_and_lzma_files():
    box = Box(
        bz2=bz2.BZ2File(io.BytesIO(bz2.compress(b"x"))),
        xz=lzma.LZMAFile(io.BytesIO(lzma.compress(b"x"))),
        out=bz2.BZ2File(io.BytesIO(), "w"),
    )
    yield from closing(box, box.bz2, box.xz, box.out)


@specimen(
    culprit("archive", "obj.flate"),
    culprit("archive", "obj.inflate"),
    culprit("archive", "obj.bz2"),
    culprit("archive", "obj.xz"),
    culprit("archive", "obj.unxz"),
    culprit("archive", "obj.unbz2"),
)
def compressors():
    return Box(
        flate=zlib.compressobj(),
        inflate=zlib.decompressobj(),
        bz2=bz2.BZ2Compressor(),
        xz=lzma.LZMACompressor(),
        unxz=lzma.LZMADecompressor(),
        unbz2=bz2.BZ2Decompressor(),
    )


def zipped(target):
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("a.txt", "abc")
    return target


@specimen(culprit("file", "obj.pages.fp"), culprit("lock", "obj.pages._lock"))
def zip_file_on_disk():
    folder = tempfile.TemporaryDirectory()
    pages = zipfile.ZipFile(zipped(os.path.join(folder.name, "pages.zip")))
    yield Box(pages=pages)
    pages.close()
    folder.cleanup()


@specimen(culprit("lock", "obj.pages._lock"))
def zip_file_in_memory():
    pages = zipfile.ZipFile(zipped(io.BytesIO()))
    yield from closing(Box(pages=pages), pages)


@specimen(culprit("lock", "obj.page._fileobj._lock"), culprit("lambda", "obj.page._fileobj._writing"))
def member_of_a_zip_file():
    with zipfile.ZipFile(zipped(io.BytesIO())) as archive:
        page = archive.open("a.txt")
        yield from closing(Box(page=page), page)


@specimen(culprit("file", "obj.tar.fileobj"))
def tar_file():
    with tempfile.TemporaryFile() as target:
        tar = tarfile.open(fileobj=target, mode="w")
        yield from closing(Box(tar=tar), tar)


# sockets


class Client:
    def __init__(self, *sockets):
        self.left, self.right = sockets


@specimen(culprit("socket", "obj.left"), culprit("socket", "obj.right"))
def sockets_under_plain_pickle():
    ends = socket.socketpair()
    yield from closing(Client(*ends), *ends)


@specimen(via="process")
def ok_sockets_for_a_process():
    ends = socket.socketpair()
    yield from closing(Client(*ends), *ends)


@specimen(via="pool")
def ok_sockets_for_a_pool():
    ends = socket.socketpair()
    yield from closing(Client(*ends), *ends)


@specimen(culprit("ssl-context", "obj.link"), via="process")
def ssl_socket():
    left, right = socket.socketpair()
    link = ssl.create_default_context().wrap_socket(left, server_hostname="x", do_handshake_on_connect=False)
    yield from closing(Box(link=link), link, right)


@specimen(
    culprit("ssl-context", "obj.opener.handlers[7]._context", also=("obj.opener.handle_open['https'][0]._context",)),
    via="process",
)
def ssl_context_in_a_url_opener():
    handler = urllib.request.HTTPSHandler(context=ssl.create_default_context())
    return Box(opener=urllib.request.build_opener(handler), base="https://example.invalid")


@specimen(culprit("ssl-context", "obj.incoming"))
def ssl_memory():
    return Box(incoming=ssl.MemoryBIO())


# memory


@specimen(culprit("mmap", "obj[0]"), via="process")
def memory_map_as_an_argument():
    shared = mmap.mmap(-1, 4096)
    yield from closing((shared, 4096, 7), shared)


class Index:
    def __init__(self):
        self.map = mmap.mmap(-1, 64)
        self.view = memoryview(self.map)


@specimen(
    culprit("mmap", "obj.index.map"),
    culprit("memoryview", "obj.index.view"),
    culprit("file", "obj.rows.handle"),
    via="process",
)
def readers_of_a_corpus():
    corpus = Box(index=Index(), rows=Box(handle=open(__file__, "rb")))
    yield corpus
    corpus.index.view.release()
    corpus.index.map.close()
    corpus.rows.handle.close()


@specimen(culprit("memoryview", "obj['window']"))
def memoryview_of_bytes():
    return {"window": memoryview(b"abc")[1:]}


# pollers


class Server:
    def __init__(self):
        self.loop = Box(pause=1.5, poller=select.epoll())

    def serve(self):
        pass


@specimen(culprit("poller", "obj.__self__.loop.poller"), via="process", linux=True)
def epoll_of_a_server():
    server = Server()
    yield from closing(server.serve, server.loop.poller)


@specimen(culprit("poller", "obj.poll"), linux=True)
def poll():
    return Box(poll=select.poll())


@specimen(culprit("poller", "obj.selector._selector"), linux=True)
def selector():
    chosen = selectors.EpollSelector()
    yield from closing(Box(selector=chosen), chosen)


# children


@specimen(culprit("file", "obj.child.stdout"), culprit("lock", "obj.child._waitpid_lock"), linux=True)
def child_with_a_pipe():
    child = subprocess.Popen([sys.executable, "-c", ""], stdout=subprocess.PIPE)
    child.wait()
    yield from closing(Box(child=child), child.stdout)


class Daemon(subprocess.Popen):
    def __reduce__(self):
        raise TypeError("a child stays with its parent")


@specimen(culprit("subprocess", "obj.daemon"), via="process")
def child_that_refuses():
    return Box(daemon=Daemon.__new__(Daemon))


# databases


class Sender:
    def __init__(self):
        self.db = sqlite3.connect(":memory:")
        self.cursor = self.db.cursor()
        self.claims = {"sub": "mailto:x@example.invalid"}

    def send(self, data):
        return data


@specimen(
    culprit("database-connection", "obj[0].__self__.db"),
    culprit("database-cursor", "obj[0].__self__.cursor"),
    via="pool",
)
def database_in_the_owner_of_a_method():
    sender = Sender()
    yield from closing((sender.send, ("hello",)), sender.db)


@specimen(culprit("extension-object", "obj.row", "obj.row"))
def row_of_a_database():
    db = sqlite3.connect(":memory:")
    db.row_factory = sqlite3.Row
    yield from closing(Box(row=db.execute("select 1 as a").fetchone()), db)


# loggers


@specimen()
def ok_loggers_by_name():
    return Box(log=logging.getLogger("picklecheck.zoo"), root=logging.getLogger())


@specimen(culprit("logger", "obj.log"), via="pool")
def logger_that_no_manager_knows():
    return Box(regions=[(1, 5)], log=logging.Logger("ad-hoc"))


@specimen(
    culprit("lock", "obj[0][0].lock"),
    culprit("file", "obj[0][0].stream"),
    culprit("lock", "obj[0][1].lock"),
    culprit("file", "obj[0][1].stream"),
    via="process",
)
def log_handlers_with_files():
    folder = tempfile.TemporaryDirectory()
    first = logging.FileHandler(os.path.join(folder.name, "a.log"))
    stream = open(os.path.join(folder.name, "b.log"), "w", encoding="utf-8")
    second = logging.StreamHandler(stream)
    yield [first, second], {"interval": 5}
    first.close()
    second.close()
    stream.close()
    folder.cleanup()


@specimen(culprit("lock", "obj.handler.lock"), culprit("queue", "obj.handler.queue"))
def log_handler_with_a_queue():
    handler = logging.handlers.QueueHandler(queue.SimpleQueue())
    yield from closing(Box(handler=handler), handler)


@specimen(culprit("logger", "obj.logger"))
def adapter_of_an_unknown_logger():
    return logging.LoggerAdapter(logging.Logger("ad-hoc"), {})


# windows


class Window:
    def __init__(self, tcl):
        self.root = tcl
        self.sizes = [32, 16]

    def process(self, pair):
        return pair


KEPT = []  # an interpreter that is destroyed in another thread aborts the process


@specimen(culprit("tkinter", "obj[0].__self__.root.tk"), via="pool", needs=("tkinter",))
def tcl_interpreter_of_a_window():
    import tkinter

    KEPT.append(tkinter.Tcl())
    return Window(KEPT[-1]).process, [(1, 2)]


# the environment


@specimen(
    culprit("local-function", "obj.config.values.encodekey", also=("obj.config.values.encodevalue",)),
    culprit("local-function", "obj.config.values.decodekey", also=("obj.config.values.decodevalue",)),
    via="process",
    linux=True,
)
def environment_itself():
    return Box(config=Box(values=os.environ), paths=["/usr"])


@specimen()
def ok_copy_of_the_environment():
    return Box(values=dict(os.environ))

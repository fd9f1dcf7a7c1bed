"""`picklecheck explain`, as a process of its own."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest

from picklecheck.cli import modules
from picklecheck.transports import names
from tests.screens import same_as_file

TRAIN = """
    import threading
    import weakref

    print("imported")


    class TileCache:
        def __init__(self, owner):
            self.owner = weakref.ref(owner)
            self.lock = threading.RLock()


    class Compose:
        def __init__(self, steps):
            self.steps = steps


    class CropDataset:
        def __init__(self, rows=0):
            self.cache = TileCache(self)
            self.transform = Compose([len, str, lambda image: image / 255])
            self.rows = [TileCache(self) for _ in range(rows)]


    dataset = CropDataset()
    fine = {"a": [1, 2, 3]}


    def make_dataset(rows=0):
        print("made")
        return CropDataset(rows)


    class Loud:
        def __reduce_ex__(self, protocol):
            print("reduced")
            return int, ()


    loud = Loud()
"""
ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def own_words(screen):
    """Take the interpreter's words off a screen: each version has its own."""
    return re.sub(r"   Python says: .*\n(     .*\n)*", "", screen).removesuffix("\n")


@pytest.fixture
def train(project):
    project.write(train=TRAIN)
    return project


# -- what is printed -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "code", "screen"),
    [
        (["train.py:dataset", "--start-method", "spawn"], 1, "dataset"),
        (["train:make_dataset(1000)", "--start-method", "spawn"], 1, "thousand"),
        (["train.py:fine", "--start-method", "spawn"], 0, "fine"),
        (["train.py:fine", "--start-method", "fork"], 0, "fork"),
        (["train.py:dataset.cache.lock", "--via", "pickle"], 1, "root"),
    ],
)
def test_screen(train, words, code, screen):
    done = train.run("explain", *words)
    same_as_file(f"cli/{screen}.txt", own_words(done.stdout))
    assert done.returncode == code
    assert "imported" in done.stderr


def test_all_adds_where_and_what(train):
    screen = train.run("explain", "train.py:dataset", "--all", "--via", "pickle", "--protocol", "2").stdout
    assert "\n  protocol 2, Python " in screen
    assert f"\n   {train.folder / 'train.py'}:10 in TileCache.__init__\n     self.owner = " in screen
    assert "\n   type weakref.ReferenceType, <weakref.ReferenceType object>\n" in screen


def test_json_is_alone_on_stdout(train):
    train.write(noisy=TRAIN + "\n    import atexit\n    atexit.register(print, 'at exit')\n")
    done = train.run("explain", "noisy.py:make_dataset()", "--format", "json", "--start-method", "spawn")
    report = json.loads(done.stdout)
    assert (done.returncode, report["ok"], report["schema"], report["target"]) == (1, False, 1, "make_dataset()")
    assert [found["path"] for found in report["failures"]] == [
        "make_dataset().cache.owner", "make_dataset().cache.lock", "make_dataset().transform.steps[2]",
    ]  # fmt: skip
    assert done.stderr == "imported\nmade\nat exit\n"


def test_what_is_printed_while_walking_goes_to_stderr(train):
    done = train.run("explain", "train.py:loud", "--format", "json", "--via", "pickle")
    assert json.loads(done.stdout)["ok"] is True
    assert "reduced" in done.stderr


@pytest.mark.parametrize("columns", ["60", "100", "200"])
def test_width_of_the_terminal(train, columns):
    done = train.run("explain", "train.py:dataset", "--no-roundtrip", COLUMNS=columns)  # code is not broken
    assert max(map(len, done.stdout.split("\n"))) <= min(100, int(columns))


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "latin-1", "utf-8", "utf-16-le"])
def test_output_of_any_encoding(project, encoding):
    project.write(app="class Größe: pass\n\nname = {'größe→日本\\ud800': Größe(), 'f': lambda: 0}")
    done = project.run("explain", "app.py:name", text=False, PYTHONIOENCODING=encoding)
    assert (done.returncode, done.stderr) == (1, b"")
    screen = done.stdout.decode(encoding)
    assert screen.startswith(("✗ name (dict)", "FAIL name (dict)"))
    assert "name['f']" in screen


def test_no_colour_in_a_pipe(train):
    assert not ANSI.search(train.run("explain", "train.py:dataset", FORCE_COLOR="1", TERM="xterm").stdout)


STARTS = """
    import concurrent.futures
    import multiprocessing
    import picklecheck
    import threading

    spawn = multiprocessing.get_context("spawn")
    process = spawn.Process(target=print, args=([threading.Lock()],))
    executor = concurrent.futures.ProcessPoolExecutor(2, spawn, print, (1,))


    class Tiles:
        source = None

        def __init__(self):
            self.steps = [len, lambda tile: tile]


    picklecheck.register_transport("tiles", Tiles, lambda tiles: {".steps": tiles.steps}, start_method="spawn")
    tiles = Tiles()
"""


@pytest.mark.parametrize(
    ("name", "code", "first", "path"),
    [
        ("process", 1, "✗ process (SpawnProcess, spawn) cannot start: 1 object stops it", "process._args[0][0]"),
        ("executor", 0, "✓ executor (ProcessPoolExecutor, 2 workers, spawn) can start: 1 object, ", None),
        ("tiles", 1, "✗ tiles (Tiles, spawn) cannot start: 1 object stops it", "tiles.steps[1]"),
    ],
)
def test_what_starts_processes_is_named(project, name, code, first, path):
    project.write(starts=STARTS)
    done = project.run("explain", f"starts.py:{name}")
    assert done.returncode == code, done.stderr
    assert done.stdout.startswith(first)
    assert path is None or f"\n① {path}   " in done.stdout


def test_all_start_methods(train):
    done = train.run("explain", "train.py:dataset", "--start-method", "all")
    assert done.returncode == 1
    assert [line.split()[:2] for line in done.stdout.splitlines() if line.startswith(("  ✓", "  ✗"))] == [
        ["✓", "fork"],
        ["✗", "spawn"],
        ["✗", "forkserver"],
    ]
    report = json.loads(train.run("explain", "train.py:fine", "--start-method", "all", "--format", "json").stdout)
    assert report["verdicts"] == {"fork": True, "spawn": True, "forkserver": True}


UNGUARDED = """
    import multiprocessing

    print("loaded")


    def square(number):
        return number * number


    with multiprocessing.get_context("spawn").Pool(2) as pool:
        print(pool.map(square, [1, 2]))
"""


@pytest.mark.parametrize("target", ["noguard.py:square", "noguard:square", "package/inner.py:square"])
def test_what_would_start_processes_is_not_loaded(project, target):
    project.write(noguard=UNGUARDED, package__in____init__="", package__in__inner=UNGUARDED)
    done = project.run("explain", target)
    assert (done.returncode, done.stderr) == (1, "")
    file = "package/inner.py" if "/" in target else "noguard.py"
    name = file.rpartition("/")[2]
    screen = " ".join(done.stdout.split())
    assert screen.startswith(
        f"✗ square ({name}) cannot be sent: the program starts processes when a child imports it ① {name} no main guard"
    )
    assert f"{name}:11: with " in screen
    assert "→ Put lines 11 to 12 under: if __name__" in screen
    assert screen.endswith(
        f"{name} was not loaded: that would start the processes here too. The whole file: picklecheck guard {file}"
    )


def test_what_would_start_processes_as_data(project):
    project.write(noguard=UNGUARDED)
    report = json.loads(project.run("explain", "noguard.py:square", "--format", "json").stdout)
    assert (report["ok"], report["target"], report["title"]) == (False, "square", "noguard.py")
    [found] = report["failures"]
    assert (found["stage"], found["kind"], found["line"]) == ("bootstrap", "no-main-guard", 11)


@pytest.mark.parametrize("target", ["package.inner:x", "package/inner.py:x", "package/__init__.py:square"])
def test_a_package_that_would_start_processes_is_not_loaded(project, target):
    project.write(package__in____init__=UNGUARDED, package__in__inner="x = 1")
    done = project.run("explain", target)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.endswith(f"picklecheck guard {os.path.join('package', '__init__.py')}\n")


def test_an_import_that_would_start_processes_is_not_loaded(project):
    project.write(main="import noguard\nx = 1", noguard=UNGUARDED)
    done = project.run("explain", "main.py:x", "--via", "pickle")
    assert (done.returncode, done.stderr) == (1, "")
    assert "start at import" in done.stdout


@pytest.mark.parametrize(
    "text",
    [
        UNGUARDED.replace("with ", 'if __name__ == "__main__":\n      with ').replace(
            "    print(pool", "      print(pool"
        ),
        UNGUARDED.replace("with ", "def main():\n      with ").replace("    print(pool", "      print(pool"),
        UNGUARDED.replace("with ", "import sys\n    if len(sys.argv) > 90:\n      with ").replace(
            "    print(pool", "      print(pool"
        ),
        UNGUARDED.replace("spawn", "fork"),
    ],
    ids=["guarded", "function", "condition", "fork"],
)
@pytest.mark.skipif(sys.platform != "linux", reason="forks")
def test_what_starts_no_processes_is_loaded(project, text):
    project.write(app=text)
    done = project.run("explain", "app.py:square", "--via", "pickle", "--no-roundtrip")
    assert (done.returncode, done.stderr.partition("\n")[0]) == (0, "loaded"), done.stdout


def test_a_library_is_not_read_for_what_it_starts(project, monkeypatch):
    monkeypatch.chdir(project.folder)
    project.write(own="x = 1")
    monkeypatch.syspath_prepend(project.folder)
    assert modules.unloaded_sources("own") == modules.unloaded_sources("own.py") == ["own.py"]
    assert modules.unloaded_sources("wsgiref.validate") == []
    assert modules.unloaded_sources("nowhere") == modules.unloaded_sources("nowhere.py") == []


# -- what goes wrong -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["train.py:datset"], "train.py has no 'datset'; did you mean dataset or make_dataset or CropDataset?"),
        (["train.py"], "target 'train.py' does not say which object of it: write train.py:NAME (it defines TileCache, "
         "Compose, CropDataset, dataset, fine, make_dataset, ...)"),
        (["tarin.py:dataset"], "there is no file tarin.py; did you mean train.py?"),
        (["tarin:dataset"], "there is no module 'tarin'; did you mean train?"),
        (["bad.py:x"], r"importing bad.py raised ValueError: two\nlines \x1b[31m (bad.py:1)"),
        (["leaves:x"], "importing leaves ended the program with exit code 3 (leaves.py:2); put what runs the program "
         "under: if __name__ == '__main__':"),
        (["train.py:fine", "--via", "pigeon"], f"no transport 'pigeon': choose from {', '.join(names())}"),
        (["train.py:fine", "--via", "proces"],
         f"no transport 'proces': choose from {', '.join(names())}; did you mean process?"),
        (["train.py:fine", "--start-method", "any"],
         "no start method 'any': choose from fork, spawn, forkserver, all"),
        (["train.py:fine", "--via", "dataloader"], "via 'dataloader': this is a dict, and no loader that it knows"),
        (["train.py:fine", "--protocol", "9"], "no protocol 9: choose from 0 to 5"),
    ],
)  # fmt: skip
def test_error_is_one_line(train, words, expected):
    train.write(bad="raise ValueError('two\\nlines \\x1b[31m')", leaves="import sys\nsys.exit(3)")
    done = train.run("explain", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.removeprefix("imported\n") == f"picklecheck: {expected}\n"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["explain"], "Missing argument 'TARGET'"),
        (["explan", "x"], "No such command 'explan'. Did you mean 'explain'?"),
        (["explain", "train.py:fine", "--colour"], "No such option"),
        (
            ["explain", "train.py:fine", "--format", "jsn"],
            "--format: no 'jsn': choose from text, json; did you mean json? (see picklecheck explain --help)\n",
        ),
        (
            ["explain", "train.py:fine", "--protocol", "high"],
            "--protocol: 'high' is no integer (see picklecheck explain --help)\n",
        ),
        (["explain", "train.py:fine", "--timeout", "-1"], "timeout -1.0: choose a number of seconds above 0\n"),
        (["explain", "train.py:fine", "--timeout", "0"], "timeout 0.0: choose a number of seconds above 0\n"),
        (
            ["explain", "train.py:fine", "--timeout", "soon"],
            "--timeout: 'soon' is no number (see picklecheck explain --help)\n",
        ),
        (
            ["explain", "train.py:fine", "--start-method", "spwan"],
            "no start method 'spwan': choose from fork, spawn, forkserver, all; did you mean spawn?\n",
        ),
        (
            ["explain", "train.py:fine", "--via"],
            "Option '--via' requires an argument (see picklecheck explain --help)\n",
        ),
        (["--colour"], "No such option: --colour (see picklecheck --help)\n"),
        (["explain", "train.py:fine", "--start-method", "teleport"], "no start method 'teleport'"),
        (["explain", "train.py:fine", "more"], "Got unexpected extra argument"),
    ],
)
def test_wrong_use_is_one_line(train, words, expected):
    done = train.run(*words)
    assert (done.returncode, done.stdout) == (2, "")
    message = done.stderr
    assert message.startswith(f"picklecheck: {expected}")
    assert message.count("\n") == 1


def test_modules_of_the_users_named_like_all_that_we_use(project):
    taken = {*sys.stdlib_module_names, "rich", "typer", "dill", "executing"} - {"threading"}
    project.write(**{f"own__in__{name}": "raise SystemError('the wrong one')" for name in taken})
    project.write(own__in__types="import threading\nx = [threading.Lock(), lambda: 0]")
    done = project.run("explain", "own/types.py:x")
    assert (done.returncode, done.stderr) == (1, "")
    assert "x[1]" in done.stdout
    found = json.loads(project.run("explain", "own/types.py:x", "--format", "json", "--via", "pool").stdout)
    assert [failure["kind"] for failure in found["failures"]] == ["lock", "lambda"]


def test_options_are_looked_at_before_the_target_runs(train):
    assert "imported" not in train.run("explain", "train.py:fine", "--via", "pigeon").stderr


# -- how it ends -----------------------------------------------------------------------------------------------------


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signal")
def test_ctrl_c(project):
    project.write(slow="import sys, time\nprint('ready', flush=True)\ntime.sleep(60)")
    running = subprocess.Popen(
        project.command("explain", "slow.py:x"), cwd=project.folder, env=project.environment(), text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert running.stderr.readline() == "ready\n"
    running.send_signal(signal.SIGINT)
    assert running.communicate(timeout=30) == ("", "")
    assert running.returncode == 130


def test_reader_that_leaves(train):
    running = subprocess.Popen(
        train.command("explain", "train.py:make_dataset()"), cwd=train.folder, env=train.environment(), text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    running.stdout.close()
    assert running.stderr.read() == "imported\nmade\n"
    assert running.wait(timeout=30) == 1
    running.stderr.close()


@pytest.mark.parametrize(
    "text",
    [
        "import threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()\nx = 1",
        "import multiprocessing, time\n"
        "p = multiprocessing.get_context('fork').Process(target=time.sleep, args=(60,))\np.start()\nx = 1",
    ],
    ids=["thread", "process"],
)
@pytest.mark.skipif(sys.platform != "linux", reason="forks")
def test_what_the_target_has_started_does_not_keep_it(project, text):
    project.write(app=text)
    start = time.monotonic()
    done = project.run("explain", "app.py:x", "--via", "pickle")
    assert done.returncode == 0
    assert done.stdout.startswith("✓ x (int")
    assert time.monotonic() - start < 30


@pytest.mark.parametrize(
    "words", [["--help"], ["-h"], [], ["explain", "--help"], ["kinds", "--help"], ["guard", "-h"], ["--version"]]
)
def test_help(project, words):
    done = project.run(*words)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search("Examples?:[ \n]+picklecheck ", done.stdout) or words == ["--version"]
    assert not re.search(r"\w\.\.\.$", done.stdout, re.MULTILINE)
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_examples_of_explain(project):
    examples = project.run("explain", "--help").stdout.partition("Examples:\n")[2].splitlines()
    assert len(examples) == 3
    assert all(example.startswith("  ") and " explain " in example for example in examples)
    assert " --via " in examples[1]
    assert " --start-method all" in examples[2]


def test_version(project):
    assert re.fullmatch(r"picklecheck \d+\.\d+\.\d+\n", project.run("--version").stdout)


def test_help_loads_neither_rich_nor_the_core(project):
    heavy = (
        "rich",
        "executing",
        "dill",
        *(f"picklecheck.{room}" for room in ("probe", "kinds", "transports", "render.page")),
    )
    program = (
        "import sys, typer\nbefore = set(sys.modules)\nimport picklecheck.cli\n"
        "picklecheck.cli.main(['explain', '--help'])\n"
        f"print([name for name in sys.modules if name.startswith({heavy!r}) and name not in before], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=project.environment(),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout.startswith("Usage: ")
    assert done.stderr == "[]\n"


# -- on a terminal ---------------------------------------------------------------------------------------------------

SLOW = """
    import time

    class Part:
        def __reduce_ex__(self, protocol):
            time.sleep(0.02)
            return int, ()

    parts = [Part() for _ in range(100)]
    few = parts[:3]
"""


def on_a_terminal(project, *words, **changes):
    """Run with a terminal as all three streams, and give what was written to it."""
    import pty

    leader, follower = pty.openpty()
    environment = {"TERM": "xterm", "COLUMNS": "80", **changes}
    with subprocess.Popen(
        project.command(*words), cwd=project.folder, env=project.environment(**environment),
        stdin=follower, stdout=follower, stderr=follower,
    ):  # fmt: skip
        os.close(follower)
        written = b""
        while True:
            try:
                piece = os.read(leader, 65536)
            except OSError:  # how Linux tells that the last writer has gone
                break
            if not piece:
                break
            written += piece
    os.close(leader)
    return written.decode("utf-8").replace("\r\n", "\n")


def has_terminals():
    """Tell whether there are pseudo-terminals as Linux has them; a bare container may have none."""
    if sys.platform != "linux":
        return False
    try:
        ends = os.openpty()
    except OSError:
        return False
    for end in ends:
        os.close(end)
    return True


terminal = pytest.mark.skipif(not has_terminals(), reason="needs pseudo-terminals as Linux has them")


@terminal
def test_colour_on_a_terminal(train):
    written = on_a_terminal(train, "explain", "train.py:dataset", "--start-method", "spawn")
    assert "\x1b[1;31m✗ dataset (CropDataset) does not pickle" in written
    same_as_file("cli/dataset.txt", own_words(ANSI.sub("", written).removeprefix("imported\n")))


@terminal
@pytest.mark.parametrize("changes", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_no_colour_where_it_is_not_wanted(train, changes):
    written = on_a_terminal(train, "explain", "train.py:dataset", **changes)
    assert "\x1b" not in written


@terminal
def test_progress_of_a_long_walk(project):
    project.write(slow=SLOW)
    written = on_a_terminal(project, "explain", "slow.py:parts", "--via", "pickle")
    counts = [int(number.replace(",", "")) for number in re.findall(r"walking parts: ([\d,]+) objects", written)]
    assert counts
    assert 0 < counts[0] < counts[-1] <= 101
    # it is taken away: its line is erased before the report is written
    assert re.search(r"\x1b\[2K.*✓ parts", written, re.DOTALL)


@terminal
@pytest.mark.parametrize(
    ("target", "changes"),
    [("parts", {"CI": "1"}), ("parts", {"NO_COLOR": "1"}), ("parts", {"TERM": "dumb"}), ("few", {})],
)
def test_no_progress_where_nobody_waits(project, target, changes):
    project.write(slow=SLOW)
    written = on_a_terminal(project, "explain", f"slow.py:{target}", "--via", "pickle", **changes)
    assert "walking" not in written
    assert f"✓ {target} (list" in written

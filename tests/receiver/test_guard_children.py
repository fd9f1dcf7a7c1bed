"""The reading is true: programs that it finds fault with fail under a real spawn, the others run."""

import os
import subprocess
import sys
import textwrap

import pytest

from picklecheck.receiver.guard import read_files

SECONDS = 60
BOOTSTRAPPING = "before the\n        current process has finished its bootstrapping phase"
HEAD = """
import multiprocessing as mp
from concurrent.futures import ProcessPoolExecutor
ctx = mp.get_context("spawn")
def work(n=0):
    print("working", flush=True)
    return n
"""
# what is written, and what the child says when it dies of it
DIES = {
    "process": ("child = ctx.Process(target=work)\nchild.start()\nchild.join()\n", BOOTSTRAPPING),
    "executor": (
        "with ProcessPoolExecutor(1, mp_context=ctx) as pool:\n    pool.submit(work).result()\n",
        BOOTSTRAPPING,
    ),
    "manager": ("ctx.Manager()\n", BOOTSTRAPPING),
    "class-body": ("class Config:\n    shared = ctx.Manager()\n", BOOTSTRAPPING),
    "function": (
        "def main():\n    child = ctx.Process(target=work)\n    child.start()\n    child.join()\nmain()\n",
        BOOTSTRAPPING,
    ),
    "parent-process": (
        "if mp.parent_process() is None:\n    child = ctx.Process(target=work)\n    child.start()\n    child.join()\n",
        BOOTSTRAPPING,
    ),
    "daemon": (
        "if not mp.current_process().daemon:\n    child = ctx.Process(target=work)\n    child.start()\n    child.join()\n",
        BOOTSTRAPPING,
    ),
    "name-of-the-guarded-block": (
        "if __name__ == '__main__':\n    size = 1\n    child = ctx.Process(target=work)\n    child.start()\n"
        "    child.join()\nprint(size)\n",
        "NameError: name 'size' is not defined",
    ),
    "start-method": (
        "mp.set_start_method('spawn')\nif __name__ == '__main__':\n    child = mp.Process(target=work)\n    child.start()\n"
        "    child.join()\n",
        "RuntimeError: context has already been set",
    ),
    "mkdir": (
        "import os\nos.mkdir('out')\nif __name__ == '__main__':\n    child = ctx.Process(target=work)\n    child.start()\n"
        "    child.join()\n",
        "FileExistsError",
    ),
    "chdir": (
        "import os\nos.makedirs(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'out'), exist_ok=True)\nos.chdir('out')\nif __name__ == '__main__':\n"
        "    child = ctx.Process(target=work)\n    child.start()\n    child.join()\n",
        "FileNotFoundError",
    ),
    "raise": (
        "if __name__ != '__main__':\n    raise ImportError('a program')\nchild = ctx.Process(target=work)\nchild.start()\n"
        "child.join()\n",
        "ImportError: a program",
    ),
    "exit": (
        "if __name__ == '__main__':\n    child = ctx.Process(target=work)\n    child.start()\n    child.join()\n"
        "import sys\nsys.exit('ended')\n",
        "ended\nended",
    ),
    "shared-memory": (
        "from multiprocessing.shared_memory import SharedMemory\nimport atexit, os\n"
        "block = SharedMemory(name=f'picklecheck-{os.stat(__file__).st_ino}', create=True, size=8)\natexit.register(block.unlink)\n"
        "if __name__ == '__main__':\n    child = ctx.Process(target=work)\n    child.start()\n    child.join()\n",
        "FileExistsError",
    ),
    "exec-as-main": (
        "exec(\"if __name__ == '__main__':\\n child = ctx.Process(target=work)\\n child.start()\\n child.join()\", "
        "{'__name__': '__main__', 'ctx': ctx, 'work': work})\n",
        BOOTSTRAPPING,
    ),
}
GUARD = "if {test}:\n    child = ctx.Process(target=work)\n    child.start()\n    child.join()\n"
RUNS = {
    "guard": GUARD.format(test="__name__ == '__main__'"),
    "guard-the-other-way-round": GUARD.format(test="'__main__' == __name__ and ctx"),
    "inheriting": GUARD.format(test="not getattr(mp.current_process(), '_inheriting', False)"),
    "name-of-the-process": GUARD.format(test="mp.current_process().name == 'MainProcess'"),
    "made-before": "child = ctx.Process(target=work)\nif __name__ == '__main__':\n    child.start()\n    child.join()\n",
    "shared-things": "lock, queue, value = ctx.Lock(), ctx.Queue(), ctx.Value('i')\n"
    + GUARD.format(test="__name__ == '__main__'"),
    "forced": "mp.set_start_method('spawn', force=True)\n" + GUARD.format(test="__name__ == '__main__'"),
    "makedirs": "import os\nos.makedirs('out', exist_ok=True)\n" + GUARD.format(test="__name__ == '__main__'"),
}


def run(folder, text):
    path = folder / "program.py"
    path.write_text(HEAD + text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "program.py"], cwd=folder, capture_output=True, text=True, check=False, timeout=SECONDS,
        stdin=subprocess.DEVNULL, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip
    return path, done


@pytest.mark.parametrize(("text", "said"), DIES.values(), ids=DIES)
def test_what_is_found_dies(text, said, tmp_path):
    path, done = run(tmp_path, text)
    assert said in done.stderr
    assert "working" not in done.stdout
    assert [finding.severity for finding in read_files([str(path)]).findings] == ["error"]


@pytest.mark.parametrize("text", RUNS.values(), ids=RUNS)
def test_what_is_fine_runs(text, tmp_path):
    path, done = run(tmp_path, text)
    assert (done.stdout, done.returncode) == ("working\n", 0), done.stderr
    assert read_files([str(path)]).findings == ()


def test_a_misspelt_guard_runs_nothing(tmp_path):
    path, done = run(tmp_path, GUARD.format(test="__name__ == 'main'"))
    assert (done.stdout, done.returncode) == ("", 0), done.stderr
    assert len(read_files([str(path)]).findings) == 1


def test_the_advice_makes_it_run(tmp_path):
    """Indent the lines that the advice names under the guard: then it runs, and nothing is found."""
    text = "child = ctx.Process(target=work)\nchild.start()\nprint('on its way')\nchild.join()\n"
    path, _ = run(tmp_path, text)
    [finding] = read_files([str(path)]).findings
    first, last = 9, 11
    assert finding.advice == f'Put lines {first} to {last} under: if __name__ == "__main__":'
    lines = path.read_text().splitlines(keepends=True)
    moved = textwrap.indent("".join(lines[first - 1 : last]), "    ")
    fixed = "".join(lines[: first - 1]) + 'if __name__ == "__main__":\n' + moved + "".join(lines[last:])
    path, done = run(tmp_path, fixed.removeprefix(HEAD))
    assert sorted(done.stdout.splitlines()) == ["on its way", "working"], done.stderr
    assert read_files([str(path)]).findings == ()

"""The main module at run time: what stops a child is found, and what does not is left alone; real children agree."""

import importlib.machinery
import os
import subprocess
import sys
import textwrap
import types
import zipapp
from pathlib import Path

import pytest

import picklecheck
from picklecheck.receiver.main_module import findings_for_main, safe_to_start

ROOT = str(Path(picklecheck.__file__).parents[1])
ASKS = """
from picklecheck.receiver.main_module import findings_for_main, safe_to_start
def asked():
    found = findings_for_main()
    return [(f.kind, f.severity, f.assigned_at and f.assigned_at.line) for f in found], safe_to_start(found)
"""
TRIES = """
import multiprocessing as mp
def tried():
    child = mp.get_context("spawn").Process(target=print, args=("arrived",))
    child.start()
    child.join(30)
    return child.exitcode
"""


def main_of(**names):
    module = types.ModuleType("__main__")
    module.__dict__.update(names)
    return module


def write(folder, name, text):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    return path


GUARDED = """
    import multiprocessing as mp
    if __name__ == "__main__":
        mp.Process(target=print).start()
"""
BARE = """
    import multiprocessing as mp
    mp.Process(target=print).start()
"""


# what a child leaves alone


@pytest.mark.parametrize(
    "names",
    [
        pytest.param({}, id="prompt"),
        pytest.param({"__file__": None}, id="no-file"),
        pytest.param({"__file__": 3}, id="file-is-no-text"),
        pytest.param({"__file__": "/usr/bin/ipython"}, id="ipython"),
        pytest.param({"__file__": "/gone/ipython.py"}, id="ipython-script"),
        pytest.param({"__spec__": importlib.machinery.ModuleSpec("app.__main__", None)}, id="package"),
        pytest.param({"__spec__": importlib.machinery.ModuleSpec("__main__", None)}, id="archive"),
        pytest.param({"__spec__": importlib.machinery.ModuleSpec("app.tool", None)}, id="module-without-file"),
    ],
)
def test_nothing_is_found_where_a_child_imports_nothing(names):
    assert findings_for_main(main_of(**names)) == ()


def test_fork_imports_nothing():
    assert findings_for_main(main_of(__file__="/gone/train.py"), start_method="fork") == ()


def test_the_main_module_of_this_process_is_asked_where_none_is_given():
    assert all(finding.stage == "bootstrap" for finding in findings_for_main())


# a file that is not there


@pytest.mark.parametrize("start_method", ["spawn", "forkserver"])
@pytest.mark.parametrize(
    ("file", "said"), [("/gone/train.py", "moved or deleted"), ("<stdin>", "standard input"), ("<string>", "no file")]
)
def test_a_file_that_is_not_there(file, said, start_method):
    [finding] = findings_for_main(main_of(__file__=file, __spec__=None), start_method=start_method)
    assert (finding.kind, finding.severity, finding.stage) == ("main-not-importable", "error", "bootstrap")
    assert finding.name == "__main__"
    assert said in finding.note


def test_a_relative_file_is_looked_for_where_the_process_began(tmp_path, monkeypatch):
    write(tmp_path, "job.py", GUARDED)
    monkeypatch.setattr("multiprocessing.process.ORIGINAL_DIR", str(tmp_path))
    assert findings_for_main(main_of(__file__="job.py", __spec__=None)) == ()


def test_a_file_that_is_no_python_any_more(tmp_path):
    path = write(tmp_path, "job.py", "def broken(:\n")
    [finding] = findings_for_main(main_of(__file__=str(path), __spec__=None))
    assert finding.kind == "main-not-importable"
    assert "line 1" in finding.note


@pytest.mark.parametrize("name", ["my-job.py", "job", "2.job.txt"])
def test_a_name_that_is_no_module_is_none_the_worse(tmp_path, name):
    path = write(tmp_path, name, GUARDED)
    assert findings_for_main(main_of(__file__=str(path), __spec__=None)) == ()


# the reading of the file


def test_the_reading_says_that_the_program_would_run_again(tmp_path):
    path = write(tmp_path, "job.py", BARE)
    found = findings_for_main(main_of(__file__=str(path), __spec__=None))
    assert [(f.kind, f.severity, f.assigned_at.line) for f in found] == [("no-main-guard", "error", 3)]
    assert not safe_to_start(found)


def test_a_module_run_by_its_name_is_read_too(tmp_path):
    path = write(tmp_path, "job.py", BARE)
    spec = importlib.machinery.ModuleSpec("job", None, origin=str(path))
    found = findings_for_main(main_of(__file__=str(path), __spec__=spec))
    assert [f.kind for f in found] == ["no-main-guard"]


def test_work_is_not_repeated_for_the_sake_of_an_answer(tmp_path):
    path = write(tmp_path, "job.py", 'log = open("run.log", "w")\n' + textwrap.dedent(GUARDED))
    found = findings_for_main(main_of(__file__=str(path), __spec__=None))
    assert [(f.kind, f.severity) for f in found] == [("work-at-import", "warning")]
    assert not safe_to_start(found)


def test_nothing_found_is_safe():
    assert safe_to_start(())


def test_a_frozen_program(monkeypatch):
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    [finding] = findings_for_main(main_of(__file__="/gone/app.py"))
    assert (finding.kind, finding.severity) == ("frozen", "warning")


# real programs: what is said, and what a real child does


def run(*words, cwd, text=None):
    return subprocess.run(
        [sys.executable, *words], cwd=cwd, input=text, capture_output=True, text=True, check=False, timeout=60,
        env={**os.environ, "PYTHONPATH": ROOT},
    )  # fmt: skip


PROGRAM = ASKS + TRIES + 'if __name__ == "__main__":\n    print(asked(), tried())\n'


def test_a_script_is_imported(tmp_path):
    write(tmp_path, "job.py", PROGRAM)
    done = run("job.py", cwd=tmp_path)
    assert done.stdout.splitlines() == ["arrived", "([], True) 0"], done.stderr


def test_a_program_from_standard_input_is_not(tmp_path):
    done = run("-", cwd=tmp_path, text=PROGRAM)
    assert done.stdout == "([('main-not-importable', 'error', None)], True) 1\n"
    assert "FileNotFoundError" in done.stderr


def test_a_deleted_script_is_not(tmp_path):
    write(tmp_path, "job.py", PROGRAM.replace("    print(", "    import os; os.remove(__file__)\n    print("))
    done = run("job.py", cwd=tmp_path)
    assert done.stdout == "([('main-not-importable', 'error', None)], True) 1\n"
    assert "FileNotFoundError" in done.stderr


@pytest.mark.parametrize(
    "how", [pytest.param(["-c", PROGRAM], id="-c"), pytest.param(["-m", "app"], id="package"),
            pytest.param(["-m", "app.tool"], id="module"), pytest.param(["app"], id="folder"),
            pytest.param(["app.pyz"], id="archive")]
)  # fmt: skip
def test_ways_of_running_that_do_no_harm(how, tmp_path):
    for name in ("app/__init__.py", "app/__main__.py", "app/tool.py"):
        write(tmp_path, name, "" if name.endswith("__init__.py") else PROGRAM)
    zipapp.create_archive(tmp_path / "app", tmp_path / "app.pyz")
    done = run(*how, cwd=tmp_path)
    assert done.stdout.splitlines() == ["arrived", "([], True) 0"], done.stderr

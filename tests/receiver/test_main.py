"""What the main module makes of it: each program runs in an interpreter of its own and prints what was found."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TELL = """
import json, picklecheck
def tell(obj, **options):
    report = picklecheck.explain(obj, name="obj", **{"via": "process", "start_method": "spawn", **options})
    print(json.dumps(report.to_dict()), flush=True)
"""


def run(program, folder, *words, stdin=None):
    """Give the reports that a program tells."""
    file = folder / "program.py"
    file.write_text(TELL + textwrap.dedent(program))
    done = subprocess.run(
        [sys.executable, *(words or (str(file),))], check=False, cwd=folder, capture_output=True, text=True,
        timeout=60, env={**os.environ, "PYTHONPATH": str(ROOT)}, input=stdin,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


def found(report):
    return [(finding["stage"], finding["kind"], finding["path"], finding["name"]) for finding in report["failures"]]


GUARDED = """
class Top: pass
if __name__ == "__main__":
    class Rows: pass
    def job(): pass
    tell([Rows(), job, Top()])
"""


def test_names_under_the_guard(tmp_path):
    [report] = run(GUARDED, tmp_path)
    assert found(report) == [
        ("unpickle", "main-name", "obj[0].__class__", "__main__.Rows"),
        ("unpickle", "main-name", "obj[1]", "__main__.job"),
    ]
    assert report["failures"][0]["paths"] == ["obj[0].__class__", "obj[0]"]
    assert [failure["line"] for failure in report["failures"]] == [9, 10]
    assert "main guard (line 9)" in report["failures"][0]["note"]


def test_names_of_a_program_without_a_file(tmp_path):
    program = TELL + "class A: pass\ntell([A()])"
    [report] = run("", tmp_path, "-c", program)
    assert found(report) == [("unpickle", "main-name", "obj[0].__class__", "__main__.A")]
    assert "no file" in report["failures"][0]["note"]


def test_a_program_read_from_stdin(tmp_path):
    [report] = run("", tmp_path, "-", stdin=TELL + "tell([1])")
    assert found(report) == [("bootstrap", "main-not-importable", None, "__main__")]


def test_a_main_module_that_raises(tmp_path):
    program = """
    if __name__ != "__main__":
        raise ValueError("not here")
    tell([1])
    tell([1], via="pickle")
    """
    first, second = run(program, tmp_path)
    assert found(first) == [("bootstrap", "main-not-importable", None, "__main__")]
    assert (first["failures"][0]["line"], first["failures"][0]["error"]) == (8, "ValueError: not here")
    assert second["ok"]
    assert not second["arrived"]
    assert "not tried" in second["notes"][-1]


def test_what_cannot_be_pickled_does_not_hide_a_main_module_that_raises(tmp_path):
    program = """
    import threading
    if __name__ != "__main__":
        raise ValueError("not here")
    tell([threading.Lock(), ValueError()])
    """
    [report] = run(program, tmp_path)
    assert sorted(finding["kind"] for finding in report["failures"]) == ["lock", "main-not-importable"]


def test_a_main_module_that_starts_processes(tmp_path):
    program = """
    import multiprocessing
    if __name__ == "__main__":
        tell([1])
    else:
        multiprocessing.get_context("spawn").Process(target=print).start()
    """
    [report] = run(program, tmp_path)
    assert found(report) == [("bootstrap", "no-main-guard", None, None)]
    assert report["failures"][0]["statement"].startswith("multiprocessing.get_context")


def test_a_main_module_that_never_ends(tmp_path):
    program = """
    import time
    if __name__ != "__main__":
        time.sleep(1000)
    tell([1], timeout=0.5)
    """
    [report] = run(program, tmp_path)
    assert found(report) == [("bootstrap", "main-not-importable", None, "__main__")]


def test_a_call_at_import_level_does_not_go_round(tmp_path):
    [report] = run("class A: pass\ntell([A()])", tmp_path)
    assert (report["ok"], report["arrived"], report["hazards"]) == (True, True, [])


def test_a_main_module_with_threads(tmp_path):
    program = """
    import threading, time
    threading.Thread(target=time.sleep, args=(30,), daemon=True).start()
    class Lost(Exception):
        def __init__(self, one, other):
            super().__init__(one)
    if __name__ == "__main__":
        tell([Lost(1, 2)])
        tell([1])
    """
    first, second = run(program, tmp_path)
    assert found(first) == [("unpickle", "init-arguments", "obj[0]", None)]
    assert second["arrived"]


def test_an_older_package_on_the_path(tmp_path):
    for folder, text in (("new", "class Handle: pass\n"), ("old", "")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "storage_kit.py").write_text(text)
    program = """
    import sys
    if __name__ == "__main__":
        sys.path.insert(0, "new")
        import storage_kit
        sys.path.insert(0, "old")
        tell(storage_kit.Handle())
    """
    [report] = run(program, tmp_path)
    assert found(report) == [("unpickle", "missing-name", "obj.__class__", "storage_kit.Handle")]
    assert "old" in report["failures"][0]["note"]


def test_a_file_that_is_changed_is_read_again(tmp_path):
    program = """
    import os, pathlib, sys
    if __name__ == "__main__":
        file = pathlib.Path("shapes_kit.py")
        file.write_text("class Circle: pass\\n")
        import shapes_kit
        tell(shapes_kit.Circle())
        file.write_text("class Ring: pass  # another name now\\n")
        tell(shapes_kit.Circle())
    """
    first, second = run(program, tmp_path)
    assert first["arrived"]
    assert found(second) == [("unpickle", "missing-name", "obj.__class__", "shapes_kit.Circle")]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_has_a_child_of_its_own(tmp_path):
    program = """
    import os
    if __name__ == "__main__":
        from picklecheck.receiver import launch
        tell([1])
        if not os.fork():
            tell([2])
            assert launch.count_starts() == 1
            launch.end_all()
            os._exit(0)
        os.wait()
        tell([3])
        assert launch.count_starts() == 1
    """
    assert [report["arrived"] for report in run(program, tmp_path)] == [True, True, True]


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("end", ["os._exit(0)", "os.kill(os.getpid(), 9)", "sys.exit()"])
def test_no_child_is_left_when_the_sender_ends(tmp_path, end):
    program = f"""
    import os, sys
    if __name__ == "__main__":
        from picklecheck.receiver import launch
        tell([1])
        print(json.dumps([child.process.pid for child in launch._kept.children.values()]), flush=True)
        {end}
    """
    file = tmp_path / "program.py"
    file.write_text(TELL + textwrap.dedent(program))
    done = subprocess.run([sys.executable, str(file)], check=False, cwd=tmp_path, capture_output=True, text=True,
                          timeout=60, env={**os.environ, "PYTHONPATH": str(ROOT)})  # fmt: skip
    [pid] = json.loads(done.stdout.splitlines()[1])
    for _ in range(100):
        if not Path(f"/proc/{pid}").exists() or ") Z " in Path(f"/proc/{pid}/stat").read_text():
            return
        subprocess.run(["sleep", "0.05"], check=True)
    pytest.fail("the child goes on")


@pytest.mark.skipif(os.name != "posix", reason="closes descriptors as a shell does")
@pytest.mark.parametrize("closed", ["<&- 2>&-", "<&- >&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_a_program_without_standard_streams(tmp_path, closed):
    file, told = tmp_path / "program.py", tmp_path / "told.json"
    ask = f"if __name__ == '__main__':\n    open({str(told)!r}, 'w').write(picklecheck.explain([1]).to_json())\n"
    file.write_text("import picklecheck\n" + ask)
    subprocess.run(
        ["/bin/sh", "-c", f'"$0" "$1" {closed}', sys.executable, str(file)], check=False, timeout=60,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    report = json.loads(told.read_text())
    assert (report["ok"], report["arrived"], report["failures"]) == (True, True, [])

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from tests.live.programs import PROGRAMS

NOTED = sys.version_info >= (3, 11)
FINE = """
    import multiprocessing, sys

    def work(x):
        return x + 1

    if __name__ == "__main__":
        with multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else None).Pool(1) as pool:
            print(pool.map(work, [1, 2]))
        sys.exit(3)
"""
MAIN_NAME = """
    import multiprocessing

    if __name__ == "__main__":
        class Item:
            pass

        child = multiprocessing.get_context("spawn").Process(target=print, args=(1, [Item()]))
        child.start()
        child.join()
        print("exit code", child.exitcode)
"""


def failures(report):
    return [failure for boundary in report["boundaries"] for failure in boundary["failures"]]


@pytest.mark.parametrize("name", PROGRAMS)
def test_an_error_says_which_object_it_was(place, name):
    program = PROGRAMS[name]
    (place.folder / "program.py").write_text(program.text(), encoding="utf-8")
    done, report = place.run("program.py")
    assert done.returncode == 0, done.stderr
    bad = [boundary for boundary in report["boundaries"] if not boundary["ok"]]
    assert [boundary["transport"] for boundary in bad] == [program.transport]
    first = bad[0]["failures"][0]
    assert (first["path"], first["kind"], first["stage"]) == (program.path, program.kind, program.stage)
    if program.call:
        assert os.path.basename(bad[0]["call"]["file"]) == "program.py"
    said = done.stdout.splitlines()
    if program.kind == "lock" or "result" in program.transport:  # what else is raised depends on the version
        assert said[0] == program.error
    assert any(line.startswith("picklecheck: ") and program.path in line for line in said), done.stdout
    assert done.stderr.splitlines()[-1].endswith("1 failed (see above)")


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_a_program_that_works_stays_as_it_is(place, method):
    place.write(program=FINE)
    plain = place.python("program.py", method)
    done, report = place.run("program.py", method)
    assert (done.returncode, done.stdout) == (plain.returncode, plain.stdout) == (3, "[2, 3]\n")
    assert [boundary["ok"] for boundary in report["boundaries"]] == [True, True]
    assert {(b["transport"], b["start_method"]) for b in report["boundaries"]} == {("process", method), ("pool", None)}
    assert done.stderr == "picklecheck: 2 boundaries: 2 ok, 0 failed\n"


def test_a_start_method_is_tried(place):
    place.write(program=FINE)
    done, report = place.run("--start-method", "forkserver", "program.py")
    assert "forkserver" in [boundary["start_method"] for boundary in report["boundaries"]]
    lines = done.stderr.splitlines()
    assert lines[0] == "picklecheck: 2 boundaries under forkserver: 2 ok, 0 failed"
    assert any("program.py:8  process, forkserver  ok" in line for line in lines)


def test_a_program_may_still_choose_its_start_method(place):
    program = "import multiprocessing as m\nm.set_start_method('fork')\nprint(m.get_start_method())\n"
    place.write(program=program)
    done, _ = place.run("--start-method", "spawn", "program.py")
    assert done.stdout == "fork\n"


def test_a_child_that_cannot_unpickle_says_what(place):
    place.write(program=MAIN_NAME)
    done, report = place.run("program.py")
    assert done.stdout == "exit code 1\n"
    [boundary] = report["boundaries"]
    [failure] = boundary["failures"]
    assert (failure["path"], failure["name"]) == ("args[1][0]", "__main__.Item")
    assert (failure["kind"], failure["stage"], failure["line"]) == ("main-name", "unpickle", 5)
    assert (boundary["start_method"], boundary["call"]["line"]) == ("spawn", 9)
    assert done.stderr.count("args[1][0] (__main__.Item) cannot be unpickled there") == 1


def test_many_workers_say_the_same_once(place):
    place.write(
        program="""
        import multiprocessing

        if __name__ == "__main__":
            class Item:
                pass

            context = multiprocessing.get_context("spawn")
            children = [context.Process(target=print, args=(Item(),)) for _ in range(3)]
            for child in children:
                child.start()
            for child in children:
                child.join()
        """
    )
    done, report = place.run("program.py")
    assert done.stderr.count("Can't get attribute" if sys.version_info < (3, 14) else "has no attribute") == 3
    assert done.stderr.count("picklecheck: args[0] (__main__.Item)") == 1
    assert [len(boundary["failures"]) for boundary in report["boundaries"]] == [1]


def test_work_at_the_import_of_the_main_module(place):
    place.write(
        program="""
        import multiprocessing
        import os

        os.mkdir("made")
        if __name__ == "__main__":
            child = multiprocessing.get_context("spawn").Process(target=print)
            child.start()
            child.join()
        """
    )
    done, report = place.run("program.py")
    [failure] = failures(report)
    assert (failure["kind"], failure["stage"], failure["line"]) == ("work-at-import", "bootstrap", 5)
    assert "picklecheck: the child process stops while it imports the main module: work at import (at " in done.stderr
    assert [finding["line"] for finding in report["guard"]] == [5]


def test_a_program_without_a_main_guard(place):
    place.write(
        program="""
        import multiprocessing

        child = multiprocessing.get_context("spawn").Process(target=print)
        child.start()
        child.join()
        """
    )
    done, report = place.run("program.py")
    assert [(failure["kind"], failure["line"]) for failure in failures(report)] == [("no-main-guard", 5)]
    assert done.stderr.count("picklecheck: the child process stops") == 1


def test_what_a_feeder_thread_swallows_is_told(place):
    place.write(
        program="""
        import multiprocessing, time
        from common import Bad

        queue = multiprocessing.get_context("spawn").Queue()
        queue.put([Bad()])
        queue.put(1)
        print(queue.get(timeout=20))
        """
    )
    done, report = place.run("program.py")
    assert done.stdout == "1\n"
    [boundary] = [boundary for boundary in report["boundaries"] if not boundary["ok"]]
    assert (boundary["call"]["line"], boundary["failures"][0]["path"]) == (6, "obj[0].lock")
    assert "picklecheck: sent at program.py:6, put(...)" in done.stderr


def test_a_result_that_the_parent_cannot_load(place):
    place.write(
        program="""
        import multiprocessing, common

        if __name__ == "__main__":
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                try:
                    pool.apply_async(common.boom, (1,)).get(3)
                except multiprocessing.TimeoutError:
                    print("nobody answers")
        """
    )
    done, report = place.run("program.py")
    assert done.stdout == "nobody answers\n"
    [failure] = failures(report)
    assert (failure["kind"], failure["name"], failure["path"]) == ("init-arguments", "common.Boom", "result")
    assert failure["note"] == "Boom.__init__ is called with 1 argument: 'text' is lost."
    assert "picklecheck: result (common.Boom) cannot be unpickled there: lost arguments" in done.stderr


@pytest.mark.parametrize("end", ["os._exit(5)", "os.kill(os.getpid(), signal.SIGKILL)"])
@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_what_was_told_before_the_program_died_stays(place, end):
    text = PROGRAMS["process"].text() + f"    import os, signal\n    {end}\n"
    (place.folder / "program.py").write_text(text, encoding="utf-8")
    done, report = place.run("program.py")
    assert done.returncode in (5, 128 + signal.SIGKILL)
    assert [failure["path"] for failure in failures(report)] == ["args[1].lock"]


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_a_time_limit_ends_the_program_and_not_the_report(place):
    text = PROGRAMS["process"].text() + "    print('sent', flush=True)\n    time.sleep(60)\n"
    (place.folder / "program.py").write_text(text, encoding="utf-8")
    words = [sys.executable, "-m", "picklecheck", "run", "--report", "report.json", "program.py"]
    with subprocess.Popen(words, cwd=place.folder, stdout=subprocess.PIPE, text=True) as process:
        while process.stdout.readline() != "sent\n":
            time.sleep(0.01)
        process.terminate()
    assert process.returncode == 128 + signal.SIGTERM
    report = json.loads((place.folder / "report.json").read_text(encoding="utf-8"))
    assert [failure["path"] for failure in failures(report)] == ["args[1].lock"]


PROGRAM = PROGRAMS["process"].text()


@pytest.mark.parametrize(
    ("words", "stdin"),
    [
        (["-m", "program"], ""),
        (["-c", "import runpy; runpy.run_path('program.py', run_name='__main__')"], ""),
        (["-c", "import subprocess, sys; subprocess.run([sys.executable, 'program.py'], check=True)"], ""),
        (["-i", "-c", "pass"], "import runpy; _ = runpy.run_path('program.py', run_name='__main__')\n"),
        (["-"], PROGRAM),
        (["-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py"], ""),
    ],
    ids=["-m", "runpy", "a program that it starts", "-i", "stdin", "pytest"],
)
def test_programs_are_followed(place, words, stdin):
    (place.folder / "program.py").write_text(PROGRAM, encoding="utf-8")
    place.write(test_it="def test():\n    import runpy\n    runpy.run_path('program.py', run_name='__main__')\n")
    done, report = place.run(*words, stdin=stdin)
    assert [failure["path"] for failure in failures(report)] == ["args[1].lock"], done.stderr
    assert done.returncode == 0


def test_another_sitecustomize_is_still_found(place):
    place.write(
        sitecustomize="print('mine')", program="import sys; print('sitecustomize' in sys.modules, sys.path[1:2])"
    )
    plain = place.python("program.py", PYTHONPATH=str(place.folder))
    done, _ = place.run("program.py", PYTHONPATH=str(place.folder))
    assert plain.stdout.startswith("mine\nTrue")
    # the command's own interpreter has one too, and writes its line when it likes
    assert sorted(done.stdout.splitlines()) == sorted(["mine", *plain.stdout.splitlines()])


def test_an_own_mistake_is_one_line(place):
    done = place.python("-m", "picklecheck", "run", "nosuch.py")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "picklecheck: no file 'nosuch.py' to run\n"
    done = place.python("-m", "picklecheck", "run", "--start-method", "spwan", "common.py")
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert "did you mean spawn?" in done.stderr

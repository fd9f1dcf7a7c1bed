"""`picklecheck guard`."""

import json
import textwrap

import pytest

from picklecheck.cli import main

BARE = """
    from multiprocessing import Process
    Process(target=print).start()
"""
MILD = """
    from multiprocessing import get_context
    get_context("fork").Process(target=print).start()
"""
FINE = "import multiprocessing\n"


@pytest.fixture
def here(project, monkeypatch):
    monkeypatch.chdir(project.folder)
    monkeypatch.setenv("COLUMNS", "80")
    return project


def findings(capsys, *words):
    code = main(["guard", "--format", "json", *words])
    written = json.loads(capsys.readouterr().out)
    assert set(written) == {"schema", "findings"}
    assert written["schema"] == 1
    return code, [(one["file"], one["line"], one["kind"], one["severity"]) for one in written["findings"]]


# what is said


def test_a_screen(here, capsys):
    here.write(train=BARE)
    assert main(["guard", "train.py"]) == 1
    assert capsys.readouterr().out == textwrap.dedent("""\
        train.py:3: starts a process when the file is imported
            3 │ Process(target=print).start()
          Each spawned child imports train.py again and would start children itself;
          Python stops it with "An attempt has been made to start a new process before
          the current process has finished its bootstrapping phase". Under fork, the
          default on Linux up to Python 3.13, nothing is imported again and it goes
          unnoticed.
          → Put line 3 under: if __name__ == "__main__":

        1 finding in 1 file
        Worked fixes: picklecheck kinds no-main-guard
        """)


def test_a_screen_of_nothing(here, capsys):
    here.write(a=FINE, b=FINE)
    assert main(["guard", "."]) == 0
    assert capsys.readouterr().out == "nothing found in 2 files\n"


def test_every_line_fits(here, capsys):
    here.write(a=BARE, b=MILD, c=f"x = 1\n{'long_name_' * 30} = __import__('multiprocessing').Pool(2)\n")
    assert main(["guard", "."]) == 1
    written = capsys.readouterr().out
    assert max(map(len, written.splitlines())) <= 80
    assert "2 findings" not in written
    assert "3 findings (1 warning) in 3 files" in written


def test_long_lines_hang(here, capsys):
    name = "long name " * 5 + "of a file"
    here.write(**{name: f"import {'other_' * 6}x\n", f"{'other_' * 6}x": BARE})
    assert main(["guard", f"{name}.py"]) == 1
    first, second, *rest = capsys.readouterr().out.splitlines()
    assert first.startswith(f"{name}.py:1: ")
    assert second.startswith("    ")
    assert second[4] != " "
    advice = rest[next(number for number, line in enumerate(rest) if line.startswith("  → ")) :]
    assert advice[1].startswith("    ")
    assert max(map(len, (first, second, *rest))) <= 80


def test_data(here, capsys):
    here.write(train=BARE)
    assert findings(capsys, "train.py") == (1, [("train.py", 3, "no-main-guard", "error")])


def test_data_of_nothing(here, capsys):
    here.write(train=FINE)
    assert findings(capsys, "train.py") == (0, [])


def test_a_warning_alone_is_no_failure(here, capsys):
    here.write(train=MILD)
    assert findings(capsys, "train.py") == (0, [("train.py", 3, "no-main-guard", "warning")])


# which files are read


def test_folders_are_gone_through_in_order(here, capsys):
    here.write(b=BARE, a__in__c=BARE, a__in__b=BARE)
    code, found = findings(capsys, ".")
    assert (code, [file for file, *_ in found]) == (1, ["b.py", "a/b.py", "a/c.py"])


@pytest.mark.parametrize(
    "folder", [".venv", ".git", ".hidden", "node_modules", "build", "site-packages", "__pycache__"]
)
def test_folders_that_are_left_out(here, capsys, folder):
    path = here.folder / folder / "deep"
    path.mkdir(parents=True)
    (path / "train.py").write_text(textwrap.dedent(BARE))
    here.write(fine=FINE)
    assert findings(capsys, ".") == (0, [])
    assert findings(capsys, str(path))[0] == 1  # named itself, it is read


def test_a_virtual_environment_of_any_name_is_left_out(here, capsys):
    here.write(env__in__train=BARE)
    (here.folder / "env" / "pyvenv.cfg").touch()
    here.write(fine=FINE)
    assert findings(capsys, ".") == (0, [])


def test_only_python_files_are_read_in_a_folder(here, capsys):
    for name in ("train.txt", "train", "train.ipynb"):
        (here.folder / name).write_text(textwrap.dedent(BARE))
    (here.folder / "window.pyw").write_text(textwrap.dedent(BARE))
    assert [file for file, *_ in findings(capsys, ".")[1]] == ["window.pyw"]


def test_a_script_without_a_suffix_is_read_when_it_is_named(here, capsys):
    (here.folder / "train").write_text("#!/usr/bin/env python3\n" + textwrap.dedent(BARE))
    assert findings(capsys, "train")[0] == 1


def test_a_file_named_twice_is_read_once(here, capsys):
    here.write(train=BARE)
    assert len(findings(capsys, "train.py", "./train.py", ".")[1]) == 1


def test_what_an_import_brings_about_is_told_once(here, capsys):
    here.write(main="import shared\n", shared=BARE)
    assert findings(capsys, ".")[1] == [("shared.py", 3, "start-at-import", "error")]
    assert findings(capsys, "main.py")[1] == [("main.py", 1, "start-at-import", "error")]


def test_a_folder_without_python_files(here, capsys):
    (here.folder / "empty").mkdir()
    (here.folder / "empty" / "notes.txt").touch()
    here.write(train=BARE)
    for words in (["empty"], ["train.py", "empty"]):
        assert main(["guard", *words]) == 2
        assert capsys.readouterr() == ("", "picklecheck: there is no Python file in 'empty'\n")


# files that cannot be read, and wrong use


@pytest.mark.parametrize(
    "content", [b"def broken(:\n", b"\x00\x01", b"# coding: klingon\n", b"x = '\xff'\n", b"(" * 500]
)
def test_a_file_that_is_no_python_is_one_line(here, capsys, content):
    here.write(train=BARE)
    (here.folder / "broken.py").write_bytes(content)
    assert main(["guard", "--format", "json", "."]) == 1
    written = capsys.readouterr()
    assert len(json.loads(written.out)["findings"]) == 1
    assert written.err.startswith("picklecheck: not read: broken.py")
    assert written.err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "code", "last"),
    [
        (["broken.py"], 2, ["1 file could not be read"]),
        (["./broken.py", "fine.py"], 2, ["nothing found in 1 file", "1 file could not be read"]),
        (["broken.py", "odd.py"], 2, ["2 files could not be read"]),
        (["broken.py", "mild.py"], 2, ["Worked fixes: picklecheck kinds no-main-guard", "1 file could not be read"]),
        (["broken.py", "bare.py"], 1, ["Worked fixes: picklecheck kinds no-main-guard", "1 file could not be read"]),
        (["some"], 0, ["nothing found in 1 file", "1 file could not be read"]),  # one of many in a folder
        (["none"], 2, ["1 file could not be read"]),
    ],
)
def test_what_could_not_be_read_is_told_at_the_end(here, capsys, words, code, last):
    here.write(
        fine=FINE, bare=BARE, mild=MILD, broken="def broken(:\n", some__in__a="(", some__in__b=FINE, none__in__a="("
    )
    (here.folder / "odd.py").write_bytes(b"x = '\xff'\n")
    assert main(["guard", *words]) == code
    assert capsys.readouterr().out.splitlines()[-len(last) :] == last


@pytest.mark.parametrize(
    ("head", "encoding"),
    [("# -*- coding: latin-1 -*-\n", "latin-1"), ("\ufeff", "utf-8"), ("# vim: set fileencoding=cp1252 :\n", "cp1252")],
)
def test_files_of_any_encoding(here, capsys, head, encoding):
    text = head + "from multiprocessing import Process\nname = 'é'; Process(target=print).start()\n"
    (here.folder / "train.py").write_bytes(text.encode(encoding))
    main(["guard", "--format", "json", "train.py"])
    [found] = json.loads(capsys.readouterr().out)["findings"]
    assert found["statement"] == "name = 'é'; Process(target=print).start()"


def test_windows_line_ends(here, capsys):
    (here.folder / "train.py").write_bytes(textwrap.dedent(BARE).replace("\n", "\r\n").encode())
    assert findings(capsys, "train.py")[1][0][1] == 3


@pytest.mark.parametrize("words", [["nowhere.py"], ["train.py", "nowhere"]])
def test_a_path_that_is_not_there(here, capsys, words):
    here.write(train=BARE)
    assert main(["guard", *words]) == 2
    written = capsys.readouterr()
    assert written.out == ""
    assert written.err.startswith(f"picklecheck: there is no file or folder {words[-1]!r}; the working directory is ")
    assert written.err.count("\n") == 1


@pytest.mark.parametrize("words", [[], ["--format", "xml", "."], ["--no", "."]])
def test_wrong_use(here, capsys, words):
    assert main(["guard", *words]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_nothing_of_the_users_is_run(here):
    here.write(
        train="print('run')\nimport multiprocessing, helper\nhelper.go()\n", helper="print('run')\ndef go(): pass\n"
    )
    done = here.run("guard", ".")
    assert (done.returncode, done.stdout, done.stderr) == (0, "nothing found in 2 files\n", "")


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_screen_in_any_encoding(here, encoding):
    here.write(train="from multiprocessing import Process\nProcess(name='→é').start()\n")
    done = here.run("guard", "train.py", text=False, PYTHONIOENCODING=encoding)
    assert (done.returncode, done.stderr) == (1, b"")
    assert b"2 | Process(name=" in done.stdout

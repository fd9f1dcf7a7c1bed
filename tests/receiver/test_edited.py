"""Trials of edited texts: each program runs in an interpreter of its own, sends, and prints what was answered."""

import compileall
import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SEND = """
import dataclasses, json, pickle
from picklecheck import receiver
from picklecheck.receiver import launch
def send(obj, edited=None, **more):
    request = {"start_method": "spawn", "seconds": 20.0, "explain": False, "patience": 1.0, "wanted": [], "left_out": []}
    answer = receiver.send([pickle.dumps(obj)], edited=edited, **{**request, **more})
    print(json.dumps({**dataclasses.asdict(answer), "starts": launch.count_starts()}), flush=True)
"""
BROKEN = "class Box:\n    def __setstate__(self, state):\n        raise ValueError('on the disk')\n"
MENDED = "class Box:\n    def __setstate__(self, state):\n        self.text = 'édité'\n"
TEXT_CHECK = '[{"path": "root.text", "type": "str"}]'


def run(folder, program, *words):
    """Give the answers that a program prints, and see to it that no file has changed."""
    file = folder / "program.py"
    file.write_text(SEND + textwrap.dedent(program), encoding="utf-8")
    before = files_of(folder)
    done = subprocess.run(
        [sys.executable, *(words or (str(file),))], check=False, cwd=folder, capture_output=True, text=True,
        timeout=60, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    after = files_of(folder)
    assert {path: found for path, found in after.items() if "__pycache__" not in path.parts} == {
        path: found for path, found in before.items() if "__pycache__" not in path.parts
    }
    return [json.loads(line) for line in done.stdout.splitlines()]


def files_of(folder):
    return {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.rglob("*") if path.is_file()}


MODULE = f"""
MENDED = {MENDED!r}
if __name__ == "__main__":
    import boxes
    box = boxes.Box()
    box.a = 1
    send(box)
    send(box, {{boxes.__file__: MENDED}}, checks={TEXT_CHECK})
    send(box)
"""


def test_a_module(tmp_path):
    (tmp_path / "boxes.py").write_text(BROKEN)
    before, edited, after = run(tmp_path, MODULE)
    assert before["error"]["text"] == after["error"]["text"] == "on the disk"
    assert edited["ok"]
    assert edited["missed"] == []
    assert not edited["already"]
    assert after["starts"] == 1  # a fork of the one child has imported the edited text


def test_a_compiled_file_is_neither_used_nor_written(tmp_path):
    (tmp_path / "boxes.py").write_text(BROKEN)
    compileall.compile_file(tmp_path / "boxes.py", quiet=1)
    before = files_of(tmp_path / "__pycache__")
    assert before
    _, edited, after = run(tmp_path, MODULE)
    assert edited["ok"]
    assert edited["missed"] == []
    assert not after["ok"]
    assert {path: found for path, found in files_of(tmp_path / "__pycache__").items() if path in before} == before


def test_no_compiled_file_comes_of_an_edited_text(tmp_path):
    (tmp_path / "boxes.py").write_text(MENDED, encoding="utf-8")
    program = f"""
    if __name__ == "__main__":
        sys_path_entry = {str(tmp_path)!r}
        import sys
        sys.dont_write_bytecode = True
        import boxes
        sys.dont_write_bytecode = False
        box = boxes.Box()
        box.a = 1
        send(box, {{boxes.__file__: {BROKEN!r}}})
    """
    [edited] = run(tmp_path, program)
    assert edited["error"]["text"] == "on the disk"
    assert not list(tmp_path.rglob("*.pyc"))


@pytest.mark.parametrize("imported_by_main", [False, True])
def test_a_package(tmp_path, imported_by_main):
    (tmp_path / "crate" / "deep").mkdir(parents=True)
    (tmp_path / "crate" / "__init__.py").write_text(BROKEN)
    (tmp_path / "crate" / "deep" / "__init__.py").write_text("")
    (tmp_path / "crate" / "deep" / "other.py").write_text(BROKEN)
    program = f"""
    {"import crate.deep.other" if imported_by_main else ""}
    if __name__ == "__main__":
        import crate.deep.other
        boxes = [crate.Box(), crate.deep.other.Box()]
        boxes[0].a = boxes[1].a = 1
        both = {{crate.__file__: {MENDED!r}, crate.deep.other.__file__: {MENDED!r}}}
        send(boxes)
        send(boxes, both, checks=[{{"path": "root[0].text", "type": "str"}}, {{"path": "root[1].text"}}])
        send(boxes, {{crate.__file__: {MENDED!r}}})
        send(boxes, both)
        send(boxes)
    """
    before, both, one, again, after = run(tmp_path, program)
    assert [answer["ok"] for answer in (before, both, one, again, after)] == [False, True, False, True, False]
    assert both["missed"] == []
    assert one["error"]["frames"][-1]["file"].endswith("other.py")
    assert after["starts"] == (4 if imported_by_main else 1)


MAIN = """
class Box:
    def __setstate__(self, state):
        raise ValueError("on the disk")
MARK = "on the disk"
def read_mark():
    return MARK
if __name__ == "__main__":
    import sys
    box = Box()
    box.a = 1
    from pathlib import Path
    text = Path(__file__).read_text(encoding="utf-8").replace('raise ValueError("on the disk")', 'self.text = MARK', 1)
    text = text.replace('MARK = "on the disk"', 'MARK = "edited"', 1)
    checks = [{"path": "{'edited': 1}[root.text]"}, {"path": "root", "type": "__main__.Box"}]
    for method in ("spawn", "forkserver"):
        send(box, start_method=method)
        send(box, {__file__: text}, checks=checks, start_method=method)
        send(box, {__file__: text}, checks=checks, start_method=method, again=True)
        send(box, start_method=method)
"""


@pytest.mark.parametrize("words", [(), ("-m", "program"), ("-m", "crate.program")])
def test_the_main_module(tmp_path, words):
    if words == ("-m", "crate.program"):
        (tmp_path / "crate").mkdir()
        (tmp_path / "crate" / "__init__.py").write_text("")
        (tmp_path / "crate" / "program.py").write_text(SEND + MAIN)
    answers = run(tmp_path, MAIN, *words)
    assert [answer["ok"] for answer in answers] == [False, True, True, False] * 2
    assert [answer["missed"] for answer in answers] == [[]] * 8
    assert [answer["again"] for answer in answers] == [None] * 8
    assert [answer["starts"] for answer in answers] == [1, 2, 2, 2, 3, 4, 4, 4]


def test_a_main_module_that_is_named_in_another_way(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path, target_is_directory=True)
    program = MAIN.replace("{__file__: text}", "{'link/./program.py': text}")
    assert [answer["ok"] for answer in run(tmp_path, program)] == [False, True, True, False] * 2


def test_what_only_the_edited_text_has(tmp_path):
    (tmp_path / "boxes.py").write_text("class Box: pass\n")
    program = """
    if __name__ == "__main__":
        import boxes
        def make(): pass
        make.__module__, make.__qualname__ = "boxes", "make"
        boxes.make = make
        send(make)
        send(make, {boxes.__file__: "def make(): pass"}, checks=[{"path": "root", "type": "function"}])
    """
    plain, edited = run(tmp_path, program)
    assert not plain["ok"]
    assert edited["ok"]
    assert edited["missed"] == []


def test_an_edited_text_that_does_not_run(tmp_path):
    program = """
    if __name__ == "__main__":
        from pathlib import Path
        send(1)
        try:
            send(1, {__file__: "nonsense nonsense"})
        except receiver.Trouble as trouble:
            print(json.dumps(trouble.error))
        send(1)
    """
    before, trouble, after = run(tmp_path, program)
    assert before["ok"]
    assert after["ok"]
    assert trouble["type"] == "SyntaxError"


@pytest.mark.parametrize("listener", [False, True])
def test_children_that_do_not_fork(tmp_path, listener):
    (tmp_path / "boxes.py").write_text(BROKEN)
    change = "\nif __name__ == '__main__':\n    launch._FORKS = False\n"
    if listener:
        change += "    from picklecheck.receiver import preparation\n"
        change += "    quiet = dict.fromkeys(['stdin', 'stdout', 'stderr'], -3)\n"
        change += "    launch.start = lambda seed: preparation.start_with_listener(quiet)\n"
    before, edited, after = run(tmp_path, change + MODULE)
    assert [before["ok"], edited["ok"], after["ok"]] == [False, True, False]
    assert edited["missed"] == []
    assert after["starts"] == 3


def test_many_texts_leave_the_ordinary_child(tmp_path):
    program = """
    if __name__ == "__main__":
        from pathlib import Path
        send(1)
        for number in range(3):
            send(1, {__file__: f"NUMBER = {number}"})
        print(json.dumps([child.edited for child in launch._kept.children.values()]))
        send(1)
    """
    *_, kept, last = run(tmp_path, program)
    assert kept == [False, True]
    assert last["starts"] == 4


def test_a_file_that_is_always_imported_first(tmp_path):
    program = """
    if __name__ == "__main__":
        import picklecheck
        try:
            send(1, {picklecheck.__file__: ""})
        except receiver.NotPossible as error:
            print(json.dumps(str(error)))
    """
    [text] = run(tmp_path, program)
    assert text.startswith("an edited file is imported whenever the interpreter starts")

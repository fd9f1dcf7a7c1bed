"""`picklecheck fix`, as a process of its own, in real folders and real repositories."""

import ast
import shutil
import subprocess
import sys
import textwrap

import pytest

TRAIN = """
    import threading
    import weakref


    class Dataset:
        def __init__(self):
            self.cache = TileCache(self)
            self.scale = lambda image: image / 255  # to 0..1


    class TileCache:
        def __init__(self, owner):
            self.owner = weakref.ref(owner)
            self.lock = threading.RLock()


    dataset = Dataset()
"""
PARTLY = """
    import multiprocessing
    import threading


    class Task:
        def __init__(self):
            self.lock = threading.Lock()
            self.queue = multiprocessing.Queue()


    task = Task()
"""
SENDS = """
    import multiprocessing

    import train


    def child(dataset):
        assert dataset.cache.owner() is dataset
        assert dataset.scale(510) == 2
        with dataset.cache.lock:
            print("arrived", flush=True)


    if __name__ == "__main__":
        process = multiprocessing.get_context("spawn").Process(target=child, args=(train.dataset,))
        process.start()
        process.join()
        raise SystemExit(process.exitcode)
"""
BARE = """
    import sys
    from multiprocessing import get_context


    def work(number):
        sys.stdout.write(f"worked {number}\\n")  # at once: both write to one pipe


    context = get_context("spawn")
    processes = [context.Process(target=work, args=(number,)) for number in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    sys.exit(max(process.exitcode for process in processes))
"""

NEEDS = """
    from multiprocessing import get_context


    def work(number):
        return number * FACTOR


    def total():
        return sum(results)


    pool = get_context("spawn").Pool(2)
    FACTOR = 3
    results = pool.map(work, [1, 2])
    print(total())
"""


def git(folder, *words):
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    return subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True, text=True).stdout


def text_of(project, name="train.py"):
    return (project.folder / name).read_text(encoding="utf-8")


def python(project, program):
    return subprocess.run(
        [sys.executable, program], cwd=project.folder, env=project.environment(), capture_output=True, text=True,
        check=False, timeout=120,
    )  # fmt: skip


@pytest.fixture
def repository(project):
    if shutil.which("git") is None:
        pytest.skip("no git")
    project.write(train=TRAIN)
    git(project.folder, "init", "-q")
    git(project.folder, "add", ".")
    git(project.folder, "commit", "-qm", "train")
    return project


# the diff


def test_a_diff_and_nothing_else_on_stdout(project):
    project.write(train=TRAIN)
    before = text_of(project)
    done = project.run("fix", "train.py:dataset")
    assert done.returncode == 0
    assert done.stdout.startswith("--- a/train.py\n+++ b/train.py\n@@ ")
    assert all(line[:1] in ("-", "+", " ", "@") for line in done.stdout.splitlines())
    assert '+        state["owner"] = self.owner()\n' in done.stdout
    assert done.stderr.splitlines() == [
        "Tried: dataset was sent with these fixes, and crosses.",
        "To apply: picklecheck fix train.py:dataset --write",
    ]
    assert text_of(project) == before


def test_git_applies_the_diff(repository):
    patch = repository.run("fix", "train.py:dataset").stdout
    subprocess.run(["git", "apply"], cwd=repository.folder, input=patch, text=True, check=True)
    assert repository.run("explain", "train.py:dataset").returncode == 0
    repository.run("fix", "train.py:dataset", "--write", "--force")
    git(repository.folder, "checkout", "-q", "train.py")
    assert repository.run("fix", "train.py:dataset", "--write").returncode == 0
    written = text_of(repository)
    git(repository.folder, "checkout", "-q", "train.py")
    subprocess.run(["git", "apply"], cwd=repository.folder, input=patch, text=True, check=True)
    assert text_of(repository) == written


@pytest.mark.parametrize("start", [b"\xef\xbb\xbf", b"# -*- coding: latin-1 -*-\n# \xe9\n"], ids=["mark", "latin-1"])
@pytest.mark.parametrize("ends", [b"\n", b"\r\n"], ids=["lf", "crlf"])
def test_the_diff_is_in_the_bytes_of_the_file(repository, start, ends):
    data = start + textwrap.dedent(TRAIN).lstrip().encode()
    (repository.folder / "train.py").write_bytes(data.replace(b"\n", ends))
    git(repository.folder, "-c", "core.autocrlf=false", "commit", "-qam", "other bytes")
    patch = repository.run("fix", "train.py:dataset", text=False)
    subprocess.run(["git", "apply"], cwd=repository.folder, input=patch.stdout, check=True)
    applied = (repository.folder / "train.py").read_bytes()
    git(repository.folder, "checkout", "-q", "train.py")
    assert repository.run("fix", "train.py:dataset", "--write").returncode == 0
    assert (repository.folder / "train.py").read_bytes() == applied
    assert applied.startswith(start.replace(b"\n", ends))
    assert applied.count(b"\n") == applied.count(ends)


def test_git_applies_the_diff_in_a_folder_of_the_repository(repository):
    folder = repository.folder / "inner"
    folder.mkdir()
    git(repository.folder, "mv", "train.py", "inner/train.py")
    git(repository.folder, "commit", "-qm", "moved")
    repository.folder = folder
    patch = repository.run("fix", "train.py:dataset").stdout
    subprocess.run(["git", "apply"], cwd=folder, input=patch, text=True, check=True)
    assert repository.run("explain", "train.py:dataset").returncode == 0


def test_how_it_crosses_stands_in_the_next_step(project):
    project.write(train=TRAIN)
    asked = ["train.py:dataset", "--via", "pool", "--protocol", "4"]
    assert f"To apply: picklecheck fix {' '.join(asked)} --write" in project.run("fix", *asked).stderr
    assert f"Apply them: picklecheck fix {' '.join(asked)} --write" in project.run("explain", *asked).stdout


# what is written


def test_what_is_written_runs_in_a_new_interpreter_and_nothing_is_left_to_fix(project):
    project.write(train=TRAIN, sends=SENDS)
    assert python(project, "sends.py").returncode == 1
    done = project.run("fix", "train.py:dataset", "--write")
    assert (done.returncode, done.stdout) == (0, "fixed train.py\n")
    after = python(project, "sends.py")
    assert (after.returncode, after.stdout) == (0, "arrived\n")
    written = text_of(project)
    assert "# to 0..1" in written
    assert written.count("import weakref") == 1
    again = project.run("fix", "train.py:dataset", "--write")
    assert (again.returncode, again.stdout) == (0, "")
    assert again.stderr == "Nothing to fix: dataset crosses.\n"
    assert text_of(project) == written
    assert {path.name for path in project.folder.iterdir() if path.is_file()} == {"train.py", "sends.py"}


def test_no_compiled_file_holds_a_text_that_was_not_written(project):
    project.write(train=TRAIN, sends=SENDS)
    assert project.run("fix", "train.py:dataset", PYTHONDONTWRITEBYTECODE="").returncode == 0
    [compiled] = project.folder.rglob("*.pyc")
    assert b"__getstate__" not in compiled.read_bytes()
    assert project.run("fix", "train.py:dataset", "--write", PYTHONDONTWRITEBYTECODE="").returncode == 0
    assert python(project, "sends.py").stdout == "arrived\n"


def test_several_files(project):
    first, second = textwrap.dedent(TRAIN).split("\n\n\nclass TileCache")
    cache, dataset = f"class TileCache{second}".split("\n\n\ndataset =")
    imports = "import threading\nimport weakref\n\n\n"
    (project.folder / "tiles.py").write_text(imports + cache + "\n")
    (project.folder / "train.py").write_text(
        first.replace("import threading\nimport weakref", "from tiles import TileCache") + f"\n\n\ndataset ={dataset}"
    )
    done = project.run("fix", "train.py:dataset", "--write")
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.split()) == ["fixed", "fixed", "tiles.py", "train.py"]
    assert project.run("explain", "train.py:dataset").returncode == 0


def test_what_remains_is_told_and_the_rest_is_written(project):
    project.write(train=PARTLY)
    done = project.run("fix", "train.py:task", "--via", "pool", "--write")
    assert (done.returncode, done.stdout) == (1, "fixed train.py\n")
    assert done.stderr.splitlines() == [
        "Tried: task was sent with this fix. Of 2 objects that stop it, 1 remains:",
        "  task.queue   process queue   train.py:9 in Task.__init__",
        "What to do: picklecheck kinds mp-queue",
    ]
    assert 'del state["lock"]' in text_of(project)


def test_nothing_that_can_be_fixed(project):
    project.write(train=PARTLY.replace("            self.lock = threading.Lock()\n", ""))
    before = text_of(project)
    done = project.run("fix", "train.py:task", "--via", "pool", "--write")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[:2] == [
        "No fix for task was found that passes a trial:",
        "  task.queue   process queue   train.py:8 in Task.__init__",
    ]
    assert text_of(project) == before


# the main guard


def test_the_guard_is_written_and_the_program_runs(project):
    project.write(work=BARE)
    assert "bootstrapping phase" in python(project, "work.py").stderr
    shown = project.run("fix", "work.py", "--guard")
    assert shown.returncode == 0
    assert '+if __name__ == "__main__":\n' in shown.stdout
    assert shown.stderr == "To apply: picklecheck fix work.py --guard --write\n"
    done = project.run("fix", "work.py", "--guard", "--write")
    assert (done.returncode, done.stdout, done.stderr) == (0, "fixed work.py\n", "")
    after = python(project, "work.py")
    assert (after.returncode, sorted(after.stdout.splitlines())) == (0, ["worked 0", "worked 1"]), after.stderr
    assert project.run("guard", "work.py").returncode == 0
    again = project.run("fix", "work.py", "--guard", "--write")
    assert (again.returncode, again.stdout) == (0, "")
    assert again.stderr.startswith("Nothing to fix: ")


def test_a_target_whose_file_starts_processes_is_not_loaded(project):
    project.write(work=BARE)
    done = project.run("fix", "work.py:context", "--write")
    assert done.returncode == 2
    assert "first picklecheck fix work.py --guard" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_name_that_children_need_and_only_the_guarded_block_has_remains(project):
    project.write(work=NEEDS)
    done = project.run("fix", "work.py", "--guard", "--write")
    assert (done.returncode, done.stdout) == (1, "fixed work.py\n")
    assert " ".join(done.stderr.split()) == (
        "There remains work.py: work reads FACTOR, which a child does not have under the guard: set it above"
    )
    assert "NameError: name 'FACTOR' is not defined" in python(project, "work.py").stderr
    written = text_of(project, "work.py")
    above = written.replace("    FACTOR = 3\n", "").replace("\n\n\ndef work", "\n\nFACTOR = 3\n\n\ndef work")
    (project.folder / "work.py").write_text(above, encoding="utf-8")
    after = python(project, "work.py")
    assert (after.returncode, after.stdout) == (0, "9\n"), after.stderr
    assert project.run("fix", "work.py", "--guard").returncode == 0


def test_a_guard_that_is_never_true_is_not_hidden_under_another(project):
    start = 'multiprocessing.get_context("spawn").Process(target=print).start()'
    project.write(work=f'import multiprocessing\n\nif __name__ == "__main_":\n    {start}\n{start}\n')
    done = project.run("fix", "work.py", "--guard", "--write")
    assert (done.returncode, done.stdout) == (1, "fixed work.py\n")
    assert "There remains work.py:3: It asks for __name__ == '__main_', which is never so" in done.stderr
    assert text_of(project, "work.py") == (
        f'import multiprocessing\n\nif __name__ == "__main_":\n    {start}\n\n\nif __name__ == "__main__":\n    {start}\n'
    )


def test_what_no_guard_in_this_file_helps_against_remains(project):
    project.write(work=BARE, starts="import work\n")
    done = project.run("fix", "starts.py", "--guard", "--write")
    assert (done.returncode, done.stdout) == (1, "")
    assert "There remains starts.py:1: " in done.stderr
    assert text_of(project, "starts.py") == "import work\n"


@pytest.mark.parametrize(
    ("name", "text"), [("none.py", None), ("broken.py", "def ("), ("odd.py", "# -*- coding: no-such -*-\n")]
)
def test_a_file_that_cannot_be_read_is_one_line(project, name, text):
    if text is not None:
        (project.folder / name).write_text(text)
    done = project.run("fix", name, "--guard")
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert name in done.stderr


@pytest.mark.parametrize(
    "words",
    [("train.py:dataset", "--force"), ("train.py", "--guard", "--via", "pool"), ("train.py:nothing",), ("none:x",)],
)
def test_wrong_use_is_one_line(project, words):
    project.write(train=TRAIN)
    done = project.run("fix", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1


def test_what_is_printed_while_loading_stays_out_of_the_diff(project):
    project.write(train=TRAIN + '    print("loading")\n')
    done = project.run("fix", "train.py:dataset")
    assert done.stdout.startswith("--- a/train.py\n")
    assert "loading" not in "".join(line for line in done.stdout.splitlines(True) if line[0] in "+-")
    ast.parse(text_of(project))

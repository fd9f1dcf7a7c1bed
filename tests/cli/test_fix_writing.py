"""Files that a fix is written to, and those that it is not."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from picklecheck.cli import writing
from picklecheck.errors import WriteError

BEFORE, AFTER = "a = 1\n", "a = 2\n"


@pytest.fixture
def file(tmp_path):
    made = tmp_path / "code.py"
    made.write_bytes(BEFORE.encode())
    return made


def write(*files, force=True, before=BEFORE, after=AFTER):
    writing.write({str(file): (before, after) for file in files}, force=force)


def refused(*files, **options):
    """Give what is said, and see to it that nothing has changed."""
    held = {file: (file.read_bytes(), file.stat()) for file in files}
    folders = {file.parent: sorted(os.listdir(file.parent)) for file in files}
    with pytest.raises(WriteError) as error:
        write(*files, **options)
    assert {file: (file.read_bytes(), file.stat()) for file in files} == held
    assert {folder: sorted(os.listdir(folder)) for folder in folders} == folders
    assert "\n" not in str(error.value)
    return str(error.value)


def git(folder, *words):
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


def test_written_and_nothing_left_beside_it(file):
    write(file)
    assert file.read_text() == AFTER
    assert os.listdir(file.parent) == ["code.py"]


@pytest.mark.parametrize("mode", [0o600, 0o755, 0o664])
def test_permissions_stay(file, mode):
    file.chmod(mode)
    write(file)
    assert (file.read_text(), file.stat().st_mode & 0o777) == (AFTER, mode)


def test_a_link_stays_a_link(file, tmp_path):
    link = tmp_path / "link.py"
    link.symlink_to(file.name)
    write(link)
    assert link.is_symlink()
    assert file.read_text() == AFTER


def test_the_other_name_of_a_file_leads_to_the_new_text(file, tmp_path):
    os.link(file, tmp_path / "other.py")
    write(file)
    assert (tmp_path / "other.py").read_text() == AFTER
    assert file.stat().st_nlink == 2


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1"])
def test_encoding_and_line_ends_stay(tmp_path, encoding, ends):
    head = "# -*- coding: latin-1 -*-\n" if encoding == "latin-1" else ""
    before, after = f"{head}é = 1\n".replace("\n", ends), f"{head}é = 2\n".replace("\n", ends)
    file = tmp_path / "code.py"
    file.write_bytes(before.encode(encoding))
    write(file, before=before, after=after)
    assert file.read_bytes() == after.encode(encoding)


def test_a_letter_that_the_encoding_lacks(tmp_path):
    file = tmp_path / "code.py"
    before = "# -*- coding: latin-1 -*-\n"
    file.write_text(before, encoding="latin-1")
    assert "latin-1" in refused(file, before=before, after=before + "x = '→'\n").replace("iso-8859-1", "latin-1")


def test_changed_since_it_was_read(file):
    file.write_text("a = 3\n")
    assert "it has changed since it was read" in refused(file)


def test_a_file_that_is_gone(tmp_path):
    with pytest.raises(WriteError, match="No such file"):
        write(tmp_path / "none.py")


def test_read_only(file):
    file.chmod(0o444)
    assert refused(file).endswith("it is read-only")


def test_all_or_none(file, tmp_path):
    other = tmp_path / "sub" / "other.py"
    other.parent.mkdir()
    other.write_text("a = 5\n")
    assert "other.py" in refused(file, other)


def test_those_that_were_written_are_put_back(file, tmp_path, monkeypatch):
    other = tmp_path / "other.py"
    other.write_text(BEFORE)
    real = os.replace

    def replace(source, target):
        if target == str(other):
            raise OSError(28, "No space left on device")
        real(source, target)

    monkeypatch.setattr(os, "replace", replace)
    with pytest.raises(WriteError, match=r"other\.py is not written: No space left on device"):
        write(file, other)
    assert (file.read_text(), other.read_text()) == (BEFORE, BEFORE)
    assert sorted(os.listdir(tmp_path)) == ["code.py", "other.py"]


def test_one_that_cannot_be_put_back_is_named_and_the_others_are(file, tmp_path, monkeypatch):
    others = [tmp_path / "other.py", tmp_path / "third.py"]
    for other in others:
        other.write_text(BEFORE)
    real, done = os.replace, []

    def replace(source, target):
        if target == str(others[1]) or target in done:
            raise OSError(28, "No space left on device")
        real(source, target)
        done.extend([target] if target == str(file) else [])

    monkeypatch.setattr(os, "replace", replace)
    with pytest.raises(WriteError, match=r"code\.py holds the new text, and could not be put back: .*No space left"):
        write(file, *others)
    assert [one.read_text() for one in (file, *others)] == [AFTER, BEFORE, BEFORE]
    assert sorted(os.listdir(tmp_path)) == ["code.py", "other.py", "third.py"]


class TestGit:
    @pytest.fixture(autouse=True)
    def _repository(self, file):
        if shutil.which("git") is None:
            pytest.skip("no git")
        git(file.parent, "init", "-q")
        git(file.parent, "add", "code.py")
        git(file.parent, "commit", "-qm", "code")

    def test_committed(self, file):
        write(file, force=False)
        assert file.read_text() == AFTER

    @pytest.mark.parametrize("staged", [False, True])
    def test_changes_that_are_not_committed(self, file, staged):
        file.write_text("a = 0\n")
        if staged:
            git(file.parent, "add", "code.py")
        said = refused(file, force=False, before="a = 0\n")
        assert "has changes that are not committed; --force writes it all the same" in said
        write(file, before="a = 0\n")
        assert file.read_text() == AFTER

    @pytest.mark.parametrize(("ignored", "state"), [(False, "is not tracked by git"), (True, "is ignored by git")])
    def test_files_that_git_does_not_have(self, file, ignored, state):
        other = file.with_name("[odd] name é.py")
        other.write_text(BEFORE)
        if ignored:
            file.with_name(".gitignore").write_text("*odd*\n")
        assert state in refused(other, force=False)

    def test_one_of_several(self, file):
        other = file.with_name("other.py")
        other.write_text(BEFORE)
        assert "other.py" in refused(file, other, force=False)

    def test_changes_of_other_files_do_not_matter(self, file):
        file.with_name("other.py").write_text("")
        write(file, force=False)
        assert file.read_text() == AFTER

    def test_without_git(self, file, monkeypatch):
        file.write_text("a = 0\n")
        monkeypatch.setenv("PATH", str(file.parent))
        write(file, force=False, before="a = 0\n")
        assert file.read_text() == AFTER

    def test_a_repository_that_git_cannot_read(self, file):
        Path(file.parent, ".git", "index").write_bytes(b"no index")
        assert "git cannot tell" in refused(file, force=False)

    def test_a_repository_that_is_not_where_it_is_said_to_be(self, file):
        shutil.rmtree(file.parent / ".git")
        Path(file.parent, ".git").write_text(f"gitdir: {file.parent / 'nowhere'}\n")
        assert "git cannot tell" in refused(file, force=False)

    def test_a_configuration_that_hides_what_is_not_tracked(self, file):
        git(file.parent, "config", "status.showUntrackedFiles", "no")
        other = file.with_name("other.py")
        other.write_text(BEFORE)
        assert "is not tracked by git" in refused(other, force=False)

    def test_in_a_hook(self, file, monkeypatch):
        folder = file.parent / "inner"
        folder.mkdir()
        inner = folder / "code.py"
        inner.write_text(BEFORE)
        git(file.parent, "add", ".")
        git(file.parent, "commit", "-qm", "inner")
        monkeypatch.chdir(file.parent)
        monkeypatch.setenv("GIT_DIR", ".git")  # as git sets it, seen from the top of the work tree
        inner.write_text("a = 0\n")
        assert "has changes that are not committed" in refused(inner, force=False, before="a = 0\n")
        inner.write_text(BEFORE)
        write(inner, force=False)
        assert inner.read_text() == AFTER

import json
import os

import pytest

import picklecheck
from picklecheck.fixes.editable import is_editable


def test_a_file_of_the_users_can_be_edited(tmp_path):
    (tmp_path / "mine.py").write_text("x = 1\n")
    assert is_editable(str(tmp_path / "mine.py"))


@pytest.mark.parametrize(
    "file", [json.__file__, pytest.__file__, picklecheck.__file__, "<string>", "<stdin>", "/no/such.py"]
)
def test_what_is_not_the_users_cannot(file):
    assert not is_editable(file)


def test_what_was_installed_elsewhere_cannot(tmp_path):
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / "lib.py").write_text("x = 1\n")
    assert not is_editable(os.fspath(folder / "lib.py"))

"""The bootstrap reading: each specimen gives what its comments say, and nothing else."""

import pytest

from picklecheck import kinds
from picklecheck.kinds.table import WITHOUT_OBJECT
from picklecheck.receiver.guard import read_files
from tests.receiver.guard_specimens import FINE, FOUND


def written(specimen, folder):
    """Write a specimen's files, and give the paths of those that are Python."""
    for name, text in specimen.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return [str(folder / name) for name in specimen.files if name.endswith(".py")]


def found(paths, folder):
    result = read_files(paths)
    assert result.unread == ()
    return sorted(
        (finding.assigned_at.file.removeprefix(f"{folder}/"), finding.assigned_at.line, finding.kind, finding.severity)
        for finding in result.findings
    )


def each(specimens):
    return pytest.mark.parametrize("specimen", specimens, ids=[specimen.id for specimen in specimens])


@each(FOUND)
def test_finds_what_a_child_repeats(specimen, tmp_path):
    assert found(written(specimen, tmp_path), tmp_path) == sorted(specimen.expected)


@each([specimen for specimen in FOUND if len(specimen.files) > 1 and "app.spec" not in specimen.files])
def test_a_file_asked_about_alone_gives_the_same(specimen, tmp_path):
    written(specimen, tmp_path)
    for name in {file for file, *_ in specimen.expected}:
        expected = sorted(row for row in specimen.expected if row[0] == name)
        assert found([str(tmp_path / name)], tmp_path) == expected


@each(FINE)
def test_no_false_alarm(specimen, tmp_path):
    assert found(written(specimen, tmp_path), tmp_path) == []


def test_every_kind_of_the_bootstrap_has_a_specimen():
    shown = {kind for specimen in FOUND for _, _, kind, _ in specimen.expected}
    assert shown == set(WITHOUT_OBJECT) - {"main-not-importable"}  # that one is told at run time
    assert set(WITHOUT_OBJECT) <= set(kinds.slugs())


def test_every_specimen_of_what_is_found_expects_something():
    assert [specimen.id for specimen in FOUND if not specimen.expected] == []

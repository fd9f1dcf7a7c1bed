import runpy
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / ".ci" / "skipped_everywhere.py"


@pytest.fixture
def script():
    return runpy.run_path(str(SCRIPT))


def write_run(folder, name, *cases):
    (folder / f"{name}.xml").write_text(f"<testsuites><testsuite>{''.join(cases)}</testsuite></testsuites>")


def case(classname, name, inner=""):
    return f'<testcase classname="{classname}" name="{name}">{inner}</testcase>'


SKIP = '<skipped type="pytest.skip" message="needs torch"/>'
XFAIL = '<skipped type="pytest.xfail" message="known"/>'


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param(case("tests.test_a", "test_one", SKIP), case("tests.test_a", "test_one"), id="run-elsewhere"),
        pytest.param(case("", "tests.test_a", SKIP), case("tests.test_a", "test_one"), id="module-run-elsewhere"),
        pytest.param(case("", "tests.test_a", SKIP), case("tests.test_a.TestX", "test_one"), id="module-with-class"),
        pytest.param(case("t", "test_one[a.b]", SKIP), case("t", "test_one[a.b]"), id="parameter"),
        pytest.param(case("t", "test_one", XFAIL), "", id="expected-failure"),
    ],
)
def test_accepts_what_ran_somewhere(script, tmp_path, capsys, first, second):
    write_run(tmp_path, "one", first, case("t", "test_other"))
    write_run(tmp_path, "two", second)
    assert script["main"](str(tmp_path)) == 0
    assert "skipped in every run:" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("first", "second", "name"),
    [
        pytest.param(case("t", "test_one", SKIP), case("t", "test_one", SKIP), "t.test_one", id="both"),
        pytest.param(case("t", "test_one", SKIP), "", "t.test_one", id="collected-once"),
        pytest.param(case("", "t.test_m", SKIP), case("t.test_more", "test_one"), "t.test_m", id="module"),
        pytest.param(case("t", "test_one[a]", SKIP), case("t", "test_one[b]"), "t.test_one[a]", id="parameter"),
    ],
)
def test_names_what_ran_nowhere(script, tmp_path, capsys, first, second, name):
    write_run(tmp_path, "one", first, case("t", "test_other"))
    write_run(tmp_path, "two", second)
    assert script["main"](str(tmp_path)) == 1
    assert f"skipped in every run: {name}: needs torch" in capsys.readouterr().out


@pytest.mark.parametrize("inner", ["<failure/>", "<error/>"])
def test_counts_and_fails_with_failures(script, tmp_path, capsys, inner):
    write_run(tmp_path, "one", case("t", "test_one", inner), case("t", "test_two"), case("t", "test_three", XFAIL))
    assert script["main"](str(tmp_path)) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "2 passed, 1 failed, 0 skipped"


def test_refuses_runs_without_tests(script, tmp_path):
    write_run(tmp_path, "one")
    assert script["main"](str(tmp_path)) == 1


def test_reads_what_pytest_writes(script, pytester, tmp_path):
    pytester.makepyfile(
        test_module="import pytest; pytest.skip('not here', allow_module_level=True)",
        test_plain="import pytest\ndef test_fine(): pass\n@pytest.mark.skip(reason='never')\ndef test_never(): pass",
    )
    pytester.runpytest(f"--junit-xml={tmp_path / 'run.xml'}")
    unseen = script["skipped_everywhere"](script["results"](tmp_path / "run.xml"))
    assert set(unseen) == {"test_module", "test_plain.test_never"}
    assert "not here" in unseen["test_module"]
    assert "never" in unseen["test_plain.test_never"]

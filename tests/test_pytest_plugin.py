"""The pytest plugin, in test runs of its own."""

import subprocess
import sys

import pytest

TRIES_FIXES = True
DATA = """
    import threading

    class Cache:
        def __init__(self):
            self.lock = threading.RLock()

    class Dataset:
        def __init__(self):
            self.cache = Cache()
"""
TEST = """
    from data import Dataset
    from picklecheck import assert_picklable

    def test_ships():
        dataset = Dataset()
        assert_picklable(dataset, start_method="spawn")
"""
FIXTURE_TEST = """
    from data import Dataset

    def test_ships(assert_picklable):
        assert_picklable(Dataset().cache, start_method="spawn")
"""
OURS = ["picklecheck/api.py", "picklecheck\\api.py", "_run(", "__tracebackhide__", "raise AssertionError"]


@pytest.fixture
def outcome(pytester):
    """Run one test file in a project and give its result; its modules are importable in workers too."""

    def run(test, *args, data=DATA):
        pytester.makepyfile(data=data, test_it=test)
        pytester.makeini("[pytest]\npythonpath = .\n")
        run_tests = pytester.runpytest_subprocess if "-n" in args else pytester.runpytest_inprocess
        return run_tests("-p", "no:cacheprovider", *args)

    return run


@pytest.mark.parametrize("style", ["auto", "long", "short", "native", "line", "no"])
@pytest.mark.parametrize("test", [TEST, FIXTURE_TEST], ids=["function", "fixture"])
def test_failure_shows_the_report_and_no_frame_of_ours(outcome, style, test):
    result = outcome(test, f"--tb={style}")
    result.assert_outcomes(failed=1)
    shown = result.stdout.str()
    assert not [line for line in OURS if line in shown]
    if style != "no":
        assert "cannot be pickled (process, spawn): 1 object stops it" in shown
    if style not in ("no", "line"):
        assert "cache.lock   thread lock   data.py:5 in Cache.__init__" in shown
        assert "self.lock = threading.RLock()" in shown
        assert "Worked fixes: picklecheck kinds lock" in shown


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        (TEST, ["AssertionError: dataset cannot be pickled", "dataset.cache.lock   thread lock"]),
        (FIXTURE_TEST, ["AssertionError: Dataset().cache cannot be pickled", "Dataset().cache.lock   thread lock"]),
    ],
)
def test_name_comes_from_the_test_s_source(outcome, test, expected):
    shown = outcome(test).stdout.str()
    assert [text for text in expected if text not in shown] == []


def test_whole_failure_section(outcome):
    result = outcome(TEST, "--tb=short", "--no-header", "-q")
    section = result.stdout.str().partition("FAILURES")[2].partition("short test summary")[0].split("\n")[1:-1]
    assert [line.rstrip() for line in section] == [
        "__________________________________ test_ships __________________________________",
        "test_it.py:6: in test_ships",
        '    assert_picklable(dataset, start_method="spawn")',
        "E   AssertionError: dataset cannot be pickled (process, spawn): 1 object stops it",
        "E     dataset.cache.lock   thread lock   data.py:5 in Cache.__init__",
        "E         self.lock = threading.RLock()",
        "E       A lock works between the threads of one process only; a copy of it in",
        "E       another process would guard nothing.",
        "E       -> Leave the lock out in `__getstate__` and make a new one in",
        "E          `__setstate__`; use a `multiprocessing` lock where processes must",
        "E          exclude each other.",
        "E",
        "E     Fix (tried: sent to a spawned process, loaded there, and sent on once more):",
        "E       class Cache:",
        "E           def __getstate__(self):",
        "E               state = self.__dict__.copy()",
        'E               del state["lock"]',
        "E               return state",
        "E",
        "E           def __setstate__(self, state):",
        "E               self.__dict__.update(state)",
        "E               self.lock = threading.RLock()",
        "E",
        "E     With this fix it crosses: that was tried.",
        "E     Worked fixes: picklecheck kinds lock",
    ]


def test_fork_s_note_stands_in_the_failure(outcome):
    shown = outcome(TEST.replace('"spawn"', '"fork"')).stdout.str()
    assert "Under fork nothing is pickled" in shown


def test_passes(outcome):
    result = outcome(FIXTURE_TEST, data=DATA.replace("threading.RLock()", "3"))
    result.assert_outcomes(passed=1)


def test_failure_crosses_to_xdist(outcome):
    pytest.importorskip("xdist")
    result = outcome(TEST, "-n", "1", "-p", "xdist")
    result.assert_outcomes(failed=1)
    shown = result.stdout.str()
    assert "dataset.cache.lock   thread lock   data.py:5 in Cache.__init__" in shown
    assert not [line for line in OURS if line in shown]
    assert "INTERNALERROR" not in shown


def test_failure_holds_no_object_of_the_user_s(outcome):
    result = outcome("""
        import gc, weakref
        from data import Dataset
        from picklecheck import assert_picklable

        def test_released():
            dataset = Dataset()
            seen = weakref.ref(dataset.cache)
            try:
                assert_picklable(dataset)
            except AssertionError as error:
                kept = error.with_traceback(None)
            del dataset
            gc.collect()
            assert seen() is None
            assert kept.args == (str(kept),)
    """)
    result.assert_outcomes(passed=1)


def test_other_assertions_keep_their_frames(outcome):
    result = outcome(
        """
        from picklecheck import explain

        class Odd:
            def __reduce_ex__(self, protocol):
                raise AssertionError("mine")

        def test_mine():
            assert explain(Odd(), start_method="spawn").failures == ()

        def test_helper():
            def helper():
                raise AssertionError("of the helper")
            helper()
        """,
        "--tb=short",
    )
    result.assert_outcomes(failed=2)
    shown = result.stdout.str()
    assert "in helper" in shown
    assert "in test_mine" in shown


def test_wrong_use_is_a_usage_error(outcome):
    shown = outcome(TEST.replace('"spawn"', '"teleport"')).stdout.str()
    assert "UsageError: " in shown


def test_loading_the_plugin_loads_nothing_heavy():
    new = "print(*set(sys.modules) - before)"
    program = f"import pytest, sys; before = set(sys.modules); import picklecheck.pytest_plugin; {new}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    loaded = done.stdout.split()
    heavy = ("rich", "typer", "executing", "dill", "multiprocessing", "picklecheck.probe", "picklecheck.kinds", "ast")
    assert "picklecheck.pytest_plugin" in loaded
    assert [name for name in loaded if name.startswith(heavy)] == []


def test_fixture_is_listed(pytester):
    result = pytester.runpytest_subprocess("--fixtures")
    result.stdout.fnmatch_lines(["assert_picklable*", "*Assert that an object can be pickled for another process*"])

"""From failures to fixes that were tried: real modules, real children."""

import importlib
import sys
import textwrap
from pathlib import Path

import pytest

import picklecheck
from picklecheck import kinds
from picklecheck.fixes import Change, Check, Remedy
from picklecheck.paths import attribute

TRIES_FIXES = True
TILES = """
    import threading
    import weakref


    class Dataset:
        def __init__(self):
            self.cache = TileCache(self)


    class TileCache:
        def __init__(self, owner):
            self.owner = weakref.ref(owner)
            self.lock = threading.RLock()
    """


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Give a function that writes a module where a child finds it too, and imports it."""
    monkeypatch.syspath_prepend(str(tmp_path))
    made = []

    def load(text, name="mended_module"):
        name = f"{name}_{len(made)}"
        (tmp_path / f"{name}.py").write_text(textwrap.dedent(text).lstrip("\n"), encoding="utf-8")
        made.append(name)
        return importlib.import_module(name)

    yield load
    for name in made:
        sys.modules.pop(name, None)


@pytest.fixture
def kind():
    """Give a function that registers a kind with a recipe, for this test only."""
    before = dict(kinds.registry._own), dict(kinds.registry._recipes)

    def register(test, fix):
        picklecheck.register_kind("own-kind", test, reason="Because.", advice="Do it.", fix=fix)

    yield register
    for table, kept in zip((kinds.registry._own, kinds.registry._recipes), before, strict=True):
        table.clear()
        table.update(kept)


def explain(obj, **options):
    return picklecheck.explain(obj, name="obj", **{"via": "process", "start_method": "spawn", **options})


def test_two_culprits_of_a_class_get_one_fix_that_was_tried(load):
    module = load(TILES)
    before = Path(module.__file__).read_text()
    report = explain(module.Dataset())
    weak, lock = report.failures
    assert weak.fix is lock.fix
    assert weak.fix.verified
    assert weak.fix.target == ("TileCache", module.__file__, 10)
    assert "def __getstate__" in weak.fix.code
    assert report.fix() == weak.fix.code
    assert weak.fix.diff().startswith("--- ")
    assert report.notes[-1] == "With this fix it crosses: that was tried."
    assert list(report.edited) == [module.__file__]
    # nothing is changed here
    assert Path(module.__file__).read_text() == before == report.edited[module.__file__][0]
    assert not {"__getstate__", "__setstate__"} & set(vars(module.TileCache))


def test_the_edited_text_does_what_it_says(load):
    module = load(TILES)
    report = explain(module.Dataset())
    fixed = load(report.edited[module.__file__][1])
    again = explain(fixed.Dataset())
    assert again.ok
    assert again.arrived


def test_the_report_says_what_remains(load):
    module = load(
        """
        import threading


        class Cache:
            def __init__(self, frames):
                self.lock = threading.Lock()
                self.rows = (frame for frame in frames)
        """
    )
    report = explain(module.Cache([1]))
    lock, rows = report.failures
    assert lock.fix.verified
    assert rows.fix is None
    assert report.notes[-1] == "With this fix, which was tried, there remains: obj.rows."


def test_what_is_dropped_is_told(load):
    module = load(
        """
        import threading


        class Job:
            def __init__(self):
                self.worker = threading.Thread(target=print)
        """
    )
    fix = explain(module.Job()).failures[0].fix
    assert ".worker is None over there" in fix.note


def made_by(cls, **change):
    return lambda spot: Remedy(changes=(Change(cls=cls, attribute="rows", **change),))


BAD = {
    "it does not load": {"out": ('del state["rows"]',), "back": ("self.missing()",)},
    "it is still refused": {"out": ()},
    "it cannot be written": {"out": ("this is no Python",)},
    "it does not make a second trip": {
        "out": ('state["rows"] = list(self.rows)',),
        "back": ("self.rows = (row for row in state['rows'][0])",),
    },
}


@pytest.mark.parametrize("change", BAD.values(), ids=BAD)
def test_a_fix_that_fails_its_trial_is_not_offered(change, load, kind):
    module = load("class Cache:\n    def __init__(self):\n        self.rows = (row for row in [1])\n")
    kind(lambda subject: type(subject.obj).__name__ == "generator", made_by(module.Cache, **change))
    report = explain(module.Cache())
    assert report.failures[0].kind == "own-kind"
    assert report.failures[0].fix is None
    assert report.edited == {}
    assert report.fix() == ""


@pytest.mark.parametrize(("type_", "offered"), [("builtins.list", False), ("list", True)])
def test_what_was_made_anew_must_have_the_right_type(type_, offered, load, kind):
    module = load("class Cache:\n    def __init__(self):\n        self.rows = (row for row in [1])\n")
    change = Change(cls=module.Cache, attribute="rows", out=('state["rows"] = [1]',))
    check = Check(path=(attribute("rows"),), type=type_)
    kind(
        lambda subject: type(subject.obj).__name__ == "generator",
        lambda spot: Remedy(changes=(change,), checks=(check,)),
    )
    assert (explain(module.Cache()).failures[0].fix is not None) is offered


def test_a_recipe_that_raises_gives_none(load, kind):
    module = load("class Cache:\n    def __init__(self):\n        self.rows = (row for row in [1])\n")
    kind(lambda subject: type(subject.obj).__name__ == "generator", lambda spot: 1 / 0)
    assert explain(module.Cache()).failures[0].fix is None


def test_of_two_classes_the_one_that_can_be_mended_is(load, kind):
    module = load(
        TILES + "\n\n    class Bad:\n        def __init__(self):\n            self.rows = (row for row in [1])\n"
    )
    kind(
        lambda subject: type(subject.obj).__name__ == "generator",
        made_by(module.Bad, out=('del state["rows"]',), back=("self.missing()",)),
    )
    report = explain([module.Dataset(), module.Bad()])
    assert [failure.fix is not None for failure in report.failures] == [True, True, False]
    assert "there remains: obj[1].rows" in report.notes[-1]


def test_a_way_without_a_class_of_the_users_leaves_the_culprit_without_a_fix(load):
    module = load(TILES)
    cache = module.Dataset().cache
    assert [failure.fix for failure in explain([cache, cache.lock]).failures if failure.kind == "lock"] == [None]


def test_a_handle_of_one_thread_is_tried_in_the_thread_that_pickles(load):
    """A pool pickles its tasks in a thread of its own, where a connection of sqlite3 refuses to be asked anything."""
    module = load(
        """
        import sqlite3


        class Store:
            def __init__(self):
                self.connection = sqlite3.connect(":memory:")
        """
    )
    store = module.Store()
    assert explain(store).failures[0].fix is not None
    assert explain(store, via="pool").failures[0].fix is None
    store.connection.close()


def test_nothing_is_tried_where_only_the_verdict_is_asked_for(load, monkeypatch):
    module = load(TILES)
    monkeypatch.setattr("picklecheck.mending.mend", None)
    assert not picklecheck.is_picklable(module.Dataset(), via="process", start_method="spawn")
    assert explain(module.Dataset(), roundtrip=False).failures[0].fix is None


def test_a_class_that_is_not_the_users_is_left_alone():
    import queue

    assert explain(queue.Queue()).failures[0].fix is None


def test_many_culprits_of_one_class_are_one_fix(load):
    module = load(TILES)
    report = explain([module.Dataset() for _ in range(300)])
    assert len(report.failures) == 600
    assert len({id(failure.fix) for failure in report.failures}) == 1
    assert report.failures[0].fix.verified


def test_a_released_report_still_has_its_fixes(load):
    report = explain(load(TILES).Dataset())
    report.release()
    assert report.to_dict()["failures"][0]["fix"]["verified"]
    assert "Fix for" in str(report)


def test_what_cannot_be_edited_together_is_fixed_as_far_as_it_goes(load):
    module = load("""
        from collections import defaultdict


        class Counts:
            def __init__(self):
                self.tree = defaultdict(lambda: defaultdict(lambda: [0]))
                self.first = lambda pair: pair[0]
                self.tree["a"]["b"].append(1)
        """)
    report = explain(module.Counts())
    fixed = {failure.path: failure.fix is not None for failure in report.failures}
    assert fixed == {
        "obj.tree.default_factory": True, "obj.tree['a'].default_factory": False, "obj.first": True,
    }  # fmt: skip
    assert report.notes[-1].endswith("there remains: obj.tree['a'].default_factory.")


def test_a_thread_of_a_class_of_the_user_s_is_left_out_by_its_holder(load):
    module = load("""
        import threading


        class Worker(threading.Thread):
            def __init__(self):
                super().__init__(daemon=True)
                self.results = {}


        class App:
            def __init__(self):
                self.worker = Worker()
                self.timer = threading.Timer(99, print)
        """)
    report = explain(module.App())
    (fix,) = {failure.fix for failure in report.failures}
    assert fix.target[0] == "App"
    assert 'state["worker"] = None' in fix.code
    why = "is None over there: a thread belongs to the process that started it."
    assert fix.note == f".worker {why} .timer {why}"


def test_a_method_that_sets_the_state_still_finds_every_name(load):
    module = load("""
        import threading


        class Old:
            def __init__(self):
                self.name, self.lock = "a", threading.Lock()

            def __getstate__(self):
                return {"name": self.name, "lock": self.lock}

            def __setstate__(self, state):
                self.name = state["name"]
                self.lock = state["lock"]
        """)
    report = explain(module.Old())
    (failure,) = report.failures
    assert 'state["lock"] = None' in failure.fix.code
    assert failure.fix.verified


def test_the_diff_of_a_file_that_starts_with_a_mark_fits_it(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "marked.py").write_text(
        "import threading\n\n\nclass A:\n    def __init__(self):\n        self.f = lambda: 1\n", encoding="utf-8-sig"
    )
    (failure,) = explain(importlib.import_module("marked").A()).failures
    del sys.modules["marked"]
    assert "\n \ufeffimport threading\n" in failure.fix.diff()


def test_very_many_share_a_fix_though_others_do_not_go_together(load):
    tiles = load(TILES)
    counts = load("""
        from collections import defaultdict


        class Counts:
            def __init__(self):
                self.tree = defaultdict(lambda: defaultdict(lambda: [0]))
                self.tree["a"]["b"].append(1)
        """)
    report = explain([counts.Counts(), *(tiles.Dataset() for _ in range(300))])
    assert [failure.path for failure in report.failures if failure.fix is None] == ["obj[0].tree['a'].default_factory"]
    assert len(report.failures) == 602

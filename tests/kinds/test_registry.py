import subprocess
import sys
import textwrap
import threading

import pytest

import picklecheck
from picklecheck import UsageError, kinds
from picklecheck.kinds import registry


@pytest.fixture(autouse=True)
def no_kinds_of_other_tests(monkeypatch):
    monkeypatch.setattr(registry, "_own", {})


def register(slug, test=lambda subject: True, **words):
    kinds.register_kind(slug, test, **{"reason": f"Why of {slug}.", "advice": f"What to do about {slug}.", **words})


def subject(obj=None, error=None):
    return kinds.Subject(obj, error or TypeError("no"))


class TileCache:
    def __reduce__(self):
        raise TypeError("tiles stay here")


class NoAnswer:
    def __bool__(self):
        raise RuntimeError("neither yes nor no")


def is_tile_cache(subject):
    return type(subject.obj) is TileCache


# what a registered kind does


def test_a_registered_kind_stands_in_the_report():
    register("tile-cache", is_tile_cache, reason="Tiles are handles.", advice="Open it again.")
    failure, other = picklecheck.explain([TileCache(), threading.Lock()], name="obj", via="pickle").failures
    assert (failure.kind, failure.title, failure.reason, failure.advice) == (
        "tile-cache", "tile cache", "Tiles are handles.", "Open it again.",
    )  # fmt: skip
    assert other.kind == "lock"


def test_the_public_name_is_the_same_function():
    assert picklecheck.register_kind is kinds.register_kind


def test_title_and_page_can_be_given():
    register("tile-cache", title="cache of tiles", page="# Tiles\n")
    assert kinds.get("tile-cache").title == "cache of tiles"
    assert kinds.page("tile-cache") == "# Tiles\n"


def test_a_page_left_out_is_made_of_the_words():
    register("tile-cache")
    assert kinds.page("tile-cache") == "# tile cache\n\nWhy of tile-cache.\n\nWhat to do about tile-cache.\n"


def test_it_is_listed_after_the_built_in_ones():
    built_in = kinds.slugs()
    register("tile-cache")
    register("map-cache")
    assert kinds.slugs() == (*built_in, "tile-cache", "map-cache")


# which one is asked first


def test_the_last_registered_is_asked_first():
    register("first")
    register("second")
    assert kinds.find(subject()).slug == "second"


def test_one_that_is_registered_again_is_asked_first_again():
    register("first")
    register("second")
    register("first", reason="Another reason.")
    assert kinds.find(subject()).reason == "Another reason."
    assert kinds.slugs().count("first") == 1


def test_one_that_does_not_fit_leaves_the_question_to_the_next():
    register("first")
    register("second", lambda subject: False)
    assert kinds.find(subject()).slug == "first"


def test_it_is_asked_before_the_built_in_ones():
    register("guard", lambda subject: "_thread.lock" in subject.names)
    assert kinds.find(subject(threading.Lock())).slug == "guard"
    assert kinds.find(subject(threading.RLock())).slug == "lock"


def test_a_built_in_slug_can_be_given_other_words():
    before = kinds.slugs()
    register("lock", lambda subject: "_thread.lock" in subject.names, advice="Ask the team.")
    assert kinds.find(subject(threading.Lock())).advice == "Ask the team."
    assert kinds.get("lock").advice == "Ask the team."
    assert kinds.slugs() == before


@pytest.mark.parametrize(
    "test",
    [
        pytest.param(lambda subject: 1 / 0, id="raises"),
        pytest.param(lambda: True, id="takes-no-subject"),
        pytest.param(lambda subject: NoAnswer(), id="gives-neither"),
        pytest.param(lambda subject: subject.obj.attribute, id="asks-the-object"),
    ],
)
def test_a_test_that_raises_counts_as_no(test):
    register("broken", test)
    assert kinds.find(subject(threading.Lock())).slug == "lock"


def test_the_last_row_fits_everything():
    assert kinds.find(kinds.Subject(object(), TypeError("no"), nearest=True)).slug == "unexplained"


# wrong use


@pytest.mark.parametrize(
    "slug", ["", "Tile", "tile cache", "tile_cache", "tile--cache", "-tile", "tile-", "tile.cache", "tile/../x"]
)
def test_a_wrong_slug_is_refused_with_an_example(slug):
    with pytest.raises(UsageError, match="lower-case words with hyphens, such as 'tile-cache'") as caught:
        register(slug)
    assert repr(slug) in str(caught.value)
    assert slug not in kinds.slugs()


@pytest.mark.parametrize("slug", ["tile", "tile-cache", "mp3-reader"])
def test_a_right_slug_is_taken(slug):
    register(slug)
    assert kinds.get(slug).slug == slug


@pytest.mark.parametrize("ask", [kinds.get, kinds.page])
@pytest.mark.parametrize(
    ("slug", "near"), [("weakrefs", "weakref"), ("local-func", "local-function"), ("mp_queue", "mp-queue")]
)
def test_an_unknown_slug_lists_near_names(ask, slug, near):
    with pytest.raises(UsageError, match=f"no kind '{slug}': did you mean ") as caught:
        ask(slug)
    assert near in str(caught.value).partition("did you mean ")[2].rstrip("?").split(", ")


def test_a_registered_slug_is_among_the_near_names():
    register("tile-cache")
    with pytest.raises(UsageError, match="tile-cache"):
        kinds.get("tile-cash")


def test_a_slug_that_is_like_none_lists_nothing():
    with pytest.raises(UsageError, match=r"^no kind 'xyzzy-qqq'$"):
        kinds.get("xyzzy-qqq")


@pytest.mark.parametrize("slug", ["../table", "/etc/hosts", "weakref.md", "pages/weakref"])
def test_a_slug_is_no_file_name(slug):
    with pytest.raises(UsageError, match="no kind"):
        kinds.page(slug)


# kinds that a distribution brings


def install(folder, body, entry="tiles = tile_kinds:register"):
    """Write a distribution with an entry point as an installer leaves it."""
    info = folder / "tile_kinds-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: tile-kinds\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[picklecheck.kinds]\n{entry}\n")
    (folder / "tile_kinds.py").write_text(textwrap.dedent(body))


def run(folder, program, *options):
    return subprocess.run(
        [sys.executable, *options, "-c", f"import sys; sys.path.insert(0, {str(folder)!r})\n{textwrap.dedent(program)}"],
        check=False, capture_output=True, text=True, timeout=20,
    )  # fmt: skip


REGISTERS = """
    import picklecheck

    class TileCache:
        def __reduce__(self):
            raise TypeError("tiles stay here")

    def register():
        picklecheck.register_kind(
            "tile-cache", lambda subject: "tile_kinds.TileCache" in subject.names, reason="Tiles.", advice="Open it."
        )
"""


ASKS = """
    from picklecheck import kinds

    without_a_question = register

    def register():
        assert "lock" in kinds.slugs()
        without_a_question()
"""


def test_an_entry_point_registers_without_being_imported(tmp_path):
    install(tmp_path, REGISTERS)
    program = """
        import picklecheck
        from picklecheck import kinds
        assert "tile_kinds" not in sys.modules
        print(kinds.slugs()[-1], kinds.get("tile-cache").advice, kinds.page("tile-cache").splitlines()[0])
        import tile_kinds
        print([failure.kind for failure in picklecheck.explain([tile_kinds.TileCache()], via="pickle").failures])
    """
    done = run(tmp_path, program)
    assert done.stdout.splitlines() == ["tile-cache Open it. # tile cache", "['tile-cache']"], done.stderr


@pytest.mark.parametrize(
    ("body", "entry"),
    [
        pytest.param(
            "def register():\n    raise RuntimeError('out of tiles')\n", "tiles = tile_kinds:register", id="raises"
        ),
        pytest.param("import nowhere_to_be_found\n", "tiles = tile_kinds:register", id="cannot-be-imported"),
        pytest.param("", "tiles = tile_kinds:register", id="has-no-such-function"),
    ],
)
def test_a_broken_entry_point_is_a_warning(tmp_path, body, entry):
    install(tmp_path, body, entry)
    done = run(
        tmp_path, "import picklecheck; print([f.kind for f in picklecheck.explain(lambda: 0, via='pickle').failures])"
    )
    assert done.stdout.split() == ["['lambda']"], done.stderr
    assert "tile_kinds:register" in done.stderr


def test_an_entry_point_may_ask_which_kinds_there_are(tmp_path):
    install(tmp_path, REGISTERS + ASKS)
    done = run(tmp_path, "from picklecheck import kinds; print(kinds.slugs()[-1])")
    assert done.stdout.split() == ["tile-cache"], done.stderr


def test_entry_points_are_loaded_once_by_many_threads(tmp_path):
    body = "import time\ncalls = []\n\ndef register():\n    calls.append(1)\n    time.sleep(0.2)\n"
    install(tmp_path, body)
    program = """
        import threading
        from picklecheck import kinds
        threads = [threading.Thread(target=kinds.slugs) for _ in range(4)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        import tile_kinds
        print(len(tile_kinds.calls))
    """
    assert run(tmp_path, program).stdout.split() == ["1"]

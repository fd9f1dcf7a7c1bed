"""MegEngine's DataLoader and launcher, beside the real ones."""

import multiprocessing

import pytest

from picklecheck import explain, explain_call
from tests.examples.support import run
from tests.transports.real import check, check_call, culprits

pytest.importorskip("megengine", reason="runs where MegEngine is installed", exc_type=ImportError)

from tests.transports import megengine_loaders as made


@pytest.fixture(scope="module")
def really():
    outcome = run("-m", "tests.transports.megengine_loaders")
    assert outcome.exitcode == 0, outcome
    return dict(line.split("\t") for line in outcome.stdout.splitlines() if "\t" in line)


@pytest.fixture(scope="module", autouse=True)
def no_server_left():
    yield
    vars(made.decorated).pop("server", None)


@pytest.mark.parametrize("name", made.LOADERS)
def test_the_verdict_and_the_paths_are_those_of_a_real_loader(name, really):
    make, expected = made.LOADERS[name]
    loader = make()
    before = dict(vars(loader))
    report = check(loader, "loader", expected, start_method="spawn")
    assert vars(loader) == before
    assert (report.transport, report.start_method) == ("dataloader", "spawn")
    assert report.title == f"MegEngine {type(loader).__name__}, 1 worker"
    assert really[name] == (report.failures[0].error if report.failures else "ok")


def test_samples_that_this_process_reads_are_told():
    loader = made.streamed(made.Stream(), parallel_stream=False)
    assert any("through a queue" in note for note in explain(loader, start_method="spawn").notes)
    assert explain(made.LOADERS["stream"][0](), start_method="spawn").notes == ()


def test_without_workers_nothing_crosses():
    loader = made.LOADERS["all"][0]()
    loader.num_workers = 0
    report = explain(loader)
    assert report.ok
    assert report.title == "MegEngine Loader, no workers"


@pytest.mark.parametrize("name", ["spawn", "forkserver"])
def test_the_start_method_is_multiprocessing_s(name, monkeypatch):
    monkeypatch.setattr(multiprocessing, "get_start_method", lambda allow_none=False: name)
    assert explain(made.LOADERS["map"][0]()).start_method == name


@pytest.mark.parametrize("name", made.CALLS)
def test_a_launcher_s_verdict_is_the_real_one_s(name, really):
    make, args, expected = made.CALLS[name]
    report = check_call(expected, make(), args, via="megengine-launcher", start_method="spawn")
    assert report.ok is (really[name] == "ok"), really[name]


def test_a_launcher_itself_is_recognised():
    report = check(made.decorate(), "train", {"train.func": "shadowed-function"}, start_method="spawn")
    assert report.title == "MegEngine launcher, 1 process"
    assert "explain_call(launcher, args, kwargs, via='megengine-launcher')" in report.notes[0]


def test_a_function_may_be_given_in_place_of_its_launcher():
    report = explain_call(made.train, (lambda: 1,), {"k": 1}, via="megengine-launcher", start_method="spawn")
    assert culprits(report) == {"args[0]": "lambda"}

import gc
import linecache
import os
import pickle
import re
import sys
import threading
import weakref

import pytest

import picklecheck
from picklecheck import UsageError, api, explain, explain_call, is_picklable
from picklecheck.receiver.guard import starting
from picklecheck.transports import names
from tests.specimens import Box

LOCK = threading.Lock()
HELD = Box(cache=Box(lock=LOCK), jobs=[LOCK], table={"a": LOCK})


def give(obj):
    return obj


def work(*args, **kwargs):
    return args, kwargs


# the name


def multi_line():
    return explain(
        HELD.cache,  # a comment
        via="pickle",
    )


def nested():
    return give(explain(give(HELD).cache, via="pickle"))


def two_on_a_line():
    return (explain(HELD, via="pickle"), explain(LOCK, via="pickle"))[1]


def in_an_assert():
    reports = []
    assert reports.append(explain(HELD.cache.lock, via="pickle")) is None
    return reports[0]


def several_lines_of_argument():
    return explain(
        give(
            HELD,
        ),
        via="pickle",
    )


def in_a_comprehension():
    return next(explain(each, via="pickle") for each in [HELD])


def of_itself():
    given = [HELD]
    return explain(*given, via="pickle")


def by_other_keywords():
    given = {"obj": HELD, "via": "pickle"}
    return explain(**given)


def too_long_for_a_name():
    return explain([HELD.cache.lock, HELD.cache.lock, HELD.cache.lock, HELD.cache.lock, HELD.cache.lock], via="pickle")


def through_an_alias():
    ask = picklecheck.explain
    return ask(HELD.jobs, via="pickle")


@pytest.mark.parametrize(
    ("ask", "name"),
    [
        (lambda: explain(HELD), "HELD"),
        (lambda: explain(HELD.cache), "HELD.cache"),
        (lambda: explain(HELD.jobs[0]), "HELD.jobs[0]"),
        (lambda: explain(HELD.table["a"]), "HELD.table['a']"),
        (lambda: picklecheck.explain(obj=HELD.cache), "HELD.cache"),
        (lambda: explain(via="pickle", obj=HELD), "HELD"),
        (lambda: explain(give(HELD)), "give(HELD)"),
        (lambda: explain([LOCK, HELD]), "[LOCK, HELD]"),
        (lambda: explain(HELD.jobs * 2), "(HELD.jobs * 2)"),
        (lambda: explain(HELD or LOCK), "(HELD or LOCK)"),
        (lambda: explain(HELD if LOCK else None), "(HELD if LOCK else None)"),
        (lambda: explain(not HELD), "(not HELD)"),
        (lambda: explain(HELD, name="dataset"), "dataset"),
        (multi_line, "HELD.cache"),
        (nested, "give(HELD).cache"),
        (two_on_a_line, "LOCK"),
        pytest.param(
            in_an_assert,
            "HELD.cache.lock",
            marks=pytest.mark.skipif(
                sys.version_info < (3, 11), reason="bytecode has no columns: asserts are not read"
            ),
        ),
        (several_lines_of_argument, "give(HELD)"),
        (in_a_comprehension, "each"),
        (through_an_alias, "HELD.jobs"),
        (of_itself, "obj"),
        (by_other_keywords, "obj"),
        (too_long_for_a_name, "obj"),
    ],
    ids=lambda part: part if isinstance(part, str) else "",
)
def test_the_root_is_called_as_the_caller_wrote_it(ask, name):
    report = ask()
    assert report.target == name
    assert {failure.path.partition(name)[1] for failure in report.failures} <= {name}


def test_the_paths_evaluate_where_the_call_stands():
    report = explain(HELD.jobs * 2)
    assert eval(report.failures[0].path) is LOCK
    assert report.failures[0].path == "(HELD.jobs * 2)[0]"


def test_an_assertion_is_named_too():
    with pytest.raises(AssertionError) as caught:
        picklecheck.assert_picklable(HELD.cache)
    assert "HELD.cache.lock" in str(caught.value)


def test_without_source_the_root_is_obj():
    space = {"explain": explain, "thing": HELD}
    exec("report = explain(thing)", space)
    assert space["report"].target == "obj"


def test_source_that_a_prompt_keeps_is_read():
    name, line = "<prompt-7>", "report = explain(thing.cache)\n"
    linecache.cache[name] = (len(line), None, [line], name)
    try:
        space = {"explain": explain, "thing": HELD}
        exec(compile(line, name, "exec"), space)
        assert space["report"].target == "thing.cache"
    finally:
        del linecache.cache[name]


# the options

VIAS = ", ".join(names())


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"via": "pigeon"}, f"no transport 'pigeon': choose from {VIAS}"),
        ({"via": ""}, f"no transport '': choose from {VIAS}"),
        ({"start_method": "teleport"}, "no start method 'teleport': choose from fork, spawn, forkserver, all"),
        (
            {"via": "pool", "start_method": "teleport"},
            "no start method 'teleport': choose from fork, spawn, forkserver, all",
        ),
        ({"protocol": -1}, "no protocol -1: choose from 0 to 5"),
        ({"protocol": 6}, "no protocol 6: choose from 0 to 5"),
        ({"protocol": True}, "no protocol True: choose from 0 to 5"),
        ({"protocol": "4"}, "no protocol '4': choose from 0 to 5"),
        (
            {"start_method": "spwan"},
            "no start method 'spwan': choose from fork, spawn, forkserver, all; did you mean spawn?",
        ),
        ({"timeout": 0}, "timeout 0: choose a number of seconds above 0"),
        ({"timeout": -1.5}, "timeout -1.5: choose a number of seconds above 0"),
        ({"timeout": float("nan")}, "timeout nan: choose a number of seconds above 0"),
        ({"timeout": float("inf")}, "timeout inf: choose a number of seconds above 0"),
        ({"timeout": "30"}, "timeout '30': choose a number of seconds above 0"),
        ({"timeout": None}, "timeout None: choose a number of seconds above 0"),
        ({"timeout": True}, "timeout True: choose a number of seconds above 0"),
    ],
)
@pytest.mark.parametrize("ask", [explain, explain_call, is_picklable, picklecheck.assert_picklable])
def test_wrong_options_are_refused_with_the_choices(ask, options, text):
    with pytest.raises(UsageError) as caught:
        ask(work, **options)
    assert str(caught.value) == text


@pytest.mark.parametrize(
    ("options", "transport", "start_method"),
    [
        ({}, "process", "spawn"),
        ({"via": "process", "start_method": "forkserver"}, "process", "forkserver"),
        ({"via": "process", "start_method": "fork"}, "process", "spawn"),
        ({"via": "pickle"}, "pickle", None),
        ({"via": "pool"}, "pool", None),
    ],
)
def test_what_a_report_answers_for(options, transport, start_method):
    report = explain(HELD, **{"start_method": "spawn" if transport == "process" else None, **options})
    assert (report.transport, report.start_method) == (transport, start_method)
    said = any("Under fork nothing is pickled" in note for note in report.notes)
    assert said is (options.get("start_method") == "fork")


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_the_protocol_is_the_one_that_was_asked_for(protocol):
    assert explain(HELD, protocol=protocol).protocol == protocol
    kinds = {failure.kind for failure in explain([Slots()], via="pickle", protocol=protocol).failures}
    assert kinds == ({"slots"} if protocol < 2 else set())


class Slots:
    __slots__ = ("x",)

    def __init__(self):
        self.x = 1


def test_the_transport_s_own_protocol_when_none_is_asked_for():
    assert explain(1).protocol == pickle.DEFAULT_PROTOCOL


def test_the_size_is_that_of_the_data_stream():
    data = [Slots(), "text", {1: Slots()}]
    report = explain(data, via="pickle")
    assert report.size.bytes == len(pickle.dumps(data))
    assert report.size.objects >= 2
    assert explain(HELD, via="pickle").size is None


# the other questions


def test_the_parts_of_a_call_have_their_own_names():
    local = lambda: None
    args, kwargs = (1, [LOCK]), {"k": HELD, "not a name": [HELD.jobs]}
    report = explain_call(local, args, kwargs)
    assert [failure.path for failure in report.failures] == ["target", "args[1][0]"]
    assert {"kwargs['not a name'][0][0]", "kwargs['k'].cache.lock", "kwargs['k'].jobs[0]"} <= set(
        report.failures[1].paths
    )
    space = {"target": local, "args": args, "kwargs": kwargs}
    assert all(eval(path, space) is failure.obj for failure in report.failures for path in failure.paths)


def test_a_call_that_crosses():
    assert explain_call(work, [1, 2], {"k": 3}).ok
    assert explain_call(work).ok


@pytest.mark.parametrize(("obj", "ok"), [(1, True), ([work], True), (LOCK, False), ({LOCK: 1}, False)])
def test_a_plain_answer(obj, ok):
    assert is_picklable(obj) is ok
    assert explain(obj).ok is ok


def test_an_answer_keeps_nothing_alive():
    held = Box(lock=threading.Lock())
    gone = weakref.ref(held)
    assert not is_picklable(held)
    with pytest.raises(AssertionError) as caught:
        picklecheck.assert_picklable(held)
    message = str(caught.value)
    del held, caught
    gc.collect()
    assert gone() is None
    assert "held.lock" in message


def test_an_assertion_passes_silently():
    assert picklecheck.assert_picklable([1, work]) is None


def test_the_frame_of_an_assertion_is_hidden():
    assert "__tracebackhide__" in picklecheck.assert_picklable.__code__.co_varnames


def test_the_watch_is_given_a_count():
    counts = []

    class Watching:
        def __init__(self, count):
            self.count = count

        def __enter__(self):
            counts.append(self.count())

        def __exit__(self, *error):
            counts.append(self.count())

    api.run([Box(), Box(), LOCK], api.Options(via="pickle"), watch=Watching)
    assert counts == [0, 3]


def test_a_report_can_be_pickled_itself_after_it_became_data():
    report = explain(HELD, via="pickle")
    assert pickle.loads(pickle.dumps(report.to_dict())) == report.to_dict()


def test_what_was_not_loaded(tmp_path):
    file = tmp_path / "no guard.py"
    file.write_text("import multiprocessing\nmultiprocessing.Pool(2)\n")
    report = api.not_loaded(api.Options(name="x", start_method="spawn"), starting(str(file)))
    assert not report.ok
    assert report.to_dict()["failures"][0]["line"] == 2
    assert "x (no guard.py) cannot be sent: the program starts processes" in report.to_html()
    assert "The whole file: picklecheck guard &#x27;" in re.sub("<[^>]*>", "", report.to_html())
    with pytest.raises(UsageError):
        api.not_loaded(api.Options(protocol=9), starting(str(file)))


@pytest.mark.parametrize("args", ["abc", 3, None, {"a": 1}, threading.Lock()])
def test_arguments_that_are_no_tuple(args):
    with pytest.raises(picklecheck.UsageError, match="args is a tuple of the positional arguments"):
        picklecheck.explain_call(print, args)


def test_a_call_is_called_by_its_function():
    assert picklecheck.explain_call(os.path.join, ["a", threading.Lock()]).target == "join(...)"
    assert picklecheck.explain_call(lambda: 0).target == "<lambda>(...)"


def test_a_prompt_shows_the_report():
    report = picklecheck.explain(threading.Lock(), name="obj", roundtrip=False)
    assert repr(report) == str(report)
    assert repr(report).startswith("✗ obj (lock) does not pickle")

import dataclasses
import json

import pytest

from picklecheck.errors import PicklecheckError, TargetError, UsageError
from picklecheck.model import SCHEMA, Crumb, Failure, Finding, Fix, Place, Report, Size
from picklecheck.paths import attribute

PLACE = Place(file="/src/train.py", line=41, statement="self.cache = cache", function="Trainer.__init__")
FIX = Fix(
    code="def __getstate__(self): ...", target=("train.Trainer", "train.py", 40), verified=True, patch="--- a\n+++ b\n"
)


class Loud:
    def __repr__(self):
        raise RuntimeError("asked")

    __eq__ = __hash__ = __bool__ = __repr__


def failure(**changes):
    return Failure(**{"path": "obj.x", "kind": "lock", **changes})


def report(*failures, **changes):
    given = {"target": "obj", "target_type": "Trainer", "transport": "pickle", "start_method": None, "protocol": 4}
    return Report(**{**given, "failures": failures, **changes})


# places


@pytest.mark.parametrize(
    ("file", "function", "text"),
    [
        ("/src/train.py", "Trainer.__init__", "train.py:7 in Trainer.__init__"),
        ("train.py", None, "train.py:7"),
        ("C:\\work\\train.py", "main", "train.py:7 in main"),
        ("<stdin>", None, "<stdin>:7"),
    ],
)
def test_a_place_is_said_with_the_last_part_of_its_path(file, function, text):
    assert str(Place(file=file, line=7, function=function)) == text


# findings


@pytest.mark.parametrize(
    "part", [PLACE, FIX, failure(), report(), Size(objects=1, bytes=2), Finding(path=None, kind="lock")]
)
def test_everything_is_frozen_and_without_a_dictionary(part):
    name = dataclasses.fields(part)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(part, name, None)
    assert not hasattr(part, "__dict__")


def test_a_finding_as_data():
    finding = Finding(
        path="obj.x", paths=("obj.x", "obj.y"), path_count=7, kind="lock", title="lock", type="_thread.lock",
        value="<lock>", owner="train.Trainer", assigned_at=PLACE, reason="why", advice="what to do", note="which",
        error="TypeError: no", fix=FIX, trail=(Crumb(attribute("x"), "lock"),), name="train.LIMIT",
    )  # fmt: skip
    assert finding.to_dict() == {
        "stage": "pickle", "severity": "error", "kind": "lock", "path": "obj.x", "paths": ["obj.x", "obj.y"],
        "path_count": 7, "name": "train.LIMIT", "file": "/src/train.py", "line": 41, "function": "Trainer.__init__",
        "statement": "self.cache = cache", "type": "_thread.lock", "value": "<lock>", "owner": "train.Trainer",
        "reason": "why", "note": "which", "advice": "what to do", "error": "TypeError: no",
        "fix": {"code": "def __getstate__(self): ...", "diff": "--- a\n+++ b\n", "verified": True, "note": ""},
    }  # fmt: skip


def test_what_is_not_known_is_null():
    data = Finding(path=None, kind="lock").to_dict()
    unknown = ("path", "name", "file", "line", "function", "statement", "value", "owner", "error", "fix")
    assert {name: data[name] for name in unknown} == dict.fromkeys(unknown)
    assert data["paths"] == []


def test_a_failure_s_object_is_outside_equality_and_repr():
    one, other = failure(box=[Loud()]), failure(box=[Loud()])
    assert one == other
    assert hash(one) == hash(other)
    assert "Loud" not in repr(one)
    json.dumps(one.to_dict())


def test_a_failure_gives_its_object_until_the_report_is_released():
    held = Loud()
    asked = report(failure(box=[held]), failure(box=[None]))
    assert asked.failures[0].obj is held
    assert asked.failures[1].obj is None
    asked.release()
    for each in asked.failures:
        with pytest.raises(ReferenceError, match="released"):
            _ = each.obj
    asked.release()
    assert not asked.ok


# reports


@pytest.mark.parametrize(
    ("severities", "ok"), [((), True), (("error",), False), (("warning",), True), (("warning", "error"), False)]
)
def test_only_errors_decide(severities, ok):
    asked = report(*(failure(severity=severity) for severity in severities))
    assert asked.ok is ok
    assert asked.to_dict()["ok"] is ok


def test_hazards_never_decide():
    assert report(hazards=(Finding(path=None, kind="environment", stage="behaviour", severity="error"),)).ok


def test_a_report_as_data():
    asked = report(failure(), start_method="spawn", size=Size(objects=3, bytes=70), notes=("a note",), python="3.12.1")
    data = asked.to_dict()
    assert data.pop("failures") == [failure().to_dict()]
    assert data == {
        "schema": SCHEMA, "ok": False, "target": "obj", "transport": "pickle", "start_method": "spawn", "protocol": 4,
        "title": None, "verdicts": None, "python": "3.12.1", "hazards": [], "size": {"objects": 3, "bytes": 70}, "arrived": False,
        "notes": ["a note"],
    }  # fmt: skip


def test_a_report_of_what_starts_processes_as_data():
    asked = report(title="torch DataLoader, 4 workers", verdicts={"fork": True, "spawn": False})
    data = asked.to_dict()
    assert (data["title"], data["verdicts"]) == ("torch DataLoader, 4 workers", {"fork": True, "spawn": False})
    assert hash(asked) == hash(report(title="torch DataLoader, 4 workers", verdicts={}))


@pytest.mark.parametrize("indent", [None, 2])
def test_json_is_the_same_data(indent):
    asked = report(failure(assigned_at=PLACE, fix=FIX, value="\N{SNOWMAN}\ud800"))
    assert json.loads(asked.to_json(indent=indent)) == asked.to_dict()
    assert ("\n" in asked.to_json(indent=indent)) is (indent is not None)


def test_the_code_of_each_fix_is_given_once():
    other = dataclasses.replace(FIX, code="def __setstate__(self, state): ...")
    asked = report(failure(fix=FIX), failure(fix=FIX), failure(fix=other), failure())
    assert asked.fix() == f"{FIX.code}\n\n{other.code}"
    assert report(failure()).fix() == ""
    assert FIX.diff() == FIX.patch


def test_renderers_show_a_report():
    asked = report(renderers={"text": lambda shown: f"text of {shown.target}", "html": lambda shown: "<p>page</p>"})
    assert str(asked) == "text of obj"
    assert asked.to_html() == "<p>page</p>"
    assert asked._repr_mimebundle_() == {"text/plain": "text of obj", "text/html": "<p>page</p>"}


def test_without_a_renderer_there_is_a_repr():
    assert str(report()) == repr(report())
    assert "renderers" not in repr(report())


def test_the_prompt_of_ipython_shows_the_text():
    class Printer:
        shown = ""

        def text(self, given):
            self.shown += given

    printer = Printer()
    report(renderers={"text": lambda shown: "text"})._repr_pretty_(printer, False)
    assert printer.shown == "text"


# errors


@pytest.mark.parametrize("error", [UsageError, TargetError])
def test_one_base_for_what_is_raised(error):
    assert issubclass(error, PicklecheckError)


def test_wrong_arguments_are_value_errors():
    assert issubclass(UsageError, ValueError)

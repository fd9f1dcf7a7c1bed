"""Loading a target: what is found, and what is said of every part that can fail."""

import os
import pickle
import sys
import textwrap

import pytest

from picklecheck.cli.target import load, parse
from picklecheck.errors import TargetError

APP = """
    import os

    CONST = {"train": [10, 20], "test": []}
    LIMIT = 3

    class Loader:
        limit = 3

        def __init__(self, size=1, name="x"):
            self.size, self.name = size, name
            self.parts = {"a": [1, 2]}

        @property
        def broken(self):
            return self.nothing_of_this_name

        @property
        def boom(self):
            raise ValueError("no data\\nhere")

    loader = Loader()

    def make_loader(size=1, name="x"):
        return Loader(size, name)

    def needs(path):
        return path

    def explode():
        raise OSError(2, "no such file", "/data")

    def leave():
        raise SystemExit(3)

    def inner():
        hidden = Loader()
        return hidden

    def __getattr__(name):
        if name == "made_on_demand":
            return 7
        raise AttributeError(name)

    if __name__ == "__main__":
        guarded = Loader()

    class Hooked:
        size = 1

        def __getattr__(self, name):
            raise AttributeError(name)

        def __getitem__(self, key):
            return 1 / 0 if key == 3 else {}[key]

    hooked = Hooked()
"""


@pytest.fixture(autouse=True)
def restored(monkeypatch):
    """Give back the modules and the path that a test has changed."""
    before = dict(sys.modules)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield
    for name in set(sys.modules) - set(before):
        del sys.modules[name]


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Give a function that writes files of a project; the working directory is its root."""

    def write(**files):
        for name, text in files.items():
            path = tmp_path / name.replace("__in__", "/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.with_name(path.name + ".py").write_text(textwrap.dedent(text), encoding="utf-8")
        return tmp_path

    monkeypatch.chdir(tmp_path)
    write(app=APP)
    (tmp_path / "lib").mkdir()
    write(lib__in__tools=APP)
    return write


def message_of(target):
    with pytest.raises(TargetError) as caught:
        load(target)
    assert "\n" not in str(caught.value).replace("no data\nhere", "")
    return str(caught.value)


# -- what is found ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("CONST", {"train": [10, 20], "test": []}),
        ("CONST['train'][1]", 20),
        ("CONST['train'][-1]", 20),
        ("loader.size", 1),
        ("loader.parts['a'][0]", 1),
        ("Loader.limit", 3),
        ("make_loader().name", "x"),
        ("make_loader(4).size", 4),
        ("make_loader(4, name='a:b').name", "a:b"),
        ("make_loader(size=(1, {'k': [None]})).size", (1, {"k": [None]})),
        ("Loader(2).parts['a']", [1, 2]),
        (" LIMIT ", 3),
        ("made_on_demand", 7),
        ("os.path.sep", os.sep),
    ],
)
@pytest.mark.parametrize("location", ["app", "app.py", "./app.py", "lib/tools.py"])
@pytest.mark.usefixtures("project")
def test_expression_is_evaluated(location, expression, expected):
    found = load(f"{location}:{expression}")
    assert found.obj == expected
    assert found.name == expression.strip()


@pytest.mark.parametrize(
    ("target", "location", "expression"),
    [
        ("a.b:c", "a.b", "c"),
        ("a.py:c['x:y']", "a.py", "c['x:y']"),
        ("a:c['b.py:d']", "a", "c['b.py:d']"),
        (r"C:\x\file.py:attr", r"C:\x\file.py", "attr"),
        ("d:/x/file.py:attr", "d:/x/file.py", "attr"),
        (r"C:\x\file.py", r"C:\x\file.py", ""),
        ("C:attr", "C", "attr"),
        ("a.py", "a.py", ""),
        ("a.py:", "a.py", ""),
        (":attr", "", "attr"),
    ],
)
def test_halves(target, location, expression):
    assert parse(target) == (location, expression)


def test_colon_in_the_name_of_a_file(tmp_path):
    (tmp_path / "a:b.py").write_text("x = 1", encoding="utf-8")
    assert load(f"{tmp_path}/a:b.py:x").obj == 1


def test_file_comes_before_what_is_installed(project):
    project(lib__in__helper="value = 'mine'", lib__in__main="import helper; value = helper.value")
    assert load("lib/main.py:value").obj == "mine"
    assert sys.path[0] == str(project() / "lib")


@pytest.mark.parametrize("location", ["pkg/sub/mod.py", "pkg.sub.mod"])
def test_member_of_a_package(project, location):
    project(
        pkg__in____init__="", pkg__in__sub__in____init__="from .other import two", pkg__in__sub__in__other="two = 2"
    )
    project(pkg__in__sub__in__mod="from . import two\nclass C: pass\nc = C()")
    assert type(load(f"{location}:c").obj).__module__ == "pkg.sub.mod"
    assert load(f"{location}:two").obj == 2


def test_package_itself(project):
    project(pkg__in____init__="x = __name__")
    assert load("pkg/__init__.py:x").obj == "pkg"


def test_module_beside_a_package_of_its_name(project):
    project(twin="x = 'module'", twin__in____init__="x = 'package'")
    assert load("twin.py:x").obj == "module"


@pytest.mark.parametrize("stem", ["types", "pickle", "__main__", "os", "my-script", "a.b", "mmap_"])
def test_name_that_is_taken_or_none(project, stem):
    (project() / f"{stem}.py").write_text("class C:\n    pass\nc = C()\nwhere = __file__\n", encoding="utf-8")
    before = sys.modules.get(stem)
    assert load(f"{stem}.py:where").obj == str(project() / f"{stem}.py")
    found = load(f"{stem}.py:c").obj
    assert type(pickle.loads(pickle.dumps(found))) is type(found)
    assert before is None or sys.modules[stem] is before


def test_package_with_a_taken_name(project):
    project(json__in____init__="", json__in__part="from .more import C\nc = C()", json__in__more="class C: pass")
    found = load("json/part.py:c").obj
    assert type(found).__module__ == "json_.more"
    assert type(pickle.loads(pickle.dumps(found))) is type(found)


@pytest.mark.parametrize(
    "made", ["def hello(): pass", "class hello: pass", "import hello", "from os import path as hello", "hello = 1",
             "async def hello(): pass", "with open('f') as hello: pass"]
)  # fmt: skip
def test_what_stands_under_the_main_guard(project, made):
    project(inmain=f"import os\n\ndef other(): pass\n\nif __name__ == '__main__':\n    other()\n    {made}\n")
    with pytest.raises(TargetError) as caught:
        load("inmain.py:hello")
    assert str(caught.value) == (
        "inmain.py defines 'hello' under its main guard (line 7), which does not run when it is imported"
    )


def test_a_function_under_another_condition(project):
    project(app="import os\n\nif os.name == 'none':\n    def hello(): pass\n")
    with pytest.raises(TargetError, match=r"app has no 'hello': it is only set under a condition .* \(line 4\)"):
        load("app:hello")


def test_same_file_twice_is_one_module(project):
    project(once="class C: pass")
    assert load("once.py:C").obj is load("./once.py:C").obj is load("once:C").obj


# -- what is said ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        # the expression
        ("app:lodaer", "app has no 'lodaer'; did you mean loader or Loader?"),
        ("app.py:zzz", "app.py has no 'zzz'; it has CONST, LIMIT, Loader, loader, make_loader, needs, ..."),
        ("app:hidden", "app has no 'hidden': it is only set in inner() (line 37): name a function that returns it, as "
         "make_hidden()"),
        ("app:limit", "app has no 'limit': it is only set in the class (line 8): write Loader.limit"),
        ("app:guarded", "app defines 'guarded' under its main guard (line 46), which does not run when it is imported"),
        ("app:loader.sise", "loader (Loader) has no attribute 'sise'; did you mean size?"),
        ("app:Loader.limt", "Loader (type) has no attribute 'limt'; did you mean limit?"),
        ("app:loader.parts['b']", "loader.parts (dict) has no item ['b']; it has a"),
        ("app:CONST['trian']", "CONST (dict) has no item ['trian']; did you mean train?"),
        ("app:CONST['train'][5]", "CONST['train'] (list) has no item [5]: its length is 2"),
        ("app:loader[0]", "loader[0] raised TypeError: 'Loader' object is not subscriptable"),
        ("app:hooked.sise", "hooked (Hooked) has no attribute 'sise'; did you mean size?"),
        ("app:hooked['k']", "hooked (Hooked) has no item ['k']"),
        ("app:hooked[3]", "hooked[3] raised ZeroDivisionError: division by zero (app.py:55 in __getitem__)"),
        ("app:loader.broken", "loader.broken raised AttributeError: 'Loader' object has no attribute "
         "'nothing_of_this_name' (app.py:16 in broken)"),
        ("app:loader.boom", "loader.boom raised ValueError: no data\nhere (app.py:20 in boom)"),
        ("app:loader()", "loader is a Loader and cannot be called: leave out the parentheses"),
        ("app:needs()", "needs takes other arguments than needs() gives it: missing a required argument: 'path'; its "
         "signature is (path)"),
        ("app:needs(1, 2)", "needs takes other arguments than needs(1, 2) gives it: too many positional arguments; its "
         "signature is (path)"),
        ("app:explode()", "explode() raised FileNotFoundError: [Errno 2] no such file: '/data' (app.py:31 in explode)"),
        ("app:leave().x", "leave() ended the program with exit code 3 (app.py:34 in leave)"),
        ("app:make_loader(", "cannot read 'make_loader(' ('(' was never closed): "),
        ("app:loader + 1", "cannot use 'loader + 1' as (part of) a target: "),
        ("app:[loader]", "cannot use '[loader]' as (part of) a target: "),
        ("app:make_loader(loader)", "'loader' in 'make_loader(loader)' is not a literal: "),
        ("app:make_loader(**{'size': 1})", "cannot use \"make_loader(**{'size': 1})\" as (part of) a target: "),
        ("app:CONST[0:1]", "'0:1' in 'CONST[0:1]' is not a literal: "),
        # the colon
        ("app.py", "target 'app.py' does not say which object of it: write app.py:NAME (it defines CONST, LIMIT, "
         "Loader, loader, make_loader, needs, ...)"),
        ("app.py:", "target 'app.py:' does not say which object of it: write app.py:NAME (it defines CONST, "),
        ("app", "target 'app' does not say which object of it: write app:NAME (it defines CONST, LIMIT, Loader, "),
        ("app.loader", "target 'app.loader' has no colon: write app:loader"),
        (":loader", "target ':loader' names no module or file: write it as module:attribute or "
         "path/to/file.py:attribute"),
        ("", "target '' names no module or file"),
        # the file
        ("ap.py:loader", "there is no file ap.py; did you mean app.py?"),
        ("lib/toolz.py:loader", "there is no file lib/toolz.py; did you mean lib/tools.py?"),
        ("lib/x.py:loader", "there is no file lib/x.py; lib holds tools.py"),
        ("lab/tools.py:loader", "there is no file lab/tools.py: the folder lab does not exist"),
        ("lib/tools:loader", "there is no file lib/tools: did you mean lib/tools.py?"),
        ("./lib:loader", "./lib is a folder: name a .py file in it, such as lib/tools.py"),
        ("lib:loader", "lib is a folder: name a .py file in it, such as lib/tools.py"),
        ("notes.ipynb:x", "there is no file notes.ipynb; this folder holds app.py"),
        (r"C:\x\file.py:attr", r"there is no file C:\x\file.py; this folder holds app.py"),
        # the module
        ("appp:loader", "there is no module 'appp'; did you mean app?"),
        ("app.loader:size", "app is a module and not a package: write app:loader"),
        ("json.decodr:x", "there is no module 'json.decodr'; did you mean json.decoder or json.encoder?"),
        ("nothing.at.all:x", "there is no module 'nothing' (in nothing.at.all); this folder holds app"),
        ("a..b:x", "'a..b' is neither the name of a module nor the path of a .py file"),
        (".app:x", "'.app' is neither the name of a module nor the path of a .py file"),
        ("json:decoder2", "json has no 'decoder2'; did you mean JSONDecoder?"),
        ("json:tool", "json.tool is a module, not an object of json: write json.tool:NAME"),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("project")
def test_message(target, expected):
    message = message_of(target)
    assert message == expected or (message.startswith(expected) and len(expected) > 20)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import torhc", "importing bad.py needs the module 'torhc', which cannot be found (bad.py:1)"),
        ("import app.sub", "importing bad.py needs the module 'app.sub', which cannot be found (bad.py:1)"),
        ("\n1/0", "importing bad.py raised ZeroDivisionError: division by zero (bad.py:2)"),
        ("from json import nope", "importing bad.py raised ImportError: cannot import name 'nope' from 'json'"),
        ("import json\njson.loads('x')", "importing bad.py raised JSONDecodeError: Expecting value: line 1 column 1 "
         "(char 0) (bad.py:2)"),
        ("x = (\n", "importing bad.py raised SyntaxError: '(' was never closed (bad.py:1)"),
        ("raise SystemExit('usage: bad')", "importing bad.py ended the program with exit code usage: bad (bad.py:1); "
         "put what runs the program under: if __name__ == '__main__':"),
        ("import sys\nsys.exit()", "importing bad.py ended the program with exit code 0 (bad.py:2); put what runs"),
        ("class E(Exception):\n    def __str__(self): raise E\nraise E", "importing bad.py raised E (bad.py:3)"),
        ("class E(BaseException): pass\nraise E('x' * 1000)", "importing bad.py raised E: xxxxxxxxxx"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("location", ["bad.py", "bad"])
def test_module_that_fails(project, location, text, expected):
    project(bad=text)
    message = message_of(f"{location}:x")
    assert message.startswith(expected.replace("importing bad.py", f"importing {location}"))
    assert len(message) < 500
    assert "bad" not in sys.modules


def test_ctrl_c_is_let_through(project):
    project(bad="raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        load("bad.py:x")


def test_installed_module_before_a_file_of_its_name(project):
    project(json="mine = 1")
    message = message_of("json:mine")
    assert message.endswith("for the file in this folder write ./json.py")
    assert load("./json.py:mine").obj == 1


def test_missing_package_names_those_that_are_there(project):
    project(pkg__in____init__="", pkg__in__train="x = 1", pkg__in__data="")
    assert message_of("pkg.trian:x") == "there is no module 'pkg.trian'; did you mean pkg.train?"
    assert message_of("pkg.zzz:x") == "there is no module 'pkg.zzz'; pkg holds data, train"


def test_nothing_is_evaluated_but_the_steps(project):
    project(app2="calls = []\ndef make(*args): calls.append(args); return calls")
    assert "not a literal" in message_of("app2:make(make(1))")
    assert load("app2:calls").obj == []

import sys

import pytest

from picklecheck.fixes.recipes.classes import RECIPES
from tests.fixes.fixing import Program

# source text, kind, the class, what is asked once `obj` has crossed, the answer, and parts of the edited text
CASES = {
    "local class": (
        "class Base:\n    size = 3\n\ndef make():\n    class Item(Base):\n        '''An\n    item.'''\n        def get(self):\n            return self.size  # here\n    return Item\nobj = make()()\n",
        "local-class",
        "type(obj)",
        "got.get(), type(got) is Item",
        "(3, True)",
        [
            "\nclass Item(Base):\n",
            "    def get(self):\n        return self.size  # here\n",
            "def make():\n    return Item\n",
        ],
    ),
    "local enum": (
        "import enum, functools\n@functools.lru_cache\ndef modes():\n    class MODE(enum.IntEnum):\n        NONE = 0\n        PAGE = 1\n    return MODE\nobj = [modes().PAGE]\n",
        "local-class",
        "type(obj[0])",
        "got[0] is modes().PAGE",
        "True",
        ["\nclass MODE(enum.IntEnum):\n    NONE = 0\n    PAGE = 1\n"],
    ),
    "local dataclass that names itself": (
        "import dataclasses\ndef make():\n    @dataclasses.dataclass\n    class Row:\n        n: int = 1\n        def next(self):\n            return Row(self.n + 1)\n    return Row\nobj = make()()\n",
        "local-class",
        "type(obj)",
        "got.next()",
        "Row(n=2)",
        ["@dataclasses.dataclass\nclass Row:\n    n: int = 1\n"],
    ),
    "name is taken": (
        "Item = 3\ndef make():\n    class Item:\n        def next(self):\n            return Item()\n    return Item\nobj = make()()\n",
        "local-class",
        "type(obj)",
        "type(got).__name__, type(got.next()) is type(got), Item",
        "('_Item', True, 3)",
        ["    Item = _Item\n", "return _Item()"],
    ),
    "variable of the same name": (
        "def make():\n    class Item:\n        pass\n    return Item\nItem = make()\nobj = Item()\n",
        "local-class",
        "type(obj)",
        "type(got) is Item",
        "True",
        [],
    ),
    "local base": (
        "def make():\n    class A:\n        n = 1\n    class B(A):\n        m = 2\n    return B\nobj = make()()\n",
        "local-class",
        "type(obj)",
        "(got.n, got.m)",
        "(1, 2)",
        [],
    ),
    "namedtuple in a function": (
        "from collections import namedtuple\ndef make():\n    Point = namedtuple('Point', ['x', 'y'])\n    return Point(1, 2)\nobj = make()\n",
        "misnamed-class",
        "type(obj)",
        "got, type(got) is Point",
        "(Point(x=1, y=2), True)",
        ["\nPoint = namedtuple('Point', ['x', 'y'])\n"],
    ),
    "namedtuple in a class": (
        "from collections import namedtuple\nclass Shape:\n    Point = namedtuple('Point', 'x y')\nobj = Shape.Point(1, 2)\n",
        "misnamed-class",
        "type(obj)",
        "got, type(got) is Shape.Point",
        "(Point(x=1, y=2), True)",
        ["    Point = Point\n"],
    ),
    "enum under another name": (
        'import enum\nLabels = enum.Enum("by_name", ["dog", "cat"])  # pets\nobj = {"a": Labels.dog}\n',
        "misnamed-class",
        "type(obj['a'])",
        "got['a'] is Labels.dog",
        "True",
        ['Labels = enum.Enum("Labels", ["dog", "cat"])  # pets'],
    ),
    "type under another name": (
        "T = type('Other', (), {'n': 1})\nobj = T()\n",
        "misnamed-class",
        "type(obj)",
        "type(got) is T",
        "True",
        ["T = type('T', (), {'n': 1})"],
    ),
    "keyword": (
        "import collections\nRow = collections.namedtuple(field_names='a', typename='Line')\nobj = Row(1)\n",
        "misnamed-class",
        "type(obj)",
        "got",
        "Row(a=1)",
        ["typename='Row'"],
    ),
    "module of another": (
        "class Item:\n    n = 1\n\nItem.__module__ = 'nowhere.at.all'\nobj = Item()\n",
        "unimportable-class",
        "type(obj)",
        "type(got) is Item",
        "True",
        [],
    ),
    "module in the body": (
        "class Item:\n    __module__ = 'nowhere'\n    n = 1\nobj = Item()\n",
        "unimportable-class",
        "type(obj)",
        "type(got) is Item",
        "True",
        [],
    ),
    "module that is no name": (
        "Item = type('Item', (), {'n': 1, '__module__': property(lambda self: 'x')})\nobj = Item()\n",
        "unimportable-class",
        "type(obj)",
        "type(got) is Item",
        "True",
        ["{'n': 1, '__module__': __name__}"],
    ),
    "module as an argument": (
        "from collections import namedtuple\nRow = namedtuple('Row', 'a', module='nowhere')\nobj = Row(1)\n",
        "unimportable-class",
        "type(obj)",
        "got",
        "Row(a=1)",
        ["namedtuple('Row', 'a', module=__name__)"],
    ),
}


def remedy_for(program, kind, cls):
    return next((one for recipe in RECIPES[kind] if (one := program.remedy(recipe, cls, kind))), None)


@pytest.mark.parametrize("case", CASES)
def test_the_edited_program_has_the_class_under_its_name(tmp_path, case):
    text, kind, where, ask, answer, parts = CASES[case]
    program = Program(tmp_path, text)
    cls = eval(where, vars(program.module))
    remedy = remedy_for(program, kind, cls)
    assert remedy is not None
    edited = program.edited(remedy)
    for part in parts:
        assert part in edited, edited
    assert (cls, cls) not in remedy.replaces
    assert remedy.replaces[-1][0] is cls
    assert program.again([remedy], f"eval({ask!r}, vars(m) | {{'got': cross(m.obj)}})") == answer


def test_a_made_dataclass_gets_the_module(tmp_path):
    program = Program(tmp_path, "import dataclasses\nRow = dataclasses.make_dataclass('Line', ['a'])\nobj = Row(1)\n")
    remedy = remedy_for(program, "misnamed-class", program.module.Row)
    assert program.again([remedy], "cross(m.obj)") == "Row(a=1)"
    assert ("__module__" in program.edited(remedy)) == (sys.version_info < (3, 12))


NONE = {
    "closes over a variable": "def make(k):\n    class Item:\n        def get(self):\n            return k\n    return Item\nobj = make(1)\n",
    "base is a parameter": "def make(base):\n    class Item(base):\n        pass\n    return Item\nobj = make(object)\n",
    "field of a local": "def make(k):\n    class Item:\n        n = k\n    return Item\nobj = make(1)\n",
    "two in branches": "def make(k):\n    if k:\n        class Item:\n            pass\n    else:\n        class Item:\n            n = 1\n    return Item\nobj = make(1)\n",
    "needs what comes later": "def make():\n    class Item:\n        n = LATER\n    return Item\nLATER = 1\nobj = make()\n",
}


@pytest.mark.parametrize("case", NONE)
def test_what_cannot_be_moved_is_left_alone(tmp_path, case):
    program = Program(tmp_path, NONE[case])
    assert remedy_for(program, "local-class", program.module.obj) is None

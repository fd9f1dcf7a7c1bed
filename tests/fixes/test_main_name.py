"""Definitions under the main guard are moved out of it."""

import textwrap

from picklecheck.fixes.base import Spot
from picklecheck.fixes.edits import apply
from picklecheck.fixes.recipes.main_name import main_name


def moved(load, body, name, before=""):
    source = before + "if __name__ == '__main__':\n" + textwrap.indent(textwrap.dedent(body), "    ")
    # the guard is made to hold while the module is loaded
    module = load("")
    with open(module.__file__, "w", encoding="utf-8") as stream:
        stream.write(source)
    space = vars(module)
    space["__name__"] = "__main__"
    exec(compile(source, module.__file__, "exec"), space)
    space["__name__"] = module.__spec__.name
    obj = space[name]
    obj.__module__ = module.__spec__.name
    remedy = main_name(Spot(obj=obj, kind="main-name", stage="unpickle"))
    return remedy and apply(source, [edit for _, edit in remedy.edits])


def test_a_class_goes_before_the_guard(load):
    text = moved(
        load,
        '''
    class Rows:  # of a table
        """Has
        rows."""

        def __len__(self):
            return 4

    print(len(Rows()))
    ''',
        "Rows",
    )
    assert text.startswith('class Rows:  # of a table\n    """Has\n    rows."""\n\n    def')
    assert text.replace("\n\n", "\n").endswith("if __name__ == '__main__':\n    print(len(Rows()))\n")


def test_what_it_uses_goes_along(load):
    text = moved(
        load,
        """
    import functools
    import json as j

    def key(value):
        return j.dumps(value)

    @functools.lru_cache
    def other(value):
        return value

    def work(value, limit=3):
        total = key(value)
        return total, limit

    total = work(1)
    """,
        "work",
        before="import os\n\n\n",
    )
    space = {"__name__": "other"}
    exec(text, space)
    assert space["work"](1) == ("1", 3)
    assert "other" not in space
    assert text.index("import json") < text.index("def key") < text.index("def work") < text.index("if __name__")


def test_what_uses_a_value_of_the_guard_stays(load):
    body = """
    limit = 3

    def work(value):
        return value + limit
    """
    assert moved(load, body, "work") is None


def test_only_definitions_of_the_guard_are_moved(load):
    module = load("def work():\n    return 1\n")
    assert main_name(Spot(obj=module.work, kind="main-name", stage="unpickle")) is None

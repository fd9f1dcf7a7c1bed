import pytest

from picklecheck.fixes.recipes.functions import name_function
from tests.fixes.fixing import Program

# source text, where the culprit is, what is asked here once it has crossed (`got` is m.obj), the answer, and parts of the edited text
CASES = {
    "callback": (
        "class Loader:\n    def __init__(self):\n        self.key = lambda row: row[0]  # by name\n\nobj = Loader()\n",
        "obj.key",
        "got.key('abc')",
        "a",
        ["def _key(row):\n    return row[0]\n", "        self.key = _key  # by name\n"],
    ),
    "keyword": (
        "import functools\ndef run(x, expr=None):\n    return expr() + x\nobj = functools.partial(run, expr=lambda: 1)\n",
        "obj.keywords['expr']",
        "got(2)",
        "3",
        ["def _expr():\n    return 1\n", "expr=_expr)"],
    ),
    "dict of several in a line": (
        "def make():\n    return {'low': lambda s: s.lower(), 'up': lambda s: s.upper()}\nobj = make()\n",
        "obj['up'], obj['low']",
        "got['up']('x') + got['low']('X')",
        "Xx",
        ["def _up(s):", "def _low(s):"],
    ),
    "alike but for their kinds of zero": (
        "def make():\n    return [lambda: 0, lambda: 0.0, lambda: False]\nobj = make()\n",
        "obj[0], obj[1], obj[2]",
        "[f() for f in got]",
        "[0, 0.0, False]",
        ["[_make_function_1, _make_function_2, _make_function_3]"],
    ),
    "closure": (
        "class Space:\n    def __init__(self, values):\n        self.values = values\n        self.decode = lambda i: values[i]\nobj = Space('abc')\n",
        "obj.decode",
        "got.decode(1)",
        "b",
        ["def _decode(values, i):", "self.decode = functools.partial(_decode, values)", "import functools"],
    ),
    "closure over self": (
        "class Space:\n    def __init__(self):\n        self.values = [5]\n        self.size = lambda: len(self.values)\nobj = Space()\n",
        "obj.size",
        "(got.size(), got.size.args[0] is got)",
        "(1, True)",
        ["def _size(self):", "functools.partial(_size, self)"],
    ),
    "private names": (
        "class Space:\n    def __init__(self):\n        self.__values = [5]\n        self.size = lambda: len(self.__values)\nobj = Space()\n",
        "obj.size",
        "got.size()",
        "1",
        ["return len(self._Space__values)"],
    ),
    "loop variable as default": (
        "obj = [lambda x, n=n: x + n for n in range(2)]\n",
        "obj[0], obj[1]",
        "[f(10) for f in got]",
        "[10, 11]",
        ["functools.partial(_obj, n=n)", "def _obj(x, *, n):"],
    ),
    "constant defaults": (
        "obj = [lambda x, /, y=(1, -2), *rest, k='k', **more: (x, y, rest, k, more)]\n",
        "obj[0]",
        "got[0](1, 2, 3, z=4)",
        "(1, 2, (3,), 'k', {'z': 4})",
        ["def _obj(x, /, y=(1, -2), *rest, k='k', **more):"],
    ),
    "module level": (
        "double = lambda n: n * 2  # noqa: E731\nobj = [double]\n",
        "obj[0]",
        "got[0](2)",
        "4",
        ["def double(n):\n    return n * 2"],
    ),
    "class level": (
        "class Ops:\n    neg = lambda self, n: -n\n\nobj = [Ops.neg]\n",
        "obj[0]",
        "got[0](None, 2)",
        "-2",
        ["    def neg(self, n):\n        return -n"],
    ),
    "default of a parameter": (
        "class Video:\n    def __init__(self, callback=lambda total: None):\n        self.hooks = {callback}\nobj = Video()\n",
        "next(iter(obj.hooks))",
        "[f(1) for f in got.hooks]",
        "[None]",
        ["def _callback(total):", "callback=_callback"],
    ),
    "several lines": (
        "class Video:\n    def __init__(self):\n        self.add = (lambda a,\n                    b: a\n            + b  # sum\n            + 1\n        )\nobj = Video()\n",
        "obj.add",
        "got.add(1, 2)",
        "4",
        ["# sum"],
    ),
    "string of several lines": (
        "class Video:\n    def __init__(self):\n        self.text = lambda: '''a\n  b\n'''\nobj = Video()\n",
        "obj.text",
        "got.text() == 'a\\n  b\\n'",
        "True",
        [],
    ),
    "name is taken": (
        "def _key(): pass\nclass A:\n    def __init__(self):\n        self.key = lambda: 1\nobj = A()\n",
        "obj.key",
        "got.key()",
        "1",
        ["def _a_key():"],
    ),
    "walrus and yield": (
        "def make():\n    return [lambda: (n := 3), lambda: (yield 4)]\nobj = make()\n",
        "obj[0], obj[1]",
        "got[0](), list(got[1]())",
        "(3, [4])",
        [],
    ),
    "factory int": (
        "import collections\nclass A:\n    def __init__(self):\n        self.n = collections.defaultdict(lambda: 0)\nobj = A()\n",
        "obj.n.default_factory",
        "got.n['x']",
        "0",
        ["collections.defaultdict(int)"],
    ),
    "factory of factories": (
        "from collections import defaultdict\ndef make():\n    return defaultdict(lambda: defaultdict(int))\nobj = make()\n",
        "obj.default_factory",
        "got['x']['y']",
        "0",
        ["defaultdict(functools.partial(defaultdict, int))"],
    ),
    "factory of lists": (
        "from collections import defaultdict, deque\ndef make():\n    return defaultdict(lambda: []), defaultdict(lambda: deque(maxlen=2))\nobj = make()\n",
        "obj[0].default_factory, obj[1].default_factory",
        "got[0]['x'], got[1]['x'].maxlen",
        "([], 2)",
        ["defaultdict(list)", "functools.partial(deque, maxlen=2)"],
    ),
    "factory where int is another": (
        "from collections import defaultdict\ndef int(): return 7\nobj = [defaultdict(lambda: 0)]\n",
        "obj[0].default_factory",
        "got[0]['x']",
        "0",
        [],
    ),
    "local function": (
        'def make():\n    def show(row: int) -> str:\n        """Show.\n\n        More.\n        """\n        # first\n        text = """\n  x"""\n        return text + str(row)\n    return show\nobj = make()\n',
        "obj",
        "got(1) == '\\n  x1'",
        "True",
        ["def _show(row: int) -> str:\n", "    # first\n", "    show = _show\n"],
    ),
    "local function that closes": (
        "def sampler(k):\n    def sample(batch, *, n=1, **more):\n        return batch[:k] * n\n    return sample\nobj = [sampler(1), sampler(2)]\n",
        "obj[0], obj[1]",
        "[f('abc', n=2) for f in got]",
        "['aa', 'abab']",
        ["def _sample(k, batch, *, n=1, **more):", "sample = functools.partial(_sample, k)"],
    ),
    "local function that calls itself": (
        "def make():\n    def fact(n):\n        return 1 if n < 2 else n * fact(n - 1)\n    return fact\nobj = make()\n",
        "obj",
        "got(4)",
        "24",
        ["    fact = _fact\n", "n * _fact(n - 1)"],
    ),
    "local function that calls another": (
        "def make(k):\n    def inner(n):\n        return n + k\n    def outer(n):\n        return inner(n) * 2\n    return outer\nobj = make(3)\n",
        "obj",
        "got(1)",
        "8",
        ["outer = functools.partial(_outer, inner)", "inner = functools.partial(_inner, k)"],
    ),
    "coroutine function": (
        "def make():\n    async def show(): return 5\n    return show\nobj = make()\n",
        "obj",
        "__import__('asyncio').run(got())",
        "5",
        ["async def _show():"],
    ),
    "two spaces": (
        "def make(k):\n  if k:\n    def show(n):\n      if n:\n        return n + k\n      return 0\n    return show\nobj = make(3)\n",
        "obj",
        "got(1)",
        "4",
        ["def _show(k, n):\n  if n:\n    return n + k\n  return 0\n"],
    ),
    "tabs": (
        "def make(k):\n\tdef show(n):\n\t\tif n:\n\t\t\treturn n + k\n\t\treturn 0\n\treturn show\nobj = make(3)\n",
        "obj",
        "got(1)",
        "4",
        [],
    ),
    "annotation that only the function knows": (
        "def make():\n    T = int\n    def show(n: T) -> T:\n        return n\n    return show\nobj = make()\n",
        "obj",
        "got(1)",
        "1",
        ["def _show(n):"],
    ),
    "decorator": (
        "def twice(fn):\n    def wrapper(*args):\n        return fn(*args) * 2\n    return wrapper\n\n@twice\ndef work(x):\n    return x + 1\nobj = [work]\n",
        "obj[0]",
        "got[0](1), got[0] is work",
        "(4, True)",
        ["    @functools.wraps(fn)\n    def wrapper(*args):"],
    ),
    "decorator of a method": (
        "def twice(fn):\n    def wrapper(*args):\n        return fn(*args) * 2\n    return wrapper\n\nclass A:\n    @twice\n    def work(self, x):\n        return x + 1\nobj = [A.work]\n",
        "obj[0]",
        "got[0](None, 1)",
        "4",
        ["    @functools.wraps(fn)\n    def wrapper(*args):"],
    ),
    "decorated by hand": (
        "def twice(fn):\n    def wrapper(*args):\n        return fn(*args) * 2\n    return wrapper\n\ndef work(x):\n    return x + 1\nobj = [twice(work)]\n",
        "obj[0]",
        "got[0](1)",
        "4",
        ["wrapper = functools.partial(_wrapper, fn)"],
    ),
    "letters beyond ASCII": (
        "def make():\n    return {'ä': 'ü', 'f': [lambda s: 'ö' + s, lambda s: 'é' + s]}\nobj = make()\n",
        "obj['f'][1],",
        "got['f'][1]('x')  == 'é' + 'x'",
        "True",
        [],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_edited_program_has_the_function_under_a_name(tmp_path, case):
    text, where, ask, answer, parts = CASES[case]
    program = Program(tmp_path, text)
    culprits = eval(where, vars(program.module))
    culprits = culprits if type(culprits) is tuple else (culprits,)
    remedies = [program.remedy(name_function, culprit, "lambda") for culprit in culprits]
    assert None not in remedies
    edited = program.edited(*remedies)
    for part in parts:
        assert part in edited, edited
    obj = program.module.obj
    if case != "letters beyond ASCII":
        assert program.again(remedies, f"eval({ask!r}, vars(m) | {{'got': cross(m.obj)}})") == answer
        assert program.crosses(obj, remedies, ask) == answer


NONE = {
    "nonlocal": "def make():\n    n = 0\n    def count():\n        nonlocal n\n        n += 1\n        return n\n    return count\nobj = make()\n",
    "set later": "def make():\n    n = 0\n    f = lambda: n\n    n = 1\n    return f\nobj = make()\n",
    "calls itself": "def make():\n    f = lambda n: f(n - 1) if n else 0\n    return f\nobj = make()\n",
    "super": "class A:\n    def __init__(self):\n        self.f = lambda: super().__init__()\nobj = A().f\n",
    "decorated": "import functools\ndef make(k):\n    @functools.lru_cache\n    def f(n):\n        return n\n    return f.__wrapped__\nobj = make(1)\n",
    "functools is another": "functools = 1\ndef make(k):\n    return lambda: k\nobj = make(1)\n",
}


@pytest.mark.parametrize("case", NONE)
def test_what_cannot_be_moved_is_left_alone(tmp_path, case):
    program = Program(tmp_path, NONE[case])
    assert program.remedy(name_function, program.module.obj, "lambda") is None


def test_a_loop_variable_is_said_to_be_kept(tmp_path):
    program = Program(
        tmp_path,
        "def make():\n    fs = []\n    for n in range(3):\n        fs.append(lambda: n)\n    return fs\nobj = make()\n",
    )
    remedy = program.remedy(name_function, program.module.obj[0], "lambda")
    assert "n had when it was made" in remedy.note


def test_equal_code_gives_equal_edits(tmp_path):
    program = Program(tmp_path, "def make(k):\n    return lambda: k\nobj = [make(1), make(2)]\n")
    one, other = [program.remedy(name_function, function, "lambda") for function in program.module.obj]
    assert one.edits == other.edits


def test_code_without_a_file_is_left_alone(tmp_path):
    program = Program(tmp_path, "obj = [eval('lambda: 1')]\n")
    assert program.remedy(name_function, program.module.obj[0], "lambda") is None
    space = {}
    exec("f = lambda: 1", space)
    assert program.remedy(name_function, space["f"], "lambda") is None

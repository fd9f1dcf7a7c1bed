"""Methods of lists, dictionaries and strings, and small questions about values."""

from __future__ import annotations

from picklecheck.receiver.guard.values import UNKNOWN, Arguments, Bound, Const, Default, Known, Made, Sequence, Value

__all__ = ["context_of", "full_name", "of_parser", "of_sequence", "of_string", "text_of"]

_STRING_METHODS = frozenset(("startswith", "endswith", "strip", "lower", "upper", "lstrip", "rstrip"))


def text_of(value: Value | None) -> str | None:
    """Give the string that a value is; None for anything else."""
    return value.value if isinstance(value, Const) and isinstance(value.value, str) else None


def context_of(arguments: Arguments) -> str | None:
    """Give the start method of a context among the arguments."""
    for name in ("mp_context", "context", "ctx", "multiprocessing_context"):
        value = arguments.keywords.get(name)
        if isinstance(value, Known):
            return value.method
    return None


def full_name(value: Value) -> str:
    """Give the name of what a method belongs to, for the name of what it gives."""
    if isinstance(value, Made):
        return f"{value.known.name}()"
    if isinstance(value, Bound):
        return f"{full_name(value.owner)}.{value.name}"[-200:]
    return value.name if isinstance(value, Known) else "?"


def of_parser(owner: Made, name: str, arguments: Arguments) -> Value:
    """Read a call of a method of an `argparse` parser: the defaults of its options are kept."""
    made = Made(Known(f"{owner.known.name}().{name}"), arguments, owner.extras)
    if name == "add_argument":
        words = [text for text in map(text_of, arguments.positional) if text]
        option = text_of(arguments.keywords.get("dest")) or max(words, key=len, default="").lstrip("-").replace(
            "-", "_"
        )
        default = arguments.keywords.get("default")
        if isinstance(default, Const) and type(default.value) is int:
            owner.extras[option] = Default(default.value)
    return Sequence([made, UNKNOWN]) if name == "parse_known_args" else made


def of_sequence(owner: Sequence, name: str, arguments: Arguments) -> Value:
    """Read a call of a method of a list, set or dictionary."""
    if name in ("append", "add", "appendleft", "insert") and arguments.positional:
        owner.add(arguments.positional[-1])
    elif name in ("extend", "update") and arguments.positional:
        other = arguments.positional[0]
        for item in other.items if isinstance(other, Sequence) else ():
            owner.add(item)
    elif name == "values":
        return Sequence(list(owner.items))
    elif name == "items":
        return Sequence([Sequence([UNKNOWN, item]) for item in owner.items])
    elif name in ("pop", "get", "popitem", "setdefault"):
        first = arguments.positional[0] if arguments.positional else UNKNOWN
        if name == "get" and owner.keys is not None and isinstance(first, Const) and first.value not in owner.keys:
            return arguments.get(1, "default") or Const(None)
        return owner.at(first.value if isinstance(first, Const) else object())
    return UNKNOWN


def of_string(text: object, name: str, arguments: Arguments) -> Value:
    """Read a call of a method of a constant."""
    given = [one.value for one in arguments.positional if isinstance(one, Const)]
    if isinstance(text, str) and name in _STRING_METHODS and len(given) == len(arguments.positional):
        try:
            return Const(getattr(text, name)(*given))
        except TypeError:
            return UNKNOWN
    return UNKNOWN

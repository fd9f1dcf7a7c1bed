"""A function from inside another as one of the module's: the variables that it closes over become parameters."""

from __future__ import annotations

import ast
import copy
import functools
import io
import tokenize
import types
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from picklecheck.fixes.base import AddImports, Edit, Insert, Named
from picklecheck.fixes.code import Function, Source
from picklecheck.fixes.scopes import NEVER, REPEATED, bindings, frozen, is_fixed, is_known_before, module_binding

__all__ = ["IMPORT", "Moved", "inside_strings", "move", "plain_lines", "renamed", "stand_in"]

IMPORT = AddImports(statements=("import functools",))
_WIDTH = 100
_Renamed = tuple[int, int, int, str]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Moved:
    """A function that stands at the top level.

    Attributes:
        name: its new name.
        insert: the edit that puts it there.
        reference: the source of the expression that gives it in its old place.
        free: the variables of outer functions that it is given.
        bound: parameters with defaults that are evaluated in the old place.
        note: what is different.
    """

    name: str
    insert: Insert
    reference: str
    free: tuple[str, ...]
    bound: tuple[str, ...]
    note: str

    @property
    def edits(self) -> tuple[Edit, ...]:
        """The edits for the new place, and for what the reference needs."""
        return (self.insert, IMPORT) if self.free or self.bound else (self.insert,)


def move(source: Source, node: Function, name: str, free: Sequence[str]) -> Moved | None:
    """Move a function to the top level; None where it would not do there what it does now.

    Args:
        source: its file.
        node: where it is.
        name: its new name.
        free: its free variables, as its code has them.
    """
    own = "" if isinstance(node, ast.Lambda) else node.name
    calls_itself = own in free and _is_only(source, node, own)
    given = tuple(variable for variable in free if not (variable == own and calls_itself))
    fates = [frozen(source, node, variable) for variable in given]
    bound = _bound(node.args)
    if NEVER in fates or bound is None or "super" in _names_in(node) or "__class__" in free:
        return None
    if (given or bound) and not can_import_functools(source, node):
        return None
    mangled = _mangler(source, node)
    if (mangled and any(mangled(arg.arg) for arg in _all_args(node.args))) or any(map(mangled or _none, given)):
        return None
    text = _text(source, node, name, given, bound, _changes(node, mangled, own if calls_itself else "", name))
    note = _note(given, fates, bound)
    reference = _reference(source, node, name, given, bound)
    return Moved(
        name=name, insert=Insert(line=source.top(node).lineno, text=text), reference=reference, free=given, bound=bound,
        note=note,
    )  # fmt: skip


def stand_in(function: types.FunctionType, moved: Moved, module: str) -> tuple[tuple[Any, Any], ...] | None:
    """Give what is pickled for a function that has been moved; None where a variable has no value by now."""
    new = Named(module, moved.name)
    if not moved.free and not moved.bound:
        return ((function, new),)
    try:
        cells = [cell.cell_contents for cell in function.__closure__ or ()]
    except ValueError:
        return None
    held = dict(zip(function.__code__.co_freevars, cells, strict=True))
    defaults = _default_values(function)
    if not all(name in defaults for name in moved.bound):
        return None
    # a partial that holds a function of our own, for which in turn the new name is pickled
    placeholder = types.FunctionType(_placeholder.__code__, {}, moved.name)
    kept = {name: defaults[name] for name in moved.bound}
    made = functools.partial(placeholder, *[held[name] for name in moved.free], **kept)
    return ((function, made), (placeholder, new))


def _placeholder(*args: Any, **kwargs: Any) -> None:
    """Stand where the moved function will."""


def _none(name: str) -> None:
    return None


def _default_values(function: types.FunctionType) -> dict[str, Any]:
    code, defaults = function.__code__, function.__defaults__ or ()
    names = code.co_varnames[: code.co_argcount]
    return dict(zip(names[len(names) - len(defaults) :], defaults, strict=True)) | (function.__kwdefaults__ or {})


def _is_only(source: Source, node: Any, name: str) -> bool:
    """Tell whether a function's own name is bound by its ``def`` alone."""
    outer = next(
        (around for around in source.above(node) if isinstance(around, ast.FunctionDef | ast.AsyncFunctionDef)), None
    )
    return outer is not None and bindings(outer, name) == [node]


def can_import_functools(source: Source, node: ast.AST) -> bool:
    """Tell whether ``functools`` means the module, there and at the top level, once it is imported."""
    scopes = [source.tree, *source.above(node)]
    found = [where for scope in scopes for where in bindings(scope, "functools")]
    return all(isinstance(where, ast.alias) and where.name == "functools" for where in found)


def _names_in(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _all_args(args: ast.arguments) -> list[ast.arg]:
    return [arg for arg in ast.walk(args) if isinstance(arg, ast.arg)]


def _bound(args: ast.arguments) -> tuple[str, ...] | None:
    """Give the parameters whose defaults have to be evaluated in the old place; None where they cannot be."""
    names = [arg.arg for arg in (*args.posonlyargs, *args.args)]
    pairs = list(zip(names[len(names) - len(args.defaults) :], args.defaults, strict=True))
    bound = [name for name, default in pairs if not is_fixed(default)]
    if bound and (args.vararg or any(arg.arg in bound for arg in args.posonlyargs)):
        return None
    keywords = zip(args.kwonlyargs, args.kw_defaults, strict=True)
    return (*bound, *(arg.arg for arg, default in keywords if default is not None and not is_fixed(default)))


def _default_texts(source: Source, args: ast.arguments) -> dict[str, str]:
    names = [arg.arg for arg in (*args.posonlyargs, *args.args)]
    pairs = [*zip(names[len(names) - len(args.defaults) :], args.defaults, strict=True)]
    pairs += [(arg.arg, default) for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True) if default]
    return {name: ast.unparse(default) for name, default in pairs}


def _reference(source: Source, node: Function, name: str, free: Sequence[str], bound: Sequence[str]) -> str:
    if not free and not bound:
        return name
    texts = _default_texts(source, node.args)
    return f"functools.partial({', '.join([name, *free, *(f'{arg}={texts[arg]}' for arg in bound)])})"


def _note(free: Sequence[str], fates: Sequence[str], bound: Sequence[str]) -> str:
    looped = [name for name, fate in zip(free, fates, strict=True) if fate == REPEATED]
    notes = []
    if looped:
        notes.append(f"Each function keeps the value that {_and(looped)} had when it was made.")
    if bound:
        notes.append(f"{_and(bound)} can be given by keyword only.")
    return " ".join(notes)


def _and(names: Sequence[str]) -> str:
    return ", ".join(names[:-1]) + " and " + names[-1] if len(names) > 1 else names[0]


# -- the text


def _mangler(source: Source, node: ast.AST) -> Any:
    """Give what makes ``_Cls__x`` of a name that the class around a function changes; None outside of classes."""
    for around in source.above(node):
        if isinstance(around, ast.ClassDef):
            prefix = "_" + around.name.lstrip("_")
            return lambda name: prefix + name if name.startswith("__") and not name.endswith("__") else None
    return None


def _changes(node: Any, mangled: Any, own: str, name: str) -> list[_Renamed]:
    """Give the places in the body where another name has to stand: line, start and end in bytes, name."""
    found = []
    parts = [node.body] if isinstance(node, ast.Lambda) else node.body
    for part in (inner for outer in parts for inner in ast.walk(outer)):
        if isinstance(part, ast.Name) and own and part.id == own:
            found.append((part.lineno, part.col_offset, part.end_col_offset or 0, name))
        elif isinstance(part, ast.Name | ast.Attribute) and mangled:
            old = part.id if isinstance(part, ast.Name) else part.attr
            end = part.end_col_offset or 0
            if new := mangled(old):
                found.append((part.end_lineno or 0, end - len(old.encode()), end, new))
    return found


def _text(
    source: Source,
    node: Any,
    name: str,
    free: Sequence[str],
    bound: Sequence[str],
    changes: list[_Renamed],
) -> str:
    """Give the function's source under its new name."""
    lines = list(source.lines)
    _rename(lines, changes)
    header = _header(source, node, name, free, bound)
    line, column, end_line, end_column = source.span(node)
    end_column += len(lines[end_line - 1]) - len(source.lines[end_line - 1])
    if isinstance(node, ast.Lambda):
        return header + "\n    return " + _returned(source, node, lines)
    taken = [*lines[line - 1 : end_line - 1], lines[end_line - 1][:end_column]]
    indent = source.lines[line - 1][:column]
    plain = plain_lines(taken, indent, source)
    row, after = _colon(plain)
    plain = [header[:-1] + plain[row][after:], *plain[row + 1 :]]
    return "\n".join(plain)


def renamed(source: Source, node: ast.ClassDef, first: int, name: str) -> str:
    """Give the source of a class from its first decorator on, under another name, as a statement of its own."""
    lines = list(source.lines)
    _rename(lines, _changes(node, None, node.name if name != node.name else "", name))
    indent = lines[node.lineno - 1][: source.span(node)[1]]
    plain = plain_lines(lines[first - 1 : node.end_lineno], indent, source)
    row = node.lineno - first
    plain[row] = plain[row].replace(node.name, name, 1)
    return "\n".join(plain)


def _rename(lines: list[str], changes: list[_Renamed]) -> None:
    for line, start, end, new in sorted(changes, reverse=True):
        raw = lines[line - 1].encode()
        lines[line - 1] = (raw[:start] + new.encode() + raw[end:]).decode()


def _header(source: Source, node: Any, name: str, free: Sequence[str], bound: Sequence[str]) -> str:
    args = _arguments(source, node, free, bound)
    if isinstance(node, ast.Lambda):
        head: Any = ast.FunctionDef(name=name, args=args, body=[ast.Pass()], decorator_list=[], lineno=1)
    else:
        head = copy.copy(node)
        head.name, head.args, head.body, head.decorator_list = name, args, [ast.Pass()], []
        head.type_comment = None
        if not _annotations_hold(source, node):
            head.returns = None
    text = ast.unparse(head).rpartition("\n")[0]
    if len(text) > _WIDTH and args_are_plain(text):
        before, _, rest = text.partition("(")
        inner, _, behind = rest.rpartition(")")
        text = f"{before}(\n    {inner}\n){behind}"
    return text


def args_are_plain(text: str) -> bool:
    """Tell whether a header can be broken behind its first parenthesis."""
    return text.count("(") == 1 and "[" not in text.partition("(")[0]


def _arguments(source: Source, node: Any, free: Sequence[str], bound: Sequence[str]) -> ast.arguments:
    args = copy.deepcopy(node.args)
    if not _annotations_hold(source, node):
        for arg in _all_args(args):
            arg.annotation = None
    leading = [ast.arg(arg=variable) for variable in free]
    moved = [arg for arg in args.args if arg.arg in bound]
    count = len(args.posonlyargs) + len(args.args) - len(args.defaults)
    every = [*args.posonlyargs, *args.args]
    args.defaults = [default for arg, default in zip(every[count:], args.defaults, strict=True) if arg.arg not in bound]
    args.args = [arg for arg in args.args if arg.arg not in bound]
    args.kw_defaults = [
        None if arg.arg in bound else default for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True)
    ]
    args.kwonlyargs = [*moved, *args.kwonlyargs]
    args.kw_defaults = [*[None for _ in moved], *args.kw_defaults]
    if args.posonlyargs:
        args.posonlyargs = [*leading, *args.posonlyargs]
    else:
        args.args = [*leading, *args.args]
    return args  # type: ignore[no-any-return]  # a copy of arguments


def _annotations_hold(source: Source, node: Any) -> bool:
    """Tell whether the annotations can be evaluated at the top level."""
    if isinstance(node, ast.Lambda):
        return True
    found = [arg.annotation for arg in _all_args(node.args)] + [node.returns]
    names = {name for part in found if part is not None for name in _names_in(part)}
    scopes = [around for around in source.above(node) if not isinstance(around, ast.Module)]
    if any(bindings(scope, name) for scope in scopes for name in names):
        return False
    future = module_binding(source, "annotations")
    if isinstance(future, ast.alias) and getattr(source.parents[future], "module", "") == "__future__":
        return True
    return all(is_known_before(source, name, source.top(node).lineno) for name in names)


def _returned(source: Source, node: ast.Lambda, lines: list[str]) -> str:
    """Give the body of a lambda as an expression that can stand behind ``return``."""
    line, column, end_line, end_column = source.span(node.body)
    end_column += len(lines[end_line - 1]) - len(source.lines[end_line - 1])
    if line == end_line:
        text = lines[line - 1][column:end_column]
        return f"({text})" if isinstance(node.body, ast.Yield | ast.YieldFrom | ast.NamedExpr) else text
    taken = [lines[line - 1][column:], *lines[line : end_line - 1], lines[end_line - 1][:end_column]]
    indent = min((_indent(text) for text in taken[1:] if text.strip()), key=len, default="")
    rest = plain_lines(["(" + taken[0], *taken[1:]], indent, source)
    return "\n".join([rest[0], *(f"        {text}" if inside else text for inside, text in _marked(rest))]) + "\n    )"


def _marked(lines: list[str]) -> Iterator[tuple[bool, str]]:
    """Yield the lines but the first, each with whether it starts outside of strings and is not empty."""
    strings = inside_strings("\n".join([*lines, ")"]))
    for number, text in enumerate(lines[1:], 2):
        yield number not in strings and bool(text.strip()), text


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def plain_lines(lines: list[str], indent: str, source: Source) -> list[str]:
    """Give lines without their indentation, in steps of four spaces; the inside of strings is not touched."""
    strings = inside_strings("\n".join([lines[0].lstrip(), *lines[1:]]))
    unit = _unit(source)
    plain = []
    for number, line in enumerate(lines, 1):
        if number in strings:
            plain.append(line)
            continue
        rest = line[len(indent) :] if line.startswith(indent) else line.lstrip()
        body = rest.lstrip(" \t")
        space = rest[: len(rest) - len(body)].replace("\t", "    ") if unit == "\t" else rest[: len(rest) - len(body)]
        plain.append((space if unit in ("\t", "    ") else " " * (len(space) * 4 // len(unit))) + body)
    return plain


def _unit(source: Source) -> str:
    """Give one step of indentation, as the file's first block has it."""
    for node in source.tree.body:
        body: Any = getattr(node, "body", None)
        if isinstance(body, list) and body and body[0].lineno > node.lineno:
            return _indent(source.lines[body[0].lineno - 1]) or "    "
    return "    "


def inside_strings(text: str) -> set[int]:
    """Give the lines of a source text that start inside a string."""
    found: set[int] = set()
    opened: list[int] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text + "\n").readline):
            name = tokenize.tok_name[token.type]
            if name in ("FSTRING_START", "TSTRING_START"):
                opened.append(token.start[0])
            elif name in ("FSTRING_END", "TSTRING_END"):
                found.update(range(opened.pop() + 1, token.end[0] + 1))
            elif name == "STRING":
                found.update(range(token.start[0] + 1, token.end[0] + 1))
    except (tokenize.TokenError, SyntaxError):
        pass
    return found


def _colon(lines: list[str]) -> tuple[int, int]:
    """Give the row and column of the colon at the end of a function's header."""
    depth = 0
    for token in tokenize.generate_tokens(io.StringIO("\n".join(lines) + "\n").readline):
        if token.type == tokenize.OP:
            depth += (token.string in "([{") - (token.string in ")]}")
            if token.string == ":" and not depth:
                return token.start[0] - 1, token.start[1]
    raise ValueError("no header")

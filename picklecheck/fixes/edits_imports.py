"""Import statements that are added at the top of a file, where a sorter would put them."""

from __future__ import annotations

import ast
import re
import sys
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from picklecheck.fixes.base import AddImports
from picklecheck.fixes.edits_text import CannotEdit, Draft, Piece
from picklecheck.fixes.edits_tree import Statement, Tree, is_definition, is_docstring, is_import

__all__ = ["add_imports"]

_LINE_LIMIT = 88  # a longer import is not written in one line
_FUTURE, _STANDARD, _OTHER, _RELATIVE = range(4)


@dataclass(frozen=True, slots=True, order=True)
class _Import:
    """One name that is imported, in the order of a sorter: sections, then plain imports, then by module."""

    section: int
    is_from: bool
    order: str
    module: str
    member: tuple[int, str]
    name: str = ""
    alias: str = ""

    @property
    def text(self) -> str:
        """The statement."""
        bound = f" as {self.alias}" if self.alias else ""
        return f"from {self.module} import {self.name}{bound}" if self.is_from else f"import {self.module}{bound}"

    @property
    def place(self) -> tuple[int, bool, str, str]:
        """What statements are sorted by."""
        return (self.section, self.is_from, self.order, self.alias)

    def is_covered_by(self, other: _Import) -> bool:
        """Tell whether another import binds the same."""
        if self == other:
            return True
        plain = not (self.is_from or self.alias or other.is_from or other.alias)
        return plain and other.module.startswith(f"{self.module}.")


_Known = list[tuple[Statement, list[_Import]]]


def _import(module: str, name: str = "", alias: str = "") -> _Import:
    top = module.partition(".")[0]
    if top == "__future__":
        section = _FUTURE
    elif not top:
        section = _RELATIVE
    else:
        section = _STANDARD if top in sys.stdlib_module_names else _OTHER
    return _Import(
        section,
        bool(name),
        module.lower(),
        module,
        _member_order(name),
        name,
        "" if alias == (name or module) else alias,
    )


def _member_order(name: str) -> tuple[int, str]:
    """Constants first, then classes, then other names."""
    if len(name) > 1 and name.isupper():
        return (0, name.lower())
    return (1 if name[:1].isupper() else 2, name.lower())


def _imports(node: ast.AST) -> Iterator[_Import]:
    """Yield what an import statement imports."""
    if isinstance(node, ast.Import):
        yield from (_import(alias.name, "", alias.asname or "") for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        module = "." * node.level + (node.module or "")
        yield from (_import(module, alias.name, alias.asname or "") for alias in node.names)


def add_imports(tree: Tree, draft: Draft, edits: Sequence[AddImports]) -> None:
    """Add what is not imported at the top level already."""
    there = [found for statement in tree.module.statements for found in _imported(tree, statement)]
    wanted: list[_Import] = []
    for source in (source for edit in edits for source in edit.statements):
        for new in _parsed(source):
            if not any(new.is_covered_by(old) for old in [*there, *wanted]):
                wanted.append(new)
    known = [(statement, list(_imported(tree, statement))) for statement in _leading(tree.module.statements)]
    _write_groups(tree, draft, known, _merge(tree, draft, known, sorted(wanted)))


def _write_groups(tree: Tree, draft: Draft, known: _Known, news: Sequence[_Import]) -> None:
    """Add statements, those for one place together."""
    if news and not known:
        _write_first(tree, draft, news)
        return
    groups: dict[tuple[int, int, bool, bool], list[_Import]] = {}
    for new in news:
        groups.setdefault((new.section, *_position(tree, known, new)), []).append(new)
    newline = tree.text.newline
    for (_, line, above, below), group in groups.items():
        lines = "".join(f"{text}{newline}" for text in _lines(group))
        offset = tree.text.start(line)
        draft.splice(offset, offset, newline * above + lines + newline * below, group[0].section - 9)


def _write_first(tree: Tree, draft: Draft, news: Sequence[_Import]) -> None:
    """Add the first imports of a file: behind its docstring, or behind the comments that it starts with."""
    newline, text, statements = tree.text.newline, tree.text, tree.module.statements
    sections = [[new for new in news if new.section == section] for section in sorted({new.section for new in news})]
    source = newline.join("".join(f"{line}{newline}" for line in _lines(section)) for section in sections)
    docstring = bool(statements) and is_docstring(statements[0])
    following = statements[docstring:]
    below = (2 if is_definition(following[0].node) else 1) if following else 0
    if docstring:
        draft.put(statements[0].end + 1, Piece(text=source, above=1, below=below))
        return
    line = text.count + 1
    if following:
        first = following[0]
        line = (text.with_comments if is_definition(first.node) else text.with_own_comments)(first.first)
    draft.put(line, Piece(text=source, above=1 if line > 1 else 0, below=below))


def _position(tree: Tree, known: _Known, new: _Import) -> tuple[int, bool, bool]:
    """Give the line above which an import goes, and whether it needs a blank line above and below."""
    run = _run(tree, [pair for pair in known if pair[1][0].section == new.section], new)
    if not run:
        smaller = [statement for statement, names in known if names[0].section < new.section]
        if not smaller:
            return (tree.text.with_own_comments(known[0][0].first), False, True)
        end = smaller[-1].end + 1
        return (end, True, not tree.text.is_blank(end) and end <= tree.text.count)
    places = [names[0].place for _, names in run]
    if places == sorted(places):
        before = [statement for statement, names in run if names[0].place <= new.place]
    else:
        before = [statement for statement, names in run if names[0].is_from == new.is_from] or [run[-1][0]]
    if before:
        return (before[-1].end + 1, False, False)
    line = tree.text.with_own_comments(run[0][0].first)
    return (line, False, tree.text.is_comment(line))  # comments have a blank line above them


def _run(tree: Tree, pairs: _Known, new: _Import) -> _Known:
    """Give the imports without a blank line between them that are the most like a new one."""
    runs: list[_Known] = []
    for pair in pairs:
        if runs and not tree.text.is_blank(pair[0].first - 1):
            runs[-1].append(pair)
        else:
            runs.append([pair])
    tops = [{name.module.partition(".")[0] for _, names in run for name in names} for run in runs]
    alike = [run for run, top in zip(runs, tops, strict=True) if new.module.partition(".")[0] in top]
    return [*alike, *runs, []][0]


def _lines(news: Sequence[_Import]) -> list[str]:
    """Give the statements for imports; the names of one module share one while that fits."""
    found: list[str] = []
    for new in news:
        name = new.text.partition(" import ")[2]
        joined = (
            bool(found)
            and new.is_from
            and not new.alias
            and " as " not in found[-1]
            and found[-1].startswith(f"from {new.module} import ")
        )
        if joined and len(found[-1]) + len(name) + 2 <= _LINE_LIMIT:
            found[-1] += f", {name}"
        else:
            found.append(new.text)
    return found


def _parsed(source: str) -> list[_Import]:
    try:
        return [found for node in ast.parse(source).body for found in _imports(node)]
    except SyntaxError:
        raise CannotEdit("An import that was to be added cannot be parsed.") from None


def _imported(tree: Tree, statement: Statement) -> Iterator[_Import]:
    if is_import(statement):
        source = tree.text.text[statement.start : statement.stop]
        for node in ast.parse(source).body:
            yield from _imports(node)


def _leading(statements: Sequence[Statement]) -> list[Statement]:
    """Give the imports that the file starts with; ``__all__ = ...`` and the like may stand between them."""
    rest = statements[1:] if statements and is_docstring(statements[0]) else statements
    found: list[Statement] = []
    for statement in rest:
        if is_import(statement):
            found.append(statement)
        elif not _sets_dunder(statement):
            break
    return found


def _sets_dunder(statement: Statement) -> bool:
    targets = [target.target for small in statement.smalls if isinstance(small, cst.Assign) for target in small.targets]
    return bool(targets) and all(isinstance(name, cst.Name) and name.value.startswith("__") for name in targets)


def _merge(tree: Tree, draft: Draft, known: _Known, news: Sequence[_Import]) -> list[_Import]:
    """Put names into the ``from`` imports of their modules that are there, and give what did not go in."""
    left: list[_Import] = []
    merged: dict[Statement, list[_Import]] = {}
    for new in news:
        for statement, names in known:
            old = merged.get(statement, names)
            if not all(name.is_from and name.module == new.module and not name.alias for name in [*old, new]):
                continue
            together = _with(old, new)
            if _is_plain(tree, statement) and len(_from(together)) <= _LINE_LIMIT:
                merged[statement] = together
                break
            if _is_column(tree, statement):
                offset = tree.text.start(statement.line + 1 + _with(names, new).index(new))
                draft.splice(offset, offset, f"{tree.text.indent(statement.line + 1)}{new.name},{tree.text.newline}")
                break
        else:
            left.append(new)
    for statement, names in merged.items():
        draft.splice(statement.start, statement.stop, _from(names))
    return left


def _with(names: Sequence[_Import], new: _Import) -> list[_Import]:
    """Give the names with another at its place, or at the end where they are not sorted."""
    members = [name.member for name in names]
    place = bisect_right(members, new.member) if members == sorted(members) else len(names)
    return [*names[:place], new, *names[place:]]


def _from(names: Sequence[_Import]) -> str:
    return f"from {names[0].module} import " + ", ".join(name.name for name in names)


def _is_plain(tree: Tree, statement: Statement) -> bool:
    """Tell whether an import stands in one line, without brackets and comments."""
    return re.search(r"[()*;#\\]", tree.text.line(statement.line)) is None


def _is_column(tree: Tree, statement: Statement) -> bool:
    """Tell whether an import has brackets, and each name in a line of its own."""
    first, *names = [tree.text.line(line) for line in range(statement.line, statement.end + 1)]
    closed = names[-1:] == [")"]
    return first.endswith("import (") and closed and all(re.fullmatch(r"\s+\w+,", line) for line in names[:-1])

"""Edits of a file are applied to its text, all at once; what none of them touches stays as it is, byte for byte."""

from __future__ import annotations

import ast
import difflib
import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from picklecheck.fixes.base import (
    AddDecorator,
    AddImports,
    AddMethods,
    BeginMethod,
    Edit,
    ExtendMethod,
    Insert,
    Replace,
)
from picklecheck.fixes.edits_text import CannotEdit, Draft, Text
from picklecheck.fixes.lines import source_lines

if TYPE_CHECKING:
    from picklecheck.fixes.edits_tree import Tree

__all__ = ["CannotEdit", "apply", "diff", "move_under_guard"]

_MARK = "\ufeff"  # a UTF-8 file may start with it


def apply(text: str, edits: Sequence[Edit]) -> str:
    """Give the text of a Python file with all edits applied.

    Raises:
        CannotEdit: they cannot be made, or what comes of them is not Python.
    """
    once = list(dict.fromkeys(edits))
    return _edited(text, lambda tree, draft: _apply_all(tree, draft, once)) if once else text


def move_under_guard(text: str, ranges: Sequence[tuple[int, int]]) -> str:
    """Give the text with the top-level statements of these lines under ``if __name__ == "__main__":``, at its end.

    Imports, functions and classes stay where they are. Lines count from 1, the last one of a range included.

    Raises:
        CannotEdit: they cannot be moved.
    """
    from picklecheck.fixes.edits_guard import move

    return _edited(text, lambda tree, draft: move(tree, draft, ranges))


def _edited(text: str, fill: Callable[[Tree, Draft], None]) -> str:
    """Give the text as a draft says that `fill` has filled."""
    mark = _MARK if text.startswith(_MARK) else ""
    lines = Text(text[len(mark) :])
    draft = Draft(lines)
    try:
        from picklecheck.fixes.edits_tree import Tree

        fill(Tree(lines), draft)
        result = draft.result()
        ast.parse(result)
    except (SyntaxError, ValueError) as error:
        raise CannotEdit(f"The edited file would not be Python: {error}.") from None
    except RecursionError:
        raise CannotEdit("The file is nested too deeply.") from None
    if lines.text != text[len(mark) :]:  # it has no line end at its end
        result = result.removesuffix(lines.newline)
    return mark + result


def _apply_all(tree: Tree, draft: Draft, edits: Sequence[Edit]) -> None:
    from picklecheck.fixes import edits_classes, edits_imports, edits_places

    edits_classes.add_methods(tree, draft, [edit for edit in edits if isinstance(edit, AddMethods)])
    edits_imports.add_imports(tree, draft, [edit for edit in edits if isinstance(edit, AddImports)])
    edits_places.replace(tree, draft, [edit for edit in edits if isinstance(edit, Replace)])
    edits_classes.extend_methods(tree, draft, [edit for edit in edits if isinstance(edit, ExtendMethod)])
    for edit in edits:
        if isinstance(edit, BeginMethod):
            edits_classes.begin_method(tree, draft, edit)
        elif isinstance(edit, Insert):
            edits_places.insert(tree, draft, edit)
        elif isinstance(edit, AddDecorator):
            edits_classes.add_decorator(tree, draft, edit)


def diff(file: str, before: str, after: str) -> str:
    """Give what changed in a file as a unified diff that ``patch`` and ``git apply`` read."""
    name = os.path.relpath(file) if _is_below(file) else file
    name = name.replace(os.sep, "/").lstrip("/")
    lines = difflib.unified_diff(source_lines(before), source_lines(after), f"a/{name}", f"b/{name}")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _is_below(file: str) -> bool:
    """Tell whether a file lies below the working directory."""
    try:
        return os.path.commonpath([os.path.abspath(file), os.getcwd()]) == os.getcwd()
    except ValueError:  # on another drive
        return False

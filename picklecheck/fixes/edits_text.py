"""The text of a file as lines, and what is put into it: everything that no edit touches stays as it is."""

from __future__ import annotations

import io
import re
import textwrap
import tokenize
from bisect import bisect_right
from dataclasses import dataclass, field

__all__ = ["CannotEdit", "Draft", "Piece", "Text", "indented", "lines_inside_strings"]

_NEWLINE = re.compile(r"\r\n?|\n")
# tokens of their own since 3.12 and 3.14
_OPENING = {getattr(tokenize, name, None) for name in ("FSTRING_START", "TSTRING_START")}
_CLOSING = {getattr(tokenize, name, None) for name in ("FSTRING_END", "TSTRING_END")}


class CannotEdit(Exception):
    """The edits cannot be made; the text says why, in a sentence for the user."""


class Text:
    """A text whose lines can be asked for by number; the last one has a line end, too."""

    __slots__ = ("newline", "starts", "text")

    def __init__(self, text: str) -> None:
        found = _NEWLINE.search(text)
        self.newline = found.group() if found else "\n"
        self.text = text if not text or text[-1] in "\r\n" else text + self.newline
        self.starts = [0, *(match.end() for match in _NEWLINE.finditer(self.text))]

    @property
    def count(self) -> int:
        """The number of lines."""
        return len(self.starts) - 1

    def start(self, line: int) -> int:
        """Give the offset at which a line starts; that after the last one is the end of the text."""
        return self.starts[line - 1]

    def offset(self, line: int, column: int) -> int:
        """Give the offset of a place."""
        if not 1 <= line <= len(self.starts) or self.starts[line - 1] + column > len(self.text):
            raise CannotEdit(f"The file has no line {line} with a column {column}: it is not the file that is running.")
        return self.starts[line - 1] + column

    def line_at(self, offset: int) -> int:
        """Give the number of the line that an offset lies in."""
        return bisect_right(self.starts, offset)

    def line(self, number: int) -> str:
        """Give a line without its line end."""
        return self.text[self.starts[number - 1] : self.starts[number]].rstrip("\r\n")

    def is_blank(self, number: int) -> bool:
        """Tell whether a line is there, and holds nothing."""
        return 1 <= number <= self.count and not self.line(number).strip()

    def is_comment(self, number: int) -> bool:
        """Tell whether a line is there, and holds a comment only."""
        return 1 <= number <= self.count and self.line(number).lstrip().startswith("#")

    def indent(self, number: int) -> str:
        """Give what a line starts with."""
        line = self.line(number)
        return line[: len(line) - len(line.lstrip(" \t\f"))]

    def above_blanks(self, number: int) -> int:
        """Give the first of the blank lines right above a line, or the line itself."""
        while self.is_blank(number - 1):
            number -= 1
        return number

    def blanks_from(self, number: int) -> int:
        """Count the blank lines from a line on; none where nothing follows them."""
        end = number
        while self.is_blank(end):
            end += 1
        return end - number

    def below_block(self, end: int, indent: str, *, deeper: bool = False) -> int:
        """Give the line below a block whose last statement ends in line `end`, and below comments that are in it.

        Its lines start with `indent`, or with more where they are `deeper`.
        """
        below = line = end + 1
        while (indent or deeper) and line <= self.count and (self.is_blank(line) or self.is_comment(line)):
            if self.is_comment(line):
                found = self.indent(line)
                if not found.startswith(indent) or (deeper and found == indent):
                    break
                below = line + 1
            line += 1
        return below

    def with_comments(self, line: int) -> int:
        """Give the first of the comment lines right above a line that are indented as it is, or the line itself."""
        indent = self.indent(line)
        while self.is_comment(line - 1) and self.indent(line - 1) == indent and not self._is_file_mark(line - 1):
            line -= 1
        return line

    def with_own_comments(self, line: int) -> int:
        """Give the first of the comment lines right above a line; those that the file starts with are the file's."""
        first = self.with_comments(line)
        return line if all(self.is_comment(above) for above in range(1, first)) else first

    def _is_file_mark(self, number: int) -> bool:
        line = self.line(number)
        return (number == 1 and line.startswith("#!")) or (number <= 2 and re.search(r"coding[:=]", line) is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """Whole lines for a gap between two lines, with the blank lines that it wants above and below."""

    text: str
    indent: str = ""
    above: int = 0
    below: int = 0


@dataclass(frozen=True, slots=True)
class _Splice:
    start: int
    end: int
    text: str
    rank: int = 1


@dataclass(slots=True)
class _Gap:
    """What is put between two lines: pieces, and at the least so many blank lines."""

    pieces: list[Piece] = field(default_factory=list)
    blanks: int = 0

    def text(self, newline: str, there: int) -> str:
        """Give what is added where `there` blank lines follow."""
        if not self.pieces:
            return newline * (self.blanks - there)
        ordered = sorted(self.pieces, key=lambda piece: -len(piece.indent))  # what lies deeper ends first
        found, wanted = "", min(self.blanks, 1) if ordered[0].indent else self.blanks
        for piece in ordered:
            found += newline * max(wanted, piece.above) + piece.text
            wanted = piece.below
        return found + newline * (max(wanted, self.blanks) - there)


class Draft:
    """Collects what is changed in a text, all by places of the text as it was."""

    def __init__(self, text: Text) -> None:
        self.text = text
        self._splices: list[_Splice] = []
        self._removed: list[tuple[int, int]] = []
        self._gaps: dict[int, _Gap] = {}

    def splice(self, start: int, end: int, text: str, rank: int = 1) -> None:
        """Put a text in the place of another; among those put at one offset, the lower rank comes first."""
        self._splices.append(_Splice(start, end, text, rank))

    def remove(self, first: int, end: int) -> None:
        """Take lines away, up to and without the line `end`."""
        self._removed.append((self.text.start(first), self.text.start(end)))

    def put(self, line: int, piece: Piece) -> None:
        """Put a piece above a line, and above the blank lines there."""
        self._gap(line).pieces.append(piece)

    def space(self, line: int, blanks: int) -> None:
        """Have so many blank lines above a line, at the least."""
        gap = self._gap(line)
        gap.blanks = max(gap.blanks, blanks)

    def _gap(self, line: int) -> _Gap:
        return self._gaps.setdefault(self.text.start(self.text.above_blanks(line)), _Gap())

    def result(self) -> str:
        """Give the new text.

        Raises:
            CannotEdit: two of the changes are for the same place.
        """
        found, done = [], 0
        for splice in sorted(self._all(), key=lambda splice: (splice.start, splice.end > splice.start, splice.rank)):
            if splice.start < done:
                raise CannotEdit("Two edits change the same place of the file.")
            found += [self.text.text[done : splice.start], splice.text]
            done = splice.end
        return "".join([*found, self.text.text[done:]])

    def _all(self) -> list[_Splice]:
        gaps: dict[int, _Gap] = {}
        for offset, gap in sorted(self._gaps.items()):
            kept = gaps.setdefault(self._outside(offset), _Gap())
            kept.pieces += gap.pieces
            kept.blanks = max(kept.blanks, gap.blanks)
        filled = [self._filled(offset, gap) for offset, gap in gaps.items()]
        return [*self._splices, *(_Splice(*span, "") for span in self._merged()), *filled]

    def _merged(self) -> list[tuple[int, int]]:
        """Give what is taken away, without overlaps."""
        found: list[tuple[int, int]] = []
        for start, end in sorted(self._removed):
            if found and start <= found[-1][1]:
                found[-1] = (found[-1][0], max(end, found[-1][1]))
            else:
                found.append((start, end))
        return found

    def _outside(self, offset: int) -> int:
        for start, end in self._merged():
            if start <= offset < end:
                offset = end
        return offset

    def _filled(self, offset: int, gap: _Gap) -> _Splice:
        line = self.text.line_at(offset)
        there = self.text.blanks_from(line)
        if line + there > self.text.count:  # nothing follows: the file ends here
            return _Splice(offset, offset, gap.text(self.text.newline, 99) if gap.pieces else "")
        return _Splice(offset, offset, gap.text(self.text.newline, there))


def indented(text: str, indent: str, unit: str, newline: str) -> str:
    """Give source text as lines that start with `indent`, in steps of `unit`; the inside of strings is not touched."""
    plain = textwrap.dedent(_NEWLINE.sub("\n", text)).strip("\n") + "\n"
    inside = lines_inside_strings(plain)
    lines = plain.split("\n")[:-1]
    for number, line in enumerate(lines, 1):
        if number not in inside:
            body = line.lstrip(" ")
            steps, rest = divmod(len(line) - len(body), 4)
            lines[number - 1] = indent + unit * steps + " " * rest + body if body.strip() else ""
    return newline.join([*lines, ""])


def lines_inside_strings(text: str) -> set[int]:
    """Give the lines of a source text that start inside a string."""
    found: set[int] = set()
    opened: list[int] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(_NEWLINE.sub("\n", text)).readline):
            if token.type in _CLOSING:
                found.update(range(opened.pop() + 1, token.end[0] + 1))
            elif token.type == tokenize.STRING:
                found.update(range(token.start[0] + 1, token.end[0] + 1))
            elif token.type in _OPENING:
                opened.append(token.start[0])
    except (tokenize.TokenError, SyntaxError):
        pass
    return found

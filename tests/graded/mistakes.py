"""The mistakes of ``tests/mistakes``: programs with one edit that makes them wrong.

They are stored as :mod:`tests.graded.edits` says, with other fields: ``raises`` (yes or no),
``named`` (a regular expression; found in a report in any case of letters, it means that the
report names the mistake) and, where the lines that must change are not those of the edit,
``line``. A base is ``solution`` or a right variant.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from grader.base import course
from grader.base.blanks import make_answer
from tests.graded import edits, variants
from tests.graded.edits import Edit

FOLDER = variants.ROOT / "tests" / "mistakes"

FIELDS = ("raises", "line", "named")


@dataclass(frozen=True)
class Mistake:
    """One program with one mistake. ``base`` is the text of the program that was right."""

    step: str
    edit: Edit
    base: str

    @property
    def name(self) -> str:
        """Step and name: ``s05/nn_linear``."""
        return f"{self.step}/{self.edit.name}"

    @property
    def raises(self) -> bool:
        """Whether the program raises an error; otherwise it computes something wrong."""
        return self.edit.header["raises"] == "yes"

    @property
    def source(self) -> str:
        """The program."""
        return "".join(f"{line}\n" for line in self._applied[0])

    @property
    def lines(self) -> tuple[int, ...]:
        """The numbers of the lines of which one must change."""
        given = self.edit.header.get("line")
        return tuple(map(int, given.split(","))) if given else self._applied[1]

    @property
    def written(self) -> tuple[int, ...]:
        """The numbers of the lines that the right program did not have."""
        right = set(edits.lines_of(self.base))
        lines, changed = self._applied
        return tuple(number for number in changed if lines[number - 1] not in right)

    @cached_property
    def _applied(self) -> tuple[list[str], tuple[int, ...]]:
        return self.edit.applied(self.base)

    def names(self, text: str) -> bool:
        """Whether ``text`` names the mistake."""
        return re.search(self.edit.header["named"], text, re.IGNORECASE) is not None

    def beside(self, line: int | None) -> bool:
        """Whether ``line`` must change, is of the same statement, or is next to such a line."""
        if line is None:
            return False
        whole = {number for first in self.lines for number in _statement(self.source, first)}
        return any(abs(line - number) <= 1 for number in whole)


def _statement(source: str, line: int) -> range:
    """The lines of the statement at ``line``; of a block its head. ``line`` where none is there."""
    try:
        statements = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.stmt)]
    except SyntaxError:
        return range(line, line + 1)
    for node in statements:
        body: list[ast.stmt] = getattr(node, "body", [])
        end = body[0].lineno if body else (node.end_lineno or node.lineno) + 1
        if node.lineno <= line < end:
            return range(node.lineno, end)
    return range(line, line + 1)


def bases(step: str) -> Mapping[str, str]:
    """The right programs of ``step`` by name, ``solution`` among them."""
    solution = course.find(step).solution.read_text(encoding="utf-8")
    found = {"solution": make_answer(solution)}
    for one in variants.of(step, right=True):
        try:
            found[one.stem] = one.source.decode()
        except UnicodeDecodeError:
            continue  # a right file in another encoding, which no edit can have as its base
    return found


def of(step: str, folder: Path = FOLDER) -> list[Mistake]:
    """The mistakes of ``step``, in the order of their file.

    Raises:
        EditError: one cannot be read, or does not fit its base.
    """
    return [_checked(one) for one in unchecked(step, folder)]


@cache
def named(step: str, name: str) -> Mistake:
    """The mistake of ``step`` with this name."""
    (one,) = [each for each in unchecked(step) if each.edit.name == name]
    return _checked(one)


def unchecked(step: str, folder: Path = FOLDER) -> list[Mistake]:
    """The same, before it is known whether each fits its base.

    Raises:
        EditError: one cannot be read, or has no base.
    """
    right = bases(step)
    found = []
    for edit in edits.read(folder / f"{step}.edits", FIELDS):
        if edit.base not in right:
            raise edit.error(f"there is no right program '{edit.base}' to change")
        found.append(Mistake(step, edit, right[edit.base]))
    return found


def _checked(one: Mistake) -> Mistake:
    """The mistake, once its header holds what it must and its edit fits."""
    header = one.edit.header
    if header.get("raises") not in ("yes", "no"):
        raise one.edit.error("it does not say 'raises: yes' or 'raises: no'")
    if "named" not in header:
        raise one.edit.error("it has no 'named: REGULAR EXPRESSION'")
    try:
        re.compile(header["named"])
    except re.error as error:
        raise one.edit.error(f"'named' is no regular expression: {error}") from error
    if not re.fullmatch(r"\d+(, *\d+)*", header.get("line", "1")):
        raise one.edit.error("'line' is no list of numbers")
    if not one.lines:
        raise one.edit.error("it changes no line")
    return one

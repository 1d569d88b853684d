"""Programs stored as edits of another: the format of ``tests/variants/s05/wrong.edits``.

An entry looks like this::

    === no_scale
    base: plain
    concept: missing-scale
    check: scale
    @@
         scores = query @ key.transpose(-1, -2)
    -    scores = scores / math.sqrt(head_dim)

Each ``@@`` begins one place of the base. The lines below it that begin with a space or a minus
must be in the base exactly once, one below the other; a plus adds a line. Blank lines at the
beginning and at the end of a place do not count.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.base.model import Replaced

HEADER = ("concept", "check", "process")
"""What the comments at the top of a program may say."""


class EditError(ValueError):
    """An entry that cannot be read or applied; the text names file, line and variant."""


@dataclass(frozen=True)
class Place:
    """One ``@@``: its line in the file of edits, and the signed lines below it."""

    line: int
    signed: tuple[str, ...]

    @property
    def before(self) -> list[str]:
        """The lines as they are in the base."""
        return [text[1:] for text in self.signed if text[0] != "+"]

    @property
    def after(self) -> list[str]:
        """The lines as the edit leaves them."""
        return [text[1:] for text in self.signed if text[0] != "-"]

    @property
    def changed(self) -> list[int]:
        """Which of the lines in ``after`` are new, from 1; of mere gaps, the line after each."""
        found: list[int] = []
        number = 0
        for same, run in itertools.groupby(self.signed, lambda text: text[0] == " "):
            added = sum(text[0] != "-" for text in run)
            if not same:
                found += range(number + 1, number + 1 + max(1, added))
            number += added
        return found


@dataclass(frozen=True)
class Edit:
    """One entry: the program ``base`` with a change at each of ``places``."""

    name: str
    base: str
    header: Mapping[str, str]
    """What the comments at the top of the program say, in their order."""
    places: tuple[Place, ...]
    path: Path = Path()
    line: int = 0

    @property
    def size(self) -> int:
        """The lines that its places take."""
        return sum(1 + len(place.signed) for place in self.places)

    @property
    def changed(self) -> int:
        """The lines that it removes and adds."""
        return sum(line[0] != " " for place in self.places for line in place.signed)

    def program(self, base: str) -> str:
        """The program, its header included, made from the text of its base.

        Raises:
            EditError: a place is not in the base exactly once, or overlaps another.
        """
        header = [f"# {key}: {value}" for key, value in self.header.items()]
        return "".join(f"{line}\n" for line in [*header, *self.applied(base)[0]])

    def applied(self, base: str) -> tuple[list[str], tuple[int, ...]]:
        """The lines of the program without a header, and the numbers of those that it changed.

        Where lines were only removed, that is the number of the line after the gap.

        Raises:
            EditError: as :meth:`program` does.
        """
        old = lines_of(base)
        new: list[str] = []
        changed: list[int] = []
        done = 0
        for start, place in sorted(((self._start(p, old), p) for p in self.places), key=_first):
            if start < done:
                raise self.error("this place overlaps another of the same entry", place.line)
            new += old[done:start]
            changed += [len(new) + number for number in place.changed]
            new += place.after
            done = start + len(place.before)
        new += old[done:]
        return new, tuple(sorted({min(number, len(new)) for number in changed}))

    def _start(self, place: Place, old: list[str]) -> int:
        wanted = place.before
        found = occurrences(wanted, old)
        if len(found) == 1:
            return found[0]
        if found:
            what = f"is in '{self.base}' {len(found)} times. Add lines around it"
        else:
            what = f"is not in '{self.base}'"
        raise self.error(f"this {what}:\n" + "\n".join(wanted), place.line)

    def error(self, text: str, line: int = 0) -> EditError:
        """An error that says where this entry, or its ``line``, is."""
        return EditError(f"{self.path}:{line or self.line}: {self.name}: {text}")

    def __str__(self) -> str:
        """The entry as it is in the file."""
        header = [f"{key}: {value}" for key, value in self.header.items()]
        signed = [line.rstrip() for place in self.places for line in ("@@", *place.signed)]
        return "\n".join([f"=== {self.name}", f"base: {self.base}", *header, *signed, ""])


def _first(found: tuple[int, Place]) -> int:
    return found[0]


def made(text: str, changes: Sequence[Replaced]) -> str:
    """The text with changes made as a reader would."""
    lines = text.splitlines()
    for one in reversed(changes):
        place = slice(one.line - 1, one.line - 1 + len(one.old))
        assert tuple(lines[place]) == one.old
        lines[place] = one.new
    return "\n".join(lines) + "\n"


def lines_of(text: str) -> list[str]:
    """The lines of a program, without their ends."""
    return text.removesuffix("\n").split("\n")


def occurrences(wanted: list[str], lines: list[str]) -> list[int]:
    """Where ``wanted`` begins among ``lines``."""
    last = len(lines) - len(wanted)
    return [i for i in range(last + 1) if lines[i : i + len(wanted)] == wanted]


# ---- reading ------------------------------------------------------------------------------


def read(path: Path, known: Sequence[str] = HEADER) -> list[Edit]:
    """The entries of a file, in its order. ``known`` are the fields that one may have.

    Raises:
        EditError: something in it is no entry.
    """
    found: dict[str, Edit] = {}
    for number, lines in _entries(path):
        entry = _entry(path, number, lines, known)
        if entry.name in found:
            raise entry.error(f"the name is taken by line {found[entry.name].line}")
        found[entry.name] = entry
    return list(found.values())


def _entries(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Each entry's first line number, and its lines."""
    lines = lines_of(path.read_text(encoding="utf-8"))
    starts = [i for i, line in enumerate(lines) if line.startswith("===")]
    for i, line in enumerate(lines[: starts[0]] if starts else lines):
        if line.strip() and not line.startswith("#"):
            raise EditError(f"{path}:{i + 1}: expected '=== NAME' before this: {line}")
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        yield start + 1, lines[start:end]


def _entry(path: Path, number: int, lines: list[str], known: Sequence[str]) -> Edit:
    title = re.fullmatch(r"=== (\w+) *", lines[0])
    if not title:
        raise EditError(f"{path}:{number}: expected '=== NAME', found: {lines[0]}")
    here = Edit(title[1], "", {}, (), path, number)
    starts = [i for i, line in enumerate(lines) if line.rstrip() == "@@"]
    if not starts:
        raise here.error("it has no '@@' with a change below")
    fields = _fields(here, lines[1 : starts[0]], known)
    if "base" not in fields:
        raise here.error("it names no base. Add a line like 'base: plain'")
    places = tuple(
        _place(here, start, lines[start + 1 : end])
        for start, end in zip(starts, [*starts[1:], len(lines)], strict=True)
    )
    base = fields.pop("base")
    return Edit(here.name, base, fields, places, path, number)


def _fields(entry: Edit, lines: list[str], known: Sequence[str]) -> dict[str, str]:
    """What the lines between the name and the first ``@@`` say."""
    fields: dict[str, str] = {}
    for i, line in enumerate(lines, entry.line + 1):
        key, _, value = line.partition(": ")
        if line.strip() and (key not in ("base", *known) or key in fields or not value.strip()):
            names = ", ".join(("base", *known))
            raise entry.error(f"expected one of {names}, each once, or '@@': {line}", i)
        if line.strip():
            fields[key] = value.strip()
    return fields


def _place(entry: Edit, start: int, lines: list[str]) -> Place:
    """The place whose ``@@`` is ``start`` lines below the entry's first."""
    number = entry.line + start
    signed = [line if line.strip() else " " for line in lines]
    for i, line in enumerate(signed):
        if line[0] not in " -+":
            raise entry.error(f"expected ' ', '-' or '+' in front of: {line}", number + 1 + i)
    while signed and signed[-1] == " ":
        signed.pop()
    while signed and signed[0] == " ":
        signed.pop(0)
    place = Place(number, tuple(signed))
    if not place.before:
        raise entry.error("nothing below this '@@' says where. Add a line of the base", number)
    if place.before == place.after:
        raise entry.error("nothing below this '@@' is changed", number)
    return place

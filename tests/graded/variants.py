"""The programs of ``tests/variants``: what each is, and what must come of it.

A program is a file (``s05/wrong/own_style.py``) or an edit of a right one, written as
:mod:`tests.graded.edits` says (``s05/wrong.edits``). ``python -m tests.graded.write`` prints it.
"""

from __future__ import annotations

import contextlib
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from grader.base import course
from tests.graded import edits
from tests.graded.edits import Edit

T = TypeVar("T")

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "tests" / "variants"

HEADER = re.compile(rb"^# (concept|check|process): *(.*?) *\r?$", re.MULTILINE)


@dataclass(frozen=True)
class Variant:
    """One program as a learner might write it.

    A wrong one names the ``concepts`` that are wrong: misconceptions joined by `` + ``, or a
    check's id; where two explain every number alike, both are there with `` | `` between. It
    names the ``checks`` of which one should be the first to fail. ``fresh`` ones must not run
    inside the process of the tests.
    """

    name: str
    """Step, side and name: ``s05/wrong/no_scale``."""
    path: Path
    """The file that holds it: the program, or the edits of its side of the step."""
    concepts: tuple[frozenset[str], ...] = ()
    checks: tuple[str, ...] = ()
    fresh: bool = False
    edit: Edit | None = None
    base: Variant | None = None
    """What ``edit`` changes."""

    @property
    def step(self) -> str:
        """The step that it answers: ``s05``."""
        return self.name.split("/")[0]

    @property
    def right(self) -> bool:
        """Whether it is a right answer."""
        return self.name.split("/")[1] == "right"

    @property
    def stem(self) -> str:
        """Its name among those of its step and side: ``no_scale``."""
        return self.name.split("/")[2]

    @property
    def source(self) -> bytes:
        """The program, rebuilt at each call.

        Raises:
            EditError: its edit does not fit its base.
        """
        if self.edit is None or self.base is None:
            return self.path.read_bytes()
        return self.edit.program(self.base.source.decode()).encode()


def steps() -> tuple[str, ...]:
    """The steps of the course, in order."""
    return tuple(step.id for step in course.steps(ROOT))


def step(name: str) -> str:
    """The id of the step called ``name``: ``s05``, ``s5`` or ``5``.

    Raises:
        ValueError: with the names that exist.
    """
    return course.find(name, ROOT).id


def named(name: str) -> str:
    """``s05/wrong/no_scale`` for ``s5/wrong/no_scale``; a name of no step stays as it is."""
    first, slash, rest = name.partition("/")
    try:
        return f"{step(first)}{slash}{rest}"
    except ValueError:
        return name


def of(step: str, *, right: bool | None = None, folder: Path = FOLDER) -> list[Variant]:
    """The variants of ``step``, right ones first, by name.

    Raises:
        EditError: an edit cannot be read, or has no base.
    """
    found = _side(folder / step / "right")
    if right is not True:
        bases = {one.stem: one for one in found}
        found = (found if right is None else []) + _side(folder / step / "wrong", bases)
    return found


def find(name: str, folder: Path = FOLDER) -> Variant:
    """The variant of that name, which is like ``s05/wrong/no_scale``.

    Raises:
        LookupError: there is none.
    """
    for one in of(name.partition("/")[0], folder=folder):
        if one.name == name:
            return one
    raise LookupError(f"there is no variant {name}")


@contextlib.contextmanager
def as_file(one: Variant) -> Iterator[Path]:
    """The program as a file of its own name, for as long as the block takes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{one.stem}.py"
        path.write_bytes(one.source)
        yield path


def sample(items: Sequence[T], count: int) -> list[T]:
    """``count`` of the items, evenly spread; all where there are fewer."""
    count = min(count, len(items))
    return [items[index * len(items) // count] for index in range(count)]


def _side(folder: Path, bases: Mapping[str, Variant] | None = None) -> list[Variant]:
    """The variants of one side of a step: the files of ``folder``, and the edits next to it.

    Without ``bases`` an edit changes one of the files.
    """
    found = {path.stem: _file(path) for path in folder.glob("*.py")}
    bases = dict(found) if bases is None else bases
    path = folder.with_suffix(".edits")
    for edit in edits.read(path) if path.exists() else ():
        if edit.name in found:
            raise edit.error(f"there is a program of that name too: {found[edit.name].path}")
        if edit.base not in bases:
            kind = "right program" if folder.name == "wrong" else "file"
            raise edit.error(f"there is no {kind} '{edit.base}' to change")
        found[edit.name] = _variant(path, edit.name, edit.header, edit, bases[edit.base])
    return [found[name] for name in sorted(found)]


def _file(path: Path) -> Variant:
    with path.open("rb") as file:
        header = {key.decode(): value.decode() for key, value in HEADER.findall(file.read(400))}
    return _variant(path, path.stem, header)


def _variant(
    path: Path,
    stem: str,
    header: Mapping[str, str],
    edit: Edit | None = None,
    base: Variant | None = None,
) -> Variant:
    side = path.with_suffix("") if edit else path.parent
    concepts = header["concept"].split(" | ") if "concept" in header else ()
    return Variant(
        f"{side.parent.name}/{side.name}/{stem}",
        path,
        tuple(frozenset(one.split(" + ")) for one in concepts),
        tuple(filter(None, header.get("check", "").split(", "))),
        header.get("process") == "fresh",
        edit,
        base,
    )

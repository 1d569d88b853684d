"""The files under ``tests/variants``: what each is, and what its header says must come of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from grader.base import course

T = TypeVar("T")

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "tests" / "variants"

HEADER = re.compile(rb"^# (concept|check|process): *(.*?) *\r?$", re.MULTILINE)


@dataclass(frozen=True)
class Variant:
    """One file as a learner might write it.

    A wrong one names the ``concepts`` that are wrong: misconceptions joined by `` + ``, or a
    check's id; where two explain every number alike, both stand there with `` | `` between. It
    names the ``checks`` of which one should be the first to fail. ``fresh`` ones must not run
    inside the process of the tests.
    """

    step: str
    path: Path
    right: bool
    concepts: tuple[frozenset[str], ...] = ()
    checks: tuple[str, ...] = ()
    fresh: bool = False

    @property
    def name(self) -> str:
        """Step, side and file: ``s05/wrong/no_scale``."""
        return f"{self.step}/{self.path.parent.name}/{self.path.stem}"


def steps() -> tuple[str, ...]:
    """The steps of the course that have variants, in order."""
    return tuple(step.id for step in course.steps(ROOT) if (FOLDER / step.id).is_dir())


def of(step: str, *, right: bool | None = None) -> list[Variant]:
    """The variants of ``step``, right ones first, by name."""
    sides = [side for side in (True, False) if right in (None, side)]
    return [
        _read(step, path, side)
        for side in sides
        for path in sorted((FOLDER / step / ("right" if side else "wrong")).glob("*.py"))
    ]


def sample(items: Sequence[T], count: int) -> list[T]:
    """``count`` of the items, evenly spread; all where there are fewer."""
    count = min(count, len(items))
    return [items[index * len(items) // count] for index in range(count)]


def _read(step: str, path: Path, right: bool) -> Variant:
    found = {
        name.decode(): value.decode() for name, value in HEADER.findall(path.read_bytes()[:400])
    }
    return Variant(
        step,
        path,
        right,
        tuple(frozenset(one.split(" + ")) for one in found["concept"].split(" | "))
        if "concept" in found
        else (),
        tuple(filter(None, found.get("check", "").split(", "))),
        found.get("process") == "fresh",
    )

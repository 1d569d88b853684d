"""What a test of the source found, and how such tests are combined."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from grader.source.parser import Source

Path = str | tuple[str, ...]
"""Where a function, a method or a class is; of several places the first that exists."""


@dataclass(frozen=True)
class Finding:
    """What a test of the source found.

    Not ok means not recognised; ``certain`` that it is not there at all: nothing is defined, or
    only None comes out; ``foreign`` that the file has another structure, about which the test
    says nothing. ``span`` has the lines of what was recognised. ``line`` is the 1-based line to
    look at, ``detail`` a short clause on what is there. ``note`` goes with a finding that is
    ok. ``lacks`` has the names that the file should bring in or define and does not, ``brings``
    those of what it imports; ``absent`` is the name at the top of the file under which the place
    to look at is not there. ``there``: what is sought is in the file, but is not as it must be;
    ``hint`` says what to do about that. ``unused``: it is made, and leads nowhere; ``replaced``:
    because its name gets another value first. ``unset`` is the attribute that nothing sets.
    ``places`` has all lines that may be meant, where what is sought may be written more than once.
    """

    ok: bool
    line: int | None = None
    detail: str | None = None
    note: str | None = None
    certain: bool = False
    foreign: bool = False
    span: frozenset[int] = frozenset()
    lacks: frozenset[str] = frozenset()
    absent: str = ""
    there: bool = False
    hint: str = ""
    brings: frozenset[str] = frozenset()
    unused: bool = False
    replaced: bool = False
    unset: str = ""
    places: frozenset[int] = frozenset()


SourceTest = Callable[[Source], Finding]


def absent(path: Path, *, certain: bool = False) -> Finding:
    """What a test says of a place that is not there."""
    first = path if isinstance(path, str) else path[0]
    return Finding(False, certain=certain, absent=first.partition(".")[0])


def every(*tests: SourceTest) -> SourceTest:
    """Every test holds; the first that does not provides the finding, else the last."""

    def test(source: Source) -> Finding:
        found = [one(source) for one in tests]
        failed = next((one for one in found if not one.ok), None)
        if failed is not None:
            lacks = _union(one.lacks for one in found)
            some = any(one.ok and one.line is not None for one in found)  # not only unneeded
            told = f"Missing: {', '.join(sorted(lacks))}" if lacks and some else None
            return replace(failed, lacks=lacks, detail=failed.detail or told)
        span, brings = (
            frozenset[int]().union(*(one.span for one in found)),
            _union(one.brings for one in found),
        )
        note = " ".join(one.note for one in found if one.note) or None
        lines = frozenset(one.line for one in found if one.line is not None)
        places = lines.union(*(one.places for one in found))
        return replace(found[-1], note=note, span=span, brings=brings, places=places)

    return test


def _union(sets: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset[str]().union(*sets)


def either(*tests: SourceTest) -> SourceTest:
    """One of the tests holds; if none does, the first provides the finding."""

    def test(source: Source) -> Finding:
        found = [one(source) for one in tests]
        return next((one for one in found if one.ok), found[0])

    return test

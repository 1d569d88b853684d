"""The table of ``python -m tests.grade_the_grader --mistakes``: what is told of each mistake."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tests.graded.told import Told

COLUMNS = "{:<6} {:>6} {:>8} {:>13} {:>15} {:>13} {:>8} {:>14}"

TITLES = (
    "step",
    "count",
    "raising",
    "named first",
    "named anywhere",
    "line right",
    "no line",
    "contradictory",
)

GOAL = 0.95
"""Of all mistakes: named in what is shown first, and the first line is the one to change."""


def title() -> str:
    """The heading of the table."""
    return COLUMNS.format(*TITLES)


def row(name: str, told: Sequence[Told]) -> str:
    """One row: of a step, or of all."""
    return COLUMNS.format(
        name,
        len(told),
        sum(one.raises for one in told),
        _share(told, (one.named_first for one in told)),
        _share(told, (one.named for one in told)),
        _share(told, (one.placed for one in told)),
        sum(one.line is None for one in told),
        sum(bool(one.contradictions) for one in told),
    )


def _share(told: Sequence[Told], held: Iterable[bool]) -> str:
    count = sum(held)
    return f"{count} ({count / max(1, len(told)):.0%})"


def details(told: Iterable[Told]) -> list[str]:
    """A line for each mistake that is not named first, or not placed, or contradicted."""
    lines = []
    for one in told:
        faults = [
            *(() if one.named_first else ("named later" if one.named else "unnamed",)),
            *(() if one.placed else (f"line {one.line}" if one.line else "no line",)),
        ]
        if faults:
            lines.append(f"{', '.join(faults):<22} {one}")
        lines += [f"{'contradiction':<22} {one.name}: {text}" for text in one.contradictions]
    return lines


def reached(told: Sequence[Told]) -> bool:
    """Whether 95 % are named first, 95 % are placed, and no report contradicts itself."""
    enough = GOAL * len(told)
    return (
        sum(one.named_first for one in told) >= enough
        and sum(one.placed for one in told) >= enough
        and not any(one.contradictions or one.lie for one in told)
    )

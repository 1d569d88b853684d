"""The figures of an exhibit: as it should be, or as a program really computes it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
import numpy.typing as npt

from grader.base.model import Grid
from grader.frameworks import Framework
from grader.protocol.probe import Outcome, SeenArray, SeenTensor
from grader.report.figures.failure import compared
from grader.report.figures.heatmap import Figure, Heatmap, Scale, number
from grader.rubric import Evidence
from grader.rubric.exhibit import Exhibit, View
from grader.rubric.rules import ENDINGS

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Shown:
    """What was drawn: the figures, whether all is right, and further remarks."""

    figures: tuple[Figure, ...]
    right: bool
    remarks: tuple[str, ...] = ()


def reference(exhibit: Exhibit, views: tuple[View, ...]) -> Shown:
    """The exhibit according to the course's formulas."""
    expected = exhibit.trial.expect() if exhibit.trial.expect is not None else {}
    drawn = [(view, _heatmap(view, view.pick(expected[view.path]))) for view in views]
    return Shown(tuple(_grouped(exhibit, drawn)), right=True)


@np.errstate(all="ignore")  # a mistake may give any numbers
def mistaken(exhibit: Exhibit, view: View, knobs: Mapping[str, Any]) -> Figure:
    """One view next to the same with a mistake, which ``knobs`` describe to the formulas."""
    expect = exhibit.trial.expect
    if expect is None:
        raise ValueError(f"{exhibit.title} has no formula")
    want, have = (view.pick(found[view.path]) for found in (expect(), expect(**knobs)))
    return compared(view.title, _grid(want), _grid(have), view.rows, view.columns)


@np.errstate(all="ignore")
def observed(
    exhibit: Exhibit, views: tuple[View, ...], outcome: Outcome, framework: Framework
) -> Shown:
    """The exhibit as a program really computes it; where wrong, next to what it should be."""
    evidence = Evidence({exhibit.trial.probe.name: exhibit.trial}, outcome, framework)
    right: list[tuple[View, Heatmap]] = []
    wrong: list[Figure] = []
    remarks = tuple(dict.fromkeys(_problems(evidence, exhibit, views)))
    for view in views:
        pair = _pair(evidence, exhibit, view)
        if pair is None:
            continue
        want, have = pair
        if _same(want, have):
            right.append((view, _heatmap(view, have)))
        else:
            wrong.append(compared(view.title, _grid(want), _grid(have), view.rows, view.columns))
    figures = (*wrong, *_grouped(exhibit, right))
    return Shown(figures, not wrong and not remarks, remarks)


def _pair(evidence: Evidence, exhibit: Exhibit, view: View) -> tuple[Numbers, Numbers] | None:
    """What was expected and what was seen; None if nothing of that shape was seen."""
    name = exhibit.trial.probe.name
    want, seen = evidence.expected(name)[view.path], evidence.seen(name, view.path)
    if not isinstance(seen, SeenTensor | SeenArray) or seen.array.shape != want.shape:
        return None
    if seen.array.dtype.kind not in "fiub":
        return None
    return view.pick(want), view.pick(seen.array.astype(np.float64))


def _same(want: Numbers, have: Numbers) -> bool:
    """For the eye: float32 arithmetic against float64, and values near 1."""
    return bool(np.isclose(have, want, rtol=1e-3, atol=2e-4, equal_nan=True).all())


def _problems(evidence: Evidence, exhibit: Exhibit, views: tuple[View, ...]) -> Iterator[str]:
    """Why there is nothing to draw, in a sentence or two."""
    outcome, name = evidence.outcome, exhibit.trial.probe.name
    error = outcome.load_error or evidence.error(name)
    if error is not None:
        told = evidence.framework.translate(error)
        where = f"Line {error.line}: " if error.line is not None else ""
        yield f"{where}{told.message}{f'. {told.hint}' if told.hint else ''}"
    elif outcome.ended != "done":
        yield f"Your code {ENDINGS.get(outcome.ended, 'stopped without an answer')}."
    else:
        for view in views:
            want, seen = evidence.expected(name)[view.path], evidence.seen(name, view.path)
            if not isinstance(seen, SeenTensor | SeenArray):
                yield "Your code returned no tensor where one was expected. Is a return missing?"
            elif seen.array.shape != want.shape:
                yield f"Your code returned shape {seen.array.shape}, expected {want.shape}."


def _grouped(exhibit: Exhibit, drawn: list[tuple[View, Heatmap]]) -> Iterator[Figure]:
    """One figure for each layer; the first has the exhibit's words."""
    about = exhibit.about
    for layer, group in groupby(drawn, key=lambda one: one[0].layer):
        named = exhibit.title if layer is None else f"{exhibit.title}, layer {layer}"
        yield Figure(named, about, tuple(heatmap for _, heatmap in group))
        about = ""


def _heatmap(view: View, values: Numbers) -> Heatmap:
    scale = Scale.MASK if view.mask else Scale.WEIGHT
    return Heatmap(
        view.title,
        _grid(values),
        view.rows,
        view.columns,
        scale,
        note="" if view.mask else _note(view, values),
    )


def _note(view: View, values: Numbers) -> str:
    """The column with the largest value of each row."""
    rounded = np.round(values, 9)
    said = (
        f"{row} {view.columns[int(np.argmax(line))]} {number(float(line.max()), Scale.WEIGHT)}"
        for row, line in zip(view.rows, rounded, strict=True)
        if not np.isnan(line).any()
    )
    return f"largest in each row: {'; '.join(said)}."


def _grid(array: Numbers) -> Grid:
    return tuple(tuple(float(value) for value in row) for row in np.round(array, 9).tolist())

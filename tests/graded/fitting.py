"""How often each edit is what went wrong: counted over the mistakes, for ``grader.explain.repair``.

``python -m tests.graded.fitting s01 s02 … > weights.json`` prints the weights of
``grader/explain/repair``, at a second for each mistake. Each mistake of ``tests/mistakes`` has one
right program. Of all the edits that the search makes, one gives that program back; the weights
maximize its likelihood under a softmax over the edits of a program, with a small penalty on their
squares. ``--share 2`` takes every second mistake.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from grader import sandbox
from grader.base import course
from grader.base.blanks import make_answer
from grader.explain.repair import ranking, suggest
from grader.explain.repair.candidates import setting, towards, usual, valued
from grader.explain.repair.edits import Edit, Text
from grader.explain.repair.ranking import Feature
from grader.pipeline import Follow, Options, grade
from tests.graded import explained, generated, mistakes, verdicts
from tests.graded.mistakes import Mistake

PENALTY, TURNS, RATE = 0.001, 300, 0.1
SCALE = 10
"""Weights are printed as whole numbers of this part."""
FAR = 16
"""An edit whose length is further than this from the right program's, in bytes, is another."""
NEAR = 8
"""Lines from a mistake."""
LINES = ("place", "raised", "use", "mark", "slice", "function")
"""Features of a line."""
GROUPS = (*LINES, "failed", "reference", "size", "nearer", "runs", "raises")


Collected = tuple[list[Feature], list[tuple[npt.NDArray[np.int32], int]]]
"""Features, and for each program the numbers of those of each edit, and which edit is right.

The number -1 stands for none.
"""
MOST_FEATURES = 10


class Chosen(NamedTuple):
    """The features of every edit of a program, and which edit gives the right one."""

    features: list[list[Feature]]
    right: int


def chosen(one: Mistake, case: suggest.Case) -> Chosen | None:
    """What a mistake says about its edits; None if none of them gives the right program."""
    search = suggest.Search(case)
    solution = make_answer(case.judge.step.solution.read_text(encoding="utf-8"))
    clues, words, alike, raised = setting(case.job.source, solution, case.report, search.evidence)
    mine = clues.mine
    edits = [
        *towards(list(alike.edits())),
        *usual(clues, words, raised=raised),
        *valued(case.followed, alike.names()),
    ]
    edits = list({edit.changes: edit for edit in reversed(edits)}.values())
    nearer = sum(edit.kind in ranking.NEARER for edit in edits)
    near = [(n, edit) for n, edit in enumerate(edits) if _is_near(edit, one.lines)]
    base = _flat(one.base), _tree(one.base)
    size = len(one.base.encode())
    at = next((n for n, edit in near if _gives(mine, edit, size, *base)), None)
    if at is None:
        return None
    features = [
        [*ranking.of_edit(edit, nearer, raised=raised), clues.lies(edit), *clues.about(edit.line)]
        for edit in edits
    ]
    return Chosen(features, at)


def _is_near(edit: Edit, lines: Sequence[int]) -> bool:
    """Whether an edit is made where a mistake is: to read the others takes most of the time."""
    return any(abs(edit.line - line) <= NEAR for line in lines)


def _gives(mine: Text, edit: Edit, size: int, flat: str, tree: str) -> bool:
    """Whether an edit of a program gives another of that size, in whatever layout."""
    more = sum(len(one.text.encode()) - (one.end - one.start) for one in edit.changes)
    if abs(len(mine.data) + more - size) > FAR:
        return False
    try:
        source = mine.applied(edit)
    except ValueError:
        return False
    return _flat(source) == flat and _tree(source) == tree


def _flat(text: str) -> str:
    return re.sub(r"#.*|[\s()]", "", text)


def _tree(text: str) -> str:
    try:
        return ast.dump(ast.parse(text))
    except SyntaxError:
        return ""


def collected(step: str, share: int, count: int, seed: int) -> Collected:
    """What the mistakes of a step say, and as many made by machine as ``count`` says."""
    verdicts.start_pool()
    number: dict[Feature, int] = {}
    programs = []
    with tempfile.TemporaryDirectory() as folder, sandbox.preforked() as start, _cases() as cases:
        right = explained.Grading(step, seed, Path(folder), start).passes
        new = islice(generated.drawn(step, seed, count, right), count)
        for one in (*mistakes.of(step)[::share], *new):
            path = Path(folder) / f"step_{step.removeprefix('s')}.py"
            path.write_text(one.source, encoding="utf-8")
            cases.clear()
            grade(course.find(step), path, Options(seed=1, follow=Follow.FAILING), start)
            readable = cases and cases[0].report.problem is None
            found = chosen(one, cases[0]) if readable else None
            print(one.name, found is not None, file=sys.stderr, flush=True)
            if found is not None:
                rows = [
                    [number.setdefault(f, len(number)) for f in edit] for edit in found.features
                ]
                filled = [[*row, *[-1] * (MOST_FEATURES - len(row))] for row in rows]
                programs.append((np.array(filled, dtype=np.int32), found.right))
    return list(number), programs


@contextmanager
def _cases() -> Iterator[list[suggest.Case]]:
    """Every case that would be searched."""
    found: list[suggest.Case] = []
    before: Callable[[suggest.Case], object] = suggest.suggest
    suggest.suggest = found.append  # type: ignore[assignment]
    try:
        yield found
    finally:
        suggest.suggest = before  # type: ignore[assignment]


def fitted(found: Sequence[Collected]) -> dict[Feature, float]:
    """The weight of each feature."""
    known = sorted({feature for features, _ in found for feature in features})
    place = {feature: n for n, feature in enumerate(known)}
    parts: list[npt.NDArray[np.int32]] = []
    sizes: list[int] = []
    right: list[int] = []
    for features, programs in found:
        numbers = [*(place[feature] for feature in features), len(known)]
        for edits, at in programs:
            right.append(sum(sizes) + at)
            sizes.append(len(edits))
            parts.append(np.array(numbers, dtype=np.int32)[edits])
    ends = np.cumsum(sizes)
    program = np.repeat(np.arange(len(sizes)), sizes)
    rows = np.concatenate(parts)
    weights = _ascended(len(known), rows, ends - sizes, np.array(right), program)
    return {feature: float(weights[n]) for feature, n in place.items()}


def _ascended(
    known: int,
    rows: npt.NDArray[np.int32],
    starts: npt.NDArray[np.int64],
    right: npt.NDArray[np.int64],
    program: npt.NDArray[np.int64],
) -> npt.NDArray[np.float64]:
    """The weights of the greatest likelihood, by Adam. The last is for no feature: 0."""
    count = known + 1
    weights, mean, square = np.zeros(count), np.zeros(count), np.zeros(count)
    for turn in range(1, TURNS + 1):
        scores = weights[rows].sum(axis=1)
        powers = np.exp(scores - np.maximum.reduceat(scores, starts)[program])
        wrong = powers / np.add.reduceat(powers, starts)[program]
        wrong[right] -= 1
        counts = [np.bincount(column, wrong, count) for column in rows.T]
        slope = np.sum(counts, axis=0) / len(starts)
        slope += PENALTY * weights
        slope[known] = 0
        mean = 0.9 * mean + 0.1 * slope
        square = 0.99 * square + 0.01 * slope**2
        step = mean / (1 - 0.9**turn) / (np.sqrt(square / (1 - 0.99**turn)) + 1e-8)
        weights -= RATE * step
    return weights


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("steps", nargs="+")
    parser.add_argument("--share", type=int, default=1)
    parser.add_argument("--made", type=int, default=0, help="so many of each step by machine")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    given = parser.parse_args()
    with ProcessPoolExecutor(given.jobs) as pool:
        asked = ([one] * len(given.steps) for one in (given.share, given.made, given.seed))
        found = list(pool.map(collected, given.steps, *asked))
    weights = fitted(found)
    table: dict[str, dict[str, int]] = {group: {} for group in GROUPS}
    for (group, value), weight in sorted(weights.items(), key=lambda one: (-one[1], one[0])):
        if round(SCALE * weight):
            table[group][value] = round(SCALE * weight)
    print(json.dumps(table, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""The corpus of mistakes, and what is measured on it.

A sample is graded here, all of it by ``python -m tests.grade_the_grader --mistakes``, which also
runs every program apart from the grader to prove that it is what its entry says.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from tests.graded import direct, mistakes, mistakes_table, told, variants, verdicts
from tests.graded.edits import EditError
from tests.graded.mistakes import Mistake
from tests.graded.told import Told
from tests.marks import sampled

SEED = 20240501

EACH = 2
"""How many mistakes of each step are graded here."""

NAMED_FIRST, PLACED = 0.85, 0.85
"""Shares of the sample: what the grader reaches today, less what another sample may differ by.

The goal of all mistakes is ``mistakes_table.GOAL``; raise these as the reports get better.
"""

CONTRADICTED = 0.05
"""The share of reports that may contradict themselves. The goal is none."""

SAMPLE = [
    one for step in variants.steps() for one in variants.sample(mistakes.unchecked(step), EACH)
]


@pytest.fixture(scope="module")
def pool() -> Iterator[ProcessPoolExecutor]:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, context, verdicts.start_pool) as executor:
        yield executor


PROVEN = 3
"""Every third mistake is proven to be one."""


class Reports:
    """Grades each mistake once, when it is asked for."""

    def __init__(self, pool: ProcessPoolExecutor) -> None:
        self._pool = pool
        self._found: dict[str, Told] = {}

    def of(self, one: Mistake) -> Told:
        if one.name not in self._found:
            prove = SAMPLE.index(one) % PROVEN == 0
            task = self._pool.submit(told.mistake, one, SEED, prove=prove)
            self._found[one.name] = task.result()
        return self._found[one.name]


@pytest.fixture(scope="module")
def reports(pool: ProcessPoolExecutor) -> Reports:
    return Reports(pool)


@pytest.fixture(scope="module")
def graded(reports: Reports) -> list[Told]:
    return [reports.of(one) for one in SAMPLE]


each_mistake = pytest.mark.parametrize("one", sampled(16, SAMPLE), ids=lambda one: one.name)


# ---- the corpus ---------------------------------------------------------------------------


@pytest.mark.parametrize("step", variants.steps())
def test_a_step_has_thirty_mistakes_in_different_styles(step: str) -> None:
    found = mistakes.of(step)
    assert len(found) >= 30
    assert 2 * sum(one.raises for one in found) >= len(found)
    assert sum(one.edit.base != "solution" for one in found) >= 10


BASES = sorted(mistakes.FOLDER.glob("s*/*.py"))


@pytest.mark.any_python
@pytest.mark.sampled(len(BASES), 2)
@pytest.mark.parametrize("path", BASES, ids=lambda path: path.stem)
def test_a_program_beside_the_edits_is_right(path: Path, pool: ProcessPoolExecutor) -> None:
    truth = pool.submit(direct.truth, path.parent.name, path.read_bytes()).result()
    assert truth.right, truth.why


def test_every_program_beside_the_edits_is_a_base() -> None:
    assert BASES
    for step in variants.steps():
        used = {one.edit.base for one in mistakes.of(step)}
        assert {path.stem for path in BASES if path.parent.name == step} <= used


@each_mistake
def test_a_mistake_is_what_it_says(one: Mistake, reports: Reports) -> None:
    assert reports.of(one).lie == ""


@pytest.mark.whole
@pytest.mark.any_python  # every mistake of the sample is graded for it
def test_few_reports_contradict_themselves(graded: list[Told]) -> None:
    found = [f"{one.name}: {text}" for one in graded for text in one.contradictions]
    wrong = sum(bool(one.contradictions) for one in graded)
    assert wrong <= CONTRADICTED * len(graded), found


def test_a_wrong_label_is_noticed(pool: ProcessPoolExecutor) -> None:
    one = next(one for one in mistakes.of("s03") if not one.raises)
    header = {**one.edit.header, "raises": "yes"}
    edit = type(one.edit)(one.edit.name, one.edit.base, header, one.edit.places)
    lie = pool.submit(told.mislabelled, Mistake(one.step, edit, one.base)).result()
    assert lie.startswith("raises is yes, but: ")


# ---- what is reported on them --------------------------------------------------------------


@each_mistake
def test_no_mistake_passes_or_crashes_the_grader(one: Mistake, reports: Reports) -> None:
    found = reports.of(one)
    assert not any("passes" in text or "crashed" in text for text in found.contradictions), found


@pytest.mark.whole
@pytest.mark.any_python  # every mistake of the sample is graded for it
def test_mistakes_are_named_and_placed(graded: list[Told]) -> None:
    details = "\n".join(mistakes_table.details(graded))
    assert sum(one.named_first for one in graded) >= NAMED_FIRST * len(graded), details
    assert sum(one.placed for one in graded) >= PLACED * len(graded), details


# ---- lines --------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def entry(folder: Path, change: str, header: str = "") -> Mistake:
    """The one mistake of a folder, which changes the solution of step 03."""
    text = f"=== one\nbase: solution\nraises: no\nnamed: x\n{header}{change}"
    (folder / "s03.edits").write_text(text, encoding="utf-8")
    (one,) = mistakes.of("s03", folder)
    return one


def test_the_line_of_a_change_is_that_of_the_new_line(folder: Path) -> None:
    one = entry(folder, "@@\n-    return output, weights\n+    a = 1\n+    return output\n")
    lines = one.source.split("\n")
    assert [lines[number - 1] for number in one.lines] == ["    a = 1", "    return output"]


def test_the_line_of_a_gap_is_the_one_after_it(folder: Path) -> None:
    one = entry(folder, "@@\n-import math\n \n from max.experimental import functional as F\n")
    lines = one.source.split("\n")
    after = lines[one.lines[0] - 1 :]
    assert after[:2] == ["", "from max.experimental import functional as F"]


def test_the_line_can_be_given(folder: Path) -> None:
    one = entry(folder, "@@\n-import math\n", "line: 57, 61\n")
    assert one.lines == (57, 61)
    assert [number for number in range(55, 65) if one.beside(number)] == [56, 57, 58, 60, 61, 62]
    assert not one.beside(None)


def test_any_line_of_the_statement_is_its_place(folder: Path) -> None:
    change = "@@\n-    return output, weights\n+    return (\n+        output,\n+    )\n"
    one = entry(folder, change)
    first = one.lines[0]
    given = entry(folder, change, f"line: {first + 2}\n")
    assert given.beside(first)


@pytest.mark.parametrize("header", ["line: none\n", "check: scale\n", "raises: no\n"])
def test_a_wrong_header_is_refused(folder: Path, header: str) -> None:
    with pytest.raises(EditError):
        entry(folder, "@@\n-import math\n", header)

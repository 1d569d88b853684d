"""The grader on files as learners write them: the verdict, and the mistake that it names.

Of each step an even sample is graded, inside one process that imports MAX once, and of that
sample a part in the ordinary tests. All of them, and all mutants, are graded by
``pixi run grade-the-grader``.
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor

import pytest

from grader.base import course
from grader.base.model import Kind, Status, Verdict
from grader.report.points import Points
from grader.rubric import load
from grader.sandbox import WorkerPool
from tests import grade_the_grader
from tests.graded import direct, rewrites, variants, verdicts
from tests.graded.variants import Variant
from tests.graded.verdicts import Graded
from tests.marks import sampled, todays
from tests.mutate import mutants

RIGHT, WRONG, MUTANTS, REWRITES = 6, 12, 3, 1
"""How many files of each step the sample holds."""

SEED = 20240501

RULE_CONCEPTS = {"state-kept", "tensor-on-self", "layer-too-many", "bias-too-many"}
"""Mistakes that are not formulas: a rule of the grader names them."""

SIDES = [
    variants.sample([v for v in variants.of(step, right=right) if not v.fresh], count)
    for step in variants.steps()
    for right, count in ((True, RIGHT), (False, WRONG))
]

GRADED = [one for side in SIDES for one in side]

TODAY = todays(2 * (RIGHT + WRONG) - 1, GRADED)
"""What the ordinary tests grade: about one file of every other step."""

PIPED = TODAY[::3]
"""Some files, right and wrong in turn, go through the real pipeline too."""


class Grades:
    """Grades each variant once, when it is asked for."""

    def __init__(self, judging: ProcessPoolExecutor) -> None:
        self._pool = judging
        self._found: dict[str, Graded] = {}

    def of(self, one: Variant) -> Graded:
        if one.name not in self._found:
            self._found[one.name] = self._pool.submit(verdicts.variant, one, SEED).result()
        return self._found[one.name]


@pytest.fixture(scope="module")
def grades(judging: ProcessPoolExecutor) -> Grades:
    return Grades(judging)


EACH_PYTHON = 6
"""Every sixth file is graded with each Python that .ci/run tries; the numbers are NumPy's."""


def marks(at: int, one: Variant) -> list[pytest.MarkDecorator]:
    """Where the file at this place of the sample is graded."""
    whole = [] if one in TODAY else [pytest.mark.whole]
    return [*whole, *([pytest.mark.any_python] if at % EACH_PYTHON else [])]


each_graded = pytest.mark.parametrize(
    "one", [pytest.param(one, id=one.name, marks=marks(at, one)) for at, one in enumerate(GRADED)]
)


@each_graded
def test_verdict(one: Variant, grades: Grades) -> None:
    found = grades.of(one)
    assert found.agrees, found
    if one.right:
        assert found.failed == ()


@pytest.mark.whole
@pytest.mark.any_python  # every file of the sample is graded for it
def test_the_mistake_is_named(grades: Grades) -> None:
    wrong = [grades.of(one) for one in GRADED if not one.right]
    unnamed = [str(one) for one in wrong if not one.named]
    assert len(unnamed) <= (1 - grade_the_grader.NAMED) * len(wrong), "\n".join(unnamed)


@pytest.mark.any_python  # points follow from a report
@pytest.mark.parametrize("step", variants.steps())
def test_right_is_worth_more_than_wrong_than_an_error(step: str, grades: Grades) -> None:
    for one in [one for one in TODAY if one.step == step]:
        report = grades.of(one).report
        assert report is not None
        worth = Points().score(report)
        ran = [check.status for check in report.checks if check.kind is Kind.RUNTIME]
        compared = report.excerpt is not None or report.diagnosis or Status.PASS in ran
        stopped = report.problem is not None or any(check.stopped for check in report.checks)
        if report.verdict is Verdict.PASS:
            assert worth == 100
        elif stopped or not compared or report.verdict is Verdict.TIMEOUT:
            assert 0 <= worth <= 34
        else:
            assert 35 <= worth <= 65, report


@pytest.mark.parametrize("one", PIPED, ids=lambda one: one.name)
def test_the_real_pipeline_says_the_same(one: Variant, grades: Grades, workers: WorkerPool) -> None:
    inside, real = grades.of(one), verdicts.piped(one, SEED, workers.start)
    assert (real.passed, real.failed, real.diagnosis) == (
        inside.passed,
        inside.failed,
        inside.diagnosis,
    )


def test_hostile_files_never_pass(workers: WorkerPool) -> None:
    hostile = [v for step in variants.steps() for v in variants.of(step) if v.fresh]
    quick = variants.sample([v for v in hostile if "endless" not in v.name], 3)
    assert quick
    for one in quick:
        found = verdicts.piped(one, SEED, workers.start)
        assert not found.crash, found
        assert not found.passed, found


@pytest.mark.any_python
@pytest.mark.parametrize("step", sampled(3, ["s02", "s05", "s07"]))
def test_mutants_are_judged_as_they_behave(step: str, judging: ProcessPoolExecutor) -> None:
    source = course.find(step).solution.read_text(encoding="utf-8")
    some = variants.sample(list(mutants(source)), MUTANTS)
    found = [judging.submit(verdicts.mutant, step, one, SEED) for one in some]
    wrong = [str(future.result()) for future in found if not future.result().agrees]
    assert not wrong, "\n".join(wrong)


@pytest.mark.any_python
@pytest.mark.parametrize("step", sampled(6, variants.steps()))
def test_the_solution_is_right_and_the_stub_is_not(step: str, judging: ProcessPoolExecutor) -> None:
    """By formulas that neither the rubric nor the oracle knows."""
    judging.submit(rewrites.solution, step).result()  # which asserts it
    stub = course.find(step).stub.read_bytes()
    assert not judging.submit(direct.truth, step, stub).result().right


@pytest.mark.any_python
@pytest.mark.parametrize("step", sampled(20, variants.steps()[2:]))
def test_a_solution_written_otherwise_passes(step: str, judging: ProcessPoolExecutor) -> None:
    some = judging.submit(rewrites.pairs, step, SEED, REWRITES).result()
    found = [judging.submit(verdicts.mutant, step, one, SEED).result() for one in some]
    assert [str(one) for one in found if not (one.right and one.passed)] == []


@pytest.mark.slow
@pytest.mark.parametrize("more", [[], ["--pairs", "--sample", "40"]], ids=["alone", "pairs"])
def test_solutions_written_otherwise_pass(more: list[str]) -> None:
    assert grade_the_grader.main(["--rewrites", *more]) == 0


@pytest.mark.parametrize("step", variants.steps())
def test_every_wrong_variant_names_things_that_exist(step: str) -> None:
    rubric = load.rubric(course.find(step))
    checks = {check.id for check in rubric.checks} | {"file"}
    concepts = checks | {one.id for one in rubric.misconceptions} | RULE_CONCEPTS
    for one in variants.of(step, right=False):
        assert set(one.checks) <= checks, one.name
        assert one.checks, one.name
        assert one.concepts, one.name
        assert all(concept <= concepts for concept in one.concepts), one.name


@pytest.mark.parametrize("step", variants.steps())
def test_every_edit_fits_its_base(step: str) -> None:
    assert all(one.source for one in variants.of(step))


def test_no_file_among_the_variants_is_overlooked() -> None:
    used = {one.path for step in variants.steps() for one in variants.of(step)}
    there = {path for path in variants.FOLDER.rglob("*") if path.is_file()}
    assert there - used == {variants.FOLDER / ".gitattributes"}


@pytest.mark.slow
def test_every_variant_and_every_mutant() -> None:
    assert grade_the_grader.main([]) == 0

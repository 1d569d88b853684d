"""Repairs: what is found, what it is tried on, and when it shows.

Of all mistakes, ``python -m tests.grade_the_grader --mistakes`` counts those that have one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from grader import sandbox
from grader.base import course
from grader.base.blanks import make_answer
from grader.base.model import LEVELS, Replaced, Report, Tried, Verdict
from grader.classroom.reports import grade_one
from grader.explain.meter import Meter
from grader.explain.repair import suggest, trial
from grader.learner import hints
from grader.pipeline import Follow, Options, grade
from grader.protocol.probe import Outcome
from grader.report import code_frame
from grader.report.style import FILE, Style
from grader.rubric import load
from tests import worker_jobs
from tests.explain import recorded
from tests.graded import mistakes
from tests.graded.edits import made
from tests.own_course import Course, begin_again, copy_course

Start = Callable[..., sandbox.Worker]

HELPED = [
    # towards the reference
    "s05/scale_times_two",
    "s05/nn_linear",
    "s01/dim_embedding_name",
    "s01/width_and_positions_swapped",
    "s11/ln_f_result_thrown",
    "s12/max_for_min",
    # what the values say, in a file with other names and helpers
    "s05/racine_de_trop",
    "s08/carre_non_calcule",
    # what usually goes wrong
    "s05/chunk_en_deux",
    "s08/helper_gets_no_eps",
    "s02/crochets_oublies",
    # no Python
    "s05/colon_lost",
]


@pytest.fixture(scope="module")
def start() -> Iterator[Start]:
    with sandbox.preforked() as function:
        yield function


def _mistake(name: str) -> mistakes.Mistake:
    step, _, short = name.partition("/")
    return mistakes.named(step, short)


def _graded(step: str, text: str, folder: Path, start: Start, **options: Any) -> Report:
    path = folder / f"step_{step.removeprefix('s')}.py"
    path.write_text(text, encoding="utf-8")
    return grade(course.find(step), path, Options(**options), start)


def _explained(step: str, text: str, folder: Path, start: Start) -> Report:
    return _graded(step, text, folder, start, seed=5, follow=Follow.FAILING)


def _change(found: Report) -> Tried:
    assert found.explanation is not None
    assert found.explanation.change is not None
    return found.explanation.change


# ---- what is found -----------------------------------------------------------------------------


@pytest.mark.usefixtures("unhurried")
@pytest.mark.parametrize("name", HELPED)
def test_the_change_that_is_shown_passes_when_it_is_made(
    name: str, tmp_path: Path, start: Start
) -> None:
    one = _mistake(name)
    found = _explained(one.step, one.source, tmp_path, start)
    assert found.verdict is not Verdict.PASS
    assert _change(found).passes
    again = _graded(one.step, made(one.source, _change(found).changes), tmp_path, start, seed=6)
    assert again.verdict is Verdict.PASS


@pytest.mark.usefixtures("unhurried")
def test_what_passes_no_more_than_a_check_says_so(tmp_path: Path, start: Start) -> None:
    one = _mistake("s05/scale_times_two").source
    others = ("self.c_proj(attn_output)", "attn_output"), ("attn_weights + mask", "attn_weights")
    three = recorded.edited(one, *others)
    before = _explained("s05", three, tmp_path, start)
    change = _change(before)
    assert not change.passes
    after = _graded("s05", made(three, change.changes), tmp_path, start, seed=5)
    failed = {one.id for one in before.checks if one.status == "fail"}
    still = {one.id for one in after.checks if one.status == "fail"}
    assert change.check in failed - still
    assert {one.id for one in before.checks if one.status == "pass"}.isdisjoint(still)


def _counting(start: Start) -> tuple[list[dict[str, Any]], Start]:
    """What workers are started with from now on, and what starts them."""
    started: list[dict[str, Any]] = []

    def counting(**settings: Any) -> sandbox.Worker:
        started.append(settings)
        return start(**settings)

    return started, counting


def test_nothing_is_tried_on_a_pass(tmp_path: Path, start: Start) -> None:
    started, counting = _counting(start)
    right = make_answer(course.find("s05").solution.read_text("utf-8"))
    found = _explained("s05", right, tmp_path, counting)
    assert found.verdict is Verdict.PASS
    assert found.explanation is None
    assert len(started) == 1


def test_one_worker_grades_and_explains_and_another_grades_what_passes(
    tmp_path: Path, start: Start
) -> None:
    started, counting = _counting(start)
    one = _mistake("s02/crochets_oublies")
    assert _change(_explained("s02", one.source, tmp_path, counting)).passes
    assert len(started) > 1


def test_an_explanation_changes_no_check_but_where_it_points(tmp_path: Path, start: Start) -> None:
    one = _mistake("s05/scale_times_two")
    without = _graded("s05", one.source, tmp_path, start, seed=5)
    with_it = _explained("s05", one.source, tmp_path, start)
    assert [c.status for c in with_it.checks] == [c.status for c in without.checks]
    assert with_it.verdict is without.verdict


@pytest.mark.sampled(4)
def test_a_program_that_does_not_end_gets_a_report(tmp_path: Path, start: Start) -> None:
    text = _mistake("s02/crochets_oublies").base + "\nwhile True:\n    pass\n"
    short = partial(start, limits=worker_jobs.QUICK)
    found = _explained("s02", text, tmp_path, short)
    assert found.verdict is Verdict.TIMEOUT


def test_without_time_for_every_trial_it_says_how_many_are_right(
    tmp_path: Path, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases: list[suggest.Case] = []
    found = suggest.suggest
    monkeypatch.setattr(suggest, "suggest", cases.append)
    one = _mistake("s10/key_turned_twice")
    _explained("s10", one.source, tmp_path, start)
    (case,) = cases
    every = len(case.job.probes)
    search = suggest.Search(replace(case, meter=Meter(start)))
    monkeypatch.setattr(suggest, "BUDGET_S", 0.3)
    ran = search.outcome(one.base).observations
    assert 0 < len(ran) < every
    failing = trial.wrong(case.judge.evidence(case.outcome))
    assert next(iter(ran)) in failing
    monkeypatch.setattr(suggest, "BUDGET_S", 20.0)
    monkeypatch.setattr(suggest.Search, "outcome", _half)
    change = found(replace(case, meter=Meter(start)))
    assert change is not None
    assert not change.passes
    assert change.right == (every // 2 + 1, every)
    said = next(iter(code_frame.changed(change, case.report, FILE)))
    assert f"this is right in the first {every // 2 + 1} of {every} trials (tried)" in said


@pytest.mark.whole
def test_a_check_is_settled_by_the_trials_that_it_is_about(
    tmp_path: Path, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases: list[suggest.Case] = []
    monkeypatch.setattr(suggest, "suggest", cases.append)
    one = _mistake("s11/intersection_of_names")
    _explained("s11", one.source, tmp_path, start)
    (case,) = cases
    rubric, before = case.judge.rubric, case.judge.evidence(case.outcome)
    about = trial.without_oracle(before)
    with start(engine="numpy") as running:
        right = running.finish(replace(case.job, source=one.base))
    for outcome, settled in (right, True), (case.outcome, False):
        seen = {name: outcome.observations[name] for name in about}
        after = case.judge.evidence(replace(outcome, observations=seen))
        assert trial.settled(rubric, before, after) is settled
    assert not trial.settled(rubric, before, case.judge.evidence(replace(right, observations={})))


WHOLE = suggest.Search.outcome


def _half(search: suggest.Search, source: str, *, whole: bool = False) -> Outcome:
    """What a program did in a little more than the first half of the trials."""
    outcome = WHOLE(search, source, whole=whole)
    kept = list(outcome.observations.items())[: len(outcome.observations) // 2 + 1]
    return replace(outcome, observations=dict(kept))


# ---- when it shows -----------------------------------------------------------------------------

SHOWN = "(tried):"
"""The end of the line above a change."""


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Course:
    return copy_course(tmp_path_factory.mktemp("own"))


@pytest.fixture
def own(copied: Course) -> Course:
    found = begin_again(copied)
    found.spoil("math.sqrt(int(value", "math.sqrt(2 * int(value")
    return found


@pytest.mark.whole
@pytest.mark.any_python  # when a hint shows
def test_it_is_the_last_hint(own: Course) -> None:
    count = len(next(c for c in load.rubric(course.find("s05")).checks if c.id == "scale").hints)
    said = [own.run("hint", "s05").stdout for _ in range(LEVELS + 1)]
    shown = [SHOWN in one for one in said]
    assert shown == [False] * (count - 1) + [True] * (len(said) - count + 1)
    assert "+ attn_weights = attn_weights / math.sqrt(int(value" in said[-1]
    assert "We tried a change on your file: " in said[count - 2]
    assert SHOWN in own.run("grade", "s05").stdout


@pytest.mark.whole
@pytest.mark.any_python
def test_after_many_attempts_the_report_has_it(own: Course) -> None:
    for turn in range(2):
        assert SHOWN not in own.run("grade", "s05").stdout
        own.spoil("math.sqrt(int(value", f"math.sqrt({turn + 3} * int(value")
        if turn == 0:  # that it counts every attempt is in test_learner
            known = json.loads(own.progress.read_text("utf-8"))
            known["steps"]["s05"]["checks"]["scale"]["tries"] = hints.NEXT_LEVEL[-1] - 2
            own.progress.write_text(json.dumps(known), "utf-8")
    assert SHOWN in own.run("grade", "s05").stdout


def test_a_class_gets_none(tmp_path: Path) -> None:
    (tmp_path / "step_01.py").write_text(_mistake("s01/dim_embedding_name").source, "utf-8")
    found = grade_one(tmp_path, course.find("s01"))
    assert found.verdict is Verdict.FAIL
    assert found.explanation is not None
    assert found.explanation.change is None


def test_a_file_that_is_no_python_shows_it_at_once(own: Course) -> None:
    own.spoil('-> None:\n        """Create both', '-> None\n        """Create both')
    assert SHOWN in own.run("grade", "s05").stdout


CHANGES = (Replaced(3, ("    y = x\t+ 1",), ("    y = x",)), Replaced(7, (), ("z",)))


def test_it_is_a_diff_of_the_learners_lines(tmp_path: Path, start: Start) -> None:
    report = _graded("s01", _mistake("s01/dim_embedding_name").source, tmp_path, start, seed=5)
    change = Tried(False, "scale", CHANGES)
    assert list(code_frame.changed(change, report, FILE)) == [
        "This gets you past this check (tried):",
        "   On line 3:",
        "   -     y = x   + 1",
        "   +     y = x",
        "   Before line 7:",
        "   + z",
    ]
    words = list(code_frame.changed(change, report, Style(words=True)))
    assert words[2:4] == ["   Your line:     y = x   + 1", "   Instead:     y = x"]

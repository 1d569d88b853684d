"""The progress file: counted rightly, never lost by halves, never in the way."""

from __future__ import annotations

import json
import multiprocessing
from dataclasses import replace
from pathlib import Path

import pytest

from grader.base.model import CheckResult, Kind, Report, Status, Verdict
from grader.learner import hints, progress
from grader.learner.progress import FILE, UNTOUCHED, StepProgress, Tried


def report(*failing: str, line: str = "x = None") -> Report:
    """A report on three checks."""
    checks = tuple(
        CheckResult(
            name,
            Kind.SOURCE,
            Status.FAIL if name in failing else Status.PASS,
            name,
            line=1,
            text=line,
        )
        for name in ("a", "b", "c")
    )
    verdict = Verdict.FAIL if failing else Verdict.PASS
    return Report("s05", "Title", "steps/step_05.py", verdict, checks, digest="same")


def attempts(*rounds: Report) -> StepProgress:
    """What is known after these reports, each on a file of its own."""
    known = UNTOUCHED
    for number, one in enumerate(rounds):
        known = progress.attempted(known, replace(one, digest=str(number)))
    return known


def tries(known: StepProgress) -> dict[str, int]:
    return {name: tried.tries for name, tried in known.checks.items()}


def test_an_attempt_counts_for_the_first_failing_check_and_for_those_that_changed() -> None:
    assert tries(attempts(report("a", "c"), report("a", "c"))) == {"a": 2, "c": 0}
    assert tries(attempts(report("a", "c"), report("a", "c", line="x = 1"))) == {"a": 2, "c": 1}


def test_grading_the_same_file_again_is_no_attempt() -> None:
    once = progress.attempted(UNTOUCHED, report("a"))
    assert progress.attempted(once, report("a")) == once


def test_what_the_same_file_gives_now_counts() -> None:
    """With --mine the earlier steps decide too, and a check may have been fixed."""
    once = progress.attempted(UNTOUCHED, report("a"))
    known = progress.attempted(once, report())
    assert (known.passes, known.score, known.attempts) == (True, 3, 1)
    assert progress.attempted(known, report("b")).attempts == 1


@pytest.mark.parametrize(
    "other",
    [
        replace(report("a"), verdict=Verdict.ERROR),
        replace(report("a"), problem=CheckResult("file", Kind.SOURCE, Status.FAIL, "no Python")),
    ],
    ids=["error of the grader", "syntax error"],
)
def test_what_is_not_the_learners_trial_is_no_attempt(other: Report) -> None:
    assert progress.attempted(UNTOUCHED, other) == UNTOUCHED


def test_what_passed_once_and_fails_now_does_not_pass() -> None:
    known = attempts(report("a"), report(), report("b"))
    assert known.passed
    assert not known.passes
    assert (known.attempts, known.score, known.best, known.of) == (3, 2, 3, 3)
    assert progress.restarted(known).passed == known.passed
    assert progress.restarted(known).checks == {}


def test_hints_grow_with_attempts_and_when_asked_for() -> None:
    levels = [hints.level(Tried(tries=count)) for count in range(7)]
    assert levels == sorted(levels)
    assert (levels[0], levels[-1]) == (1, 3)
    assert hints.level(Tried(tries=0, asked=3)) == 3


def test_what_was_written_is_read_again(tmp_path: Path) -> None:
    known = attempts(report("a"), report())
    written, note = progress.update(tmp_path, "s05", lambda _: known)
    assert (written, note) == (known, None)
    assert progress.read(tmp_path) == ({"s05": known}, None)
    assert json.loads((tmp_path / FILE).read_text(encoding="utf-8"))["schema"] == "progress/v1"


DAMAGED = {
    "empty": "",
    "cut": '{"schema": "progress/v1", "st',
    "other type": "[]",
    "no steps": '{"schema": "progress/v1"}',
    "foreign": '{"schema": "something else", "steps": {}}',
    "unknown field": '{"schema": "progress/v1", "steps": {"s05": {"checks": {}, "x": 1}}}',
    "wrong field": '{"schema": "progress/v1", "steps": {"s05": {"checks": {}, "score": "x"}}}',
    "wrong check": '{"schema": "progress/v1", "steps": {"s05": {"checks": {"a": {"tries": []}}}}}',
    "deep": "[" * 100_000,
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_file_is_set_aside(name: str, tmp_path: Path) -> None:
    path = tmp_path / FILE
    path.parent.mkdir()
    path.write_text(DAMAGED[name], encoding="utf-8")
    known, note = progress.read(tmp_path)
    assert known == {}
    assert note is not None
    known_now, note = progress.update(tmp_path, "s05", lambda _: attempts(report("a")))
    assert note is not None
    aside = next(path.parent.glob("progress-damaged-*.json"))
    assert aside.name in note
    assert aside.read_text(encoding="utf-8") == DAMAGED[name]
    assert progress.read(tmp_path) == ({"s05": known_now}, None)


def test_a_file_of_a_newer_course_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / FILE
    path.parent.mkdir()
    text = '{"schema": "progress/v2", "anything": 1}'
    path.write_text(text, encoding="utf-8")
    known, note = progress.update(tmp_path, "s05", lambda _: attempts(report("a")))
    assert known.attempts == 1
    assert note is not None
    assert "newer" in note
    assert path.read_text(encoding="utf-8") == text


def test_where_nothing_can_be_written_there_is_a_note(tmp_path: Path) -> None:
    (tmp_path / ".grader").write_text("a file is where the folder should be")
    known, note = progress.update(tmp_path, "s05", lambda _: attempts(report("a")))
    assert known.attempts == 1
    assert note is not None
    assert "not kept" in note


def test_what_a_killed_process_left_goes(tmp_path: Path) -> None:
    left = tmp_path / ".grader" / ".progress.json.abcdefgh"
    left.parent.mkdir()
    left.write_text('{"schema": "progress/v1", "st')
    progress.update(tmp_path, "s05", lambda _: attempts(report("a")))
    assert not left.exists()
    assert progress.read(tmp_path)[0]["s05"].attempts == 1


def _count(root: Path, step: str, times: int) -> None:
    for _ in range(times):
        progress.update(root, step, lambda old: replace(old, attempts=old.attempts + 1))


def test_two_processes_at_once_lose_nothing(tmp_path: Path) -> None:
    fork = multiprocessing.get_context("spawn")
    others = [
        fork.Process(target=_count, args=(tmp_path, step, 20)) for step in ("s01", "s05", "s05")
    ]
    for other in others:
        other.start()
    for other in others:
        other.join(60)
    known, note = progress.read(tmp_path)
    assert note is None
    assert {step: one.attempts for step, one in known.items()} == {"s01": 20, "s05": 40}
    left = {path.name for path in (tmp_path / ".grader").iterdir()}
    assert left == {"progress.json", "progress.lock"}

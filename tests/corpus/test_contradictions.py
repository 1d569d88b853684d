"""What counts as a contradiction in a report, and what it tells at all."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grader.base.model import CheckResult, Diagnosis, Explanation, Kind, Report, Status, Verdict
from grader.source import Finding, fulfils
from tests.graded import contradictions, told


def check(
    id: str = "scale",
    message: str = "the scale is wrong",
    status: Status = Status.FAIL,
    kind: Kind = Kind.SOURCE,
    hints: tuple[str, ...] = (),
    line: int | None = None,
    text: str | None = None,
    note: str | None = None,
) -> CheckResult:
    return CheckResult(id, kind, status, message, hints, line, text, note)


def a_report(*checks: CheckResult, verdict: Verdict = Verdict.FAIL) -> Report:
    happened = (Diagnosis("no-scale", "There is no scale."),)
    return Report("s03", "Title", "step_03.py", verdict, checks, happened)


NUMBERS = check("numbers", "the numbers are wrong", kind=Kind.RUNTIME)


def found(*checks: CheckResult, source: str = "", at: int = 5) -> list[str]:
    findings = {"scale": Finding(True, line=at)}
    return contradictions.found(a_report(*checks), source, (5,), findings)


def test_a_report_may_be_without_contradiction() -> None:
    assert found(check(hints=("Divide by math.sqrt(d)",), line=5, text="s = q @ k"), NUMBERS) == []


def test_a_wrong_program_must_not_pass() -> None:
    report = a_report(verdict=Verdict.PASS)
    assert contradictions.found(report, "", (5,), {}) == ["a wrong program passes"]


def test_numbers_are_right_only_where_all_trials_pass() -> None:
    praise = check(status=Status.PASS, note="Another way. The numbers are right, so it counts.")
    waits = check(status=Status.NOT_RUN, note="Once the numbers are right, it counts.")
    right = check("numbers", status=Status.PASS, kind=Kind.RUNTIME)
    assert found(praise, NUMBERS, at=9) == ["scale: says that the numbers are right"]
    assert found(praise, right, at=9) == []
    assert found(waits, NUMBERS, at=9) == []


@pytest.mark.parametrize(
    ("line", "hint", "fulfilled"),
    [
        ("return x.transpose(-3, -2)", "Use x.transpose(-3, -2) to move the heads", True),
        ("return x.transpose(-3, -2)", "Use x.transpose(-1, -2) to move the heads", False),
        ("s = s / math.sqrt(d)  # [seq]", "Divide by math.sqrt(d)", True),
        ("if mask is not None:", "Use mask is not None", True),
        ("n = x.shape[-2]", "n = x.shape[-2]", True),
        ("n = self.n", "Is self.n set in __init__?", False),
        ("F.softmax(", "Use F.softmax(scores)", False),
        ("rows = rows.append(row)", "Write rows.append(row) alone", False),
        ("rows.append(row)", "Write rows.append(row) alone", True),
    ],
)
def test_a_hint_may_not_ask_for_what_the_line_does(line: str, hint: str, fulfilled: bool) -> None:
    assert fulfils(line, hint) == fulfilled


def test_a_tick_at_the_wrong_line_needs_a_cross_there() -> None:
    praise = check(status=Status.PASS)
    assert found(praise, NUMBERS) == ["scale: ✅ at line 5, which is the one to change"]
    assert found(praise, NUMBERS, at=6) == []
    assert found(praise, check("other", line=5)) == []


def test_a_helper_that_is_wrong_on_its_own_needs_a_cross() -> None:
    parts = {"attn": ("scale",)}
    praise, waits = check(status=Status.PASS), check(status=Status.NOT_RUN)
    told = [
        contradictions.found(a_report(one, NUMBERS), "", (5,), {}, parts)
        for one in (praise, waits, check())
    ]
    assert told == [["scale: ✅, and attn is wrong on its own"], [], []]


def test_a_tick_at_the_line_that_is_told_needs_a_cross_there() -> None:
    told = Explanation("the scores are not scaled", 7)
    report = replace(a_report(check(status=Status.PASS), NUMBERS), explanation=told, diagnosis=())
    findings = {"scale": Finding(True, line=7)}
    said = "scale: ✅ at line 7, which is the one to change"
    assert contradictions.found(report, "", (9,), findings) == [said]
    assert contradictions.found(report, "", (9,), {"scale": Finding(True, line=6)}) == []
    there = replace(report, checks=(*report.checks, check("other", line=7)))
    assert contradictions.found(there, "", (9,), findings) == []
    after = replace(report, explanation=replace(told, after=True))
    assert contradictions.found(after, "", (9,), findings) == []


def test_a_hint_may_not_ask_for_what_the_function_does() -> None:
    source = "def f(s, d):\n    s = s / d\n    return s + s"
    said = check(hints=("Use s / d",), line=3, text="return s + s")
    assert found(said, NUMBERS, source=source) == ["scale: the function does what the hint says"]
    assert found(check(hints=("Use s / s",), line=3), NUMBERS, source=source) == []


@pytest.mark.parametrize(
    ("told", "source"),
    [
        ("causal_mask is not defined in this file", "def causal_mask(): pass"),
        ("GPT2Attention class is missing", "class GPT2Attention: pass"),
        ("self.cos is not set", "self.cos = 1"),
        ("F is not imported", "from max.experimental import functional as F"),
        ("self._attn is not called", "self._attn(q)"),
        ("Linear and Module are not imported from max", "from max import Module"),
    ],
)
def test_what_is_said_to_be_absent_may_not_be_there(told: str, source: str) -> None:
    assert found(check(message=told, line=5), NUMBERS, source=source)
    assert not found(check(message=told, line=5), NUMBERS, source="x = 1")


def test_what_is_there_may_not_be_missed() -> None:
    said = check(message="causal_mask function is not called", line=5)
    assert found(said, source="m = causal_mask(4)") == [
        "scale: says that causal_mask is not called"
    ]
    assert found(said, source="m = causal_mask") == []
    half = check(message="self.split is not called for all three", line=5)
    assert found(half, source="self.split(q)") == []


@pytest.mark.parametrize(
    "text", ["Failed to create op 'MatmulOp'", "<class 'int'> is not", 'File "x.py", line 3']
)
def test_raw_text_is_found(text: str) -> None:
    assert found(check(note=text, line=5)) == [f"scale: raw text: {text}"]


@pytest.mark.parametrize(
    ("text", "is_cut"),
    [
        ("the shapes differ", False),
        ("0, 1, 2, …", False),
        ("the shapes [2, 3] and (4,) diff…", True),
        ("the shapes [2, 3", True),
        ("Failed to create it: (in forward)", True),
        ("'(' was never closed", False),
    ],
)
def test_cut_texts_are_found(text: str, is_cut: bool) -> None:
    assert contradictions.cut(text) == is_cut


def test_quoted_code_and_fixed_sentences_name_nothing() -> None:
    said = check("runs", "the scale fails: divide by √d", kind=Kind.RUNTIME, line=7, text="a = b")
    report, fixed = a_report(said), {"runs": "the scale fails:"}
    assert told.shown_first(report, fixed) == "❌ divide by √d\n   Line 7"

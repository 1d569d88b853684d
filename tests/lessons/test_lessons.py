"""Lessons: what they print is true, and what points into them finds its place."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest

from grader.base import course
from grader.base.course import ROOT
from grader.base.model import Step
from grader.rubric import load
from tests import ran
from tests.marks import todays
from tools.sync import blocks

STEPS = course.steps()
SESSION = ROOT / "tests/lessons/lesson_session.py"
PYTORCH = ROOT / "steps/coming_from_pytorch.md"
PAGES = [
    *(ROOT / "steps" / f"{name}.md" for name in ("what_it_costs", "what_heads_learn", "mistakes")),
    PYTORCH,
]
REFERENCE = re.compile(r'[Ss]tep[ _](\d\d)(?:\.md)?`?,\s+"([^"]+)"')
REFERENCE_BACK = re.compile(r'"([A-Z][^"]+)" (?:of|in)\s+step (\d\d)')
"""A section of another step: step 03, "Scaling"; "Scaling" of step 03."""
each_step = pytest.mark.parametrize("step", STEPS, ids=lambda step: step.id)


def headings(step: Step) -> set[str]:
    """The section headings of a lesson."""
    text = step.lesson.read_text(encoding="utf-8")
    return set(re.findall(r"^## (.+)$", text, re.MULTILINE))


def shown(step: Step, outcome: str) -> list[str]:
    """The lines of one report in a lesson."""
    start, end = blocks.report_markers(outcome)
    text = step.lesson.read_text(encoding="utf-8")
    return text.split(start)[1].split(end)[0].splitlines()


def test_every_python_block_prints_what_the_lesson_says(tmp_path: Path) -> None:
    """In the Python that a learner types them into, and in a folder outside the course."""
    lessons = todays(3, [str(path) for path in (*(step.lesson for step in STEPS), *PAGES)])
    more = {"INIT_CWD": str(tmp_path), "MAX_EAGER_ALLOW_LAZY_COMPILE": "0"}
    told = ran.said("-m", "tools.python", SESSION, *lessons, **more)
    attempted = told.split("attempted ")[-1].split()
    assert len(attempted) == len(lessons)
    assert "0" not in attempted


@pytest.mark.native
def test_max_alone_says_what_the_page_on_pytorch_says(tmp_path: Path) -> None:
    """Its messages and results, without the engine of the course."""
    more = {"PYTHONPATH": str(ROOT), "MAX_EAGER_EXECUTOR": "interpreter"}
    ran.said(SESSION, PYTORCH, cwd=tmp_path, timeout_s=600, **more)


@each_step
def test_a_lesson_has_the_title_of_its_step(step: Step) -> None:
    first = step.lesson.read_text(encoding="utf-8").splitlines()[0]
    assert first == f"# Step {step.number}: {step.title}"


@pytest.mark.parametrize(("step", "after"), list(pairwise(STEPS)), ids=lambda step: step.id)
def test_a_lesson_leads_to_the_next_step(step: Step, after: Step) -> None:
    closing = step.lesson.read_text(encoding="utf-8").split("\n## Next\n")[1]
    assert f"Step {after.number}" in closing


@each_step
def test_every_block_of_a_lesson_says_what_it_is(step: Step) -> None:
    fences = re.findall(r"^```(.*)$", step.lesson.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(fences) % 2 == 0
    assert set(fences[::2]) <= {"pycon", "python", "text"}
    assert set(fences[1::2]) == {""}


@each_step
def test_a_lesson_has_room_for_its_reports(step: Step) -> None:
    text = step.lesson.read_text(encoding="utf-8")
    for outcome in ("failed", "passed"):
        assert "body" in blocks.replace_block(text, blocks.report_markers(outcome), "body")


@each_step
def test_misconceptions_point_to_sections_that_exist(step: Step) -> None:
    rubric = load.rubric(step)
    named = {rubric.lesson(one) for one in rubric.misconceptions}
    assert named <= headings(step)


@each_step
def test_the_report_in_a_lesson_has_the_checks_of_the_step(step: Step) -> None:
    """Without grading anything: another test compares every line."""
    failed, passed = shown(step, "failed"), shown(step, "passed")
    checks = load.rubric(step).checks
    assert [line[2:] for line in passed if line.startswith("✅ ")] == [c.passed for c in checks]
    listed = failed[: failed.index("=" * 60)]
    waiting = sum(int(line.split()[1]) for line in listed if line.startswith("➖ "))
    assert sum(line.startswith(("✅ ", "❌ ")) for line in listed) + waiting == len(checks)
    wrong = sum(line.startswith("❌ ") for line in listed)
    assert 0 < wrong <= sum(line.startswith("   Hint: ") for line in failed)


@pytest.mark.any_python
@pytest.mark.parametrize("reports", [False, pytest.param(True, marks=pytest.mark.whole)])
def test_all_that_is_generated_is_up_to_date(reports: bool) -> None:
    """Stubs, their digests, tasks, figures, and every report in a lesson."""
    from tools.sync.generate import State, plan

    planned = plan(ROOT, reports=reports)
    stale = [one.path.name for one in planned if one.state is State.STALE]
    assert not stale, "Run: pixi run sync"
    paths = {one.path for one in planned}
    assert {step.stub for step in STEPS} < paths
    drawn = {path for path in paths if path.suffix == ".svg"}
    assert drawn == set((ROOT / "steps" / "figures").iterdir())


@pytest.mark.whole
def test_what_gpt2_writes_when_a_part_is_wrong_is_what_the_lesson_says() -> None:
    step = todays(len(STEPS), [one.number for one in STEPS])[0]
    code = (
        "import sys; from gpt2.text_generation import prepare_max; prepare_max(); "
        "from tools.without import block; print(block(sys.argv[1]))"
    )
    assert ran.said("-c", code, step) in course.find(step).lesson.read_text(encoding="utf-8")


def test_references_to_sections_find_them() -> None:
    known = {step.number: headings(step) for step in STEPS}
    found = 0
    for folder in ("steps", "solutions", "checks"):
        for path in sorted((ROOT / folder).rglob("*.*")):
            if path.suffix not in {".md", ".py"}:
                continue
            text = path.read_text(encoding="utf-8")
            back = [(number, heading) for heading, number in REFERENCE_BACK.findall(text)]
            for number, heading in REFERENCE.findall(text) + back:
                found += 1
                assert heading in known[number], f"{path.name}: {heading}"
    assert found

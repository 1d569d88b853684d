"""What a report says in which order, and that it says a mistake once."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.base import course
from grader.base.blanks import make_answer, regions
from grader.base.model import Report, Status, Step
from grader.learner.watch.screen import report_text
from grader.pipeline import Follow, Options, grade
from grader.report import as_gradescope, as_json, as_junit, as_text
from grader.report.style import Style, paint
from grader.rubric import load
from grader.sandbox import WorkerPool
from tests.marks import sampled

pytestmark = [pytest.mark.any_python, pytest.mark.usefixtures("unhurried")]  # texts of ours
STEPS = course.steps()
STEP = course.find("s05")
MISTAKES = {
    "no scale": ("/ math.sqrt(int(value.shape[-1]))", ""),
    "class of another name": ("class GPT2Attention(", "class GPT2Attn("),
    "F is not imported": ("from max.experimental import functional as F\n", ""),
    "an error in a helper": ("tensor.shape[:-1] + [num_heads, attn_head_size]", "tensor.size()"),
    "F by another name": ("import functional as F", "import functional"),
    "an import misspelled": ("import Linear, Module", "import Linar, Module"),
    "a result thrown away": ("attn_weights = attn_weights / math", "attn_weights / math"),
    "another operator": ("attn_weights / math", "attn_weights * math"),
    "an underscore too few": ("def __call__(", "def _call_("),
    "letters swapped": ("def __init__(", "def __int__("),
    "no base": ("class GPT2Attention(Module):", "class GPT2Attention:"),
    "no Python": ("return self.c_proj(", "return self.c_proj(("),
}

PLACEHOLDERS = "All placeholder 'None' values have been replaced"

Graded = Callable[[str], Report]


@pytest.fixture(scope="module")
def graded(workers: WorkerPool, tmp_path_factory: pytest.TempPathFactory) -> Graded:
    """The report on the solution of step 05 with the mistake of a name."""
    known: dict[str, Report] = {}

    def report(name: str) -> Report:
        if name not in known:
            old, new = MISTAKES[name]
            source = make_answer(STEP.solution.read_text(encoding="utf-8"))
            assert old in source
            path = tmp_path_factory.mktemp("mistake") / STEP.stub.name
            path.write_text(source.replace(old, new), encoding="utf-8")
            options = Options(seed=1, follow=Follow.FAILING)
            known[name] = grade(STEP, path, options, workers.start)
        return known[name]

    return report


def sentences(text: str, *marks: str) -> list[str]:
    """The lines of the list with these marks, without them."""
    listed = text.partition("=====")[0].splitlines()
    return [line[2:] for line in listed if line.startswith(marks)]


@pytest.mark.parametrize("name", MISTAKES)
@pytest.mark.parametrize("width", [80, 40])
def test_the_last_screen_says_what_to_fix_first(name: str, width: int, graded: Graded) -> None:
    report = graded(name)
    first = report.first_to_fix
    assert first is not None
    how = Style(width=width)
    screen = paint(as_text.render(report, how), how).splitlines()[-24:]
    said = " ".join(" ".join(screen).split())
    found = report.explanation
    assert found is not None
    assert f"Fix this first: {found.cause}" in said
    assert found.line is None or f"line {found.line}" in said or f":{found.line}" in said
    assert (found.change is not None and found.change.holds) or first.hints[0] in said


@pytest.mark.parametrize("step", sampled(8, STEPS), ids=lambda step: step.id)
def test_the_list_keeps_its_order_and_counts_what_waits(step: Step, workers: WorkerPool) -> None:
    report = grade(step, step.stub, Options(seed=1), workers.start)
    text = as_text.render(report)
    shown = [check for check in report.checks if check.status is not Status.NOT_RUN]
    assert sentences(text, "✅", "❌") == [check.message for check in shown]
    waiting = [int(line.split()[0]) for line in sentences(text, "➖")]
    assert sum(waiting) + len(shown) == len(report.checks)
    whole = as_text.render(report, verbose=True)
    assert sentences(whole, "✅", "❌", "➖") == [check.message for check in report.checks]
    known = [check.id for check in load.rubric(step).checks]
    assert [check.id for check in report.checks] == known
    found = json.loads(as_json.render(report))
    assert [check["id"] for check in found["checks"]] == known
    assert all(check["waits_for"] for check in found["checks"] if check["status"] == "not_run")


@pytest.mark.parametrize(
    ("name", "told", "waiting"),
    [
        ("class of another name", "GPT2Attention class is missing", 27),
        ("F is not imported", "functional module is not imported from max.experimental", 5),
    ],
)
def test_a_mistake_that_others_follow_is_told_once(
    name: str, told: str, waiting: int, graded: Graded
) -> None:
    report = graded(name)
    text = as_text.render(report)
    assert sentences(text, "❌") == [told]
    root = next(c.passed for c in load.rubric(STEP).checks if c.failed == told)
    assert sentences(text, "➖") == [f"{waiting} more wait for: {root}"]
    assert as_junit.render(report).count("<failure") == 1


def test_what_is_there_is_not_said_to_be_missing(graded: Graded) -> None:
    said = {name: graded(name).first_to_fix for name in ("F by another name", "no base")}
    assert [one.message.partition(". ")[2] for one in said.values() if one] == [
        "Nothing in the file is called F",
        "It does not derive from Module",
    ]
    lost = graded("a result thrown away").first_to_fix
    assert lost is not None
    assert lost.message == "_attn: attention weights are scaled, but to no effect"
    assert lost.note == "The result of this line is thrown away."
    assert lost.text is not None
    assert lost.text.startswith("attn_weights / math")


def test_an_import_of_a_wrong_name_is_told_where_it_failed(graded: Graded) -> None:
    text = as_text.render(graded("an import misspelled"))
    assert len(sentences(text, "❌")) == 1
    assert "+ from max.experimental.nn import Linear, Module" in text


def test_a_class_of_another_name_is_found(graded: Graded) -> None:
    assert "There is a class GPT2Attn" in as_text.render(graded("class of another name"))


@pytest.mark.parametrize("name", ["an underscore too few", "letters swapped"])
def test_a_method_that_python_does_not_call_is_named(name: str, graded: Graded) -> None:
    right = MISTAKES[name][0].removeprefix("def ").rstrip("(")
    text = as_text.render(graded(name))
    assert f"Write {right}, with two underscores" in text or f"+ def {right}(" in text


def test_what_the_change_settles_has_no_hint_of_its_own(graded: Graded) -> None:
    text = as_text.render(graded("another operator")).partition("=====")[0]
    assert text.count("settles this.") == len(sentences(text, "❌")) > 1
    assert "Hint:" not in text


@pytest.mark.parametrize("name", MISTAKES)
def test_brief_leaves_out_what_passed_and_nothing_else(name: str, graded: Graded) -> None:
    report = graded(name)
    whole, brief = as_text.render(report), as_text.render(report, brief=True)
    assert sentences(brief, "❌") == sentences(whole, "❌")
    assert whole.partition("=====")[2] == brief.partition("=====")[2]
    counted = [f"{report.score} of {report.max_score} checks pass"] if report.score else []
    assert sentences(brief, "✅") == counted


@pytest.mark.parametrize("name", MISTAKES)
def test_every_format_names_the_same_first(name: str, graded: Graded) -> None:
    report = graded(name)
    first, known = report.first_to_fix, report.explanation
    assert first is not None
    assert known is not None
    found = json.loads(as_json.render(report))
    assert found["first_to_fix"] == first.id
    assert found["explanation"]["cause"] == known.cause
    said = f"Fix this first: {known.cause}"
    assert said in json.loads(as_gradescope.render(report))["output"]
    assert report_text(report, Style(width=80), {}, 10).startswith(said)


@pytest.mark.parametrize("step", [one for one in STEPS if one.id != "s05"], ids=lambda one: one.id)
def test_a_first_hint_is_not_the_answer(step: Step) -> None:
    """Only step 05, the guided one, gives lines of its solution at once; a class needs its name."""
    for check in load.rubric(step).checks:
        lines = [re.sub(r"\s*#.*", "", line).strip() for line in check.answer.splitlines()]
        code = [line for line in lines if re.search(r"[(\[@]", line)]
        code += [line.partition(" = ")[2] or line.removeprefix("return ") for line in code]
        said = [line for line in code if len(line) > 8 and line in check.nudge]
        assert all(line.startswith("class ") for line in said), f"{check.id}: {check.nudge}"


def begun(solution: str, last: str) -> tuple[str, range]:
    """The file with all blanks filled up to the one called ``last``, and the lines of the next."""
    lines, written, end, filled = solution.splitlines(), list[str](), 0, True
    following = range(0)
    for region in regions(solution):
        written += lines[end : region.start - 1]
        if not filled and not following:
            following = range(len(written) + 1, len(written) + len(region.stub) + 1)
        written += region.solution if filled else region.stub
        end = region.end
        filled = filled and region.name != last
    return "\n".join([*written, *lines[end:], ""]), following


@pytest.mark.parametrize(
    ("id", "last"), [("s04", "padding"), ("s05", "seq-len"), ("s06", "tables"), ("s08", "mean")]
)
def test_a_function_that_is_begun_comes_before_a_later_one(
    id: str, last: str, workers: WorkerPool, tmp_path: Path
) -> None:
    step = course.find(id)
    text, following = begun(step.solution.read_text(encoding="utf-8"), last)
    path = tmp_path / step.stub.name
    path.write_text(text, encoding="utf-8")
    report = grade(step, path, Options(seed=1, follow=Follow.FAILING), workers.start)
    assert report.first_to_fix is not None
    assert report.first_to_fix.line in following
    assert any(check.waits_for == PLACEHOLDERS for check in report.checks)


@pytest.mark.parametrize("last", ["split-shape", "split-reshape", "scale", "softmax"])
def test_what_is_right_in_a_half_written_function_is_not_blamed(
    last: str, workers: WorkerPool, tmp_path: Path
) -> None:
    """Such a function returns None, and its values have no use yet: neither is a mistake."""
    step = course.find("s05")
    text, following = begun(step.solution.read_text(encoding="utf-8"), last)
    path = tmp_path / step.stub.name
    path.write_text(text, encoding="utf-8")
    report = grade(step, path, Options(seed=1, follow=Follow.FAILING), workers.start)
    said = as_text.render(report, Style())
    for claim in ("Called alone", "nothing uses", "before anything has used"):
        assert claim not in said
    placeholders = next(check for check in report.checks if check.id == "placeholders")
    assert placeholders.line in following


UNTYPED = """\
from dataclasses import field, make_dataclass

FIELDS = [("n_embd", int, field(default=768)), ("n_head", field(default=12))]
GPT2Config = make_dataclass("GPT2Config", FIELDS)
"""


def test_an_error_at_import_goes_before_what_only_the_lesson_imports(
    workers: WorkerPool, tmp_path: Path
) -> None:
    step = course.find("s01")
    path = tmp_path / step.stub.name
    path.write_text(UNTYPED, encoding="utf-8")
    report = grade(step, path, Options(seed=1), workers.start)
    assert report.first_to_fix is not None
    assert report.first_to_fix.id == "builds"
    assert "n_head has no default" in report.first_to_fix.message

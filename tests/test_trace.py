"""Following a program: where its numbers leave the path, and what each line gave."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader import sandbox
from grader.base import course
from grader.base.model import Report, Trace, Verdict
from grader.grading.pipeline import Follow, Options, grade
from grader.protocol.probe import TensorArg
from grader.report import as_margin, as_text
from grader.report.style import FILE, Style
from tests.graded import mistakes, variants
from tests.marks import sampled
from tests.worker_jobs import ROOT, call, error, floats, job

pytestmark = pytest.mark.usefixtures("unhurried")


class Followed:
    """Follows variants, each in a worker of its own, from one fork server."""

    def __init__(self, start: object) -> None:
        self.start: Any = start
        self._found: dict[str, Report] = {}

    def __call__(self, name: str) -> Report:
        if name not in self._found:
            one = variants.find(name)
            with variants.as_file(one) as path:
                options = Options(seed=3, follow=Follow.ALWAYS)
                found = grade(course.find(one.step), path, options, self.start)
            self._found[name] = found
        return self._found[name]


@pytest.fixture(scope="module")
def followed() -> Iterator[Followed]:
    with sandbox.several() as start:
        yield Followed(start)


def trace_of(report: Report) -> Trace:
    assert report.trace is not None
    return report.trace


LEAVES = [
    ("s05/wrong/mask_subtracted", "attn_weights - mask"),
    ("s05/wrong/softmax_sigmoid", "F.sigmoid("),
    ("s05/wrong/scores_averaged_over_heads", "F.mean("),
    ("s09/wrong/norms_exchanged", "self.ln_2(x)"),
    ("s10/wrong/mask_multiplied", "scores * attention_mask"),
    ("s10/wrong/zero_dropped_at_the_wrong_end", "probs[:, :, :, 1:]"),
]


@pytest.mark.parametrize(("name", "code"), sampled(9, LEAVES))
def test_the_line_that_leaves_the_path_is_the_one_with_the_mistake(
    name: str, code: str, followed: Followed
) -> None:
    trace = trace_of(followed(name))
    source = variants.find(name).source.decode().splitlines()
    assert trace.line is not None
    assert code in source[trace.line - 1]
    named = re.findall(r"\bline (\d+)\b", " ".join(trace.told), re.IGNORECASE)
    assert str(trace.line) in named
    assert abs(int(named[0]) - trace.line) <= 1  # what a reader sees first
    marks = {one.line: one.mark for one in trace.margin}
    assert marks[trace.line] == "left"


def test_a_line_that_keeps_a_value_too_late_is_told_with_the_line_that_takes_it(
    followed: Followed,
) -> None:
    told = trace_of(followed("s09/wrong/residual_after_the_norm")).told
    assert re.match(
        r"What line \d+ keeps goes wrong on line \d+: attn_output \+ residual$", told[0]
    )


OMITTED = [
    ("s05/wrong/no_scale", "query @ key", "w + causal_mask("),
    ("s09/wrong/first_residual_missing", "self.attn(", "self.ln_2("),
]


@pytest.mark.parametrize(("name", "code", "user"), OMITTED)
def test_a_step_that_is_left_out_belongs_after_the_line_that_makes_what_it_takes(
    name: str, code: str, user: str, followed: Followed
) -> None:
    report = followed(name)
    trace = trace_of(report)
    source = variants.find(name).source.decode().splitlines()
    assert trace.line is not None
    assert trace.left_out
    assert f"After line {trace.line}: " in as_text.render(report, FILE)
    assert code in source[trace.line - 1]
    users = re.findall(r"On line (\d+) the numbers go wrong", " ".join(trace.told))
    assert [user in source[int(line) - 1] for line in users] == [True]
    marks = {one.line: one.mark for one in trace.margin}
    assert marks[trace.line] == "right"


def test_a_multiple_of_the_right_numbers_is_told_with_its_factor(followed: Followed) -> None:
    told = " ".join(trace_of(followed("s10/wrong/dropout_on_the_output")).told)
    assert "It gives 0.9 times the output of the layer." in told, told


def test_values_have_the_names_that_the_rubric_gives_them(followed: Followed) -> None:
    told = " ".join(trace_of(followed("s05/wrong/right_method_in_another_class")).told)
    assert "it gives the scores" in told, told
    assert "It uses the scores where the reference uses the scaled scores." in told, told


def test_an_error_tells_the_shapes_on_its_line(followed: Followed) -> None:
    trace = trace_of(followed("s10/wrong/joined_along_default_axis"))
    assert re.search(r"On line \d+, .* has shape \[\d", " ".join(trace.told)), trace.told


def test_a_right_program_is_right_on_every_line_that_leads_to_its_result(
    followed: Followed,
) -> None:
    trace = trace_of(followed("s10/right/as_in_the_lesson"))
    assert followed("s10/right/as_in_the_lesson").verdict is Verdict.PASS
    assert trace.told == ()
    assert {one.mark for one in trace.margin} == {"right"}


def test_it_costs_a_pass_nothing_and_shows_no_format_anything() -> None:
    with sandbox.several() as start:
        passed = grade(
            course.find("s01"),
            ROOT / "solutions" / "solution_01.py",
            Options(follow=Follow.FAILING),
            start,
        )
    assert passed.verdict is Verdict.PASS
    assert passed.trace is None


# ---- the margin ------------------------------------------------------------------------------


@pytest.mark.parametrize("style", [FILE, Style(unicode=False), Style(words=True)])
def test_the_margin_shows_every_line_and_what_it_gave(style: Style, followed: Followed) -> None:
    name = "s05/wrong/mask_subtracted"
    source, trace = variants.find(name).source.decode(), trace_of(followed(name))
    shown = as_margin.text(source, trace, style)
    for line in source.splitlines():
        assert style.text(line.strip()) in shown
    marks = (
        as_margin.WORDS if style.words else as_margin.MARKS if style.unicode else as_margin.ASCII
    )
    counts = [shown.count(f"{marks[kind]} [") for kind in ("right", "left")]
    assert all(counts), counts
    if not style.unicode:
        shown.encode("ascii")


class Loads(HTMLParser):
    """What a page would load or run."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("script", "img", "link", "iframe") or any(
            n in ("src", "href") for n, _ in attrs
        ):
            self.found.append(tag)


def test_the_page_runs_nothing_that_stands_in_a_program(followed: Followed) -> None:
    trace = trace_of(followed("s05/wrong/mask_subtracted"))
    page = as_margin.page("x = '<script>alert(1)</script><img src=y>'\n", trace, "<b>")
    loads = Loads()
    loads.feed(page)
    assert loads.found == []
    assert "&lt;script&gt;" in page


RAISING = """\
from max.experimental import functional as F

def doubled(x):
    print("ran")
    twice = x + x
    raise ValueError(f"{twice.shape}")

def doubled_and_joined(x):
    print("ran")
    twice = x + x
    return F.concat([twice, x[:1]], axis=1)
"""


@pytest.mark.parametrize(
    ("name", "line", "unknown"), [("doubled", 6, 2), ("doubled_and_joined", 11, 1)]
)
def test_values_before_a_known_error_need_no_second_run(name: str, line: int, unknown: int) -> None:
    """Computed as one graph first; operation by operation only if the error may be of that."""
    x = floats(1, 2, 3)
    asked = job(RAISING, call(name, TensorArg(x)))
    trails = []
    for known, times in (((), unknown), ((("ValueError", line),), 1)):
        with sandbox.start(engine="numpy") as running:
            outcome = running.finish(replace(asked, follow=True, raised=known))
        assert error(outcome, name).line == line
        assert outcome.output.count("ran") == times
        trail = outcome.observations[name].trail
        assert trail is not None
        trails.append([one.array for one in trail.values if one is not None])
    first, again = trails
    assert any(np.array_equal(one, 2 * x) for one in first)
    assert all(map(np.array_equal, first, again))
    assert len(first) == len(again)


def test_a_checkpoint_of_many_blocks_is_not_followed_where_a_smaller_one_is_wrong(
    tmp_path: Path,
) -> None:
    one = mistakes.named("s11", "virgule_oubliee")
    path = tmp_path / "step_11.py"
    path.write_text(one.source, encoding="utf-8")
    report = grade(course.find("s11"), path, Options(seed=3, follow=Follow.FAILING))
    shapes = {margin.shape for margin in trace_of(report).margin}
    assert "[18, 6]" in shapes, "the weight of c_attn of two blocks; of thirteen, it is [9, 3]"


def test_numbers_of_any_size_are_explained_and_warn_nobody(
    followed: Followed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A warning is an error in these tests."""
    monkeypatch.setenv("GRADER_TRACEBACK", "1")  # else explaining would only end early
    step, path = course.find("s05"), tmp_path / "step_05.py"
    scale = "attn_weights / math.sqrt(int(value.shape[-1]))"
    text = step.solution.read_text(encoding="utf-8")
    path.write_text(text.replace(scale, "attn_weights * 1e30"), encoding="utf-8")
    told = grade(step, path, Options(seed=7, follow=Follow.FAILING), followed.start)
    assert "attn_weights * 1e30" in trace_of(told).told[0]

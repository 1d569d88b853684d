"""Where a program leaves the reference's path: the line, and what was read off there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader import sandbox
from grader.base import course
from grader.base.model import Report, Trace, Verdict
from grader.explain.trace.alignment import Comparison
from grader.explain.trace.lesson import Lesson
from grader.explain.trace.localize import Localizer
from grader.pipeline import Follow, Options, grade
from grader.protocol.probe import SeenCall, SeenError
from tests.explain import recorded
from tests.graded import mistakes, variants
from tests.marks import any_numbers, sampled
from tests.worker_jobs import ROOT

pytestmark = any_numbers

# ---- small recorded programs ---------------------------------------------------------------

RIGHT = """\
import math
import numpy as np


class Attention:
    def __init__(self, width, heads):
        self.size = width // heads
        self.scale = math.sqrt(self.size)

    def split(self, x, size):
        return x.reshape(len(x), -1, size).swapaxes(0, 1)

    def weights(self, scores):
        low = scores - scores.max(axis=-1, keepdims=True)
        shares = np.exp(low)
        return shares / shares.sum(axis=-1, keepdims=True)

    def __call__(self, query, key, value, mask):
        query = self.split(query, self.size)
        key = self.split(key, self.size)
        value = self.split(value, self.size)
        scores = query @ key.swapaxes(-1, -2)
        scaled = scores / self.scale
        masked = scaled + mask
        heads = self.weights(masked) @ value
        return heads.swapaxes(0, 1).reshape(len(mask), -1)


attend = Attention(6, 2)
"""

GIVEN = list(np.random.default_rng(5).normal(size=(3, 4, 6)))
MASK = np.triu(np.full((4, 4), -5.0), 1)


def located(*edits: tuple[str, str], raised: str = "", proven: str = "") -> tuple[Trace, str]:
    """Where the program with these edits leaves the path, and the text of that line."""
    mine = recorded.edited(RIGHT, *edits)
    both = recorded.compared(mine, RIGHT, "attend", *GIVEN, MASK, proven=proven)
    localizer = Localizer(Lesson(both, (), {}))
    lines = mine.splitlines()
    if raised:
        at = next(n for n, text in enumerate(lines, 1) if raised in text)
        seen = SeenCall(at, "__call__", raised, raised)
        problem = SeenError("ValueError", "no", "call", at, calls=(seen,))
        found = localizer.raised(problem)
    else:
        found = localizer.wrong(both.mine.places[-1].value)
    return found, lines[found.line - 1].strip() if found.line else ""


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("shares.sum(axis=-1", "shares.sum(axis=-2", "return shares / shares.sum(axis=-2"),
        ("scores / self.scale", "scores * self.scale", "scaled = scores * self.scale"),
        ("swapaxes(-1, -2)", "swapaxes(-1, -2)[::-1]", "scores = query @ key.swapaxes("),
        ("scaled + mask", "scaled - mask", "masked = scaled - mask"),
    ],
)
def test_it_is_the_line_that_makes_the_first_wrong_value(old: str, new: str, line: str) -> None:
    found, text = located((old, new))
    assert text.startswith(line)
    assert not found.left_out


@pytest.mark.parametrize(
    ("edits", "line"),
    [
        ([("scores / self.scale", "scores")], "scaled = scores"),
        ([("        scaled = scores / self.scale\n", ""), ("scaled +", "scores +")], "scores = "),
        ([("heads.swapaxes(0, 1)", "heads")], "heads = self.weights("),
    ],
)
def test_what_is_left_out_belongs_after_what_it_takes(
    edits: list[tuple[str, str]], line: str
) -> None:
    found, text = located(*edits)
    assert found.left_out
    assert text.startswith(line)


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("math.sqrt(self.size)", "math.sqrt(width)", "self.scale = math.sqrt(width)"),
        ("split(value, self.size)", "split(value, 1)", "value = self.split(value, 1)"),
        ("width // heads", "heads", "self.size = heads"),
    ],
)
def test_a_wrong_size_is_followed_to_the_line_that_works_it_out(
    old: str, new: str, line: str
) -> None:
    assert located((old, new))[1].startswith(line)


@pytest.mark.parametrize("given", ["masked.swapaxes(-1, -2)", "masked - mask", "scaled"])
def test_a_helper_that_is_right_alone_was_called_wrongly(given: str) -> None:
    edit = ("weights(masked)", f"weights({given})")
    assert located(edit, proven="weights")[1] == f"heads = self.weights({given}) @ value"


@pytest.mark.parametrize(
    "early",
    ["heads = self.weights(masked) @ value\n        return heads\n        ",
     "return self.weights(masked) @ value\n        heads = 0\n        "],
)  # fmt: skip
def test_a_result_that_comes_too_early_is_what_the_lesson_has_on_its_way(early: str) -> None:
    found, text = located(("heads = self.weights(masked) @ value\n        ", early))
    assert found.told == ("It returns `heads`.",)
    assert text.startswith("return ")


@pytest.mark.parametrize(
    ("old", "new", "raised", "line"),
    [
        ("scores / self.scale", "scores.reshape(-1)", "scaled + mask", "scaled = "),
        ("key.swapaxes(-1, -2)", "key", "query @ key", "scores = query @ key"),
        ("width // heads", "width - 1", "x.reshape(len(x), -1, size)", "self.size = width - 1"),
    ],
)
def test_of_an_error_it_is_the_line_that_made_what_is_wrong_there(
    old: str, new: str, raised: str, line: str
) -> None:
    assert located((old, new), raised=raised)[1].startswith(line)


@pytest.mark.parametrize(
    ("edit", "fact"),
    [
        (("scores / self.scale", "scores / 8"), "It gives `scores` times 0.125."),
        (("shares.sum(axis=-1", "shares.sum(axis=-2"), "It gives [2, 1, 4]; the reference has"),
    ],
)
def test_what_is_told_was_read_off_the_values(edit: tuple[str, str], fact: str) -> None:
    assert fact in " ".join(located(edit)[0].told)


def test_functions_that_call_each_other_are_left_in_the_end() -> None:
    mine = "def one(x, n):\n    return two(x * 2, n - 1) if n else x\n\n"
    mine += "def two(x, n):\n    return one(x + 1, n - 1) if n else x\n"
    right = recorded.run(mine.replace("* 2", "* 3"), "one", GIVEN[0], 6)
    run = recorded.run(mine, "one", GIVEN[0], 6)
    both = Comparison(run, right, (), frozenset({"one", "two"}))
    found = Localizer(Lesson(both, (), {})).wrong(both.mine.places[-1].value)
    assert found.line in (2, 5)


def test_a_number_that_the_reference_has_there_is_not_accused() -> None:
    found, text = located(("scores / self.scale", "scores / self.size"))
    assert text.startswith("scaled = ")
    assert not any("self.size is" in one for one in found.told)


# ---- programs of learners, in the sandbox --------------------------------------------------


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
    with sandbox.preforked() as start:
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


@pytest.mark.usefixtures("unhurried")
@pytest.mark.parametrize(("name", "code"), sampled(6, LEAVES))
def test_the_line_that_leaves_the_path_is_the_one_with_the_mistake(
    name: str, code: str, followed: Followed
) -> None:
    trace = trace_of(followed(name))
    source = variants.find(name).source.decode().splitlines()
    assert trace.line is not None
    assert code in source[trace.line - 1]
    named = re.findall(r"\bline (\d+)\b", " ".join(trace.told), re.IGNORECASE)
    assert str(trace.line) in named
    marks = {one.line: one.mark for one in trace.margin}
    assert marks[trace.line] == "left"


@pytest.mark.parametrize(
    ("name", "made"),
    [("s05/wrong/no_scale", "query @ key"), ("s09/wrong/first_residual_missing", "self.attn(")],
)
def test_a_step_that_a_learner_left_out_belongs_after_the_line_that_makes_what_it_takes(
    name: str, made: str, followed: Followed
) -> None:
    trace = trace_of(followed(name))
    assert trace.line is not None
    assert trace.left_out
    assert made in variants.find(name).source.decode().splitlines()[trace.line - 1]
    assert {one.line: one.mark for one in trace.margin}[trace.line] == "right"


def test_values_have_the_names_that_the_rubric_gives_them(followed: Followed) -> None:
    told = " ".join(trace_of(followed("s10/wrong/dropout_on_the_output")).told)
    assert "It gives the output of the layer times 0.9." in told, told


def test_an_error_tells_the_shapes_on_its_line(followed: Followed) -> None:
    trace = trace_of(followed("s10/wrong/joined_along_default_axis"))
    assert re.search(r"On line \d+, .* has shape \[\d", " ".join(trace.told)), trace.told


def test_a_right_program_is_right_on_every_line_that_leads_to_its_result(
    followed: Followed,
) -> None:
    report = followed("s10/right/as_in_the_lesson")
    assert report.verdict is Verdict.PASS
    assert trace_of(report).told == ()
    assert {one.mark for one in trace_of(report).margin} == {"right"}


def test_a_pass_is_not_followed(followed: Followed) -> None:
    solution = ROOT / "solutions" / "solution_01.py"
    passed = grade(course.find("s01"), solution, Options(follow=Follow.FAILING), followed.start)
    assert passed.verdict is Verdict.PASS
    assert passed.trace is None


def test_a_checkpoint_of_many_blocks_is_not_followed_where_a_smaller_one_is_wrong(
    tmp_path: Path,
) -> None:
    path = tmp_path / "step_11.py"
    path.write_text(mistakes.named("s11", "virgule_oubliee").source, encoding="utf-8")
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
    path.write_text(recorded.edited(text, (scale, "attn_weights * 1e30")), encoding="utf-8")
    told = grade(step, path, Options(seed=7, follow=Follow.FAILING), followed.start)
    assert "attn_weights * 1e30" in " ".join(trace_of(told).told)

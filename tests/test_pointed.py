"""A report points at the line to change, and accuses none that is right."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.base import course
from grader.base.model import CheckResult, Report, Status
from grader.grading.pipeline import Follow, Options, grade
from grader.sandbox import WorkerPool

pytestmark = pytest.mark.usefixtures("unhurried")
Edit = tuple[str, str]
Graded = Callable[..., Report]


@pytest.fixture
def graded(workers: WorkerPool, tmp_path: Path) -> Graded:
    """Gives the report on the solution of a step with some places changed."""

    def report(step: str, *edits: Edit) -> Report:
        found = course.find(step)
        text = found.solution.read_text(encoding="utf-8")
        for old, new in edits:
            assert text.count(old) == 1
            text = text.replace(old, new)
        path = tmp_path / "mine.py"
        path.write_text(text, encoding="utf-8")
        return grade(found, path, Options(seed=7, follow=Follow.FAILING), workers.start)

    return report


def first(report: Report) -> CheckResult:
    one = report.first_to_fix
    assert one is not None
    return one


def told(report: Report) -> str:
    assert report.trace is not None
    return "\n".join(report.trace.told)


ONES, ZEROS = "self.weight = Tensor.ones([dim])", "self.bias = Tensor.zeros([dim])"


@pytest.mark.parametrize(
    ("old", "new", "done"),
    [
        ("query.shape[-2]", "query.size(-2)", "query times key"),
        ("attn_output, self.num_heads, self.head_dim", "attn_output", "_merge_heads moves"),
    ],
)
def test_a_step_that_is_taken_is_not_what_the_lesson_says_there(
    old: str, new: str, done: str, graded: Graded
) -> None:
    report = graded("s07", (old, new))
    said = [one for one in told(report).splitlines() if "the lesson says" in one]
    assert not any(done in one for one in said)


def test_no_tick_stands_on_the_part_that_an_error_comes_from(graded: Graded) -> None:
    report = graded("s09", ("if config.n_inner is None", "if config.n_inner is not None"))
    waits = {one.id for one in report.checks if one.status is Status.NOT_RUN}
    assert "mlp" in waits


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[self.split_size, self.split_size, self.split_size]", "[self.head_dim] * 3"),
        ("[self.split_size, self.split_size, self.split_size]", "[self.num_heads] * 3"),
    ],
)
def test_sizes_of_another_run_are_told_as_such(old: str, new: str, graded: Graded) -> None:
    said = told(graded("s07", (old, new))).splitlines()
    sized = [one for one in said if "[2, " in one]
    other = [one for one in said if "those of another run" in one]
    assert len(other) == len(sized[:1])


def test_sizes_of_the_same_run_are_not(graded: Graded) -> None:
    report = graded("s07", ("[:-2] + [num_heads", "[:-1] + [num_heads"))
    assert "another run" not in told(report)


@pytest.mark.parametrize(
    ("step", "old", "new", "fails", "waits"),
    [
        (
            "s07",
            "[:-1] + [num_heads, attn_head_size]",
            "[:-1] + [attn_head_size, num_heads]",
            "split-reshape",
            "heads",
        ),
        (
            "s09",
            "self.ln_2 = LayerNorm(config.n_embd, eps=config.layer_norm_epsilon)",
            "self.ln_2 = self.ln_1",
            "norms",
            "attend",
        ),
    ],
)
def test_the_cross_is_where_the_mistake_is_made_and_not_where_it_shows(
    step: str, old: str, new: str, fails: str, waits: str, graded: Graded
) -> None:
    report = graded(step, (old, new))
    status = {one.id: one.status for one in report.checks}
    assert first(report).id == fails
    assert status[waits] is Status.NOT_RUN


def test_a_right_number_that_is_used_where_another_belongs_is_not_the_mistake(
    workers: WorkerPool, tmp_path: Path
) -> None:
    path = tmp_path / "mine.py"
    path.write_text(COLUMNS, encoding="utf-8")
    options = Options(seed=7, follow=Follow.FAILING)
    report = grade(course.find("s02"), path, options, workers.start)
    assert "num_upper=columns" in (first(report).text or "")


COLUMNS = """
from max.experimental import functional as F
from max.experimental.tensor import Tensor


@F.functional
def causal_mask(sequence_length, num_tokens, *, dtype, device):
    rows, before = int(sequence_length), int(num_tokens)
    columns = before + rows
    mask = Tensor.full([rows, columns], float("-inf"), dtype=dtype, device=device)
    return F.band_part(mask, num_upper=columns, exclude=True)
"""


UNKNOWN = """
import math

from max.experimental import functional as F
from max.experimental.tensor import Tensor


def _scaled(scores, size):
    return scores / math.sqrt(int(size))


def scaled_dot_product_attention(query, key, value, mask=None):
    scores = _scaled(query @ key.transpose(-1, -2), mas)
    if mask is not None:
        scores = scores + mask
    weights = F.softmax(scores)
    return weights @ value, weights
"""


def test_a_name_that_only_moves_the_error_into_a_helper_is_not_to_be_written(
    workers: WorkerPool, tmp_path: Path
) -> None:
    path = tmp_path / "mine.py"
    path.write_text(UNKNOWN, encoding="utf-8")
    options = Options(seed=7, follow=Follow.FAILING)
    report = grade(course.find("s03"), path, options, workers.start)
    assert not any("Write" in one for one in first(report).hints)


@pytest.mark.parametrize(
    ("step", "old", "new", "waits"),
    [
        (
            "s06",
            "angles = np.outer(np.arange(max_seq_len),",
            "angles = np.outer(np.arange(max_seq_len) / 2,",
            "tables",
        ),
        ("s09", "inner = 4 * config.n_embd if", "inner = 3 * config.n_embd if", "mlp"),
    ],
)
def test_what_uses_a_wrong_number_is_not_said_to_be_right(
    step: str, old: str, new: str, waits: str, graded: Graded
) -> None:
    status = {one.id: one.status for one in graded(step, (old, new)).checks}
    assert status[waits] is Status.NOT_RUN


@pytest.mark.parametrize(
    ("step", "name", "waits"),
    [
        ("s06", "head_width_is_a_float", "heads"),  # of two helpers, the other one is at its line
        ("s07", "infinity_not_negative", "causal"),  # NaN depends on everything
        ("s10", "mask_with_one_s", "bias-and-mask"),  # the error is on another of its lines
    ],
)
def test_what_the_run_did_not_show_is_not_said_to_be_right(
    step: str, name: str, waits: str, mistaken: Callable[[str, str], Report]
) -> None:
    status = {one.id: one.status for one in mistaken(step, name).checks}
    assert status[waits] is Status.NOT_RUN


FOUND = "is_padding = token_ids == pad_token_id"
ASKED = """if not pad_token_id:
        return (F.cast(token_ids, dtype) * 0.0).unsqueeze(1).unsqueeze(1)
    is_padding = token_ids == pad_token_id"""


def test_a_0_that_may_not_be_none_is_not_said_to_be_taken_for_it(graded: Graded) -> None:
    report = graded("s04", (FOUND, ASKED))
    assert "counts as false" not in told(report)


ATTENDED = "hidden_states = hidden_states + self.attn(self.ln_1(hidden_states))"
FED = "return hidden_states + self.mlp(self.ln_2(hidden_states))"
IN_A_LOOP = """flow = hidden_states
        for norm, layer in ((self.ln_1, self.attn), (self.ln_2, self.mlp)):
            flow = hidden_states + layer(norm(flow))"""
SECOND = "self.ln_2 = LayerNorm(config.n_embd, eps=config.layer_norm_epsilon)"


@pytest.mark.parametrize(
    ("step", "edits", "failing", "waiting"),
    [
        (
            "s09",
            [
                (SECOND, "self.ln_2 = self.ln_1"),
                (ATTENDED, IN_A_LOOP.replace("flow = hidden_states + ", "flow = flow + ")),
                (FED, "return flow"),
            ],
            "norms",
            "",
        ),
        ("s07", [("exclude=True", "exclude=False")], "mask-function", "mask"),
        (
            "s07",
            [("shape=(sequence_length, n)", "sequence_length, n")],
            "mask-function",
            "mask",
        ),
    ],
)
def test_the_check_fails_whose_step_makes_what_another_uses(
    step: str, edits: list[Edit], failing: str, waiting: str, graded: Graded
) -> None:
    report = graded(step, *edits)
    assert first(report).id == failing
    found = {one.id: one for one in report.checks}
    assert not waiting or found[waiting].status is Status.NOT_RUN
    assert not waiting or (found[waiting].waits_for or "").startswith("causal_mask(")


@pytest.mark.parametrize(
    ("step", "old", "new", "said"),
    [
        (
            "s04",
            "F.min(causal, padding)",
            "F.where(causal < padding, causal, causal)",
            "Only the causal mask decides",
        ),
        (
            "s07",
            "value = self._split_heads(value,",
            "value = self._split_heads(key,",
            "calls _split_heads on what _split_heads gave on line",
        ),
    ],
)
def test_what_the_program_does_is_not_denied(
    step: str, old: str, new: str, said: str, graded: Graded
) -> None:
    report = graded(step, (old, new))
    every = "\n".join((*(one.message for one in report.diagnosis), told(report)))
    assert said in every
    assert "not used" not in every
    assert "twice" not in every

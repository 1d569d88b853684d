"""A report says what is wrong, and nothing beside it: its headline, its line and its first hint."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.base import course
from grader.base.model import CheckResult, Report, Status
from grader.grading.pipeline import Follow, Options, grade
from grader.sandbox import WorkerPool
from tests.graded import mistakes

pytestmark = pytest.mark.usefixtures("unhurried")
Graded = Callable[..., dict[str, CheckResult]]


@pytest.fixture
def graded(workers: WorkerPool, tmp_path: Path) -> Graded:
    """Gives the checks that fail in the solution of a step with some places changed."""

    def failed(step: str, *edits: tuple[str, str]) -> dict[str, CheckResult]:
        found = course.find(step)
        text = found.solution.read_text(encoding="utf-8")
        for old, new in edits:
            assert text.count(old) == 1
            text = text.replace(old, new)
        path = tmp_path / "mine.py"
        path.write_text(text, encoding="utf-8")
        options = Options(seed=7, follow=Follow.FAILING)
        report = grade(found, path, options, workers.start)
        return {one.id: one for one in report.checks if one.status is Status.FAIL}

    return failed


MASKED = "mask, num_lower=None, num_upper=allowed, exclude=True"


def test_an_error_in_one_step_does_not_deny_another_on_its_line(graded: Graded) -> None:
    spread = "mask = F.broadcast_to(mask, shape=(sequence_length, n))"
    method = "mask = mask.broadcast_to((sequence_length, n))"
    new = MASKED.replace("None", "allowed").replace("num_upper=allowed", "num_upper=None")
    assert set(graded("s02", (spread, method), (MASKED, new))) == {"runs"}


def test_only_wrong_fields_are_listed(graded: Graded) -> None:
    told = graded("s01", ("n_positions: int = 1024", "n_positions: int = 1023"))["vocabulary"]
    assert told.message == "Not yet GPT-2's: n_positions is 1023 by default, expected 1024"
    old = "bos_token_id: int = 50256\n    eos_token_id: int = 50256\n"
    told = graded("s01", (old, old.replace("6\n", "7\n")))["tokens"]
    assert told.message.startswith("Not yet GPT-2's: bos_token_id, eos_token_id: bos_token_id is")
    assert told.message.count("tie_word") == 0


def test_a_decorator_without_its_mark_gets_one(graded: Graded) -> None:
    failed = graded("s01", ("@dataclass\n", "dataclass\n"))
    assert failed["named"].hints[0] == "Write @dataclass"


Reported = Callable[..., Report]


@pytest.fixture
def reported(workers: WorkerPool, tmp_path: Path) -> Reported:
    """Gives the report on a mistake of the corpus, or on a program of it with one place changed."""

    def report(name: str, old: str = "", new: str = "") -> Report:
        step, _, own = name.partition("/")
        if old:
            text = mistakes.bases(step)[own]
            assert text.count(old) == 1
            text = text.replace(old, new)
        else:
            text = mistakes.named(step, own).source
        path = tmp_path / "mine.py"
        path.write_text(text, encoding="utf-8")
        options = Options(seed=7, follow=Follow.FAILING)
        return grade(course.find(step), path, options, workers.start)

    return report


def told(report: Report) -> str:
    return " ".join(report.trace.told if report.trace is not None else ())


def first(report: Report) -> CheckResult:
    assert report.first_to_fix is not None
    return report.first_to_fix


WRITE = [
    (("s12/top_k_not_passed",), "nxt = next_token(", "draw=u, top_k=top_k)"),
    (("s12/pair_not_unpacked",), "a = self._attend(", "Write a, present = self._attend("),
    (
        ("s12/solution", "attended, key_value = self._attend(", "attended = self._attend("),
        "attended = self._attend(",
        "Write attended, key_value = self._attend(",
    ),
    (("s11/blocks_of_init",), "for blk in blocks", "Write self.h"),
    (("s11/reshape_for_transpose",), "array = stored.reshape(", "Write stored.T"),
]


@pytest.mark.parametrize(("given", "code", "write"), WRITE)
def test_what_to_write_is_said_of_the_line_to_change(
    given: tuple[str, ...], code: str, write: str, reported: Reported
) -> None:
    check = first(reported(*given))
    assert code in (check.text or "")
    assert check.hints[0].startswith("Write ")
    assert write in check.hints[0]


HEADS = "x = x.reshape([B, T, self.nh, self.hs])\n        return x.permute([0, 2, 1, 3])"


@pytest.mark.parametrize(
    "given",
    [
        ("s12/values_reshaped_into_heads",),
        ("s10/nanogpt", HEADS, "return x.reshape([B, self.nh, T, self.hs])"),
    ],
)
def test_a_reshape_that_lacks_the_swap_after_it_is_told_both(
    given: tuple[str, ...], reported: Reported
) -> None:
    report = told(reported(*given))
    assert "A reshape cannot swap the axes -3 and -2" in report
    assert ".transpose(-3, -2) instead of" in report
    assert "in the other order it would be right" not in report


KNOWN = re.compile(r"^Write |In the reference it is")
"""How a hint says what is known of a mistake."""

NAMED = [
    ("s10/softmax_over_queries", "axis=-2)", "Write F.softmax(att, axis=-1) instead"),
    ("s10/old_keys_as_values", "past_key_value[0], value]", 'See "The cache".'),
    ("s10/scale_of_whole_width", "1.0 / self.C**0.5", "In the reference it is"),
    ("s11/default_epsilon", "self.ln_f = LayerNorm(C)", "eps=config.layer_norm_epsilon"),
    ("s11/one_block_named_often", "blocks.append(blk)", 'See "A stack of blocks".'),
    ("s12/ln_1_twice", "block.ln_1(hidden_states))", "It must be ln_2 there."),
    ("s12/past_is_heads", "P = k0.shape[1]", 'See "Positions and blocks".'),
    ("s12/searchsorted_left", "np.searchsorted(cdf, draw)", 'end <= draw, side="right".'),
    (
        "s12/sort_from_the_wrong_end",
        "np.sort(scores)[min",
        "Write np.sort(scores)[-min(top_k, len(scores))]",
    ),
    ("s12/room_one_short", "len(text) - 1)):", "has model.config.n_positions - len(text)."),
]


@pytest.mark.parametrize(("name", "code", "hint"), NAMED)
def test_what_is_known_of_a_mistake_is_the_advice_and_nothing_accuses_another_line(
    name: str, code: str, hint: str, reported: Reported
) -> None:
    report = reported(name)
    failed = [one for one in report.checks if one.status is Status.FAIL]
    assert hint in f"{failed[0].message} {failed[0].hints[0]}"
    assert {one.line for one in failed} == {failed[0].line}
    assert code in (failed[0].text or "")
    assert "It uses `" not in told(report)
    again = [one for one in failed[1:] if one.hints[:1] != failed[0].hints[:1]]
    assert all(KNOWN.search(one.hints[0]) for one in again)


def test_an_error_whose_advice_only_asks_gets_the_change_of_its_line(reported: Reported) -> None:
    report = reported("s11/positions_in_token_table")
    error = next(one for one in report.checks if one.stopped)
    assert error.hints[0] == "Write self.wte(input_ids) + self.wpe(positions)"
    assert "here, in place of" not in told(report)  # a bare shape says nothing of an index


@pytest.mark.parametrize("name", ["s10/size_of_torch", "s12/shape_of_pair"])
def test_a_name_that_a_value_lacks_says_nothing_of_the_step_to_take(
    name: str, reported: Reported
) -> None:
    report = reported(name)
    assert "Write " in first(report).hints[0]
    assert "At this point the lesson says" not in told(report)


def test_a_parameter_by_another_name_is_told_once_at_its_line(graded: Graded) -> None:
    made, used = "self.weight = Tensor", "normalized * self.weight"
    edits = [(one, one.replace("weight", "gamma")) for one in (made, used)]
    (first,) = graded("s08", *edits).values()
    assert first.hints[0] == "Your module calls it gamma: rename gamma to weight."
    assert first.text is not None
    assert first.text.startswith("self.gamma = ")


def test_a_layer_by_another_name_is_told_once_at_its_line(graded: Graded) -> None:
    made, used = "self.c_attn = Linear", "self.c_attn(hidden_states)"
    edits = [(one, one.replace("c_attn", "qkv")) for one in (made, used)]
    (first,) = graded("s07", *edits).values()
    assert first.hints[0] == "Your module calls it qkv: rename qkv to c_attn."
    assert first.text is not None
    assert first.text.startswith("self.qkv = ")

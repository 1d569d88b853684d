"""A report points at the line to change, and accuses none that is right."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.base import course
from grader.base.model import CheckResult, Report, Status
from grader.grading.pipeline import Follow, Options, grade
from grader.sandbox import WorkerPool
from tests.graded import mistakes

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


SCALE = "attn_weights = attn_weights / math.sqrt(int(value.shape[-1]))"
MASKED = "attn_weights = attn_weights + mask"
OUT = "return normalized * self.weight + self.bias"
RETURNED = """out = normalized * self.weight
        full = out + self.bias
        return out"""


@pytest.mark.parametrize(
    ("step", "edits", "text", "write"),
    [
        (
            "s05",
            [
                ("attn_weights = query", "points = query"),
                (SCALE, SCALE.replace("attn_weights", "points").replace("points =", "scaled =")),
                (MASKED, "attn_weights = points + mask"),
            ],
            "points + mask",
            "Write scaled + mask",
        ),
        (
            "s08",
            [(OUT, RETURNED)],
            "return out",
            "Write return full",
        ),
    ],
)
def test_what_is_used_in_place_of_an_unused_result_is_told_on_its_line(
    step: str, edits: list[Edit], text: str, write: str, graded: Graded
) -> None:
    report = graded(step, *edits)
    one = first(report)
    assert one.text is not None
    assert text in one.text
    assert write in one.hints[0]
    assert told(report).startswith(f"Line {one.line} uses ")


ONES, ZEROS = "self.weight = Tensor.ones([dim])", "self.bias = Tensor.zeros([dim])"
NAMED = [
    (ONES, "first = Tensor.ones([dim])\n        self.weight = first"),
    (ZEROS, "second = Tensor.zeros([dim])\n        self.bias = second"),
]


@pytest.mark.parametrize(
    ("new", "text"),
    [
        ("return normalized * self.bias + self.weight", "* self.bias + self.weight"),
        (
            "out = normalized * self.bias\n        return out + self.weight",
            "out ",
        ),
    ],
)
def test_a_layer_of_the_right_name_is_wrong_where_it_is_read(
    new: str, text: str, graded: Graded
) -> None:
    report = graded("s08", *NAMED, (OUT, new))
    one = first(report)
    assert one.text is not None
    assert text in one.text
    assert "first" not in told(report)
    assert not any("0 / 0" in hint for check in report.checks for hint in check.hints)


def test_a_division_by_zero_is_told_where_it_shows(graded: Graded) -> None:
    report = graded("s08", ("variance + self.eps", "variance"))
    hints = [one.hints[0] for one in report.checks if one.id == "equal" and one.hints]
    assert hints == ["Its variance is 0: eps keeps the division from 0 / 0"]


@pytest.mark.parametrize(
    ("step", "old", "new", "write"),
    [
        (
            "s09",
            "self.mlp(self.ln_2(hidden",
            "self.mlp(LayerNorm(hidden",
            "self.ln_2(hidden_states)",
        ),
        ("s09", "= self.c_fc(hidden", "= Linear(hidden", ""),
        ("s08", "sublayer(norm(x))", "sublayer(LayerNorm(x))", ""),
    ],
)
def test_a_layer_made_where_one_is_to_be_called(
    step: str, old: str, new: str, write: str, graded: Graded
) -> None:
    one = first(graded(step, (old, new)))
    assert one.text is not None
    assert new in one.text
    assert not any("._" in hint for hint in one.hints)
    assert not write or one.hints[0] == f"Write {write}"


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


INNER = "inner = 4 * config.n_embd if config.n_inner is None else config.n_inner"
HERE = """inner = config.n_inner
        if inner is None:
            inner = 3 * config.n_embd"""
BEFORE = """inner = 3 * config.n_embd
        if config.n_inner is not None:
            inner = config.n_inner"""


@pytest.mark.parametrize("new", [HERE, BEFORE])
def test_a_number_is_wrong_where_it_is_worked_out(new: str, graded: Graded) -> None:
    report = graded("s09", (INNER, new))
    assert first(report).text == "inner = 3 * config.n_embd"
    assert told(report).startswith(f"Line {first(report).line} makes inner ")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("num_upper=allowed, exclude=True", "num_upper=allowed"),
        ("num_upper=allowed, exclude=True", "num_upper=allowed + 1, exclude=True"),
    ],
)
def test_a_helper_that_is_wrong_alone_has_the_line_of_its_mistake(
    old: str, new: str, graded: Graded
) -> None:
    one = first(graded("s07", (old, new)))
    assert one.note is not None
    assert one.note.startswith("Called alone")
    assert one.text is not None
    assert one.text.startswith("return F.band_part(")


JOINED = "[:-2] + [num_heads * attn_head_size]"
PAIRED = "[:-2] + (num_heads * attn_head_size,)"
TURNED = "tensor = tensor.permute([0, 2, 1, 3])  # [batch, seq"


@pytest.mark.parametrize(
    ("edits", "said"),
    [
        ([(JOINED, PAIRED)], "_merge_heads joins the last two axes"),
        (
            [(JOINED, PAIRED), ("tensor = tensor.transpose(-3, -2)  # [batch, seq", TURNED)],
            "_merge_heads joins the last two axes",
        ),
    ],
)
def test_the_cross_is_at_the_step_that_the_line_is_part_of(
    edits: list[Edit], said: str, graded: Graded
) -> None:
    assert said in first(graded("s07", *edits)).message


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


@pytest.mark.parametrize(
    ("step", "old", "new", "said"),
    [
        ("s08", "Tensor.ones([dim])", "torch.ones([dim])", "Write Tensor.ones([dim])"),
        ("s08", "Tensor.zeros([dim])", "torch.zeros([dim])", "Write Tensor.zeros([dim])"),
        ("s08", "F.sqrt(variance", "torch.sqrt(variance", "Write F.sqrt(variance + self.eps)"),
    ],
)
def test_what_is_made_by_torch_is_made_as_the_lesson_does(
    step: str, old: str, new: str, said: str, graded: Graded
) -> None:
    assert said in " ".join(first(graded(step, (old, new))).hints)


def test_a_list_that_is_taken_apart_is_told_as_such(graded: Graded) -> None:
    report = graded(
        "s07", ("return tensor.reshape(new_shape)", "return tensor.reshape(*new_shape)")
    )
    text = [f"{one.message} {one.note}" for one in report.checks]
    assert any("* hands over several" in one for one in text)


@pytest.mark.parametrize(
    ("step", "old", "new", "write"),
    [
        (
            "s06",
            "key = self.rope(key, positions)",
            "key = self.rope(positions, key)",
            "self.rope(key, positions)",
        ),
        (
            "s05",
            "self._attn(query, key, value)",
            "self._attn(self, query, key, value)",
            "self._attn(query, key, value)",
        ),
        (
            "s05",
            "new_shape = tensor.shape[:-1] + [num_heads, attn_head_size]",
            "new_shape = [tensor.shape[:-1], num_heads, attn_head_size]",
            "[*a.shape[:-1], b, c]",
        ),
    ],
)
def test_what_to_write_for_arguments_that_a_call_cannot_take(
    step: str, old: str, new: str, write: str, graded: Graded
) -> None:
    report = graded(step, (old, new))
    assert write in first(report).hints[0]
    assert "in this order" not in told(report)


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
    ("step", "old", "new", "said"),
    [
        (
            "s09",
            "from max.experimental.nn import Linear, Module",
            "from max.experimental.nn import Module",
            "Linear is not imported from max.experimental.nn",
        ),
        ("s03", "return output, weights", "return output, output", "the same tensor twice"),
        (
            "s10",
            "((key, value) if use_cache else None)",
            "((key, value) if use_cache else ())",
            "The second is an empty tuple although use_cache is False",
        ),
    ],
)
def test_what_is_wrong_is_said_of_that_alone(
    step: str, old: str, new: str, said: str, graded: Graded
) -> None:
    assert said in first(graded(step, (old, new))).message


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


def test_an_axis_without_entries_is_said_to_be_empty(
    mistaken: Callable[[str, str], Report],
) -> None:
    one = first(mistaken("s06", "end_without_start"))
    assert "This axis of x is empty" in one.message
    assert "Indices go from 0" not in " ".join(one.hints)


def test_the_line_that_uses_a_wrong_number_is_not_said_to_make_it(
    mistaken: Callable[[str, str], Report],
) -> None:
    report = mistaken("s05", "scale_by_embed_dim")
    assert "Line 75 uses it" in told(report)
    assert "On line 75" not in told(report)


def test_a_step_that_a_helper_takes_is_not_said_to_be_missing(
    mistaken: Callable[[str, str], Report],
) -> None:
    report = mistaken("s03", "helper_forgets_the_mask")
    assert "gives _masked None for it" in told(report)
    assert "is missing" not in told(report)


NORMAL = "block.ln_1(hidden_states)"


@pytest.mark.parametrize(
    ("step", "edits", "text", "said"),
    [
        (
            "s11",
            [("lm_head(self.transformer(input_ids))", "lm_head(self.transformer(input_ids)[0])")],
            "self.transformer(input_ids)[0]",
            "takes only [0] of self.transformer(input_ids). The reference leaves [0] out.",
        ),
        (
            "s12",
            [
                (
                    "attended, key_value =",
                    f"hidden_states = {NORMAL}\n{' ' * 12}attended, key_value =",
                ),
                (f"{NORMAL}, None if", "hidden_states, None if"),
            ],
            "hidden_states = block.ln_1(hidden_states)",
            "still needs: it needs a name of its own.",
        ),
        (
            "s12",
            [
                (
                    "output, _ = scaled_dot_product_attention(query, key, value, mask)",
                    "both = dict(key=key, value=value)\n        output, _ = "
                    "scaled_dot_product_attention(query, mask=mask, **both)",
                ),
                ("cached = 0 if past is None else past[0].shape[-2]", "cached = seq_len"),
            ],
            "cached = seq_len",
            "the reference has 0 there.",
        ),
    ],
)
def test_what_gets_lost_on_the_way_is_told_where_it_does(
    step: str, edits: list[Edit], text: str, said: str, graded: Graded
) -> None:
    report = graded(step, *edits)
    line = first(report).text
    assert line is not None
    assert text in line
    assert said in told(report)


PAD = "pad_token_id: int, *"
FOUND = "is_padding = token_ids == pad_token_id"
ASKED = """if not pad_token_id:
        return (F.cast(token_ids, dtype) * 0.0).unsqueeze(1).unsqueeze(1)
    is_padding = token_ids == pad_token_id"""


@pytest.mark.parametrize(
    ("new", "text", "write"),
    [
        (ASKED, "if not pad_token_id:", "pad_token_id is None"),
        (
            "pad = pad_token_id or -1\n    is_padding = token_ids == pad",
            "pad = pad_token_id or -1",
            "-1 if pad_token_id is None else pad_token_id",
        ),
    ],
)
def test_a_parameter_that_is_0_and_may_be_none_is_told_to_count_as_false(
    new: str, text: str, write: str, graded: Graded
) -> None:
    report = graded("s04", (PAD, "pad_token_id: int | None, *"), (FOUND, new))
    assert (first(report).text or "").strip().startswith(text)
    assert first(report).hints == (f"Write {write}",)
    assert "pad_token_id is 0 here, which counts as false" in told(report)


def test_a_0_that_may_not_be_none_is_not_said_to_be_taken_for_it(graded: Graded) -> None:
    report = graded("s04", (FOUND, ASKED))
    assert "counts as false" not in told(report)


def test_the_reference_s_operation_goes_before_the_repair_of_another_one(graded: Graded) -> None:
    right = "scores = scores + attention_mask"
    one = first(graded("s10", (right, "scores = F.where(attention_mask, scores, -1e9)")))
    assert one.hints == ("Write scores + attention_mask",)


def test_numbers_are_made_in_the_type_that_a_function_is_asked_for(
    mistaken: Callable[[str, str], Report],
) -> None:
    worst = first(mistaken("s04", "boolean_times_number"))
    assert any("Write uno_o_zero.cast(dtype) * basso" in hint for hint in worst.hints)


@pytest.mark.parametrize(
    ("step", "name", "said"),
    [
        ("s01", "vocab_size_is_the_last_id", "vocab_size is 50256"),
        ("s01", "post_init_overwrites_n_inner", "n_inner is 3072 by default"),
        ("s10", "scale_in_a_local_name", "Line 54 sets scale, another variable"),
        ("s10", "only_the_query_is_rotated_in_x_backend", "Line 119 takes it for consulta."),
        ("s03", "ranking_of_the_unmasked_scores", "Write _ranking(widoczne)"),
        ("s05", "shape_unpacked_as_in_split_heads", "Line 48 takes tensor.shape[1]"),
        ("s11", "square_arrays_not_turned", "go by its name"),
        ("s01", "zero_and_false_are_replaced_by_defaults", "0.0 counts as false"),
        ("s01", "zeile_ohne_leerzeichen", "Is ' = ' in every text"),
        ("s01", "nameless_class", "The name comes first"),
        ("s02", "one_row_because_it_broadcasts", "4 in place of 1"),
        ("s02", "breite_neu", "5 long, as breite is"),
        ("s02", "wrong_condition", "as t == 1 is true on line 7"),
        ("s03", "width_counted_from_the_front", "as q.shape[-1] is"),
        ("s03", "breite_der_erste", "as x.shape[-1] is"),
        ("s03", "helper_given_key_and_query", "the reference uses `query`"),
        ("s03", "key_folded_in_another_order", "in the other order the rows of key"),
        ("s03", "everything_to_the_constructor", "_Attention(head_dim)(query, key"),
        ("s03", "keys_copied_into_the_values", "Write q, k, v = query, key, value"),
        ("s04", "verb_called_already", "which is a tensor already"),
        ("s04", "places_counted_from_one", "the reference has 1 there"),
        ("s05", "mask_of_the_batch", "as passos is"),
        ("s06", "inv_lost", "With np.power(theta, steps) instead of"),
        ("s06", "second_partner_copied_from_the_first", "give the same"),
    ],
)
def test_what_a_helper_or_a_name_hands_on_is_wrong_where_it_begins(
    step: str, name: str, said: str, mistaken: Callable[[str, str], Report]
) -> None:
    report = mistaken(step, name)
    worst = first(report)
    assert worst.line is not None
    one = mistakes.named(step, name)
    assert {worst.line - 1, worst.line, worst.line + 1} & {*one.lines}
    told_first = (worst.message, *worst.hints, *(report.trace.told if report.trace else ()))
    assert said in "\n".join(told_first)


def test_what_an_odd_line_explains_is_not_also_said_to_be_missing(
    mistaken: Callable[[str, str], Report],
) -> None:
    report = mistaken("s09", "return_inside_the_loop")
    hints = [hint for check in report.checks for hint in check.hints]
    assert "in its first turn" in first(report).hints[0]
    assert not any("is missing from the block" in hint for hint in hints)


ATTENDED = "hidden_states = hidden_states + self.attn(self.ln_1(hidden_states))"
FED = "return hidden_states + self.mlp(self.ln_2(hidden_states))"
IN_A_LOOP = """flow = hidden_states
        for norm, layer in ((self.ln_1, self.attn), (self.ln_2, self.mlp)):
            flow = hidden_states + layer(norm(flow))"""
SECOND = "self.ln_2 = LayerNorm(config.n_embd, eps=config.layer_norm_epsilon)"
SQUARES = "variance = (centered * centered).mean(axis=-1)"
ROWS = "size = [dim]\n        self.weight = Tensor.zeros(size)"
PAST = "past = 0 if past_key_value is None else past_key_value[0].shape[-2]"


@pytest.mark.parametrize(
    ("step", "edits", "line", "said", "never"),
    [
        (
            "s09",
            [(ATTENDED, IN_A_LOOP), (FED, "return flow")],
            "flow = hidden_states + layer(norm(flow))",
            "It lacks layer(norm(flow)) of an earlier turn.",
            "lacks layer(norm(flow)).",
        ),
        (
            "s09",
            [(FED, "return hidden_states + self.ln_2(self.mlp(hidden_states))")],
            "self.ln_2(self.mlp",
            "",
            "the reference calls c_proj",
        ),
        (
            "s08",
            [(SQUARES, "variance = centered.mean(axis=-1) * centered.mean(axis=-1)")],
            "variance = ",
            "The square on line",
            "The square The",
        ),
        (
            "s08",
            [(OUT, "return normalized * (self.weight + self.bias)")],
            "return ",
            "comes after the sum. In the reference it comes before that.",
            "comes after self.weight + self.bias",
        ),
        ("s10", [(PAST, PAST.replace("-2", "1"))], "past_key_value[0].shape[1]", "past is ", ""),
        (
            "s11",
            [("hidden_states = block(", "hidden_states = hidden_states + block(")],
            "hidden_states + block(",
            "",
            "adds already",
        ),
    ],
)
def test_what_is_told_beside_the_line_to_change_is_true(
    step: str, edits: list[Edit], line: str, said: str, never: str, graded: Graded
) -> None:
    report = graded(step, *edits)
    failed = [one for one in report.checks if one.status is Status.FAIL]
    assert all(line in (one.text or line) for one in failed)
    assert line in (first(report).text or "")
    text = "\n".join((*(hint for one in failed for hint in one.hints), told(report)))
    assert said in text
    assert not never or never not in text


@pytest.mark.usefixtures("hurried")
def test_what_a_parameter_starts_with_is_told_where_no_change_was_looked_for(
    graded: Graded,
) -> None:
    report = graded("s08", (ONES, ROWS))
    failed = [one for one in report.checks if one.status is Status.FAIL]
    assert all("Tensor.zeros(size)" in (one.text or "Tensor.zeros(size)") for one in failed)
    assert "Tensor.zeros(size)" in (first(report).text or "")
    text = "\n".join((*(hint for one in failed for hint in one.hints), told(report)))
    assert "self.weight starts with 0, and must start with 1." in text
    assert "Which number is that" not in text


def test_the_line_that_a_wrong_size_comes_from_is_told_before_the_one_that_uses_it(
    graded: Graded,
) -> None:
    report = graded("s10", (PAST, PAST.replace("-2", "1")))
    assert report.trace is not None
    assert f"from line {report.trace.line}" in report.trace.told[0]
    assert "uses it, and there the numbers go wrong" in report.trace.told[1]


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


MLP = "self.mlp = GPT2MLP(inner, config)"
WIDTH = "inner = 4 * config.n_embd if config.n_inner is None else config.n_inner"


@pytest.mark.parametrize(
    ("step", "edits", "message", "said"),
    [
        (
            "s09",
            [(MLP, "self.mlp = GPT2MLP(config.n_inner, config)")],
            "intermediate_size is None, where",
            "GPT2MLP(config.n_inner",
        ),
        ("s09", [(WIDTH, "inner = config.n_inner")], "intermediate_size is None, where", "inner"),
    ],
)
def test_what_is_none_is_none_on_the_line_that_needs_it(
    step: str, edits: list[Edit], message: str, said: str, graded: Graded
) -> None:
    report = graded(step, *edits)
    one = first(report)
    assert message in one.message
    assert said in (one.text or "")
    assert " here" not in told(report)
    assert told(report).startswith(f"Line {one.line} gives None")


SCORES = "scores = query @ key.transpose(-1, -2)"
ROOTED = """root = int(query.shape[-1]) ** (-1 / 2)
    scores = (query * root) @ (key * root).transpose(-1, -2)"""
DIVIDED = "scores = scores / math.sqrt(int(query.shape[-1]))"


@pytest.mark.parametrize(
    ("step", "edits", "message"),
    [
        (
            "s03",
            [(SCORES, ROOTED), (DIVIDED, "scores = scores * 1.0")],
            "Not right yet: Scores are divided by the square root of head_dim. The scores are ",
        ),
        ("s03", [(DIVIDED, "scores = scores * 1.0")], "Scores are not divided by the square root"),
    ],
)
def test_a_step_is_only_missing_if_the_mistake_does_without_it(
    step: str, edits: list[Edit], message: str, graded: Graded
) -> None:
    assert first(graded(step, *edits)).message.startswith(message)


def test_why_a_line_is_to_be_written_anew_is_told_before_what_it_gives(graded: Graded) -> None:
    halved = "scale = int(query.shape[-1]) ** -1 / 2\n    scores = scores * scale"
    report = graded("s03", (DIVIDED, halved))
    assert "** binds before /" in told(report).split("\n")[0]
    assert first(report).hints[0] == "Write int(query.shape[-1]) ** (-1 / 2)"


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

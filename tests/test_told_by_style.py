"""What a report tells of one mistake, in programs that are written in different styles.

A program is the solution of a step or one of ``tests/mistakes``, with one place changed.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.base import course
from grader.base.blanks import make_answer
from grader.grading.pipeline import Follow, Options, grade
from grader.report import as_text
from grader.sandbox import WorkerPool
from tests.graded.mistakes import FOLDER

pytestmark = pytest.mark.usefixtures("unhurried")
Reported = Callable[[str, str, str], str]

TABLES = """\
        self.cos = np.cos(angles).astype(np.float32)  # [max_seq_len, d_k / 2]
        self.sin = np.sin(angles)"""


@pytest.fixture
def reported(workers: WorkerPool, tmp_path: Path) -> Reported:
    """Gives the text of the report on a program with one place changed."""

    def report(name: str, old: str, new: str) -> str:
        step, _, base = name.partition("/")
        found = course.find(step)
        if base == "solution":
            text = make_answer(found.solution.read_text(encoding="utf-8"))
        else:
            text = (FOLDER / step / f"{base}.py").read_text(encoding="utf-8")
        assert text.count(old) == 1, old
        path = tmp_path / "mine.py"
        path.write_text(text.replace(old, new), encoding="utf-8")
        options = Options(seed=7, follow=Follow.FAILING)
        return as_text.render(grade(found, path, options, workers.start))

    return report


@pytest.mark.parametrize(
    ("program", "old", "new", "told"),
    [
        (
            "s04/solution",
            "Tensor(0.0, dtype=dtype, device=token_ids.device)",
            'Tensor(0.0, dtype="float32", device=token_ids.device)',
            "Write Tensor(0.0, dtype=dtype, device=token_ids.device)",
        ),
        (
            "s12/olympiad",
            "c = cache or [None] * len(t.h)",
            "c = cache",
            "c may be None, as cache may: line 34 gives it that.",
        ),
        (
            "s10/principiante",
            "return 1.0 / self.head_dim**0.5",
            "return 1.0 / self.hidden_size**0.5",
            ", from line 39.",
        ),
        (
            "s04/functional",
            "finfo(dtype).min",
            "finfo(dtype.min)",
            "Close the bracket before .min. Write finfo(dtype).min\n",
        ),
        (
            "s04/solution",
            "Tensor(finfo(dtype).min",
            "Tensor(finfo(dtype.min)",
            "Write finfo(dtype).min\n",
        ),
        (
            "s04/functional",
            "(0.0, token_ids, dtype)",
            "(0.0, dtype, token_ids)",
            "Line 16 swaps two arguments: scalar_like takes value, ids, dtype, in this order.",
        ),
        ("s05/functional", "self.head_dim)\n        l", "self.d_head)\n        l", "self.head_dim"),
        ("s05/solution", "query, self.num_heads,", "query, self.n_heads,", "self.num_heads"),
        (
            "s05/solution",
            "tensor.shape[:-1] + [num_heads",
            "tensor.shape[-1] + [num_heads",
            "tensor.shape[:-1]",
        ),
        (
            "s06/functional",
            "x.shape[:-1] + [int",
            "x.shape[-1] + [int",
            "x.shape[:-1]",
        ),
        (
            "s06/functional",
            "(np.cos, np.sin)",
            "(np.sin, np.cos)",
            "Line 21 gives self.cos and self.sin each what belongs to the other.",
        ),
        (
            "s06/solution",
            TABLES,
            TABLES.replace("np.cos", "np.tan").replace("np.sin", "np.cos").replace("tan", "sin"),
            "gives self.cos what belongs to self.sin, and line ",
        ),
        (
            "s05/solution",
            "query, key, value = F.split(",
            "key, query, value = F.split(",
            " gives key and query each what belongs to the other.",
        ),
        (
            "s05/functional",
            "transpose_last(key)",
            "transpose_last(key * scale)",
            "query instead of query * scale",
        ),
        (
            "s06/functional",
            "im * cos + re * sin",
            "im * cos + new_re * sin",
            "re * sin instead of new_re * sin",
        ),
        (
            "s06/solution",
            "self.rope(key, positions)",
            "self.rope(query, positions)",
            "self.rope(key, positions) instead of self.rope(query, positions)",
        ),
        (
            "s04/functional",
            "bias[:, None, None, :]",
            "bias[:, None, :, None]",
            "On line 10 the numbers go wrong: bias[:, None, :, None]\n",
        ),
        (
            "s05/functional",
            "[0, 2, 1, 3])",
            "[0, 2, 3, 1])",
            "With F.permute(t, [0, 2, 1, 3]) instead of F.permute(t, [0, 2, 3, 1]), this would",
        ),
        (
            "s06/functional",
            "(np.arange(0, d_k, 2) / d_k)",
            "np.arange(0, d_k, 2) / d_k",
            "With 1.0 / theta ** (np.arange(0, d_k, 2) / d_k) instead of",
        ),
        (
            "s06/functional",
            "np.arange(max_seq_len)[:, None]",
            "np.arange(1, max_seq_len + 1)[:, None]",
            "\n   Line 20: phase = ",
        ),
        (
            "s06/solution",
            TABLES,
            TABLES.replace("np.float32", "DType.float32", 1),
            "Hint: Write np.cos(angles).astype(np.float32)\n",
        ),
        (
            "s06/functional",
            "astype(np.float32)",
            "astype(DType.float32)",
            "Hint: Write fn(phase).astype(np.float32)\n",
        ),
        (
            "s06/functional",
            "F.unsqueeze(token_positions, -2)",
            "token_positions[None, :]",
            "It inserts its new axis as axis -3; the reference's is axis -2.",
        ),
        (
            "s06/solution",
            "token_positions.unsqueeze(-2)",
            "token_positions[None]",
            "It inserts its new axis as axis -3; the reference's is axis -2.",
        ),
        (
            "s05/functional",
            "F.chunk(qkv, 3, axis=-1)",
            "F.split(qkv, 3, axis=-1)",
            "gives parts of length 3; the reference makes 3 parts, and chunk takes how many.",
        ),
        (
            "s04/solution",
            "mask.unsqueeze(1).unsqueeze(1)",
            "mask.unsqueeze(0).unsqueeze(1)",
            "mask.unsqueeze(1) instead of mask.unsqueeze(0)",
        ),
        ("s07/notebook", "w @ value", "w @ v", "knows v, and gives it to _attn as value."),
        ("s08/italiano", "weight * ridotto", "weight * scarti", "Write ridotto\n"),
        ("s07/notebook", "k=past + 1", "k=past", "On line 20 the numbers go wrong: np.triu("),
        ("s07/notebook", "i * n : (i + 1) * n]", "i : i + n]", "0:6 and 1:7 of x"),
        (
            "s07/three_slices",
            "n : 2 * n]",
            "n - 1 : 2 * n - 1]",
            "On line 53 the numbers go wrong: x[:, :, n - 1 : 2 * n - 1]",
        ),
        (
            "s07/enterprise",
            "F.chunk(projections,",
            "F.split(projections,",
            "Write F.chunk(projections, NUMBER_OF_PROJECTIONS, axis=-1)\n",
        ),
        (
            "s07/enterprise",
            "query, key, value = self.",
            "key, query, value = self.",
            "Line 62 gives key and query each what belongs to the other.",
        ),
        ("s07/enterprise", "1.0 / sqrt(head_width)", "1 // sqrt(head_width)", "Line 108: scale_"),
        (
            "s07/notebook",
            "F.sum(e, axis=-1)",
            "F.sum(e, axis=-2)",
            "Hint: With F.sum(e, axis=-1) instead of F.sum(e, axis=-2), this would give",
        ),
        ("s08/matlab_sums", "(D2, N)", "(D2, N - 1)", "N - 1 is 7, from line 33."),
        ("s08/matlab_sums", "sublayer(XN)", "sublayer.forward(XN)", "Hint: Write sublayer(XN)\n"),
        (
            "s08/typed_moments",
            "mean, variance = moments",
            "variance, mean = moments",
            "Line 36 gives mean and variance each what belongs to the other.",
        ),
        (
            "s12/assistant",
            "last_logits = logits.to_numpy()[0, -1]",
            "last_logits = logits.to_numpy()",
            "Hint: Line 135 gives next_token logits of shape [1, ",
        ),
        (
            "s08/matlab_sums",
            "([dim], 1.0)",
            "([1, dim], 1.0)",
            "Hint: Write Tensor.full([dim], 1.0)\n",
        ),
        (
            "s01/enterprise",
            "default=DEFAULT_NUMBER_OF_H",
            "default_factory=DEFAULT_NUMBER_OF_H",
            "Line 46",
        ),
        (
            "s02/rueckwaerts",
            "np.full((n, total)",
            "np.full((n, n)",
            "Line 8 makes grid n long along",
        ),
        ("s04/echt", "(echt, frei, grenze)", "(echt, frei)", "Line 10 makes grenze, and nothing"),
        ("s04/solution", "Tensor(0.0", "Tensor(1.0", "The visible places of the mask are wrong in"),
        (
            "s04/solution",
            "Tensor(finfo(dtype).min",
            "Tensor(-1.0",
            "The numbers that hide in the mask",
        ),
        (
            "s04/zwei_helfer",
            "stack(rows, axis=0)",
            "stack(rows, axis=1)",
            "With F.stack(rows, axis=0)",
        ),
        (
            "s05/einsum_mind",
            "[b, t, 3, h, d])\n    cbhtd = F.permute(split, [2, 0, 3, 1, 4])",
            "[b, t, h, 3, d])\n    cbhtd = F.permute(split, [3, 0, 2, 1, 4])",
            "Hint: Query, key and value are taken head by head.",
        ),
        (
            "s05/gopher",
            "[BATCH, SEQ, HEADS, WIDTH]",
            "[BATCH, HEADS, SEQ, WIDTH]",
            "Line 44 changes nothing: permute gives the features in heads again",
        ),
        ("s05/polski", "nr * d : (nr + 1) * d]", "nr : nr + d]", "Hint: It takes 1 : 3 of an axis"),
        (
            "s06/lettres",
            "self.r(q, p)",
            "self.r(q, pos)",
            "Did you mean p, as on line 52? Write self",
        ),
        (
            "s06/frontend",
            "F.mul(evens, cos), F.mul(odds, sin)",
            "F.mul(evens, sin), F.mul(odds, cos)",
            "Line 43",
        ),
        (
            "s06/koepfe",
            "F.concat(koepfe, axis=-1)",
            "F.concat(koepfe, axis=-2)",
            "axis -1 would give",
        ),
        (
            "s06/drei_sin",
            '"i,j->ij"',
            '"i,j->ji"',
            "gives the angles transposed: rows and columns are swapped",
        ),
    ],
)
def test_it_names_the_mistake(
    program: str, old: str, new: str, told: str, reported: Reported
) -> None:
    assert told in reported(program, old, new)


@pytest.mark.usefixtures("hurried")
def test_a_size_too_many_is_told_where_no_change_was_looked_for(reported: Reported) -> None:
    report = reported("s08/matlab_sums", "([dim], 1.0)", "([1, dim], 1.0)")
    assert "must be a list of 1 size, and has 2" in report


@pytest.mark.parametrize(
    ("program", "old", "new", "untold"),
    [
        ("s04/functional", "(0.0, token_ids, dtype)", "(0.0, dtype, token_ids)", "_sort_order_"),
        ("s04/functional", "!= pad_token_id", "== pad_token_id", "float16"),
        ("s04/solution", "Tensor(finfo(dtype).min", "Tensor(-finfo(dtype).min", "float16"),
        ("s04/functional", "dtype=dtype, device", "dtype=DType.float32, device", "gives NaN"),
        ("s05/functional", "self.head_dim)\n        l", "self.d_head)\n        l", "split_size"),
        ("s05/functional", "transpose_last(key)", "transpose_last(key * scale)", "Divide by it"),
        ("s05/functional", "transpose_last(key)", "transpose_last(key * scale)", "this would give"),
        ("s05/solution", "query, key, value = F.", "key, query, value = F.", "_attn query and key"),
        ("s06/functional", "(np.cos, np.sin)", "(np.sin, np.cos)", "the reference adds"),
        ("s06/functional", "astype(np.float32)", "astype(DType.float32)", "has shape ["),
        ("s05/functional", "F.chunk(qkv, 3, axis=-1)", "F.split(qkv, 3, axis=-1)", "has shape ["),
        ("s05/functional", "F.chunk(qkv, 3, axis=-1)", "F.split(qkv, 3, axis=-1)", "16 parts"),
        ("s05/functional", ", bias=True", ", use_bias=True", "self.c_proj Linear layer is created"),
        ("s05/solution", "key = self._split_heads(", "key = _split_heads(", "✅ __call__: self._s"),
        ("s05/functional", "[0, 2, 1, 3])", "0, 2, 1, 3)", "❌ _merge_heads"),
        ("s05/functional", "self.head_dim)\n        l", "self.d_k)\n        l", "Nothing uses"),
        ("s05/solution", "shape[:-1] + [num_heads", "shape[-1] + [num_heads", "int(tensor"),
        ("s06/functional", "x.shape[:-1] + [int", "x.shape[-1] + [int", "int(x.shape[-1]) +"),
        ("s07/notebook", "w @ value", "w @ v", "❌ _attn does not apply a softmax"),
        ("s07/notebook", "m.tolist()", "m", "❌ _attn does not divide"),
        ("s07/notebook", "i * n : (i + 1) * n]", "i : i + n]", "does not use it"),
        (
            "s07/notebook",
            ".permute([0, 2, 1, 3]).reshape([b, t, h",
            ".reshape([b, t, h",
            "not use it",
        ),
        (
            "s10/posterior",
            "return posterior[..., :-1] @ value",
            "kept = posterior[..., :-1]\n        return kept / kept.sum(axis=-1) @ value",
            "Write if self.add_zero_attn",
        ),
        (
            "s08/anova",
            "n = int(x.shape[-1])",
            "n = x.shape[-1]",
            "instead of F.sum(x, axis=-1) / n",
        ),
        ("s08/matlab_sums", "SIGMA2 + self.eps", "SIGMA2 * self.eps", "the centered features"),
        ("s03/solution", "= weights @ value", "= scores @ value", "Output and weights are not"),
        ("s03/solution", "= weights @ value", "= scores @ value", "does not get the weights"),
        ("s03/einops_ana", "return w @ v  ", "return w @ v * 2", "Scores are not computed"),
        ("s03/assistant_swap_last", "F.matmul(probs, v", "F.matmul(logits, v", "`output`"),
        (
            "s04/solution",
            "device=token_ids.device)  # []\n\n",
            "device=mask.device)  # []\n\n",
            "raised on line 47",
        ),
        (
            "s06/assistant_swap",
            "F.stack([",
            "F.concat([",
            "✅ RotaryEmbedding: the turned pairs go",
        ),
        ("s06/koepfe", "F.concat(koepfe, axis=-1)", "F.concat(koepfe, axis=-2)", "still right"),
        ("s06/lettres", "1.0 / theta **", "1.0 * theta **", "the reference raises to a power"),
        ("s06/stat", "[self.half, 2]", "[2, self.half]", "C must be ["),
    ],
)
def test_it_does_not_tell_what_is_not_so(
    program: str, old: str, new: str, untold: str, reported: Reported
) -> None:
    assert untold not in reported(program, old, new)

"""Mistakes in a function for scaled dot-product attention that is given its mask."""

from __future__ import annotations

from checks.shared.attention_mistakes import ATTENTION
from checks.shared.mistakes import Row

_WANTED = {
    "missing-scale", "scale-head-dim", "scale-multiplied", "scale-after-softmax", "scale-sqrt-seq",
    "scale-eight", "scale-squared", "scale-floor", "softmax-over-queries", "softmax-over-batch",
    "no-softmax", "softmax-twice", "softmax-unnormalised", "softmax-sigmoid", "softmax-log",
    "uniform-weights", "hard-weights", "scores-transposed", "weights-transposed",
}  # fmt: skip

SHARED: tuple[Row, ...] = tuple(row for row in ATTENTION if row[0] in _WANTED)
"""The mistakes that this function has in common with a whole attention layer."""

GIVEN_MASK: tuple[Row, ...] = (
    (
        "scale-sqrt-value-dim",
        "The scores are divided by √value_dim. Divide by the square root of "
        "head_dim, the width of query and key.",
        {"scale": "value_dim"},
        "scale",
    ),
    (
        "scale-sqrt-query-len",
        "The scores are divided by the square root of the number of "
        "queries. Divide by √head_dim: the last dimension, not the one before.",
        {"scale": "query_len"},
        "scale",
    ),
    (
        "scale-first-axis",
        "The scores are divided by the square root of the first dimension. "
        "Divide by √head_dim: the last one.",
        {"scale": "first_axis"},
        "scale",
    ),
    ("mask-ignored", "The mask is not used: hidden keys get weight.", {"given": "ignored"}, "mask"),
    (
        "mask-always-causal",
        "The function makes a causal mask of its own. Use the mask that it is "
        "given, and none where none is given.",
        {"given": "causal"},
        "mask",
    ),
    (
        "mask-causal-too",
        "A causal mask is added besides the given one. Add only the given one.",
        {"given": "causal_too"},
        "mask",
    ),
    (
        "mask-multiplied",
        "The scores are multiplied with the mask. Add it.",
        {"given": "multiplied"},
        "mask",
    ),
    (
        "mask-subtracted",
        "The mask is subtracted: hidden scores become +inf. Add it.",
        {"given": "subtracted"},
        "mask",
    ),
    (
        "mask-inverted",
        "Keys are hidden where the mask is 0. That is another convention: in an "
        "additive mask 0 means visible.",
        {"given": "inverted"},
        "mask",
    ),
    (
        "mask-zero",
        "Hidden scores are set to 0, which still gets weight in the softmax. Add the "
        "mask: −inf gets none.",
        {"given": "zero"},
        "mask",
    ),
    (
        "mask-after-softmax",
        "The mask is added after the softmax. Add it to the scores before.",
        {"given": "after_softmax"},
        "mask",
    ),
    (
        "mask-zeroed-after-softmax",
        "The weights are set to 0 after the softmax, so the rows no "
        "longer sum to 1. Mask the scores before it.",
        {"given": "zeroed_after_softmax"},
        "mask",
    ),
    ("mixes-keys", "The weights mix the keys. Mix the values.", {"mixes": "key"}, "output"),
    ("mixes-queries", "The weights mix the queries. Mix the values.", {"mixes": "query"}, "output"),
    (
        "returns-scores",
        "The second result is the scores. Return the weights: their softmax.",
        {"weights": "scores"},
        "weights",
    ),
    (
        "returns-raw-scores",
        "The second result is the scores before the mask. Return the weights.",
        {"weights": "raw_scores"},
        "weights",
    ),
    (
        "returns-unmasked-weights",
        "The second result is a softmax without the mask. Return the "
        "weights that mixed the values.",
        {"weights": "unmasked"},
        "weights",
    ),
    (
        "results-exchanged",
        "The two results are exchanged. Return the output first, then the weights.",
        {"exchanged": True},
        "pair",
    ),
)

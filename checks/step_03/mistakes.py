"""Mistakes in a function for scaled dot-product attention that is given its mask."""

from __future__ import annotations

from checks.shared.attention_mistakes import ATTENTION
from checks.shared.mistakes import Family, Knob, chosen

scale = Knob("scale")
given = Knob("given", "mask")
mixes = Knob("mixes", "output")
weights = Knob("weights", "returns")
exchanged = Knob("exchanged", "returns")

SHARED = chosen(
    "missing-scale scale-head-dim scale-multiplied scale-after-softmax scale-sqrt-seq "
    "scale-eight scale-squared scale-floor softmax-over-queries softmax-over-batch no-softmax "
    "softmax-twice softmax-unnormalised softmax-sigmoid softmax-log uniform-weights "
    "hard-weights scores-transposed weights-transposed",
    ATTENTION,
)
"""The mistakes that this function has in common with a whole attention layer."""

GIVEN_MASK: Family = {
    "scale-sqrt-value-dim": scale(
        "value_dim",
        "The scores are divided by √value_dim. Divide by the square root of head_dim, "
        "the width of query and key.",
    ),
    "scale-sqrt-query-len": scale(
        "query_len",
        "The scores are divided by the square root of the number of queries. Divide by "
        "√head_dim: the last dimension, not the one before.",
    ),
    "scale-first-axis": scale(
        "first_axis",
        "The scores are divided by the square root of the first dimension. Divide by "
        "√head_dim: the last one.",
    ),
    "mask-ignored": given("ignored", "The mask is not used: hidden keys get weight."),
    "mask-always-causal": given(
        "causal",
        "The function makes its own causal mask. Use the mask it is given, and "
        "none if none is given.",
    ),
    "mask-causal-too": given(
        "causal_too", "A causal mask is added on top of the given one. Add only the given one."
    ),
    "mask-multiplied": given("multiplied", "The scores are multiplied by the mask. Add it."),
    "mask-subtracted": given(
        "subtracted", "The mask is subtracted: hidden scores become +inf. Add it."
    ),
    "mask-inverted": given(
        "inverted",
        "Keys are hidden where the mask is 0. That is another convention: in an additive "
        "mask 0 means visible.",
    ),
    "mask-zero": given(
        "zero",
        "Hidden scores are set to 0, which still gets weight in the softmax. Add the "
        "mask: −inf gets none.",
    ),
    "mask-after-softmax": given(
        "after_softmax", "The mask is added after the softmax. Add it to the scores before."
    ),
    "mask-zeroed-after-softmax": given(
        "zeroed_after_softmax",
        "The weights are set to 0 after the softmax, so the rows no longer sum to 1. "
        "Mask the scores before it.",
    ),
    "mixes-keys": mixes("key", "The weights mix the keys. Mix the values."),
    "mixes-queries": mixes("query", "The weights mix the queries. Mix the values."),
    "returns-scores": weights(
        "scores", "The second result is the scores. Return the weights: their softmax."
    ),
    "returns-raw-scores": weights(
        "raw_scores", "The second result is the scores before the mask. Return the weights."
    ),
    "returns-unmasked-weights": weights(
        "unmasked",
        "The second result is a softmax without the mask. Return the weights that mixed "
        "the values.",
    ),
    "results-exchanged": exchanged(
        True, "The two results are swapped. Return the output first, then the weights."
    ),
}

"""Mistakes in rotary position embedding, and in the attention layer that uses it."""

from __future__ import annotations

from checks.shared.attention_mistakes import ATTENTION, HEADS
from checks.shared.mistakes import Family, Knob, chosen

pairs = Knob("pairs", "interleave")
positions = Knob("positions", "look-up")
turn = Knob("turn", "rotate")
formula = Knob("formula", "rotate")
exponent = Knob("exponent", "frequencies", r"() ~\*\*|\bpow(er)?\(")
theta = Knob("theta", "frequencies")
rotated = Knob("rotated", "rotate-heads")
weight = Knob("weight", "project")
order = Knob("order", "project")
projected = Knob("projected", "project")
places = Knob("places", "rotate-heads")
heads = Knob("heads")
o_proj = Knob("o_proj")

ROTATION: Family = {
    "pairs-halves": pairs(
        "halves",
        "The pairs are taken from the two halves of the vector. Here a pair is two "
        "neighbours: features 2i and 2i + 1.",
        part="pairs",
    ),
    "written-as-halves": pairs(
        "written_as_halves",
        "The turned features are joined as two halves. Put each pair back where "
        "it was: 2i and 2i + 1.",
    ),
    "written-exchanged": pairs(
        "written_exchanged", "The two features of each pair are put back in the wrong order."
    ),
    "positions-from-one": positions(
        "from_one",
        "The positions are counted from 1. Position 0 must turn nothing.",
        place=r"() ~range\(1,|\+ 1\b",
    ),
    "positions-ignored": positions(
        "ignored", "token_positions is not used: the tokens are numbered 0, 1, 2, … instead."
    ),
    "positions-first-row": positions(
        "first_row", "The positions of the first sequence are used for all sequences."
    ),
    "no-rotation": positions(
        "none", "Nothing is turned: the position has no effect.", part="rotate"
    ),
    "turned-backwards": turn(
        "backwards",
        "The points are turned the wrong way: the signs of the two sines are swapped.",
    ),
    "cos-sin-exchanged": turn("exchanged", "Cosine and sine are swapped."),
    "no-minus": formula(
        "both_plus", "Both coordinates are sums. The first one must be a difference: a·cos − b·sin."
    ),
    "two-minuses": formula(
        "both_minus",
        "Both coordinates are differences. The second one must be a sum: a·sin + b·cos.",
    ),
    "cos-only": formula("cos_only", "Features are only multiplied by the cosine."),
    "unmixed": formula(
        "unmixed",
        "The first feature of a pair is multiplied by the cosine, the second by the "
        "sine. A rotation mixes the two.",
    ),
    "positions-added": formula(
        "added", "Cosine and sine are added to the features. Rotary embedding turns the features."
    ),
    "overwritten": formula(
        "overwritten",
        "The second coordinate is computed from the first one when that is already turned. Use "
        "the original.",
    ),
    "second-cos-sin-exchanged": formula(
        "second_exchanged",
        "In the second coordinate, cosine and sine are swapped. It must be a·sin + b·cos.",
    ),
    "first-cos-sin-exchanged": formula(
        "first_exchanged",
        "In the first coordinate, cosine and sine are swapped. It must be a·cos − b·sin.",
    ),
    "first-coordinate-twice": formula(
        "first_twice",
        "The first coordinate fills both places of a pair: the turned odd features are not used.",
    ),
    "even-features-twice": pairs(
        "even_twice",
        "Both numbers of a pair are the even feature. The second must be the odd one, from 1::2.",
        part="pairs",
    ),
    "stacked-in-front": pairs(
        "stacked_first",
        "The turned features are stacked along the first axis. Pass F.stack axis=-1, so that each "
        "pair is side by side.",
    ),
    "odd-unchanged": formula("odd_unchanged", "Only the first feature of each pair is turned."),
    "exponent-single": exponent("single", "The exponent is −i / d_k. It must be −2i / d_k."),
    "exponent-double": exponent("double", "The exponent is −4i / d_k. It must be −2i / d_k."),
    "exponent-positive": exponent(
        "positive", "The exponent is +2i / d_k, so later pairs turn faster. It must be −2i / d_k."
    ),
    "exponent-from-one": exponent(
        "from_one", "The pairs are counted from 1. The first pair must have exponent 0."
    ),
    "exponent-odd": exponent(
        "odd", "The exponent counts the odd features. Use the even ones: 0, 2, 4, …"
    ),
    "exponent-half-range": exponent(
        "half_range", "The exponents run up to 1. The last one must be (d_k − 2) / d_k."
    ),
    "exponent-reversed": exponent(
        "reversed", "The frequencies are in reverse order. The first pair must turn fastest."
    ),
    "one-frequency": exponent("none", "All pairs turn at the same speed."),
    "theta-fixed": theta("fixed", "theta is fixed at 10000. Use the argument."),
}

SHARED = chosen(
    "missing-scale scale-head-dim scale-sqrt-n-embd scale-multiplied scale-after-softmax "
    "no-mask mask-past mask-past-and-self mask-allows-next mask-hides-self mask-multiplied "
    "mask-zero mask-ones mask-after-softmax mask-zeroed-after-softmax softmax-over-queries "
    "no-softmax softmax-twice weights-transposed split-by-reshape split-head-dim-first "
    "merge-by-reshape merge-head-dim-major merge-reversed",
    ATTENTION,
    HEADS,
)
"""The mistakes that this layer has in common with GPT-2's."""

LAYER_ROPE: Family = {
    "only-query-rotated": rotated("query", "Only the query is rotated. Rotate the key too."),
    "only-key-rotated": rotated("key", "Only the key is rotated. Rotate the query too."),
    "nothing-rotated": rotated("none", "Neither query nor key is rotated."),
    "value-rotated": rotated("value_too", "The value is rotated too. Rotate only query and key."),
    "key-value-rotated": rotated("key_value", "Key and value are rotated. Rotate query and key."),
    "query-value-rotated": rotated(
        "query_value", "Query and value are rotated. Rotate query and key."
    ),
    "rotated-before-split": rotated(
        "before_split",
        "Query and key are rotated before the heads are split. Rotate each head, with "
        "frequencies for its own width.",
    ),
    "weights-untransposed": weight(
        "untransposed",
        "The inputs are multiplied by untransposed weights. A weight is [out, in]: "
        "multiply by its transpose.",
    ),
    **{
        f"one-weight-untransposed-{name}": weight(
            name,
            f"{name}_proj_weight is not transposed, while the others are. A weight is [out, in]: "
            f"multiply by {name}_proj_weight.T.",
        )
        for name in "qkv"
    },
    "key-rotated-from-query": rotated(
        "key_from_query",
        "The key is made by rotating the already rotated query. Rotate the key.",
    ),
    "order-kqv": order("kqv", "Query and key are swapped."),
    "order-qvk": order("qvk", "Key and value are swapped."),
    "same-qqv": order("qqv", "The query is used where the key belongs."),
    "same-qkk": order("qkk", "The key is used where the value belongs."),
    "weights-qvk": projected(
        "qvk",
        "k_proj_weight and v_proj_weight are swapped.",
        place=r"() ~\bv_proj_weight\b[^:]*\bk_proj_weight\b",
    ),
    "weights-qkk": projected("qkk", "The value is projected with k_proj_weight."),
    "weights-qkq": projected("qkq", "The value is projected with q_proj_weight."),
    "layer-positions-ignored": places(
        "ignored",
        "The layer counts its tokens 0, 1, 2, … itself. Pass token_positions on to the rotation.",
    ),
    "one-head": heads("one", "The whole width is used as a single head."),
    "no-o-proj": o_proj("missing", "The output projection is missing."),
    "o-proj-untransposed": o_proj(
        "untransposed",
        "The merged heads are multiplied by o_proj_weight untransposed. Multiply by its transpose.",
    ),
}

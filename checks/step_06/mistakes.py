"""Mistakes in rotary position embedding, and in the attention layer that uses it."""

from __future__ import annotations

from checks.shared.attention_mistakes import ATTENTION, LAYER
from checks.shared.mistakes import Row

ROTATION: tuple[Row, ...] = (
    (
        "pairs-halves",
        "The pairs are taken from the two halves of the vector. Here a pair is two "
        "neighbours: features 2i and 2i + 1.",
        {"pairs": "halves"},
        "pairs",
    ),
    (
        "written-as-halves",
        "The turned features are put one half after the other. Put each pair "
        "back where it was: 2i and 2i + 1.",
        {"pairs": "written_as_halves"},
        "interleave",
    ),
    (
        "written-exchanged",
        "The two features of each pair are put back in the wrong order.",
        {"pairs": "written_exchanged"},
        "interleave",
    ),
    (
        "positions-from-one",
        "The positions are counted from 1. Position 0 turns nothing.",
        {"positions": "from_one"},
        "positions",
    ),
    (
        "positions-ignored",
        "token_positions is not used: the tokens are numbered 0, 1, 2, … instead.",
        {"positions": "ignored"},
        "positions",
    ),
    (
        "positions-first-row",
        "The positions of the first text serve all texts.",
        {"positions": "first_row"},
        "positions",
    ),
    (
        "no-rotation",
        "Nothing is turned: the position has no effect.",
        {"positions": "none"},
        "rotate",
    ),
    (
        "turned-backwards",
        "The points are turned the other way: the signs of the two sines are exchanged.",
        {"turn": "backwards"},
        "rotate",
    ),
    ("cos-sin-exchanged", "Cosine and sine are exchanged.", {"turn": "exchanged"}, "rotate"),
    (
        "no-minus",
        "Both coordinates are sums. The first one is a difference: a·cos − b·sin.",
        {"formula": "both_plus"},
        "rotate",
    ),
    (
        "two-minuses",
        "Both coordinates are differences. The second one is a sum: a·sin + b·cos.",
        {"formula": "both_minus"},
        "rotate",
    ),
    ("cos-only", "Features are only multiplied by the cosine.", {"formula": "cos_only"}, "rotate"),
    (
        "unmixed",
        "The first feature of a pair is multiplied by the cosine, the second by the "
        "sine. A rotation mixes the two.",
        {"formula": "unmixed"},
        "rotate",
    ),
    (
        "positions-added",
        "Cosine and sine are added to the features. Rotary positions turn them.",
        {"formula": "added"},
        "rotate",
    ),
    (
        "overwritten",
        "The second coordinate is worked out from the first one after it was "
        "turned. Use the old one.",
        {"formula": "overwritten"},
        "rotate",
    ),
    (
        "odd-unchanged",
        "Only the first feature of each pair is turned.",
        {"formula": "odd_unchanged"},
        "rotate",
    ),
    (
        "exponent-single",
        "The exponent is −i / d_k. It is −2i / d_k.",
        {"exponent": "single"},
        "frequencies",
    ),
    (
        "exponent-double",
        "The exponent is −4i / d_k. It is −2i / d_k.",
        {"exponent": "double"},
        "frequencies",
    ),
    (
        "exponent-positive",
        "The exponent is +2i / d_k, so later pairs turn faster. It is −2i / d_k.",
        {"exponent": "positive"},
        "frequencies",
    ),
    (
        "exponent-from-one",
        "The pairs are counted from 1. The first pair has exponent 0.",
        {"exponent": "from_one"},
        "frequencies",
    ),
    (
        "exponent-odd",
        "The exponent counts the odd features. Use the even ones: 0, 2, 4, …",
        {"exponent": "odd"},
        "frequencies",
    ),
    (
        "exponent-half-range",
        "The exponents are spread up to 1. The last one is (d_k − 2) / d_k.",
        {"exponent": "half_range"},
        "frequencies",
    ),
    (
        "exponent-reversed",
        "The frequencies are in reverse order. The first pair turns fastest.",
        {"exponent": "reversed"},
        "frequencies",
    ),
    ("one-frequency", "All pairs turn at the same speed.", {"exponent": "none"}, "frequencies"),
    (
        "theta-fixed",
        "theta is fixed at 10000. Use the argument.",
        {"theta": "fixed"},
        "frequencies",
    ),
)

_WANTED = {
    "missing-scale",
    "scale-head-dim",
    "scale-sqrt-n-embd",
    "scale-multiplied",
    "scale-after-softmax",
    "no-mask",
    "mask-past",
    "mask-past-and-self",
    "mask-allows-next",
    "mask-hides-self",
    "mask-multiplied",
    "mask-zero",
    "mask-ones",
    "mask-after-softmax",
    "mask-zeroed-after-softmax",
    "softmax-over-queries",
    "no-softmax",
    "softmax-twice",
    "weights-transposed",
    "split-by-reshape",
    "split-head-dim-first",
    "merge-by-reshape",
    "merge-head-dim-major",
    "merge-reversed",
}

SHARED: tuple[Row, ...] = tuple(row for row in (*ATTENTION, *LAYER) if row[0] in _WANTED)
"""The mistakes that this layer has in common with GPT-2's."""

LAYER_ROPE: tuple[Row, ...] = (
    (
        "only-query-rotated",
        "Only the query is rotated. Rotate the key too.",
        {"rotated": "query"},
        "rotated",
    ),
    (
        "only-key-rotated",
        "Only the key is rotated. Rotate the query too.",
        {"rotated": "key"},
        "rotated",
    ),
    ("nothing-rotated", "Neither query nor key is rotated.", {"rotated": "none"}, "rotated"),
    (
        "value-rotated",
        "The value is rotated too. Only query and key are.",
        {"rotated": "value_too"},
        "rotated",
    ),
    (
        "key-value-rotated",
        "Key and value are rotated. Rotate query and key.",
        {"rotated": "key_value"},
        "rotated",
    ),
    (
        "query-value-rotated",
        "Query and value are rotated. Rotate query and key.",
        {"rotated": "query_value"},
        "rotated",
    ),
    (
        "rotated-before-split",
        "Query and key are rotated before their heads are split. Rotate "
        "each head, with frequencies for its own width.",
        {"rotated": "before_split"},
        "rotated",
    ),
    (
        "weights-untransposed",
        "The inputs are multiplied with the weights as they are. A weight "
        "is [out, in]: multiply with its transpose.",
        {"weight": "untransposed"},
        "project",
    ),
    ("order-kqv", "Query and key are exchanged.", {"order": "kqv"}, "project"),
    ("order-qvk", "Key and value are exchanged.", {"order": "qvk"}, "project"),
    ("same-qqv", "The query stands where the key belongs.", {"order": "qqv"}, "project"),
    ("same-qkk", "The key stands where the value belongs.", {"order": "qkk"}, "project"),
    (
        "weights-qvk",
        "k_proj_weight and v_proj_weight are exchanged.",
        {"projected": "qvk"},
        "project",
    ),
    ("weights-qkk", "The value is projected with k_proj_weight.", {"projected": "qkk"}, "project"),
    ("weights-qkq", "The value is projected with q_proj_weight.", {"projected": "qkq"}, "project"),
    (
        "layer-positions-ignored",
        "The layer counts its tokens 0, 1, 2, … itself. Hand token_positions on to the rotation.",
        {"places": "ignored"},
        "rotated",
    ),
    ("one-head", "The whole width is used as a single head.", {"heads": "one"}, "heads"),
    ("no-o-proj", "The output projection is missing.", {"o_proj": "missing"}, "o_proj"),
    (
        "o-proj-untransposed",
        "The output is multiplied with o_proj_weight as it is. Multiply with its transpose.",
        {"o_proj": "untransposed"},
        "o_proj",
    ),
)

"""Mistakes in the options of multi-head attention and in its KV cache."""

from __future__ import annotations

from checks.shared.mistakes import Row

OPTIONS: tuple[Row, ...] = (
    (
        "scale-or",
        'An attention_scale of 0 is taken for none: "attention_scale or …" replaces '
        "it. Ask whether it is None.",
        {"scale": "or"},
        "scale",
    ),
    (
        "scale-ignored",
        "attention_scale is ignored: the scores are always divided by √head_dim.",
        {"scale": "ignored"},
        "scale",
    ),
    (
        "scale-divided",
        "The scores are divided by attention_scale. It is a factor: multiply.",
        {"scale": "divided"},
        "scale",
    ),
    (
        "scale-both",
        "The scores are divided by √head_dim as well where attention_scale is given. "
        "It takes the place of 1/√head_dim.",
        {"scale": "both"},
        "scale",
    ),
    (
        "missing-scale",
        "The scores are not scaled where attention_scale is None. Then the scale is 1/√head_dim.",
        {"scale": "none"},
        "scale",
    ),
    (
        "scale-head-dim",
        "The scores are divided by head_dim. Divide by its square root.",
        {"scale": "head_dim"},
        "scale",
    ),
    (
        "scale-multiplied",
        "The scores are multiplied by √head_dim. Divide by it.",
        {"scale": "multiplied"},
        "scale",
    ),
    (
        "scale-sqrt-hidden-size",
        "The scores are divided by √hidden_size. One head has head_dim "
        "features: divide by √head_dim.",
        {"scale": "n_embd"},
        "scale",
    ),
    ("mask-ignored", "attention_mask is ignored.", {"mask": "ignored"}, "mask"),
    (
        "mask-multiplied",
        "The scores are multiplied by attention_mask. Add it.",
        {"mask": "multiplied"},
        "mask",
    ),
    (
        "mask-zero",
        "Hidden scores are set to 0, which still gets weight in the softmax. Add the "
        "mask to the scores.",
        {"mask": "zero"},
        "mask",
    ),
    (
        "mask-subtracted",
        "attention_mask is subtracted: hidden scores become +inf. Add it.",
        {"mask": "subtracted"},
        "mask",
    ),
    (
        "mask-after-softmax",
        "attention_mask is added after the softmax. Add it to the scores before.",
        {"mask": "after_softmax"},
        "mask",
    ),
    (
        "mask-zeroed-after-softmax",
        "The weights are set to 0 after the softmax, so the rows no "
        "longer sum to 1. Add the mask to the scores before it.",
        {"mask": "zeroed_after_softmax"},
        "mask",
    ),
    (
        "own-causal-mask",
        "The layer hides the future by itself. Here only attention_mask hides.",
        {"mask": "own_causal"},
        "mask",
    ),
    ("bias-ignored", "position_bias is ignored.", {"bias": "ignored"}, "bias"),
    (
        "bias-before-scale",
        "position_bias is added before the scale, and scaled with the scores. Add it afterwards.",
        {"bias": "before_scale"},
        "bias",
    ),
    (
        "bias-multiplied",
        "The scores are multiplied by position_bias. Add it.",
        {"bias": "multiplied"},
        "bias",
    ),
    ("bias-subtracted", "position_bias is subtracted. Add it.", {"bias": "subtracted"}, "bias"),
    ("bias-twice", "position_bias is added twice.", {"bias": "twice"}, "bias"),
    (
        "bias-after-softmax",
        "position_bias is added after the softmax. Add it to the scores before.",
        {"bias": "after_softmax"},
        "bias",
    ),
    ("zero-ignored", "add_zero_attn is ignored.", {"zero": "ignored"}, "zero"),
    (
        "zero-always",
        "The key of zeros is there even without add_zero_attn.",
        {"zero": "always"},
        "zero",
    ),
    (
        "zero-score-one",
        "The additional score is 1. A key of zeros has the score 0 with every query.",
        {"zero": "one"},
        "zero",
    ),
    (
        "zero-first-dropped",
        "The weight of the first key is dropped after the softmax. The zero "
        "stands last: drop the last.",
        {"zero": "first_dropped"},
        "zero",
    ),
    (
        "dropout-weights",
        "The weights are multiplied by 1 − dropout. Nothing is dropped when a "
        "model is used, so nothing is scaled.",
        {"dropout": "weights"},
        "dropout",
    ),
    (
        "dropout-output",
        "The output is multiplied by 1 − dropout. Nothing is dropped when a model "
        "is used, so nothing is scaled.",
        {"dropout": "output"},
        "dropout",
    ),
    (
        "softmax-over-queries",
        "The softmax runs over the queries (axis −2). Use the last axis.",
        {"softmax": "queries"},
        "softmax",
    ),
    (
        "no-out-proj",
        "The output projection out_proj is missing.",
        {"out_proj": "missing"},
        "out_proj",
    ),
    ("out-proj-no-bias", "The bias of out_proj is dropped.", {"out_proj": "no_bias"}, "out_proj"),
)

ROTARY: tuple[Row, ...] = (
    (
        "rotary-ignored",
        "use_rotary is ignored: query and key are not rotated.",
        {"rotary": "ignored"},
        "rotary",
    ),
    (
        "rotary-query-only",
        "Only the query is rotated. Rotate the key too.",
        {"rotary": "query_only"},
        "rotary",
    ),
    (
        "rotary-key-only",
        "Only the key is rotated. Rotate the query too.",
        {"rotary": "key_only"},
        "rotary",
    ),
    (
        "rotary-value-too",
        "The value is rotated as well. Only scores know positions: rotate query and key.",
        {"rotary": "value_too"},
        "rotary",
    ),
    (
        "rotary-restart",
        "The positions of new tokens start at 0 again. They go on where the cache ends.",
        {"rotary": "restart"},
        "positions",
    ),
    (
        "rotary-one-late",
        "The positions of the keys or queries are off by one.",
        {"rotary": "past_less_one"},
        "positions",
    ),
    (
        "rotary-all-at-past",
        "All new tokens are rotated by the same position. They stand at past, past + 1, …",
        {"rotary": "all_at_past"},
        "positions",
    ),
    (
        "rotary-joined-again",
        "Cached keys are rotated a second time. They were rotated when they "
        "were new: rotate before joining.",
        {"rotary": "joined_again"},
        "positions",
    ),
)

CACHE: tuple[Row, ...] = (
    (
        "cache-ignored",
        "The cached keys and values are not used: the new tokens see only each other.",
        {"cache": "ignored"},
        "join",
    ),
    (
        "cache-new-first",
        "The new keys and values stand in front of the cached ones. Old first, then new.",
        {"cache": "new_first"},
        "join",
    ),
    (
        "cache-mixed-order",
        "Keys are joined in one order and values in the other. Old first, then new, for both.",
        {"cache": "keys_only_old"},
        "join",
    ),
    (
        "cache-exchanged",
        "Cached keys and values are exchanged. past_key_value is (key, value).",
        {"cache": "exchanged"},
        "join",
    ),
    (
        "cache-replaces",
        "The cached keys and values stand in the place of the new ones. Join them.",
        {"cache": "replaced"},
        "join",
    ),
    (
        "cache-joined-elsewhere",
        "Old and new keys and values are joined along another axis, and "
        "nothing fits afterwards. Join them along the tokens: axis −2.",
        {"cache": "elsewhere"},
        "join",
    ),
    (
        "returns-new-only",
        "Only the new keys and values are returned. Return those of all tokens.",
        {"returned": "new_only"},
        "returned",
    ),
    (
        "returns-exchanged",
        "The cache is returned as (value, key). It is (key, value).",
        {"returned": "exchanged"},
        "returned",
    ),
    ("returns-keys-twice", "The keys are returned twice.", {"returned": "keys_twice"}, "returned"),
    (
        "returns-seq-first",
        "The cache is returned as [batch, total, num_heads, head_dim]. It is "
        "[batch, num_heads, total, head_dim].",
        {"returned": "seq_first"},
        "returned",
    ),
)

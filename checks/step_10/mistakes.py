"""Mistakes in the options of multi-head attention and in its KV cache."""

from __future__ import annotations

from checks.shared.mistakes import Family, Knob

PLACE = r"__call__() ~(past|cache|key).*\.shape\[.*[+-] 1\b|range\(.*[+-] 1\b"
VALUES = r"__call__() ~^v.*concat|concat.*\[1\] ~ ^[vV]\w* = [\w.]+\([\w.]+, [\w.]+\)$"
"""Where positions are off by one, and where values are joined, as ``Misconception.place``."""

SCORES = r"_attn() ~@ .*transpose"
"""Where the scores are computed."""

scale = Knob("scale", place="__init__() ~scale")
mask = Knob("mask", "attention-mask")
bias = Knob("bias", "position-bias")
zero = Knob("zero")
dropout = Knob("dropout", "no-dropout")
softmax = Knob("softmax", "numbers")
out_proj = Knob("out_proj", "call-out-proj")
rotary = Knob("rotary", "rotate")
cache = Knob("cache", "join", "__call__() ~concat")
joined = Knob("cache", "join")
returned = Knob("returned", "cache", "__call__() ~use_cache|^return")

OPTIONS: Family = {
    "scale-or": scale(
        "or",
        "An attention_scale of 0 is treated as None: 0 counts as false, just as None does. "
        "Ask whether it is None.",
    ),
    "scale-ignored": scale(
        "ignored", "attention_scale is ignored: the scores are always divided by √head_dim."
    ),
    "scale-divided": scale(
        "divided",
        "The scores are divided by attention_scale. It is a factor: multiply.",
        place=SCORES,
    ),
    "scale-both": scale(
        "both",
        "The scores are divided by √head_dim even when attention_scale is given. It "
        "must take the place of 1/√head_dim.",
    ),
    "missing-scale": scale(
        "none",
        "The scores are not scaled when attention_scale is None. Then the scale must be "
        "1/√head_dim.",
    ),
    "scale-head-dim": scale(
        "head_dim",
        "The scores are divided by head_dim, or twice by its square root. Divide once, by the "
        "square root.",
    ),
    "scale-multiplied": scale(
        "multiplied", "The scores are multiplied by √head_dim. Divide by it."
    ),
    "scale-negative": scale(
        "negative",
        "The scores are multiplied by −√head_dim. The power must be −0.5: head_dim ** -0.5 is "
        "1/√head_dim.",
    ),
    "scale-twice": scale(
        "twice",
        "The scores are multiplied by the scale twice, or query and key are both scaled. Once is "
        "enough.",
        place=SCORES,
    ),
    "scale-added": scale(
        "added", "The scale is added to the scores. Multiply the scores by it.", place=SCORES
    ),
    "scale-sqrt-hidden-size": scale(
        "n_embd",
        "The scores are divided by √hidden_size. One head has head_dim features: divide "
        "once by √head_dim.",
        place=r"__init__() ~scale.*(sqrt|\*\*) ~ scale",
    ),
    "mask-ignored": mask("ignored", "attention_mask is ignored."),
    "mask-only-with-bias": mask(
        "with_bias",
        "attention_mask is added only if position_bias is given too. Each must have an if of "
        "its own.",
    ),
    "mask-without-bias": mask(
        "without_bias",
        "attention_mask is left out if position_bias is given: after an elif, or a return, its "
        "line does not run. Each needs an if of its own.",
        place=r"_attn() ~^if .*mask",
    ),
    "mask-multiplied": mask("multiplied", "The scores are multiplied by attention_mask. Add it."),
    "mask-zero": mask(
        "zero",
        "Hidden scores are set to 0, which still gets weight in the softmax. Add the "
        "mask to the scores.",
    ),
    "mask-subtracted": mask(
        "subtracted", "attention_mask is subtracted: hidden scores become +inf. Add it."
    ),
    "mask-after-softmax": mask(
        "after_softmax", "attention_mask is added after the softmax. Add it to the scores before."
    ),
    "mask-zeroed-after-softmax": mask(
        "zeroed_after_softmax",
        "The weights are set to 0 after the softmax, so the rows no longer sum to 1. Add "
        "the mask to the scores before it.",
    ),
    "own-causal-mask": mask(
        "own_causal", "The layer hides the future on its own. Only attention_mask should hide it."
    ),
    "bias-ignored": bias("ignored", "position_bias is ignored."),
    "bias-before-scale": bias(
        "before_scale",
        "position_bias is added before the scale, and scaled with the scores. Add it afterwards.",
    ),
    "bias-multiplied": bias("multiplied", "The scores are multiplied by position_bias. Add it."),
    "bias-subtracted": bias("subtracted", "position_bias is subtracted. Add it."),
    "bias-twice-with-mask": bias(
        "twice_with_mask",
        "position_bias is added a second time in place of the mask: add attention_mask there.",
    ),
    "bias-twice": bias("twice", "position_bias is added twice."),
    "bias-after-softmax": bias(
        "after_softmax", "position_bias is added after the softmax. Add it to the scores before."
    ),
    "zero-ignored": zero("ignored", "add_zero_attn changes nothing."),
    "zero-always": zero("always", "The key of zeros is there even without add_zero_attn."),
    "zero-score-one": zero(
        "one", "The extra score is 1. A key of zeros has the score 0 with every query."
    ),
    "zero-in-front": zero(
        "in_front",
        "The zero comes before the scores, and the last weight is dropped. Join it after "
        "them: F.concat([scores, nothing], axis=-1).",
    ),
    "zero-first-dropped": zero(
        "first_dropped",
        "The weight of the first key is dropped after the softmax. The zero comes last: "
        "drop the last.",
    ),
    "dropout-weights": dropout(
        "weights",
        "The weights are multiplied by 1 − dropout. Dropout is only for training, "
        "so nothing is scaled.",
    ),
    "dropout-output": dropout(
        "output",
        "The output is multiplied by 1 − dropout. Dropout is only for training, "
        "so nothing is scaled.",
    ),
    "softmax-over-queries": tuple(
        softmax(value, "The softmax runs over the queries (axis −2). Use the last axis, the keys.")
        for value in ("queries", "plain_queries")
    ),
    "no-out-proj": out_proj("missing", "The output projection out_proj is missing."),
    "out-proj-no-bias": out_proj("no_bias", "The bias of out_proj is dropped."),
}

ROTARY: Family = {
    "rotary-ignored": rotary("ignored", "use_rotary is ignored: query and key are not rotated."),
    "rotary-unless": rotary(
        "unless",
        "The rotation is created if use_rotary is False, and left out if it is True. Ask: if "
        "use_rotary.",
        place="rotary",
    ),
    "rotary-query-only": rotary("query_only", "Only the query is rotated. Rotate the key too."),
    "rotary-key-only": rotary("key_only", "Only the key is rotated. Rotate the query too."),
    "rotary-value-too": rotary(
        "value_too",
        "The value is rotated as well. Only scores need positions: rotate query and key.",
    ),
    "rotary-key-is-query": tuple(
        rotary(value, "The rotated query is used where the rotated key belongs. Rotate the key.")
        for value in ("key_is_query", "key_is_rotated_query")
    ),
    "rotary-query-is-key": rotary(
        "query_is_key", "The rotated key is used where the rotated query belongs. Rotate the query."
    ),
    "rotary-theta-swapped": rotary(
        "theta_swapped",
        "MAX_POSITIONS and THETA are swapped. The order is RotaryEmbedding(width, MAX_POSITIONS, "
        "THETA).",
        part="rotate",
        place="rotary",
    ),
    **{
        f"past-{name}": rotary(
            value,
            f"The positions of new tokens start at {what}. They must start at the number of cached "
            "tokens: past_key_value[0].shape[-2].",
            part="positions",
            place=r"__call__() ~(past|cache|key|old|_k\b).*shape|len\(",
        )
        for name, value, what in (
            ("batch", "past_axis_0", "the batch size, the first axis of the cache"),
            ("heads", "past_axis_1", "the number of heads, the second axis of the cache"),
            ("width", "past_axis_-1", "head_dim, the last axis of the cache"),
            ("pair", "past_pair", "2, the length of the pair (key, value)"),
        )
    },
    "rotary-restart": rotary(
        "restart",
        "The positions of new tokens start at 0 again. They must continue where the cache ends.",
        part="positions",
        place=r"__call__() ~^\w+ == |range\(",
    ),
    "rotary-one-late": tuple(
        rotary(
            value,
            f"The positions of new tokens start one too {what}. They must start at the number of "
            "cached tokens, past_key_value[0].shape[-2].",
            part="positions",
            place=PLACE,
        )
        for value, what in (
            ("past_less_one", "early"),
            ("always_less_one", "early"),
            ("past_one_more", "late"),
        )
    ),
    "rotary-all-at-past": rotary(
        "all_at_past",
        "All new tokens are rotated by the same position. They must be at past, past + 1, …",
        part="positions",
    ),
    "rotary-joined-again": rotary(
        "joined_again",
        "Cached keys are rotated a second time. They were rotated when they were new: "
        "rotate before joining.",
        part="positions",
    ),
}

CACHE: Family = {
    "cache-ignored": joined(
        "ignored", "The cached keys and values are not used: the new tokens see only each other."
    ),
    "cache-new-first": cache(
        "new_first",
        "The new keys and values come before the cached ones. Old first, then new.",
    ),
    "cache-mixed-order": cache(
        "keys_only_old",
        "Keys are joined in one order and values in the other. Old first, then new, for both.",
        place=VALUES,
    ),
    "cache-exchanged": cache(
        "exchanged",
        "Cached keys and values are swapped. past_key_value is (key, value).",
        place=r"__call__() ~^\w*v\w*, \w*[kc]\w* = past|concat",
    ),
    "cache-value-for-key": cache(
        "value_for_key",
        "The cached values are joined with the new keys. past_key_value[0] has the keys.",
    ),
    "cache-key-for-value": cache(
        "key_for_value",
        "The cached keys are joined with the new values. past_key_value[1] has the values.",
        place=VALUES,
    ),
    "cache-replaces": cache(
        "replaced", "The cached keys and values replace the new ones. Join them."
    ),
    "cache-joined-elsewhere": joined(
        "elsewhere",
        "Old and new keys and values are joined along the wrong axis, and nothing fits "
        "afterwards. Join them along the tokens: axis −2.",
    ),
    "returns-new-only": returned(
        "new_only", "Only the new keys and values are returned. Return those of all tokens."
    ),
    "returns-exchanged": returned(
        "exchanged", "The cache is returned as (value, key). It must be (key, value)."
    ),
    "returns-old-cache": returned(
        "past",
        "With use_cache and no earlier tokens, None is returned for the cache. Return "
        "(key, value), which hold all tokens, whether or not a cache was given.",
    ),
    "returns-keys-twice": returned("keys_twice", "The keys are returned twice."),
    "returns-query": returned(
        "query", "The query is returned in the cache. The cache must be (key, value)."
    ),
    "returns-seq-first": returned(
        "seq_first",
        "The cache is returned as [batch, total, num_heads, head_dim]. It is [batch, "
        "num_heads, total, head_dim].",
    ),
}

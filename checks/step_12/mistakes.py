"""Mistakes in choosing the next token, and in writing text with it."""

from __future__ import annotations

from checks.shared.mistakes import Row

CHOICE: tuple[Row, ...] = (
    (
        "always-greedy",
        "The likeliest token is always taken, whatever the temperature.",
        {"choice": "greedy"},
        "draw",
    ),
    ("worst-token", "The token with the lowest score is taken.", {"choice": "worst"}, "greedy"),
    (
        "temperature-multiplied",
        "The logits are multiplied by the temperature. Divide by it.",
        {"heat": "multiplied"},
        "temperature",
    ),
    ("temperature-ignored", "The temperature is ignored.", {"heat": "ignored"}, "temperature"),
    (
        "temperature-squared",
        "The logits are divided by the temperature twice.",
        {"heat": "squared"},
        "temperature",
    ),
    ("top-k-ignored", "top_k is ignored.", {"best": "ignored"}, "top_k"),
    (
        "top-k-one-less",
        "One token too few may be drawn: top_k - 1 of them.",
        {"best": "one_less"},
        "top_k",
    ),
    (
        "top-k-one-more",
        "One token too many may be drawn: top_k + 1 of them.",
        {"best": "one_more"},
        "top_k",
    ),
    ("top-k-worst", "The worst top_k tokens are kept. Keep the best.", {"best": "worst"}, "top_k"),
    (
        "top-k-zero",
        "Scores below the best top_k are set to 0, which is an ordinary score. Set them to -inf.",
        {"best": "zero"},
        "top_k",
    ),
    (
        "top-k-after-softmax",
        "Tokens are left out after the softmax, so the probabilities no longer sum to 1.",
        {"best": "after_softmax"},
        "top_k",
    ),
    (
        "uniform-draw",
        "Every token that may be drawn is equally likely. Weigh them by softmax.",
        {"shares": "uniform"},
        "probabilities",
    ),
    (
        "draw-best-first",
        "The shares follow each other from the likeliest to the least likely. "
        "Here they follow the ids of the tokens.",
        {"order": "best_first"},
        "draw",
    ),
    (
        "draw-worst-first",
        "The shares follow each other from the least likely to the likeliest. "
        "Here they follow the ids of the tokens.",
        {"order": "worst_first"},
        "draw",
    ),
    (
        "draw-last-first",
        "The shares are counted from the last token. Begin with id 0.",
        {"order": "last_first"},
        "draw",
    ),
    ("draw-one-late", "The token after the right one is taken.", {"order": "one_late"}, "draw"),
    ("draw-one-early", "The token before the right one is taken.", {"order": "one_early"}, "draw"),
)

LOOP: tuple[Row, ...] = (
    ("one-token-less", "One token too few is written.", {"count": "one_less"}, "loop"),
    ("one-token-more", "One token too many is written.", {"count": "one_more"}, "loop"),
    (
        "max-is-total",
        "max_new_tokens is taken for the length of the whole text. It counts new tokens only.",
        {"count": "total"},
        "loop",
    ),
    ("eos-ignored", "The text does not end at eos_token_id.", {"end": "ignored"}, "end"),
    (
        "eos-left-out",
        "The token that ends the text is left out. It is part of the text.",
        {"end": "left_out"},
        "end",
    ),
    (
        "same-draw",
        "Every token is drawn with the first random number. Take the next each time.",
        {"numbers": "same"},
        "draws",
    ),
    (
        "returns-new-only",
        "Only the new tokens are returned. generate returns the whole text.",
        {"returned": "new_only"},
        "loop",
    ),
    (
        "first-position",
        "The next token is chosen from the logits of the first position. The last "
        "position predicts the next token.",
        {"position": "first"},
        "position",
    ),
    (
        "position-before-last",
        "The next token is chosen from the logits of the position before the last. The last "
        "position predicts the next token.",
        {"position": "before_last"},
        "position",
    ),
    (
        "last-token-only",
        "The model only reads the last token. Without a cache it must read the whole text.",
        {"reads": "last_only"},
        "position",
    ),
    (
        "last-new-token-only",
        "Without a cache the model only reads the last new token. It must read the whole text "
        "each time.",
        {"reads": "last_new"},
        "position",
    ),
    (
        "cache-positions-restart",
        "The positions of new tokens start at 0 again. They go on where the cache ends.",
        {"decode": "restart"},
        "positions",
    ),
    (
        "cache-positions-one-late",
        "The positions of new tokens are off by one.",
        {"decode": "one_late"},
        "positions",
    ),
    (
        "cache-ignored",
        "The cached keys and values are not used: new tokens see only each other.",
        {"decode": "ignored"},
        "join",
    ),
    (
        "cache-new-first",
        "The new keys and values stand in front of the cached ones. Old first, then new.",
        {"decode": "new_first"},
        "join",
    ),
    (
        "cache-no-mask",
        "New tokens see those that come after them: the causal mask is missing.",
        {"decode": "no_mask"},
        "mask",
    ),
    (
        "cache-first-layer",
        "Every block gets the cache of the first block.",
        {"decode": "first_layer"},
        "layers",
    ),
    (
        "cache-new-only",
        "Only the new keys and values are returned. Return those of all tokens.",
        {"decode": "new_only"},
        "layers",
    ),
    ("decode-no-ln-f", "The last normalization, ln_f, is missing.", {"ln_f": "missing"}, "logits"),
    (
        "decode-no-mlp",
        "The feed-forward network is missing from the blocks.",
        {"decode": "no_mlp"},
        "layers",
    ),
    (
        "decode-no-ln-1",
        "The attention reads vectors that are not normalized.",
        {"decode": "no_ln_1"},
        "layers",
    ),
    (
        "decode-no-residual",
        "What the attention found is not added to the vectors.",
        {"decode": "no_residual"},
        "layers",
    ),
    (
        "decode-no-scale",
        "The scores are not divided by √head_dim.",
        {"decode": "no_scale"},
        "attend",
    ),
    (
        "decode-no-c-proj",
        "The attention's output projection is missing.",
        {"decode": "no_c_proj"},
        "attend",
    ),
)

"""Mistakes in the whole model, and in loading the weights of a checkpoint."""

from __future__ import annotations

from checks.shared.mistakes import Row

MODEL: tuple[Row, ...] = (
    (
        "no-positions",
        "The position vectors are not added: the model cannot tell the order of the tokens.",
        {"embed": "no_positions"},
        "embed",
    ),
    (
        "only-positions",
        "The token vectors are missing: only positions go in.",
        {"embed": "only_positions"},
        "embed",
    ),
    (
        "positions-from-one",
        "Positions are counted from 1. The first token stands at position 0.",
        {"embed": "from_one"},
        "embed",
    ),
    (
        "positions-all-first",
        "Every token gets the vector of position 0.",
        {"embed": "same_position"},
        "embed",
    ),
    (
        "positions-all-last",
        "Every token gets the vector of the last position.",
        {"embed": "last_position"},
        "embed",
    ),
    (
        "positions-reversed",
        "Positions are counted from the end of the text.",
        {"embed": "reversed"},
        "embed",
    ),
    (
        "positions-are-ids",
        "The table of positions is looked up with the token ids. Look it up with 0, 1, 2, …",
        {"embed": "ids"},
        "embed",
    ),
    (
        "tables-swapped",
        "wte and wpe are exchanged: wte is the table of tokens.",
        {"embed": "tables_swapped"},
        "embed",
    ),
    (
        "embeddings-multiplied",
        "Token and position vectors are multiplied. Add them.",
        {"embed": "multiplied"},
        "embed",
    ),
    (
        "embeddings-scaled",
        "The token vectors are multiplied by √n_embd, as in the first "
        "transformer of 2017. GPT-2 adds them as they are.",
        {"embed": "scaled"},
        "embed",
    ),
    ("layers-reversed", "The blocks run in the reverse order.", {"layers": "reversed"}, "blocks"),
    ("first-layer-only", "Only the first block runs.", {"layers": "first_only"}, "blocks"),
    (
        "first-layer-repeated",
        "The first block runs again and again. Each turn has a block of its own.",
        {"layers": "first_repeated"},
        "blocks",
    ),
    (
        "last-layer-repeated",
        "Every turn runs the last block. Each has a block of its own.",
        {"layers": "last_repeated"},
        "blocks",
    ),
    ("last-layer-missing", "The last block does not run.", {"layers": "without_last"}, "blocks"),
    ("no-layers", "No block runs.", {"layers": "none"}, "blocks"),
    ("no-ln-f", "The last normalization, ln_f, is missing.", {"ln_f": "missing"}, "ln_f"),
    ("ln-f-twice", "ln_f is applied twice.", {"ln_f": "twice"}, "ln_f"),
    (
        "head-softmax",
        "The model returns probabilities. Logits are the scores before the softmax.",
        {"head": "softmax"},
        "head",
    ),
    (
        "head-log-softmax",
        "The model returns logarithms of probabilities. Logits are the scores before the softmax.",
        {"head": "log_softmax"},
        "head",
    ),
    (
        "head-scaled",
        "The logits are divided by √n_embd. GPT-2 leaves them as they are.",
        {"head": "scaled"},
        "head",
    ),
    (
        "head-missing",
        "The model returns the vectors. Multiply them with the table of tokens.",
        {"head": "hidden"},
        "head",
    ),
    (
        "head-last-only",
        "Only the last position is scored. Return the logits of every position.",
        {"head": "last"},
        "head",
    ),
    (
        "head-positions",
        "The vectors are multiplied with the table of positions. Use the table of tokens.",
        {"head": "positions"},
        "head",
    ),
)

CHECKPOINT: tuple[Row, ...] = (
    (
        "square-not-turned",
        "Arrays are turned only where their shape does not fit. A square one fits either way: "
        "go by its name.",
        {"turned": "not_square"},
        "turned",
    ),
    (
        "attn-c-proj-not-turned",
        "attn.c_proj.weight is not turned. It is square, so no shape gives it away.",
        {"turned": "not_attn_c_proj"},
        "turned",
    ),
    (
        "mlp-not-turned",
        "The weights of mlp.c_fc and mlp.c_proj are not turned.",
        {"turned": "not_mlp"},
        "turned",
    ),
)

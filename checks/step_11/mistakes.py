"""Mistakes in the whole model, and in loading the weights of a checkpoint."""

from __future__ import annotations

from checks.shared.attention_mistakes import REVERSED
from checks.shared.mistakes import Family, Knob

embed = Knob("embed")
layers = Knob("layers", "call-blocks")
ln_f = Knob("ln_f", "call-ln-f")
head = Knob("head", "tied-head")
turned = Knob("turned", "turned")

RETURNED = r"GPT2Model.__call__() ~\.h\[0\]|^return"
"""Where the way through the blocks ends too early."""

MODEL: Family = {
    "no-positions": embed(
        "no_positions",
        "The position vectors are not added: the model cannot tell the order of the tokens.",
    ),
    "only-positions": embed(
        "only_positions", "The token vectors are missing: only the position vectors go in."
    ),
    "positions-from-one": embed(
        "from_one", "Positions are counted from 1. The first token must be at position 0."
    ),
    "positions-all-first": embed("same_position", "Every token gets the vector of position 0."),
    "positions-all-last": embed(
        "last_position", "Every token gets the vector of the last position."
    ),
    "positions-reversed": embed("reversed", "Positions are counted from the end of the text."),
    "positions-doubled": embed(
        "doubled", "Positions are counted by twos. The tokens must be at 0, 1, 2, …"
    ),
    "positions-are-ids": embed(
        "ids", "The table of positions is indexed with the token ids. Look it up with 0, 1, 2, …"
    ),
    "tables-swapped": embed(
        "tables_swapped", "wte and wpe are swapped: wte is the table of tokens."
    ),
    "embeddings-multiplied": embed(
        "multiplied", "Token and position vectors are multiplied. Add them."
    ),
    "embeddings-scaled": embed(
        "scaled",
        "The token vectors are multiplied by √n_embd, as in the first transformer of "
        "2017. GPT-2 adds them as they are.",
    ),
    "layers-reversed": layers("reversed", "The blocks run in the reverse order.", place=REVERSED),
    "first-layer-only": layers(
        "first_only", "Only the first block runs. Is a return inside the loop?", place=RETURNED
    ),
    "first-layer-repeated": layers(
        "first_repeated",
        "The first block runs again and again. Each turn must run a block of its own.",
        part="blocks",
        place=r"GPT2Model.__call__() ~\[0\]",
    ),
    "last-layer-repeated": layers(
        "last_repeated",
        "Every turn runs one and the same block, the last. Make each anew: [block] * n, or one "
        "block appended n times, makes all layers share its weights.",
        part="blocks",
        place="h",
    ),
    "first-layer-missing": layers(
        "without_first", "The first block does not run, or nothing uses what it returns."
    ),
    "layers-residual": layers(
        "residual",
        "A block's input is added to its output. The block has already added it: "
        "hidden_states = block(hidden_states).",
    ),
    "last-layer-missing": layers(
        "without_last", "The last block does not run, or nothing uses what it returns."
    ),
    "no-layers": layers("none", "No block runs, or nothing uses what the blocks return."),
    "no-ln-f": ln_f("missing", "The last normalization, ln_f, is missing."),
    "ln-f-twice": ln_f("twice", "ln_f is applied twice."),
    "ln-f-first": ln_f(
        "first", "ln_f is applied before the blocks. It must come after the last one."
    ),
    "ln-f-each": ln_f(
        "each", "ln_f is applied after every block. It must come once, after the last one."
    ),
    "ln-f-also-first": ln_f(
        "also_first",
        "ln_f is applied before the blocks as well. It must come once, after the last one.",
    ),
    "ln-f-eps": ln_f(
        "eps",
        "The eps of ln_f is a fixed number, or LayerNorm's own. Use the configuration's: "
        "eps=config.layer_norm_epsilon.",
        part="ln-f",
        place="ln_f",
    ),
    "head-softmax": head(
        "softmax", "The model returns probabilities. Logits are the scores before the softmax."
    ),
    "head-log-softmax": head(
        "log_softmax",
        "The model returns logarithms of probabilities. Logits are the scores before the softmax.",
    ),
    "head-scaled": head(
        "scaled", "The logits are divided by √n_embd. GPT-2 leaves them as they are."
    ),
    "head-missing": head(
        "hidden", "The model returns the vectors. Multiply them by the table of tokens."
    ),
    "head-last-only": head(
        "last", "Only the last position is scored. Return the logits of every position."
    ),
    "head-positions": head(
        "positions",
        "The vectors are multiplied by wpe, the table of positions. Use wte, the table of tokens.",
    ),
}

CHECKPOINT: Family = {
    "square-not-turned": turned(
        "not_square",
        "Arrays are transposed only if their shape does not fit. A square one fits either "
        "way: go by its name.",
    ),
    "attn-c-proj-not-turned": turned(
        "not_attn_c_proj",
        "attn.c_proj.weight is not transposed. It is square, so no shape gives it away.",
    ),
    "mlp-not-turned": turned(
        "not_mlp", "The weights of mlp.c_fc and mlp.c_proj are not transposed."
    ),
}

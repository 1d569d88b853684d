"""Mistakes in GPT-2's feed-forward network, and in the block around it."""

from __future__ import annotations

import math
import re

from checks.shared.mistakes import Family, Knob

gelu = Knob("gelu")
mlp = Knob("mlp", "gelu")
block = Knob("block", "attend")
eps = Knob(
    "eps",
    "norms",
    r"GPT2Block.__init__() ~[=,(] ?(1e-|0?\.0)\d ~ LayerNorm\([^,()]*\) ~ \bpartial\(\w*Norm\b"
    r" ~ \bln_1\b",
)

NO_PAIR = "It returns one tensor, not a pair: leave out the index."

CUBES = (0.44715, 0.4715, 0.0044715, 0.04715, 0.047715, 0.044175, 0.04475, 0.0447, 0.44, 0.45)
"""Numbers used where GELU has 0.044715, by a slip of the finger."""

ROOTS = {
    "√(2π)": math.sqrt(2 * math.pi),
    "√(π/2)": math.sqrt(math.pi / 2),
    "√2/π": math.sqrt(2) / math.pi,
    "√2·π": math.sqrt(2) * math.pi,
    "2/π": 2 / math.pi,
    "2/√π": 2 / math.sqrt(math.pi),
    "1/√π": 1 / math.sqrt(math.pi),
    "1/√2": 1 / math.sqrt(2),
    "√2": math.sqrt(2),
    "1": 1.0,
    "1.702": 1.702,
}
"""Numbers used where GELU has √(2/π)."""

ROOT = r"\bsqrt\(|\bpi\b|0?\.79\d|\b1\.702|\*\* \(?0?\.5"
"""How the line with that number is recognised, as ``Misconception.place``."""

MLP: Family = {
    "gelu-cube-constant": tuple(
        gelu(
            {"cube": number},
            f"Your GELU multiplies x³ by {number}. It should be 0.044715.",
            place=rf"GPT2MLP.__call__() ~(?<![\d.]){re.escape(str(number))}\b",
        )
        for number in CUBES
    ),
    "gelu-root-constant": tuple(
        gelu(
            {"root": number},
            f"Inside its tanh your GELU multiplies by {name}. It should be √(2/π) = 0.79788.",
            place=rf"GPT2MLP.__call__() ~{ROOT}",
        )
        for name, number in ROOTS.items()
    ),
    "gelu-square": gelu({"power": 2}, "Your GELU has x² inside the tanh. It must be x³."),
    "gelu-no-half": gelu({"half": 1.0}, "Your GELU lacks the factor ½ in front."),
    "gelu-no-one": gelu({"one": 0.0}, "Your GELU lacks the 1 that is added to the tanh."),
    "gelu-erf": gelu(
        "erf",
        'Your GELU is the exact one with erf. GPT-2\'s "gelu_new" is the approximation '
        'with tanh: F.gelu(x, approximate="tanh").',
    ),
    "gelu-quick": gelu(
        "quick",
        "Your GELU is the quick one, x · sigmoid(1.702 x). GPT-2 uses the approximation with tanh.",
    ),
    "silu": gelu("silu", "SiLU is used where GELU belongs."),
    "relu": gelu("relu", "ReLU is used where GELU belongs: everything below 0 is cut off."),
    "tanh": gelu("tanh", "tanh is used where GELU belongs. The tanh is only a part of GELU."),
    "sigmoid": gelu("sigmoid", "A sigmoid is used where GELU belongs."),
    "gelu-then-more": (
        gelu("then_relu", "A ReLU follows the GELU. Only GELU belongs between the two layers."),
        gelu("then_tanh", "A tanh follows the GELU. Only GELU belongs between the two layers."),
    ),
    "gelu-no-cube": gelu({"cube": 0.0}, "Your GELU lacks the term 0.044715 x³ inside the tanh."),
    "no-gelu": gelu(
        "absent",
        "There is no GELU between the two layers, so the two together are just one linear layer.",
    ),
    "gelu-first": mlp(
        "gelu_first", "GELU is applied to the input. It belongs between the two layers."
    ),
    "gelu-last": mlp(
        "gelu_last", "GELU is applied to the output. It belongs between the two layers."
    ),
    "gelu-twice": mlp("gelu_twice", "GELU is applied twice between the two layers."),
    "gelu-both": mlp(
        "gelu_both", "GELU is applied after both layers. It belongs between them only."
    ),
    "c-fc-no-bias": mlp("no_fc_bias", "The bias of c_fc is dropped.", part="c-fc"),
    "mlp-c-proj-no-bias": mlp(
        "no_proj_bias",
        "The bias of the feed-forward network's c_proj is dropped.",
        part="mlp-c-proj",
    ),
    "mlp-residual": mlp(
        "residual",
        "GPT2MLP adds its input to its output. The residual connection belongs to the block.",
        part="call-mlp-c-proj",
    ),
    "mlp-input": mlp("input", "GPT2MLP returns its input.", part="call-mlp-c-proj"),
}

BLOCK: Family = {
    "post-norm": block(
        "post_norm",
        "The normalization comes after each addition, as in the first transformer of "
        "2017. GPT-2 normalizes before each layer: x + attn(ln_1(x)).",
        part="norms",
    ),
    "norm-of-layer": block(
        "norm_of_layer",
        "The output of each layer is normalized. GPT-2 normalizes what goes in: x + attn(ln_1(x)).",
        part="norms",
    ),
    "post-norm-first": block(
        "post_norm_first",
        "ln_1 comes after the addition: that half is post-norm. GPT-2 normalizes what the "
        "attention reads: x + attn(ln_1(x)).",
    ),
    "post-norm-second": block(
        "post_norm_second",
        "ln_2 comes after the addition: that half is post-norm. GPT-2 normalizes what the "
        "feed-forward network reads: x + mlp(ln_2(x)).",
        part="feed-forward",
    ),
    "norm-of-attention": block(
        "norm_of_attention",
        "ln_1 normalizes the attention's output. It belongs before the attention: "
        "x + attn(ln_1(x)).",
    ),
    "norm-of-mlp": block(
        "norm_of_feed",
        "ln_2 normalizes the feed-forward network's output. It belongs before the network: "
        "x + mlp(ln_2(x)).",
        part="feed-forward",
    ),
    "attention-indexed": (
        block("one_text", "Only the first sequence of the attention's output is added. " + NO_PAIR),
        block("one_token", "Only the first token of the attention's output is added. " + NO_PAIR),
    ),
    "mlp-indexed": block(
        "one_text_of_feed",
        "Only the first sequence of the feed-forward network's output is added. " + NO_PAIR,
        part="feed-forward",
    ),
    "normed-stream": block(
        "normed_stream",
        "The normalized vectors are passed on. Only the layer reads the normalized "
        "copy; its output is added to x itself.",
        part="residual",
    ),
    "no-ln-1": block(
        "no_ln_1",
        "The attention does not read ln_1's output: its vectors are not normalized.",
    ),
    "no-ln-2": block(
        "no_ln_2",
        "The feed-forward network does not read ln_2's output: its vectors are not normalized.",
        part="feed-forward",
    ),
    "no-norms": block(
        "no_norms", "Neither layer reads normalized vectors: that is what ln_1 and ln_2 are for."
    ),
    "ln-1-twice": block(
        "ln_1_twice",
        "ln_1 normalizes for both layers. The feed-forward network must have its own: ln_2.",
        part="feed-forward",
        place="read: ln_1 2",
    ),
    "ln-2-twice": block(
        "ln_2_twice",
        "ln_2 normalizes for both layers. The attention must have its own: ln_1.",
        place="read: ln_2 1",
    ),
    "norms-swapped": block("norms_swapped", "ln_1 and ln_2 are swapped.", part="norms"),
    "no-residual": block(
        "no_residual", "Nothing is added: both residual connections are missing.", part="residual"
    ),
    "no-first-residual": block(
        "no_first_residual", "The residual connection around the attention is missing."
    ),
    "no-second-residual": block(
        "no_second_residual",
        "The residual connection around the feed-forward network is missing.",
        part="feed-forward",
    ),
    "second-residual-from-start": block(
        "from_start",
        "The feed-forward network's output is added to the block's input. Add it to the "
        "vectors that the attention has changed.",
        part="feed-forward",
    ),
    "first-residual-of-norm": block(
        "first_residual_of_norm",
        "The attention's output is added to the normalized vectors. Add it to the "
        "vectors themselves.",
    ),
    "second-residual-of-norm": block(
        "second_residual_of_norm",
        "The feed-forward network's output is added to the normalized vectors. Add it to "
        "the vectors themselves.",
        part="feed-forward",
    ),
    "second-residual-of-attention": block(
        "second_residual_of_attention",
        "The feed-forward network's output is added to the attention's output alone. "
        "Add it to the sum.",
        part="feed-forward",
    ),
    "residual-twice": block(
        "residual_twice",
        "The vectors are added twice: once by the attention's line, and once more. Add them once.",
        part="attend",
    ),
    "second-residual-twice": block(
        "second_residual_twice",
        "The vectors are added twice by the feed-forward network's line. Add them once.",
        part="feed-forward",
    ),
    "attention-added-twice": block(
        "attention_added_twice", "The attention's output is added twice.", part="attend"
    ),
    "mlp-added-twice": block(
        "mlp_added_twice",
        "The feed-forward network's output is added twice.",
        part="feed-forward",
    ),
    "parallel": block(
        "parallel",
        "Attention and feed-forward network both read the block's input. In GPT-2 the "
        "feed-forward network reads what the attention has changed.",
        part="feed-forward",
    ),
    "mlp-first": block(
        "mlp_first",
        "The feed-forward network comes before the attention. It must be the other way round.",
        part="residual",
        place=r"GPT2Block.__call__() ~\bmlp\b",
    ),
    "attention-only": block(
        "attention_only", "The feed-forward network is missing from the block.", part="feed-forward"
    ),
    "mlp-only": block("mlp_only", "The attention is missing from the block."),
    "attention-twice": block(
        "attention_twice",
        "The attention is used where the feed-forward network belongs.",
        part="feed-forward",
        place="read: attn 2",
    ),
    "mlp-twice": block(
        "mlp_twice",
        "The feed-forward network is used where the attention belongs.",
        place="read: mlp 1",
    ),
    "eps-default": (
        eps(
            "default",
            "The normalizations do not use the configuration's epsilon. Give "
            "them eps=config.layer_norm_epsilon.",
        ),
        *(
            eps(
                name,
                f"{name} does not use the configuration's epsilon. Give it "
                "eps=config.layer_norm_epsilon.",
                place=rf"GPT2Block.__init__() ~\b{name}\b",
            )
            for name in ("ln_1", "ln_2")
        ),
    ),
    "block-input": block("input", "The block returns its input.", part="block-numbers"),
}

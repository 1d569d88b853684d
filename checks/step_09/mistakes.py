"""Mistakes in GPT-2's feed-forward network, and in the block around it."""

from __future__ import annotations

import math

from checks.shared.mistakes import Row

CUBES = (0.44715, 0.4715, 0.0044715, 0.04715, 0.047715, 0.044175, 0.04475, 0.0447, 0.44, 0.45)
"""Numbers that stand where GELU has 0.044715, by a slip of the finger."""

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
"""Numbers that stand where GELU has √(2/π)."""

CONSTANTS: tuple[Row, ...] = (
    *(
        (
            "gelu-cube-constant",
            f"Your GELU multiplies x³ by {number}. The number is 0.044715.",
            {"gelu": {"cube": number}},
            "gelu",
        )
        for number in CUBES
    ),
    *(
        (
            "gelu-root-constant",
            f"Inside its tanh your GELU multiplies by {name}. The number is √(2/π) = 0.79788.",
            {"gelu": {"root": number}},
            "gelu",
        )
        for name, number in ROOTS.items()
    ),
    ("gelu-square", "Your GELU has x² inside the tanh. It is x³.", {"gelu": {"power": 2}}, "gelu"),
    ("gelu-no-half", "Your GELU lacks the factor ½ in front.", {"gelu": {"half": 1.0}}, "gelu"),
    (
        "gelu-no-one",
        "Your GELU lacks the 1 that is added to the tanh.",
        {"gelu": {"one": 0.0}},
        "gelu",
    ),
)
"""GELU written out, with one thing in it wrong."""

MLP: tuple[Row, ...] = (
    *CONSTANTS,
    (
        "gelu-erf",
        'Your GELU is the exact one with erf. GPT-2\'s "gelu_new" is the approximation '
        'with tanh: F.gelu(x, approximate="tanh").',
        {"gelu": "erf"},
        "gelu",
    ),
    (
        "gelu-quick",
        "Your GELU is the quick one, x · sigmoid(1.702 x). GPT-2 uses the approximation with tanh.",
        {"gelu": "quick"},
        "gelu",
    ),
    ("silu", "SiLU stands where GELU belongs.", {"gelu": "silu"}, "gelu"),
    (
        "relu",
        "ReLU stands where GELU belongs: everything below 0 is cut off.",
        {"gelu": "relu"},
        "gelu",
    ),
    (
        "tanh",
        "tanh stands where GELU belongs. The tanh is only a part of GELU.",
        {"gelu": "tanh"},
        "gelu",
    ),
    ("sigmoid", "A sigmoid stands where GELU belongs.", {"gelu": "sigmoid"}, "gelu"),
    (
        "gelu-no-cube",
        "Your GELU lacks the term 0.044715 x³ inside the tanh.",
        {"gelu": {"cube": 0.0}},
        "gelu",
    ),
    (
        "no-gelu",
        "There is no GELU between the two layers, so both together are only one linear layer.",
        {"gelu": "absent"},
        "gelu",
    ),
    (
        "gelu-first",
        "GELU is applied to the input. It belongs between the two layers.",
        {"mlp": "gelu_first"},
        "gelu",
    ),
    (
        "gelu-last",
        "GELU is applied to the output. It belongs between the two layers.",
        {"mlp": "gelu_last"},
        "gelu",
    ),
    ("gelu-twice", "GELU is applied twice between the two layers.", {"mlp": "gelu_twice"}, "gelu"),
    (
        "gelu-both",
        "GELU is applied after both layers. It belongs between them only.",
        {"mlp": "gelu_both"},
        "gelu",
    ),
    ("c-fc-no-bias", "The bias of c_fc is dropped.", {"mlp": "no_fc_bias"}, "c_fc"),
    (
        "mlp-c-proj-no-bias",
        "The bias of the feed-forward network's c_proj is dropped.",
        {"mlp": "no_proj_bias"},
        "mlp_c_proj",
    ),
    (
        "mlp-residual",
        "GPT2MLP adds its input to its output. The residual connection belongs to the block.",
        {"mlp": "residual"},
        "mlp",
    ),
    ("mlp-input", "GPT2MLP returns its input.", {"mlp": "input"}, "mlp"),
)

BLOCK: tuple[Row, ...] = (
    (
        "post-norm",
        "The normalization comes after each addition, as in the first transformer of "
        "2017. GPT-2 normalizes in front of each layer: x + attn(ln_1(x)).",
        {"block": "post_norm"},
        "norms",
    ),
    (
        "norm-of-layer",
        "The output of each layer is normalized. GPT-2 normalizes what goes in: x + attn(ln_1(x)).",
        {"block": "norm_of_layer"},
        "norms",
    ),
    (
        "normed-stream",
        "The normalized vectors are carried on. Only the layer reads the normalized "
        "copy; what it found is added to x itself.",
        {"block": "normed_stream"},
        "residual",
    ),
    (
        "no-ln-1",
        "ln_1 is not used: the attention reads vectors that are not normalized.",
        {"block": "no_ln_1"},
        "attend",
    ),
    (
        "no-ln-2",
        "ln_2 is not used: the feed-forward network reads vectors that are not normalized.",
        {"block": "no_ln_2"},
        "feed",
    ),
    ("no-norms", "Neither ln_1 nor ln_2 is used.", {"block": "no_norms"}, "norms"),
    (
        "ln-1-twice",
        "ln_1 normalizes for both layers. The feed-forward network has its own: ln_2.",
        {"block": "ln_1_twice"},
        "feed",
    ),
    (
        "ln-2-twice",
        "ln_2 normalizes for both layers. The attention has its own: ln_1.",
        {"block": "ln_2_twice"},
        "attend",
    ),
    ("norms-swapped", "ln_1 and ln_2 are exchanged.", {"block": "norms_swapped"}, "norms"),
    (
        "no-residual",
        "Nothing is added: both residual connections are missing.",
        {"block": "no_residual"},
        "residual",
    ),
    (
        "no-first-residual",
        "The residual connection around the attention is missing.",
        {"block": "no_first_residual"},
        "attend",
    ),
    (
        "no-second-residual",
        "The residual connection around the feed-forward network is missing.",
        {"block": "no_second_residual"},
        "feed",
    ),
    (
        "second-residual-from-start",
        "The feed-forward network's output is added to the block's "
        "input. Add it to the vectors that the attention has changed.",
        {"block": "from_start"},
        "feed",
    ),
    (
        "first-residual-of-norm",
        "The attention's output is added to the normalized vectors. Add "
        "it to the vectors themselves.",
        {"block": "first_residual_of_norm"},
        "attend",
    ),
    (
        "second-residual-of-norm",
        "The feed-forward network's output is added to the normalized "
        "vectors. Add it to the vectors themselves.",
        {"block": "second_residual_of_norm"},
        "feed",
    ),
    (
        "second-residual-of-attention",
        "The feed-forward network's output is added to what the "
        "attention found alone. Add it to the sum.",
        {"block": "second_residual_of_attention"},
        "feed",
    ),
    (
        "parallel",
        "Attention and feed-forward network both read the block's input. In GPT-2 the "
        "feed-forward network reads what the attention has changed.",
        {"block": "parallel"},
        "feed",
    ),
    (
        "mlp-first",
        "The feed-forward network comes before the attention. It is the other way round.",
        {"block": "mlp_first"},
        "attend",
    ),
    (
        "attention-only",
        "The feed-forward network is missing from the block.",
        {"block": "attention_only"},
        "feed",
    ),
    ("mlp-only", "The attention is missing from the block.", {"block": "mlp_only"}, "attend"),
    (
        "attention-twice",
        "The attention stands where the feed-forward network belongs.",
        {"block": "attention_twice"},
        "feed",
    ),
    (
        "mlp-twice",
        "The feed-forward network stands where the attention belongs.",
        {"block": "mlp_twice"},
        "attend",
    ),
    (
        "eps-default",
        "The normalizations use an epsilon of 1e-5 whatever the configuration says. "
        "Give them eps=config.layer_norm_epsilon.",
        {"eps": "default"},
        "norms",
    ),
    ("block-input", "The block returns its input.", {"block": "input"}, "result"),
)

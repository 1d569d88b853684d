"""Mistakes in layer normalization and in the residual connection."""

from __future__ import annotations

from checks.shared.mistakes import Row

NORM: tuple[Row, ...] = (
    (
        "unbiased-variance",
        "The variance is divided by dim − 1. Divide by dim: a mean does that.",
        {"variance": "unbiased"},
        "variance",
    ),
    (
        "variance-uncentered",
        "The variance is the mean of the squares of x itself. Square what is "
        "left after the mean is subtracted.",
        {"variance": "uncentered"},
        "variance",
    ),
    (
        "variance-sum",
        "The squares are summed up. The variance is their mean.",
        {"variance": "sum"},
        "variance",
    ),
    (
        "variance-absolute",
        "The spread is the mean of the absolute values. The variance is the mean of the squares.",
        {"variance": "absolute"},
        "variance",
    ),
    (
        "eps-outside",
        "eps is added after the square root. Add it to the variance, inside the root.",
        {"eps": "outside"},
        "normalize",
    ),
    (
        "no-eps",
        "eps is not added: a vector of equal numbers is divided by 0.",
        {"eps": "none"},
        "normalize",
    ),
    ("eps-fixed", "eps is fixed at 1e-5. Use the argument.", {"eps": "fixed"}, "normalize"),
    ("eps-squared", "eps is squared before it is added.", {"eps": "squared"}, "normalize"),
    (
        "eps-subtracted",
        "eps is subtracted from the variance. Add it.",
        {"eps": "subtracted"},
        "normalize",
    ),
    (
        "no-root",
        "The vectors are divided by the variance. Divide by its square root.",
        {"root": "missing"},
        "normalize",
    ),
    (
        "multiplied",
        "The vectors are multiplied by the standard deviation. Divide by it.",
        {"divided": "multiplied"},
        "normalize",
    ),
    (
        "not-divided",
        "The mean is subtracted, but nothing is divided.",
        {"divided": "no"},
        "normalize",
    ),
    ("mean-kept", "The mean is not subtracted from what is divided.", {"mean": "kept"}, "mean"),
    (
        "rms-norm",
        "This is RMSNorm: the mean is not subtracted at all.",
        {"mean": "kept", "variance": "uncentered"},
        "mean",
    ),
    (
        "axis-tokens",
        "Mean and variance run over the tokens. Normalize every vector by itself: the last axis.",
        {"axis": "tokens"},
        "mean",
    ),
    (
        "axis-batch",
        "Mean and variance run over the first axis. Normalize every vector by itself: "
        "the last axis.",
        {"axis": "batch"},
        "mean",
    ),
    (
        "axis-all",
        "Mean and variance run over all numbers at once. Normalize every vector by "
        "itself: the last axis.",
        {"axis": "all"},
        "mean",
    ),
    (
        "axis-text",
        "Mean and variance run over a whole text. Normalize every vector by itself: the last axis.",
        {"axis": "text"},
        "mean",
    ),
    ("no-affine", "Weight and bias are not applied.", {"affine": "none"}, "affine"),
    ("no-weight", "The weight is not applied.", {"affine": "no_weight"}, "affine"),
    ("no-bias", "The bias is not applied.", {"affine": "no_bias"}, "affine"),
    ("weight-bias-exchanged", "Weight and bias are exchanged.", {"affine": "exchanged"}, "affine"),
    (
        "bias-first",
        "The bias is added before the weight multiplies. Multiply first.",
        {"affine": "bias_first"},
        "affine",
    ),
    (
        "weight-added",
        "The weight is added. Multiply with it.",
        {"affine": "weight_added"},
        "affine",
    ),
    ("bias-subtracted", "The bias is subtracted. Add it.", {"affine": "bias_subtracted"}, "affine"),
    (
        "one-plus-weight",
        "The factor is 1 + weight. Here the weight itself is the factor.",
        {"affine": "one_plus"},
        "affine",
    ),
    (
        "weight-divided",
        "The normalized vector is divided by the weight. Multiply with it.",
        {"affine": "divided"},
        "affine",
    ),
)

RESIDUAL: tuple[Row, ...] = (
    (
        "no-residual",
        "x itself is not added: nothing of it gets past the sublayer.",
        {"residual": "missing"},
        "residual",
    ),
    (
        "post-norm",
        "This is post-norm: the sum is normalized. GPT-2 normalizes what the sublayer reads.",
        {"residual": "post_norm"},
        "residual",
    ),
    (
        "residual-no-norm",
        "The sublayer reads x itself. Give it norm(x).",
        {"residual": "no_norm"},
        "residual",
    ),
    ("no-sublayer", "The sublayer is not called.", {"residual": "norm_only"}, "residual"),
    (
        "normalized-residual",
        "norm(x) is added instead of x itself.",
        {"residual": "normalized_input"},
        "residual",
    ),
    (
        "norm-after-sublayer",
        "The sublayer's result is normalized instead of its input.",
        {"residual": "norm_after"},
        "residual",
    ),
    ("residual-twice", "x is added twice.", {"residual": "twice"}, "residual"),
    (
        "residual-subtracted",
        "The sublayer's result is subtracted. Add it.",
        {"residual": "subtracted"},
        "residual",
    ),
    ("input-subtracted", "x is subtracted. Add it.", {"residual": "subtracted_input"}, "residual"),
    (
        "residual-multiplied",
        "x and the sublayer's result are multiplied. Add them.",
        {"residual": "multiplied"},
        "residual",
    ),
    (
        "residual-average",
        "The average is returned instead of the sum.",
        {"residual": "average"},
        "residual",
    ),
    ("residual-input", "x is returned unchanged.", {"residual": "input"}, "residual"),
    (
        "norm-of-sum",
        "The sum is normalized once more. Leave it as it is.",
        {"residual": "norm_of_sum"},
        "residual",
    ),
)

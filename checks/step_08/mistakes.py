"""Mistakes in layer normalization and in the residual connection."""

from __future__ import annotations

from checks.shared.mistakes import Family, Knob

variance = Knob("variance")
eps = Knob("eps", "normalize")
default = Knob("default", "normalize", "LayerNorm.__init__()")
root = Knob("root", "normalize")
divided = Knob("divided", "normalize")
mean = Knob("mean")
axis = Knob("axis", "mean")
affine = Knob("affine")
residual = Knob("residual")

NORM: Family = {
    "unbiased-variance": variance(
        "unbiased", "The variance is divided by dim − 1. Divide by dim, as a mean does."
    ),
    "variance-uncentered": variance(
        "uncentered",
        "The variance is the mean of the squares of x itself. Square what is left after "
        "the mean is subtracted.",
    ),
    "variance-sum": variance("sum", "The squares are summed. The variance must be their mean."),
    "variance-absolute": variance(
        "absolute",
        "The spread is the mean of the absolute values. The variance must be the mean of the "
        "squares.",
    ),
    "variance-of-mean": variance(
        "of_mean",
        "The variance is the square of the mean. It must be the mean of the squares of what is "
        "left after the mean is subtracted.",
    ),
    "variance-doubled": variance("doubled", "The variance is twice what it should be."),
    "variance-halved": variance("halved", "The variance is half of what it should be."),
    "eps-outside": eps(
        "outside", "eps is added after the square root. Add it to the variance, inside the root."
    ),
    "eps-after-division": eps(
        "after_division",
        "eps is added after the division. Add it to the variance, inside the root.",
    ),
    "eps-multiplied": eps("multiplied", "The variance is multiplied by eps. Add eps to it."),
    "no-eps": eps("none", "eps is not added: a vector of equal numbers is divided by 0."),
    "eps-fixed": eps(
        "fixed",
        "eps is fixed at 1e-5. Use the argument.",
        place=r"() ~^self\.[^=]*= (?!.*\b(or|if)\b).*\b1e-05\b"
        r"|^(?!def ).*\bepsilon'?[:=] ?1e-05",
    ),
    "eps-default": tuple(
        default(number, "Without eps given, the layer does not use the default, 1e-5.")
        for number in (0.0, 1e-12, 1e-8, 1e-6, 1e-4, 1e-3)
    ),
    "eps-squared": eps("squared", "eps is squared before it is added."),
    "eps-subtracted": eps("subtracted", "eps is subtracted from the variance. Add it."),
    "no-root": root(
        "missing", "The vectors are divided by the variance. Divide by its square root."
    ),
    "root-twice": root(
        "twice", "The square root is taken twice, so the fourth root divides. Take it once."
    ),
    "not-normalized": divided(
        "no",
        "Weight and bias are applied to x itself, which is not normalized.",
        mean="kept",
        part="affine",
    ),
    "multiplied": divided(
        "multiplied", "The vectors are multiplied by the standard deviation. Divide by it."
    ),
    "not-divided": divided("no", "The mean is subtracted, but the result is not divided."),
    "mean-kept": mean("kept", "The mean is not subtracted before the division."),
    "mean-sum": mean("sum", "The sum of the features is subtracted. Subtract their mean instead."),
    "mean-added": mean("added", "The mean is added. Subtract it."),
    "mean-negated": mean(
        "negated",
        "x is subtracted from the mean, so every sign is flipped. Subtract the mean from x.",
    ),
    "rms-norm": mean(
        "kept", "This is RMSNorm: the mean is not subtracted at all.", variance="uncentered"
    ),
    "axis-tokens": axis(
        "tokens",
        "Mean and variance are taken over the tokens. Normalize each vector alone: the last axis.",
    ),
    "axis-batch": axis(
        "batch",
        "Mean and variance are taken over the first axis. Normalize each vector alone: "
        "the last axis.",
    ),
    "axis-all": axis(
        "all",
        "Mean and variance are taken over all numbers at once. Normalize each vector "
        "alone: the last axis.",
    ),
    "axis-text": axis(
        "text",
        "Mean and variance are over a whole sequence. Normalize each vector alone: the last axis.",
    ),
    "weight-twice": affine("weight_twice", "The weight multiplies twice. Once is enough."),
    "bias-twice": affine("bias_twice", "The bias is added twice. Once is enough."),
    "no-affine": affine("none", "Weight and bias are not applied."),
    "no-weight": affine("no_weight", "The weight is not applied."),
    "no-bias": affine("no_bias", "The bias is not applied."),
    "weight-bias-exchanged": affine(
        "exchanged",
        "Weight and bias are swapped.",
        place=r"() ~\bgamma'?[:=] ?self\.\w*(bias|beta|shift)",
    ),
    "bias-first": affine(
        "bias_first", "The bias is added before the weight multiplies; it belongs after."
    ),
    "weight-added": affine("weight_added", "The weight is added. Multiply by it."),
    "bias-subtracted": affine("bias_subtracted", "The bias is subtracted. Add it."),
    "one-plus-weight": affine(
        "one_plus", "The factor is 1 + weight. The weight itself must be the factor."
    ),
    "weight-divided": affine(
        "divided", "The normalized vector is divided by the weight. Multiply by it."
    ),
}

RESIDUAL: Family = {
    "no-residual": residual(
        "missing", "x itself is not added, so nothing of it gets past the sublayer."
    ),
    "post-norm": residual(
        "post_norm",
        "This is post-norm: the sum is normalized. GPT-2 normalizes what the sublayer reads.",
    ),
    "residual-no-norm": residual("no_norm", "The sublayer reads x itself. Give it norm(x)."),
    "no-sublayer": residual("norm_only", "The sublayer is not called."),
    "normalized-residual": residual("normalized_input", "norm(x) is added instead of x itself."),
    "norm-after-sublayer": residual(
        "norm_after", "The sublayer's result is normalized instead of its input."
    ),
    "residual-twice": residual("twice", "x is added twice."),
    "norm-twice": residual(
        "norm_twice", "x is normalized twice before the sublayer. Once is enough."
    ),
    "sublayer-twice": residual("sublayer_twice", "The sublayer is called twice. Once is enough."),
    "sublayer-added-twice": residual("found_twice", "The sublayer's result is added twice."),
    "residual-normed-twice": residual(
        "normed_stream",
        "The normalized vectors are passed on, and normalized again for the sublayer. Only the "
        "sublayer must read the normalized copy; x itself must be passed on.",
    ),
    "residual-subtracted": residual("subtracted", "The sublayer's result is subtracted. Add it."),
    "input-subtracted": residual("subtracted_input", "x is subtracted. Add it."),
    "residual-multiplied": residual(
        "multiplied", "x and the sublayer's result are multiplied. Add them."
    ),
    "residual-average": residual("average", "The average is returned instead of the sum."),
    "residual-input": residual("input", "x is returned unchanged."),
    "norm-of-sum": residual("norm_of_sum", "The sum is normalized once more. Leave it as it is."),
}

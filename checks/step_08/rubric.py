"""The rubric of step 08: ``LayerNorm`` and ``residual``."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from checks.shared import results, structure
from checks.shared.mistakes import named
from checks.step_08 import mistakes, trials
from grader.rubric import (
    Expr,
    Rubric,
    Trial,
    call_of,
    defines_class,
    every,
    imports,
    no_placeholders,
    returns,
    rules,
    runtime_check,
    source_check,
    stores,
)

CLASS, FUNCTION = trials.LAYER, trials.FUNCTION
LOADED = ("norm-*", "equal")
NORMS = ("fresh", *LOADED)
RESIDUALS = ("residual-*",)
INIT, CALL = f"{CLASS}.__init__", call_of(CLASS)

FILLED = ("full(...)", "Tensor(...)", "constant(...)")
MEAN = "(F.mean(...) | F.sum(...) / _)"
AT_ONCE = "F.layer_norm(...)"
"""MAX's own layer normalization does everything."""


def is_parameter(e: Expr) -> bool:
    """What the function is called with."""
    return e.op == "param"


def draw(rng: np.random.Generator) -> Iterable[Trial]:
    """Layers with given weights, a fresh one, equal numbers, and residual connections."""
    return trials.draw(rng)


CHECKS = (
    source_check(
        "imports",
        "functional as F, Module and Tensor are imported",
        "functional, Module or Tensor is not imported",
        "Import F from max.experimental, Module from its nn, Tensor from its tensor",
        'Tensor.ones and F.sqrt are needed here. See "MAX operations".',
        "from max.experimental import functional as F; from max.experimental.nn import Module; "
        "from max.experimental.tensor import Tensor",
        test=every(imports("max.experimental.nn.Module"), structure.USES_TENSOR, structure.USES_F),
        proven_by=("runs",),
    ),
    source_check(
        "class",
        "LayerNorm is a Module",
        "LayerNorm is missing or is no Module",
        "Define 'class LayerNorm(Module):'",
        'The grader builds the class by this name. See "What you build".',
        "class LayerNorm(Module):",
        test=defines_class(CLASS, "Module"),
        proven_by=("builds",),
    ),
    source_check(
        "weight",
        "self.weight is created as dim ones",
        "self.weight is not created as dim ones",
        "Use Tensor.ones([dim])",
        'Ones change nothing until weights are loaded. See "Weight and bias".',
        "self.weight = Tensor.ones([dim])",
        test=stores(INIT, "weight", "ones(...)", "ones_like(...)", *FILLED),
        proven_by=("fresh",),
    ),
    source_check(
        "bias",
        "self.bias is created as dim zeros",
        "self.bias is not created as dim zeros",
        "Use Tensor.zeros([dim])",
        'Zeros change nothing until weights are loaded. See "Weight and bias".',
        "self.bias = Tensor.zeros([dim])",
        test=stores(INIT, "bias", "zeros(...)", "zeros_like(...)", *FILLED),
        proven_by=("fresh",),
    ),
    source_check(
        "mean",
        "The mean of every vector is subtracted",
        "The mean of every vector is not subtracted",
        "Use x - x.mean(axis=-1)",
        'One mean for each token, over its features. See "Mean".',
        "mean = x.mean(axis=-1); centered = x - mean",
        test=returns(CALL, f"_ - {MEAN}", AT_ONCE, near=MEAN),
        proven_by=("numbers",),
    ),
    source_check(
        "variance",
        "The variance is the mean of the squares",
        "The variance is not the mean of the squares",
        "Use (centered * centered).mean(axis=-1)",
        'Divide by dim, not by dim - 1. See "Variance".',
        "variance = (centered * centered).mean(axis=-1)",
        test=returns(
            CALL,
            "F.mean(_ * _ | _ ** _, ...)",
            "F.sum(_ * _ | _ ** _, ...) / _",
            AT_ONCE,
            near=MEAN,
        ),
        proven_by=("numbers",),
    ),
    source_check(
        "normalize",
        "Vectors are divided by the square root of variance + eps",
        "Vectors are not divided by the square root of variance + eps",
        "Use centered / F.sqrt(variance + self.eps)",
        'eps belongs inside the root. See "Epsilon".',
        "normalized = centered / F.sqrt(variance + self.eps)",
        test=returns(
            CALL,
            "math.sqrt($sum) | F.rsqrt($sum) | $sum ** (0.5 | -0.5)",
            AT_ONCE,
            where={"sum": "_ + _"},
            near="_ / _",
        ),
        proven_by=(
            "numbers",
            "equal",
        ),
    ),
    source_check(
        "affine",
        "The weight multiplies and the bias is added",
        "The weight does not multiply, or the bias is not added",
        "Use normalized * self.weight + self.bias",
        'First multiply, then add. See "Weight and bias".',
        "return normalized * self.weight + self.bias",
        test=returns(CALL, "$weight * _ + self.bias", AT_ONCE, where={"weight": "self.weight"}),
        proven_by=("numbers",),
    ),
    source_check(
        "residual",
        "residual adds x to what the sublayer makes of norm(x)",
        "residual does not add x to what the sublayer makes of norm(x)",
        "Use x + sublayer(norm(x))",
        'x goes around both the norm and the sublayer. See "The residual connection".',
        "return x + sublayer(norm(x))",
        test=returns(
            FUNCTION, "$x + $layer(...)", where={"x": is_parameter, "layer": is_parameter}
        ),
        proven_by=("residual-numbers",),
    ),
    source_check(
        "placeholders",
        "All placeholder 'None' values have been replaced",
        "Found placeholder 'None' values that need to be replaced:",
        "Replace all 'None' values with the actual implementation",
        "Each stands under a TODO.",
        "Search the file for None.",
        test=no_placeholders(CLASS, FUNCTION, "__init__", "__call__", "forward"),
    ),
    runtime_check(
        "builds",
        "LayerNorm(dim) and LayerNorm(dim, eps=...) can be made",
        "LayerNorm(dim) and LayerNorm(dim, eps=...) cannot be made",
        "__init__ takes dim and eps, and calls super().__init__() first",
        'Weight and bias have one number for each feature. See "Weight and bias".',
        "self.weight = Tensor.ones([dim]) and self.bias = Tensor.zeros([dim])",
        rule=rules.builds(*NORMS),
    ),
    runtime_check(
        "parameters",
        "Its parameters are weight and bias, each [dim]",
        "Its parameters are not weight and bias, each [dim]",
        "Hugging Face's names: self.weight and self.bias, and no other tensor on self",
        'The names of the attributes are the names of the weights. See "Weight and bias".',
        "self.weight = Tensor.ones([dim]) and self.bias = Tensor.zeros([dim])",
        rule=rules.loads(*LOADED),
        needs=("builds",),
    ),
    runtime_check(
        "runs",
        "LayerNorm runs on any leading dimensions and keeps the shape",
        "LayerNorm does not run on any leading dimensions",
        "Reduce over the last dimension: axis=-1",
        'Each vector is normalized by itself: the last dimension. See "Mean".',
        "x.mean(axis=-1) keeps that dimension with size 1, so that x - mean broadcasts",
        rule=rules.all_of(
            rules.runs(*NORMS),
            results.answers(*NORMS),
            rules.tensors(*NORMS),
            rules.shapes(*NORMS),
        ),
        needs=("builds", "parameters"),
    ),
    runtime_check(
        "fresh",
        "A fresh layer gives vectors of mean 0 and variance 1",
        "A fresh layer does not give vectors of mean 0 and variance 1",
        "A fresh weight is 1 and a fresh bias is 0",
        'Before learning, the layer normalizes and does nothing more. See "Weight and bias".',
        "self.weight = Tensor.ones([dim]) and self.bias = Tensor.zeros([dim])",
        rule=rules.numbers("fresh", what="numbers of a fresh layer"),
        needs=("runs",),
    ),
    runtime_check(
        "numbers",
        "LayerNorm gives the right numbers, for any weight, bias and eps",
        "LayerNorm does not give the right numbers",
        "Compare each line with the lesson's formula",
        'The variance is a mean of squares, and eps goes under the root. See "Variance".',
        "(x - mean) / F.sqrt((centered * centered).mean(axis=-1) + self.eps) * self.weight + "
        "self.bias",
        rule=rules.all_of(
            rules.numbers("norm-*", what="normalized numbers"),
            rules.note("{count} results, compared with float64.", "norm-*"),
        ),
        needs=("runs",),
    ),
    runtime_check(
        "equal",
        "A vector of equal numbers gives the bias, and no NaN",
        "A vector of equal numbers does not give the bias",
        "Its variance is 0: eps keeps the division from 0 / 0",
        'Where all numbers are equal, nothing is left to divide by. See "Epsilon".',
        "F.sqrt(variance + self.eps): eps is added before the root",
        rule=results.right("equal"),
        needs=("runs",),
    ),
    runtime_check(
        "residual-numbers",
        "residual(x, norm, sublayer) gives x + sublayer(norm(x))",
        "residual(x, norm, sublayer) does not give x + sublayer(norm(x))",
        "Normalize what the sublayer reads, and add x itself",
        'What passes by is x, not its normalized copy. See "The residual connection".',
        "return x + sublayer(norm(x))",
        rule=rules.all_of(
            rules.runs(*RESIDUALS),
            results.answers(*RESIDUALS),
            rules.tensors(*RESIDUALS),
            rules.shapes(*RESIDUALS),
            rules.numbers(*RESIDUALS, what="numbers of the residual connection"),
        ),
        needs=("builds", "numbers", "equal"),
    ),
)

BLAMES = {
    "mean": ("mean", "numbers"),
    "variance": ("variance", "numbers"),
    "normalize": ("normalize", "numbers"),
    "affine": ("affine", "numbers"),
    "residual": ("residual", "residual-numbers"),
}

LESSON = {
    "mean": "Mean",
    "variance": "Variance",
    "normalize": "Epsilon",
    "affine": "Weight and bias",
    "residual": "The residual connection",
}

RUBRIC = Rubric(
    checks=CHECKS,
    draw=draw,
    misconceptions=(
        *named(mistakes.NORM, BLAMES, LESSON),
        *named(mistakes.RESIDUAL, BLAMES, LESSON),
    ),
)

"""The rubric of step 08: ``LayerNorm`` and ``residual``."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from checks.shared import common, results
from checks.shared.mistakes import named
from checks.step_08 import mistakes, trials
from grader.rubric import Check, Evidence, Failed, Passed, Rubric, Ruling, SeenTensor, rules, source

CLASS, FUNCTION = trials.LAYER, trials.FUNCTION
LOADED = ("norm-*", "equal")
NORMS = ("fresh", *LOADED)
RESIDUALS = ("residual-*",)
INIT, CALL = f"{CLASS}.__init__", source.call_of(CLASS)

FILLED = ("full(...)", "Tensor(...)", "constant(...)")
MEAN = "(F.mean(...) | F.sum(...) / _)"
AT_ONCE = "F.layer_norm(...)"
"""MAX's own layer normalization does everything."""


def is_parameter(e: source.Expr) -> bool:
    """What the function is called with."""
    return e.op == "param"


def starts(evidence: Evidence) -> Ruling:
    """A fresh layer multiplies by 1 and adds 0, if layers with given weights are right."""
    seen, want = evidence.seen("fresh", "out"), evidence.expected("fresh")["out"]
    if not all(map(evidence.right, evidence.matching(*LOADED))) or evidence.right("fresh"):
        return Passed()
    if not isinstance(seen, SeenTensor) or seen.array.shape != want.shape:
        return Passed()
    have = seen.array.astype(np.float64)
    if not np.isfinite(have).all():
        return Passed()
    factor, summand = np.polyfit(want.ravel(), have.ravel(), 1)
    for name, value, right in (("weight", factor, 1.0), ("bias", summand, 0.0)):
        if abs(value - right) > 1e-3:
            return Failed(
                f"self.{name} starts with {value:.3g}, but must start with {right:g}", about=name
            )
    return Passed()


def centers_first(evidence: Evidence) -> Ruling:
    """Where only vectors far from 0 are wrong, their variance was lost to rounding."""
    wrong = [name for name in evidence.matching("norm-*") if not evidence.right(name)]
    if wrong and set(wrong) <= set(trials.SHIFTED) and all(map(evidence.right, LOADED[1:])):
        return Failed(
            f"They are wrong only where a vector's mean is {trials.SHIFT:,.0f} standard deviations",
            "Square what is left after subtracting the mean. In the mean of x * x minus the "
            "square of the mean, rounding leaves nothing right.",
            about=rf"{CLASS}.__call__() ~(\*|pow|square).* - ",
        )
    return Passed()


def divided(evidence: Evidence) -> Ruling:
    """A vector of equal numbers is right; 0 / 0 is told only where it shows."""
    ruling, seen = results.right("equal")(evidence), evidence.seen("equal", "out")
    finite = not isinstance(seen, SeenTensor) or np.isfinite(seen.array.astype(np.float64)).all()
    if finite or not isinstance(ruling, Failed):
        return ruling
    return replace(ruling, hint="Its variance is 0, and eps prevents 0 / 0")


CHECKS = (
    common.imports_for_a_layer("Tensor.ones and F.sqrt are needed here.", "runs"),
    common.is_module(CLASS, "builds"),
    Check(
        "weight",
        "self.weight is created as dim ones",
        "self.weight is not created as dim ones",
        "A fresh weight changes nothing it multiplies. Which number is that, and how many of them?",
        "Ones change nothing until weights are loaded. A shape is a list.",
        lesson="Weight and bias",
        gives="the weight",
        test=source.stores(INIT, "weight", "ones(...)", "ones_like(...)", *FILLED),
        proven_by=("fresh",),
    ),
    Check(
        "bias",
        "self.bias is created as dim zeros",
        "self.bias is not created as dim zeros",
        "A fresh bias changes nothing it is added to. Which number is that, and how many of them?",
        "Zeros change nothing until weights are loaded. A shape is a list.",
        lesson="Weight and bias",
        gives="the bias",
        test=source.stores(INIT, "bias", "zeros(...)", "zeros_like(...)", *FILLED),
        proven_by=("fresh",),
    ),
    Check(
        "mean",
        "The mean of every vector is subtracted",
        "The mean of every vector is not subtracted",
        "Along which axis are the features of one token? Subtract their mean",
        "One mean for each token, over its features: the last axis.",
        lesson="Mean",
        gives="the centered features",
        test=source.returns(CALL, f"_ - {MEAN}", AT_ONCE, near=MEAN),
        proven_by=("numbers",),
    ),
    Check(
        "variance",
        "The variance is the mean of the squares",
        "The variance is not the mean of the squares",
        "Square what is left. What turns the squares of a vector into one number?",
        "It is the mean of the squares of x - mean, and divides by dim, not by dim - 1.",
        lesson="Variance",
        gives="the variance",
        test=source.returns(
            CALL,
            "F.mean(_ * _ | _ ** _, ...)",
            "F.sum(_ * _ | _ ** _, ...) / _",
            AT_ONCE,
            near=MEAN,
        ),
        proven_by=("numbers",),
    ),
    Check(
        "normalize",
        "Vectors are divided by the square root of variance + eps",
        "Vectors are not divided by the square root of variance + eps",
        "What must a vector be divided by to have variance 1? And where does eps go?",
        "eps belongs inside the root, next to the variance.",
        lesson="Epsilon",
        gives="the normalized features",
        test=source.returns(
            CALL,
            "math.sqrt($sum) | F.rsqrt($sum) | $sum ** (0.5 | -0.5)",
            AT_ONCE,
            where={"sum": "_ + _"},
            near="_ / _",
        ),
        proven_by=("numbers", "equal"),
    ),
    Check(
        "affine",
        "The weight multiplies and the bias is added",
        "The weight does not multiply, or the bias is not added",
        "Which of the two multiplies and which is added? Which comes first?",
        "First multiply by the weight, then add the bias.",
        lesson="Weight and bias",
        gives="the output of the layer",
        test=source.returns(
            CALL, "$weight * _ + self.bias", AT_ONCE, where={"weight": "self.weight"}
        ),
        proven_by=("numbers",),
    ),
    Check(
        "residual",
        "residual adds x to what the sublayer makes of norm(x)",
        "residual does not add x to what the sublayer makes of norm(x)",
        "What does the sublayer read, and what goes around it unchanged?",
        "x goes around both the norm and the sublayer.",
        lesson="The residual connection",
        gives="the sum with the residual",
        test=source.returns(
            FUNCTION, "$x + $layer(...)", where={"x": is_parameter, "layer": is_parameter}
        ),
        proven_by=("residual-numbers",),
    ),
    common.placeholders(source.no_placeholders(CLASS, FUNCTION, "__init__", "__call__", "forward")),
    Check(
        "builds",
        "LayerNorm(dim) and LayerNorm(dim, eps=...) can be created",
        "LayerNorm(dim) and LayerNorm(dim, eps=...) cannot be created",
        "__init__ takes dim and eps, and calls super().__init__() first",
        "Weight and bias have one number for each feature.",
        lesson="Weight and bias",
        answer="self.weight = Tensor.ones([dim]) and self.bias = Tensor.zeros([dim])",
        rule=rules.builds(*NORMS),
    ),
    Check(
        "parameters",
        "Its parameters are weight and bias, each [dim]",
        "Its parameters are not weight and bias, each [dim]",
        "Hugging Face's names: self.weight and self.bias, and no other tensor on self",
        "The names of the attributes are the names of the weights.",
        lesson="Weight and bias",
        answer="self.weight = Tensor.ones([dim]) and self.bias = Tensor.zeros([dim])",
        rule=rules.loads(*LOADED),
        needs=("builds",),
    ),
    Check(
        "runs",
        "LayerNorm runs on any leading dimensions and keeps the shape",
        "LayerNorm does not run on all leading dimensions",
        "Reduce over the last dimension: axis=-1",
        "Each vector is normalized by itself: the last dimension.",
        lesson="Mean",
        answer="x.mean(axis=-1) keeps that dimension with size 1, so that x - mean broadcasts",
        rule=results.works(*NORMS),
        needs=("builds", "parameters"),
    ),
    Check(
        "fresh",
        "A fresh layer gives vectors of mean 0 and variance 1",
        "A fresh layer does not give vectors of mean 0 and variance 1",
        "A fresh weight is 1 and a fresh bias is 0",
        "Before training, the layer normalizes and does nothing more.",
        lesson="Weight and bias",
        answer="self.weight = Tensor.ones([dim]) and self.bias = Tensor.zeros([dim])",
        rule=rules.all_of(starts, rules.numbers("fresh", what="numbers of a fresh layer")),
        needs=("runs",),
    ),
    Check(
        "numbers",
        "LayerNorm gives the right numbers, for any weight, bias and eps",
        "LayerNorm does not give the right numbers",
        "Compare each line with the lesson's formula",
        "The variance is a mean of squares, and eps goes under the root.",
        lesson="Variance",
        answer="(x - mean) / F.sqrt((centered * centered).mean(axis=-1) + self.eps) * "
        "self.weight + self.bias",
        rule=rules.all_of(
            centers_first,
            rules.numbers("norm-*", what="normalized numbers"),
            rules.note("{count} results agree with float64.", "norm-*"),
        ),
        needs=("runs",),
    ),
    Check(
        "equal",
        "A vector of equal numbers gives the bias, not NaN",
        "A vector of equal numbers does not give the bias",
        "Minus their mean, equal numbers are 0, so the bias is all that is left",
        "Where all numbers are equal, nothing is left to divide by.",
        lesson="Epsilon",
        blank="normalize",
        rule=divided,
        needs=("runs",),
    ),
    Check(
        "residual-numbers",
        "residual(x, norm, sublayer) gives x + sublayer(norm(x))",
        "residual(x, norm, sublayer) does not give x + sublayer(norm(x))",
        "Normalize what the sublayer reads, and add x itself",
        "What goes around the sublayer is x, not its normalized copy.",
        lesson="The residual connection",
        blank="residual",
        part="residual",
        rule=rules.all_of(
            results.works(*RESIDUALS),
            rules.numbers(*RESIDUALS, what="numbers of the residual connection"),
        ),
        needs=("builds", "numbers", "equal"),
    ),
)

RUBRIC = Rubric(
    checks=CHECKS,
    draw=trials.draw,
    misconceptions=named(mistakes.NORM, mistakes.RESIDUAL),
    result="numbers",
)

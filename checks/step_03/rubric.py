"""The rubric of step 03: ``scaled_dot_product_attention``."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from checks.shared import results, structure
from checks.shared.mistakes import named
from checks.step_03 import mistakes, trials
from grader.rubric import (
    Expr,
    Rubric,
    Trial,
    defines_function,
    made_with,
    no_placeholders,
    results_are,
    returns,
    rules,
    runtime_check,
    source_check,
)

NAME = "scaled_dot_product_attention"
CALLS = ("plain-*", "masked-*", "she-loves-cats")


def is_turned(e: Expr) -> bool:
    """Made with a transposition whose axes are computed: the numbers tell whether it is right."""
    return made_with(e, lambda one: one.op == "transpose" and one.value is None)


def draw(rng: np.random.Generator) -> Iterable[Trial]:
    """Inputs of two to five dimensions, masks of several shapes, and the lesson's text."""
    return trials.draw(rng)


CHECKS = (
    source_check(
        "import-functional",
        "functional module is imported as F from max.experimental",
        "functional module is not imported from max.experimental",
        "Add 'from max.experimental import functional as F'",
        'F.softmax makes weights of scores. See "MAX operations".',
        "from max.experimental import functional as F",
        test=structure.IMPORTS_F,
        proven_by=("runs",),
    ),
    source_check(
        "import-tensor",
        "Tensor is imported from max.experimental.tensor",
        "Tensor is not imported from max.experimental.tensor",
        "Add 'from max.experimental.tensor import Tensor'",
        'It is the type of every argument. See "MAX operations".',
        "from max.experimental.tensor import Tensor",
        test=structure.USES_TENSOR,
        proven_by=("runs",),
    ),
    source_check(
        "function",
        "scaled_dot_product_attention(query, key, value, mask=None) exists",
        "scaled_dot_product_attention(query, key, value, mask=None) is missing",
        "Define 'def scaled_dot_product_attention(query, key, value, mask=None):'",
        'Later steps call it by this name. See "What you build".',
        "def scaled_dot_product_attention(query, key, value, mask=None):",
        test=defines_function(NAME, "mask", both_ways=True),
        proven_by=("runs",),
    ),
    source_check(
        "scores",
        "Scores are computed with query @ key.transpose(-1, -2)",
        "Scores are not computed with query @ key.transpose(-1, -2)",
        "Multiply the queries with the transposed keys",
        '[..., query_len, head_dim] @ [..., head_dim, key_len]. See "Scores".',
        "scores = query @ key.transpose(-1, -2)",
        test=returns(
            NAME, structure.SCORES, "_ @ $turned", where={"turned": is_turned}, near="_ @ _"
        ),
        proven_by=("numbers",),
    ),
    source_check(
        "scale",
        "Scores are divided by the square root of head_dim",
        "Scores are not divided by the square root of head_dim",
        "Divide by math.sqrt(int(query.shape[-1]))",
        'head_dim is the width of query and key, not that of the value. See "Scaling".',
        "scores = scores / math.sqrt(int(query.shape[-1]))",
        test=returns(NAME, structure.SCALED, near="_ @ _"),
        proven_by=("numbers",),
    ),
    source_check(
        "mask",
        "The mask is added to the scores, where one is given",
        "The mask is not added to the scores",
        "Add the mask before the softmax, if it is not None",
        'Adding minus infinity takes all weight away. See "The mask".',
        "if mask is not None: scores = scores + mask",
        test=returns(NAME, "_ + mask", without=structure.SOFTMAX, near="F.softmax(...)"),
        proven_by=("masked",),
    ),
    source_check(
        "softmax",
        "F.softmax turns the scores into weights",
        "F.softmax is not applied to the scores",
        "Use F.softmax(scores)",
        'It runs over the last dimension, the keys, and comes after the mask. See "Softmax".',
        "weights = F.softmax(scores)",
        test=returns(NAME, structure.SOFTMAX, near="F.softmax(...)"),
        proven_by=("numbers",),
    ),
    source_check(
        "output",
        "The weights mix the values: weights @ value",
        "The weights do not mix the values",
        "Use weights @ value",
        'Each row of weights mixes the rows of the value. See "Weighted sum".',
        "output = weights @ value",
        test=returns(NAME, structure.MIXTURE, near="_ @ _"),
        proven_by=("numbers",),
    ),
    source_check(
        "returns",
        "The output and the weights are returned, in this order",
        "The output and the weights are not returned",
        "End with 'return output, weights'",
        'Two results, and the output comes first. See "What you build".',
        "return output, weights",
        test=results_are(NAME, "[_, _]"),
        proven_by=("shapes",),
    ),
    source_check(
        "placeholders",
        "All placeholder 'None' values have been replaced",
        "Found placeholder 'None' values that need to be replaced:",
        "Replace all 'None' values with the actual implementation",
        "Each stands under a TODO.",
        "Search the file for None.",
        test=no_placeholders(NAME),
    ),
    runtime_check(
        "runs",
        "It works on tensors of 2 to 5 dimensions, with and without a mask",
        "It does not work on every tensor",
        "Use negative dimensions only: -1 and -2 exist however many there are",
        'A dimension counted from the end is the same with or without a batch. See "The shapes".',
        "key.transpose(-1, -2), query.shape[-1], F.softmax(scores), and if mask is not None:",
        rule=rules.all_of(rules.imports(), rules.runs(*CALLS), results.answers(*CALLS)),
    ),
    runtime_check(
        "pair",
        "It returns two tensors: the output and the weights",
        "It does not return two tensors",
        "return output, weights",
        'The weights are wanted too, to look at them. See "Weighted sum".',
        "output = weights @ value, then return output, weights",
        rule=rules.all_of(
            results.pair(*CALLS, first="output", second="weights"), rules.tensors(*CALLS)
        ),
        needs=("runs",),
    ),
    runtime_check(
        "shapes",
        "Shapes are right, also where queries and keys differ in number",
        "Shapes are wrong",
        "The output is [..., query_len, value_dim], the weights are [..., query_len, key_len]",
        'Queries and keys may differ in number, values in width. See "The shapes".',
        "Scores are query @ key.transpose(-1, -2), and the output is weights @ value",
        rule=rules.shapes(*CALLS),
        needs=("pair",),
    ),
    runtime_check(
        "sums",
        "The weights of each query sum to 1",
        "The weights of a query do not sum to 1",
        "Softmax over the last dimension makes them so, if nothing changes them afterwards",
        'Softmax shares out a whole among the keys, which are the last dimension. See "Softmax".',
        "weights = F.softmax(scores), and return these weights as they are",
        rule=results.rows_sum_to_one(*CALLS, path="out.1"),
        needs=("shapes",),
    ),
    runtime_check(
        "numbers",
        "Output and weights are right without a mask",
        "Output and weights are not right",
        "Compare each line with the lesson's formula",
        'Every part of the formula is one line of the function. See "Scores".',
        "query @ key.transpose(-1, -2), divided by math.sqrt(int(query.shape[-1])), F.softmax, "
        "@ value",
        rule=rules.all_of(
            rules.numbers("plain-*", what="shapes are right, but the numbers"),
            rules.note("{count} results, compared with float64.", "plain-*"),
        ),
        needs=("shapes",),
    ),
    runtime_check(
        "masked",
        "Hidden keys get weight 0, and the visible ones share the whole",
        "With a mask, output or weights are not right",
        "Add the mask to the scores before the softmax, as it is",
        'exp(-inf) is 0, so what is added before the softmax hides. See "The mask".',
        "if mask is not None: scores = scores + mask, before F.softmax(scores)",
        rule=rules.numbers("masked-*", what="numbers with a mask"),
        needs=("numbers",),
    ),
    runtime_check(
        "she-loves-cats",
        '"She loves cats" gets the weights that the lesson prints',
        '"She loves cats" does not get the weights that the lesson prints',
        'Compare with the tables in "She loves cats"',
        'The lesson prints every table on the way. See "She loves cats".',
        "Compute the same tables with your lines, one after another, and find the first that "
        "differs",
        rule=rules.numbers("she-loves-cats", what='numbers of "She loves cats"'),
        needs=("shapes",),
    ),
)

BLAMES = {
    "scores": ("scores", "numbers"),
    "scale": ("scale", "numbers"),
    "softmax": ("softmax", "numbers"),
    "mask": ("mask", "masked"),
    "output": ("output", "numbers"),
    "weights": ("returns", "numbers"),
    "pair": ("returns", "shapes"),
}

LESSON = {
    "scores": "Scores",
    "scale": "Scaling",
    "softmax": "Softmax",
    "mask": "The mask",
    "output": "Weighted sum",
    "weights": "What you build",
    "pair": "What you build",
}

RUBRIC = Rubric(
    checks=CHECKS,
    draw=draw,
    misconceptions=(
        *named(mistakes.SHARED, BLAMES, LESSON),
        *named(mistakes.GIVEN_MASK, BLAMES, LESSON),
    ),
)

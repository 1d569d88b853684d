"""The rubric of step 03: ``scaled_dot_product_attention``."""

from __future__ import annotations

from checks.shared import common, results, structure
from checks.shared.mistakes import named
from checks.step_03 import mistakes, trials
from grader.rubric import Check, Rubric, rules, source

NAME = "scaled_dot_product_attention"
CALLS = ("plain-*", "masked-*", "she-loves-cats")
SINGLE = ("plain-*", "masked-[!d]*", "she-loves-cats")
"""All but the one in float64, whose numbers alone are compared."""


def is_turned(e: source.Expr) -> bool:
    """Made with a transposition whose axes are computed: the numbers tell whether it is right."""
    return source.made_with(e, lambda one: one.op == "transpose" and one.value is None)


CHECKS = (
    common.imports_functional("F.softmax turns scores into weights.", "runs"),
    common.imports_tensor("It is the type of every argument.", "runs", test=structure.USES_TENSOR),
    Check(
        "function",
        "scaled_dot_product_attention(query, key, value, mask=None) exists",
        "scaled_dot_product_attention(query, key, value, mask=None) is missing",
        "What does the lesson call the function, and what does it take?",
        "Later steps call it by this name.",
        lesson="What you build",
        answer="def scaled_dot_product_attention(query, key, value, mask=None):",
        test=source.defines_function(NAME, "mask", both_ways=True),
        proven_by=("runs",),
    ),
    Check(
        "scores",
        "Scores are computed with query @ key.transpose(-1, -2)",
        "Scores are not computed with query @ key.transpose(-1, -2)",
        "Multiply the queries by the transposed keys",
        "[..., query_len, head_dim] @ [..., head_dim, key_len].",
        lesson="Scores",
        gives="the scores",
        test=source.returns(
            NAME, structure.SCORES, "_ @ $turned", where={"turned": is_turned}, near="_ @ _"
        ),
        proven_by=("numbers",),
    ),
    Check(
        "scale",
        "Scores are divided by the square root of head_dim",
        "Scores are not divided by the square root of head_dim",
        "How wide is one query, and how large does a sum of that many products get?",
        "head_dim is the width of query and key, not of the value.",
        lesson="Scaling",
        gives="the scaled scores",
        test=source.returns(NAME, structure.SCALED, near="_ @ _"),
        proven_by=("numbers",),
    ),
    Check(
        "mask",
        "The mask is added to the scores, if there is one",
        "The mask is not added to the scores",
        "Add the mask before the softmax, if it is not None",
        "Adding minus infinity takes all weight away.",
        lesson="The mask",
        gives="the masked scores",
        test=source.returns(NAME, "_ + mask", without=structure.SOFTMAX, near="F.softmax(...)"),
        proven_by=("masked",),
    ),
    Check(
        "softmax",
        "F.softmax turns the scores into weights",
        "F.softmax does not turn the scores into weights",
        "What turns a row of scores into weights that sum to 1?",
        "It runs over the last dimension, the keys, and comes after the mask.",
        lesson="Softmax",
        gives="the attention weights",
        test=source.returns(NAME, structure.SOFTMAX, near="F.softmax(...)"),
        proven_by=("numbers",),
    ),
    Check(
        "output",
        "The weights mix the values: weights @ value",
        "The weights do not mix the values",
        "What do the weights mix?",
        "Each row of weights mixes the rows of the value.",
        lesson="Weighted sum",
        gives="the output",
        test=source.returns(NAME, structure.MIXTURE, near="_ @ _"),
        proven_by=("numbers",),
    ),
    Check(
        "returns",
        "The output and the weights are returned, in this order",
        "The output and the weights are not returned",
        "How many results does the lesson ask for, and which comes first?",
        "Two results, and the output comes first.",
        lesson="What you build",
        blank="output",
        test=source.results_are(NAME, "[_, _]"),
        proven_by=("shapes",),
    ),
    common.placeholders(source.no_placeholders(NAME)),
    Check(
        "runs",
        "It works on tensors of 2 to 5 dimensions, with and without a mask",
        "It does not work on every tensor",
        "Use negative dimensions only: -1 and -2 exist however many there are",
        "A dimension counted from the end is the same with or without a batch.",
        lesson="Shapes",
        answer="key.transpose(-1, -2), query.shape[-1], F.softmax(scores), and if mask is not "
        "None:",
        rule=rules.all_of(rules.imports(), rules.runs(*CALLS), results.answers(*CALLS)),
    ),
    Check(
        "pair",
        "It returns two tensors: the output and the weights",
        "It does not return two tensors",
        "How many results does the lesson ask for, and which comes first?",
        "The weights are returned too, so that you can inspect them.",
        lesson="Weighted sum",
        answer="output = weights @ value, then return output, weights",
        rule=rules.all_of(
            results.pair(*CALLS, first="output", second="weights"), rules.tensors(*SINGLE)
        ),
        needs=("runs",),
    ),
    Check(
        "shapes",
        "Shapes are right, even if queries and keys differ in number",
        "Shapes are wrong",
        "The output is [..., query_len, value_dim], the weights are [..., query_len, key_len]",
        "Queries and keys may differ in number, values in width.",
        lesson="Shapes",
        answer="Scores are query @ key.transpose(-1, -2), and the output is weights @ value",
        rule=rules.shapes(*CALLS),
        needs=("pair",),
    ),
    Check(
        "sums",
        "The weights of each query sum to 1",
        "The weights of a query do not sum to 1",
        "Softmax over the last dimension does that, if nothing changes the weights afterwards",
        "Softmax divides a whole among the keys, which are the last dimension.",
        lesson="Softmax",
        answer="weights = F.softmax(scores), and return these weights as they are",
        rule=results.rows_sum_to_one(*CALLS, path="out.1"),
        needs=("shapes",),
    ),
    Check(
        "numbers",
        "Output and weights are right without a mask",
        "Output or weights are not right",
        "Compare each line with the lesson's formula",
        "Every part of the formula is one line of the function.",
        lesson="Scores",
        answer="query @ key.transpose(-1, -2), divided by math.sqrt(int(query.shape[-1])), "
        "F.softmax, @ value",
        rule=rules.all_of(
            rules.numbers("plain-*", what="shapes are right, but the numbers"),
            rules.note("{count} results agree with float64.", "plain-*"),
        ),
        needs=("shapes",),
    ),
    Check(
        "masked",
        "Hidden keys get weight 0, and the weights of the visible ones sum to 1",
        "With a mask, output or weights are not right",
        "Add the mask, unchanged, to the scores before the softmax",
        "exp(-inf) is 0, so minus infinity added before the softmax hides.",
        lesson="The mask",
        blank="mask",
        part="mask",
        rule=rules.numbers("masked-*", what="numbers with a mask"),
        needs=("numbers",),
    ),
    Check(
        "she-loves-cats",
        '"She loves cats" gets the weights the lesson prints',
        '"She loves cats" does not get the numbers the lesson prints',
        'Compare with the tables in "She loves cats"',
        "The lesson prints every table on the way.",
        lesson="She loves cats",
        answer="Compute the same tables with your own lines, one by one, and find the "
        "first that differs",
        rule=rules.numbers("she-loves-cats", what='numbers of "She loves cats"'),
        needs=("shapes",),
    ),
)

RUBRIC = Rubric(
    checks=CHECKS,
    draw=trials.draw,
    misconceptions=named(mistakes.SHARED, mistakes.GIVEN_MASK),
    result="numbers",
)

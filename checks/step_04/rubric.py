"""The rubric of step 04: ``padding_mask`` and ``combine_masks``."""

from __future__ import annotations

from checks.shared import common, results, structure
from checks.shared.mistakes import named
from checks.step_04 import mistakes, trials
from grader.rubric import Check, Rubric, rules, source

MASK, COMBINE = trials.PADDING, trials.COMBINED
PADDING = ("padding-*", "alone-*")
COMBINED = ("combined-*",)
TOGETHER = ("together-*",)

WISHED = (
    "Not required: your mask is wrong with float16, whose lowest number is −65504. "
    "Anything lower becomes −∞."
)

AS_ASKED = rules.tensors("double*", dtype="float64")
"""The mask has the dtype that was asked for: the lowest number of another one may not fit."""

LOWEST_SEEN = -3e38
"""A number below this is meant to be the lowest."""


def is_low(e: source.Expr) -> bool:
    """A number that hides as well as finfo(dtype).min."""
    number = isinstance(e.value, float | int) and not isinstance(e.value, bool)
    return e.op == "const" and number and e.value < LOWEST_SEEN


HIDES = source.pattern("finfo(...).min", is_low)
INSERTED = source.pattern(
    "unsqueeze(unsqueeze(...), ...)", "_.reshape(...)", "_[None]", "_[..., None, ...]"
)
JOINED = source.pattern("min(_, _) | max(_, _) | elementwise_min(_, _) | _ + _ | F.where(...)")


def hides(e: source.Expr) -> bool:
    """Made with the number that hides."""
    return source.made_with(e, HIDES)


def inserts_axes(e: source.Expr) -> bool:
    """Made with two new dimensions."""
    return source.made_with(e, INSERTED)


def joins_both(e: source.Expr) -> bool:
    """The elementwise minimum, the sum, or a choice, made with two parameters."""
    return JOINED(e) and len({one.name for one in source.walk(e) if one.op == "param"}) >= 2


CHECKS = (
    common.imports_functional("F.where and F.min make the masks.", "padding-runs"),
    common.imports_tensor(
        "Tensor makes a tensor of one number.", "padding-runs", test=structure.USES_TENSOR
    ),
    Check(
        "functions",
        "padding_mask(token_ids, pad_token_id, *, dtype) and combine_masks(causal, padding) exist",
        "padding_mask and combine_masks do not both exist",
        "Define both functions, with the parameters of the untouched file",
        "Later steps call them by these names.",
        lesson="What you build",
        answer="def padding_mask(token_ids, pad_token_id, *, dtype=DType.float32): and def "
        "combine_masks(causal, padding):",
        test=source.every(source.defines_function(MASK, "dtype"), source.defines_function(COMBINE)),
        proven_by=("padding-runs", "combined-shape"),
    ),
    Check(
        "padding",
        "padding_mask: padding is found with token_ids == pad_token_id",
        "padding_mask: padding is not found",
        "Which tokens are padding? Compare all of them at once.",
        "A comparison gives True or False for every token.",
        lesson="Finding the padding",
        gives="where the padding is",
        test=source.mentions(MASK, "_ == _", "_ != _", "equal(...)", "not_equal(...)"),
        proven_by=("padding-numbers",),
    ),
    Check(
        "numbers",
        "padding_mask: finfo(dtype).min hides, and 0 shows",
        "padding_mask: the two numbers of the mask are wrong",
        "Which number changes no score, and which is the lowest of this dtype?",
        "The mask is added to the scores.",
        lesson="The number that hides",
        gives="the number that shows",
        test=source.returns(MASK, HIDES),
        proven_by=("padding-numbers", "padding-nan"),
    ),
    Check(
        "choose",
        "padding_mask: F.where chooses between the two",
        "padding_mask: F.where does not choose between the two",
        "One number for padding, the other elsewhere. Which function chooses between them?",
        "The number for True comes first.",
        lesson="Choosing",
        gives="the mask of every token",
        test=source.returns(MASK, "F.where(...)", "_ * $hides", where={"hides": hides}),
        proven_by=("padding-numbers",),
    ),
    Check(
        "dimensions",
        "padding_mask: dimensions for heads and queries are inserted",
        "padding_mask: dimensions for heads and queries are not inserted",
        "Scores have four dimensions. Which two does the mask not have yet?",
        "[batch, seq] becomes [batch, 1, 1, seq].",
        lesson="Dimensions for heads and queries",
        gives="the padding mask",
        test=source.returns(MASK, inserts_axes),
        proven_by=("padding-shape",),
    ),
    Check(
        "combine",
        "combine_masks: the lower number of the two masks is kept",
        "combine_masks: the lower number of the two masks is not kept",
        "An entry is hidden if either mask hides it. Which of the two numbers is that?",
        "What either mask hides is hidden.",
        lesson="Combining masks",
        gives="the combined mask",
        test=source.returns(COMBINE, joins_both),
        proven_by=("combined-numbers",),
    ),
    common.placeholders(source.no_placeholders(MASK, COMBINE)),
    Check(
        "padding-runs",
        "padding_mask runs on every batch of sequences",
        "padding_mask does not run on every batch of sequences",
        "It takes token ids [batch, seq] of any integer type",
        "token_ids == pad_token_id is True where there is padding.",
        lesson="Finding the padding",
        answer="is_padding = token_ids == pad_token_id, then F.where(is_padding, hidden, visible)",
        rule=rules.all_of(
            rules.imports(),
            rules.runs(*PADDING, "double*"),
            results.answers(*PADDING, "double*"),
            rules.tensors(*PADDING),
        ),
    ),
    Check(
        "padding-shape",
        "padding_mask returns [batch, 1, 1, seq]",
        "padding_mask does not return [batch, 1, 1, seq]",
        "Heads and queries are dimensions of size 1, between batch and seq",
        "A mask broadcasts to [batch, n_head, seq, seq] starting from the last dimension.",
        lesson="Dimensions for heads and queries",
        blank="dimensions",
        part="dimensions",
        rule=rules.shapes(*PADDING),
        needs=("padding-runs",),
    ),
    Check(
        "padding-dtype",
        "padding_mask makes the mask in the requested dtype",
        "padding_mask does not make the mask in the requested dtype",
        "Give this dtype to both tensors",
        "The lowest number depends on the dtype.",
        lesson="The number that hides",
        blank="numbers",
        rule=AS_ASKED,
        needs=("padding-runs",),
    ),
    Check(
        "padding-numbers",
        "padding_mask hides the padding, wherever it is, and nothing else",
        "padding_mask returns a wrong mask",
        "0 for a token, the lowest number for pad_token_id",
        "F.where takes one of two numbers for each token.",
        lesson="Choosing",
        blank="choose",
        rule=rules.numbers(*PADDING, "double*", what="the mask", mask=True),
        needs=("padding-shape",),
    ),
    Check(
        "padding-nan",
        "A sequence of nothing but padding gives no NaN",
        "A sequence of nothing but padding gives NaN",
        "What is the softmax of a row in which everything is minus infinity?",
        "A row of only -inf is 0 / 0 in the softmax.",
        lesson="The number that hides",
        blank="numbers",
        rule=rules.all_of(
            results.never_nan(*PADDING, path="out"),
            rules.once(AS_ASKED, results.never_nan("double*", path="out")),
            rules.wish("half", WISHED, *PADDING, "double*"),
        ),
        needs=("padding-shape",),
    ),
    Check(
        "combined-shape",
        "combine_masks returns [batch, 1, seq, seq]",
        "combine_masks does not return [batch, 1, seq, seq]",
        "[seq, seq] and [batch, 1, 1, seq] broadcast to it by themselves",
        "Two masks of different shapes meet by broadcasting.",
        lesson="Combining masks",
        blank="combine",
        rule=rules.all_of(
            rules.imports(),
            rules.runs(*COMBINED, "both-double"),
            results.answers(*COMBINED, "both-double"),
            rules.tensors(*COMBINED),
            rules.tensors("both-double", dtype="float64"),
            rules.shapes(*COMBINED),
        ),
    ),
    Check(
        "combined-numbers",
        "combine_masks hides the future and the padding, and nothing else",
        "combine_masks returns a wrong mask",
        "An entry is hidden where the causal mask hides it, or the padding mask, or both",
        "The lower of two additive masks hides what either hides.",
        lesson="Combining masks",
        blank="combine",
        part="combine",
        rule=rules.numbers(*COMBINED, "both-double", what="the combined mask", mask=True),
        needs=("combined-shape",),
    ),
    Check(
        "together",
        "Both together: no future, no padding, and no NaN in a row that sees nothing",
        "Both together give a wrong mask",
        "A completely hidden row must keep a finite number somewhere",
        "The sum of two lowest numbers overflows; the lower of the two does not.",
        lesson="Combining masks",
        answer="finfo(dtype).min in padding_mask, and F.min(causal, padding) in combine_masks",
        rule=rules.all_of(
            rules.runs(*TOGETHER),
            rules.tensors(*TOGETHER),
            rules.shapes(*TOGETHER),
            rules.numbers(*TOGETHER, what="both masks together", mask=True),
            results.never_nan(*TOGETHER, *COMBINED, "both-double", path="out"),
        ),
        needs=("padding-numbers", "combined-numbers"),
    ),
)

RUBRIC = Rubric(
    checks=CHECKS,
    draw=trials.draw,
    misconceptions=named(mistakes.PADDING, mistakes.COMBINED),
    result="padding-numbers",
)

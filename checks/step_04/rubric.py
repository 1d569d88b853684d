"""The rubric of step 04: ``padding_mask`` and ``combine_masks``."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from checks.shared import results, structure
from checks.shared.mistakes import named
from checks.step_04 import mistakes, trials
from grader.rubric import (
    Expr,
    Rubric,
    Trial,
    defines_function,
    every,
    made_with,
    mentions,
    no_placeholders,
    pattern,
    returns,
    rules,
    runtime_check,
    source_check,
    walk,
)

MASK, COMBINE = trials.PADDING, trials.COMBINED
PADDING = ("padding-*", "alone-*")
COMBINED = ("combined-*",)
TOGETHER = ("together-*",)

LOWEST_SEEN = -1000.0
"""A number below this is meant to hide."""


def is_low(e: Expr) -> bool:
    """A number that hides as well as finfo(dtype).min."""
    number = isinstance(e.value, float | int) and not isinstance(e.value, bool)
    return e.op == "const" and number and e.value < LOWEST_SEEN


HIDES = pattern("finfo(...).min", is_low)
INSERTED = pattern(
    "unsqueeze(unsqueeze(...), ...)", "_.reshape(...)", "_[None]", "_[..., None, ...]"
)
JOINED = pattern("min(_, _) | max(_, _) | elementwise_min(_, _) | _ + _ | F.where(...)")


def hides(e: Expr) -> bool:
    """Made with the number that hides."""
    return made_with(e, HIDES)


def inserts_axes(e: Expr) -> bool:
    """Made with two new dimensions."""
    return made_with(e, INSERTED)


def joins_both(e: Expr) -> bool:
    """The elementwise minimum, the sum, or a choice, made with two parameters."""
    return JOINED(e) and len({one.name for one in walk(e) if one.op == "param"}) >= 2


def draw(rng: np.random.Generator) -> Iterable[Trial]:
    """Texts padded at the end, at the start, in the middle, nowhere and everywhere."""
    return trials.draw(rng)


CHECKS = (
    source_check(
        "import-functional",
        "functional module is imported as F from max.experimental",
        "functional module is not imported from max.experimental",
        "Add 'from max.experimental import functional as F'",
        'F.where and F.min make the masks. See "MAX operations".',
        "from max.experimental import functional as F",
        test=structure.IMPORTS_F,
        proven_by=("padding-runs",),
    ),
    source_check(
        "import-tensor",
        "Tensor is imported from max.experimental.tensor",
        "Tensor is not imported from max.experimental.tensor",
        "Add 'from max.experimental.tensor import Tensor'",
        'Tensor makes a tensor of one number. See "MAX operations".',
        "from max.experimental.tensor import Tensor",
        test=structure.USES_TENSOR,
        proven_by=("padding-runs",),
    ),
    source_check(
        "functions",
        "padding_mask(token_ids, pad_token_id, *, dtype) and combine_masks(causal, padding) exist",
        "padding_mask or combine_masks is missing",
        "Define both functions, with the parameters of the untouched file",
        'Later steps call them by these names. See "What you build".',
        "def padding_mask(token_ids, pad_token_id, *, dtype=DType.float32): and "
        "def combine_masks(causal, padding):",
        test=every(defines_function(MASK, "dtype"), defines_function(COMBINE)),
        proven_by=(
            "padding-runs",
            "combined-shape",
        ),
    ),
    source_check(
        "padding",
        "padding_mask: padding is found with token_ids == pad_token_id",
        "padding_mask: padding is not found",
        "Use token_ids == pad_token_id",
        'A comparison gives True or False for every token. See "Finding the padding".',
        "is_padding = token_ids == pad_token_id",
        test=mentions(MASK, "_ == _", "_ != _", "equal(...)", "not_equal(...)"),
        proven_by=("padding-numbers",),
    ),
    source_check(
        "numbers",
        "padding_mask: finfo(dtype).min hides, and 0 shows",
        "padding_mask: the two numbers of the mask are not right",
        "Use Tensor(finfo(dtype).min, ...) for padding and Tensor(0.0, ...) for tokens",
        'The mask is added to the scores. See "The number that hides".',
        "hidden = Tensor(finfo(dtype).min, dtype=dtype, device=token_ids.device), and visible "
        "likewise with 0.0",
        test=returns(MASK, HIDES),
        proven_by=(
            "padding-numbers",
            "padding-nan",
        ),
    ),
    source_check(
        "choose",
        "padding_mask: F.where chooses between the two",
        "padding_mask: F.where does not choose between the two",
        "Use F.where(is_padding, hidden, visible)",
        'The number for True comes first. See "Choosing".',
        "mask = F.where(is_padding, hidden, visible)",
        test=returns(MASK, "F.where(...)", "_ * $hides", where={"hides": hides}),
        proven_by=("padding-numbers",),
    ),
    source_check(
        "dimensions",
        "padding_mask: dimensions for heads and queries are inserted",
        "padding_mask: dimensions for heads and queries are not inserted",
        "Use mask.unsqueeze(1) twice",
        '[batch, seq] becomes [batch, 1, 1, seq]. See "The shape".',
        "return mask.unsqueeze(1).unsqueeze(1)",
        test=returns(MASK, inserts_axes),
        proven_by=("padding-shape",),
    ),
    source_check(
        "combine",
        "combine_masks: the lower number of both masks is kept",
        "combine_masks: the lower number of both masks is not kept",
        "Use F.min(causal, padding)",
        'Hidden is what either mask hides. See "Combining masks".',
        "return F.min(causal, padding)",
        test=returns(COMBINE, joins_both),
        proven_by=("combined-numbers",),
    ),
    source_check(
        "placeholders",
        "All placeholder 'None' values have been replaced",
        "Found placeholder 'None' values that need to be replaced:",
        "Replace all 'None' values with the actual implementation",
        "Each stands under a TODO.",
        "Search the file for None.",
        test=no_placeholders(MASK, COMBINE),
    ),
    runtime_check(
        "padding-runs",
        "padding_mask runs on every batch of texts",
        "padding_mask does not run on every batch of texts",
        "It takes token ids [batch, seq] of any integer type",
        'token_ids == pad_token_id is True where padding stands. See "Finding the padding".',
        "is_padding = token_ids == pad_token_id, then F.where(is_padding, hidden, visible)",
        rule=rules.all_of(
            rules.imports(),
            rules.runs(*PADDING, "double"),
            results.answers(*PADDING, "double"),
            rules.tensors(*PADDING),
        ),
    ),
    runtime_check(
        "padding-shape",
        "padding_mask returns [batch, 1, 1, seq]",
        "padding_mask does not return [batch, 1, 1, seq]",
        "Heads and queries are dimensions of size 1, between batch and seq",
        'A mask broadcasts to [batch, n_head, seq, seq] from the last dimension on. See "The '
        'shape".',
        "return mask.unsqueeze(1).unsqueeze(1)",
        rule=rules.shapes(*PADDING),
        needs=("padding-runs",),
    ),
    runtime_check(
        "padding-dtype",
        "padding_mask makes the mask in the dtype that is asked for",
        "padding_mask does not make the mask in the dtype that is asked for",
        "Pass dtype on to both tensors",
        'The lowest number depends on the dtype. See "The number that hides".',
        "Tensor(finfo(dtype).min, dtype=dtype, device=token_ids.device), and so for 0.0",
        rule=rules.tensors("double", dtype="float64"),
        needs=("padding-runs",),
    ),
    runtime_check(
        "padding-numbers",
        "padding_mask hides the padding, wherever it stands, and nothing else",
        "padding_mask does not hide exactly the padding",
        "0 where a token stands, the lowest number where pad_token_id stands",
        'F.where takes one of two numbers for each token. See "Choosing".',
        "F.where(token_ids == pad_token_id, hidden, visible)",
        rule=rules.numbers(*PADDING, "double", what="hidden places"),
        needs=("padding-shape",),
    ),
    runtime_check(
        "padding-nan",
        "A text of nothing but padding gives no NaN",
        "A text of nothing but padding gives NaN",
        "Hide with finfo(dtype).min: a row of only minus infinity has no softmax",
        'A row of only -inf is 0 / 0 in the softmax. See "The number that hides".',
        "hidden = Tensor(finfo(dtype).min, dtype=dtype, device=token_ids.device)",
        rule=results.never_nan(*PADDING, path="out"),
        needs=("padding-shape",),
    ),
    runtime_check(
        "combined-shape",
        "combine_masks returns [batch, 1, seq, seq]",
        "combine_masks does not return [batch, 1, seq, seq]",
        "[seq, seq] and [batch, 1, 1, seq] broadcast to it by themselves",
        'Two masks of different shapes meet by broadcasting. See "Combining masks".',
        "return F.min(causal, padding)",
        rule=rules.all_of(
            rules.imports(),
            rules.runs(*COMBINED),
            results.answers(*COMBINED),
            rules.tensors(*COMBINED),
            rules.shapes(*COMBINED),
        ),
    ),
    runtime_check(
        "combined-numbers",
        "combine_masks hides the future and the padding, and nothing else",
        "combine_masks does not hide exactly the future and the padding",
        "A place is hidden where the causal mask hides it, or the padding mask, or both",
        'The lower of two additive masks hides what either hides. See "Combining masks".',
        "return F.min(causal, padding)",
        rule=rules.numbers(*COMBINED, what="hidden places of the combined mask"),
        needs=("combined-shape",),
    ),
    runtime_check(
        "together",
        "Both together: no future, no padding, and no NaN in a row that sees nothing",
        "Both together give a wrong mask",
        "A row that is hidden altogether must keep a finite number somewhere",
        'A sum of two lowest numbers overflows; the lower of both does not. See "Combining masks".',
        "finfo(dtype).min in padding_mask, and F.min(causal, padding) in combine_masks",
        rule=rules.all_of(
            rules.runs(*TOGETHER),
            rules.tensors(*TOGETHER),
            rules.shapes(*TOGETHER),
            rules.numbers(*TOGETHER, what="hidden places of both masks together"),
            results.never_nan(*TOGETHER, *COMBINED, path="out"),
        ),
        needs=("padding-numbers", "combined-numbers"),
    ),
)

BLAMES = {
    "padding": ("padding", "padding-numbers"),
    "numbers": ("numbers", "padding-numbers"),
    "choose": ("choose", "padding-numbers"),
    "shape": ("dimensions", "padding-shape"),
    "combine": ("combine", "combined-numbers"),
}

LESSON = {
    "padding": "Finding the padding",
    "numbers": "The number that hides",
    "choose": "Choosing",
    "shape": "The shape",
    "combine": "Combining masks",
}

RUBRIC = Rubric(
    checks=CHECKS,
    draw=draw,
    misconceptions=(
        *named(mistakes.PADDING, BLAMES, LESSON),
        *named(mistakes.COMBINED, BLAMES, LESSON),
    ),
)

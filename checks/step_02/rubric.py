"""The rubric of step 02: ``causal_mask``."""

from __future__ import annotations

from checks.shared import masks, structure
from checks.shared.mistakes import named
from checks.step_02 import mistakes
from grader.rubric import Check, Rubric, rules, source

NAME = "causal_mask"
EVERY = ("square-*", "later-*")
TYPES = ("float64", "float16")
SQUARE = tuple(f"square-{index}" for index in range(1, 5))
LATER = (*(f"later-{index}" for index in range(1, 8)), "later-again")


CHECKS = (
    Check(
        "imports",
        "functional is imported as F, Tensor from max.experimental.tensor",
        "functional and Tensor are not both imported",
        "Add 'from max.experimental import functional as F' and 'from max.experimental.tensor "
        "import Tensor'",
        "Each name and the module it lives in.",
        lesson="MAX operations",
        test=source.every(structure.USES_TENSOR, structure.USES_F),
        proven_by=("runs",),
    ),
    Check(
        "function",
        "causal_mask(sequence_length, num_tokens, *, dtype, device) exists",
        "causal_mask(sequence_length, num_tokens, *, dtype, device) is missing",
        "What does the lesson call the function, and which of its arguments need their names?",
        "Later steps call it by these names.",
        lesson="What you build",
        answer="def causal_mask(sequence_length, num_tokens, *, dtype, device):",
        test=structure.DEFINES_MASK,
        proven_by=("runs",),
    ),
    Check(
        "decorator",
        "causal_mask is decorated with F.functional",
        "causal_mask is not decorated with F.functional",
        "What makes MAX run a whole function as one operation?",
        "MAX then runs the whole function as one operation.",
        lesson="MAX operations",
        test=source.decorated(NAME, "max.experimental.functional.functional"),
        proven_by=("runs",),
    ),
    Check(
        "columns",
        "The number of columns is num_tokens + sequence_length",
        "The number of columns is not num_tokens + sequence_length",
        "How many tokens can be attended to: the new ones, and which others?",
        "One column for every token that can be attended to.",
        lesson="Shapes",
        test=source.returns(
            NAME, "$new + $earlier", where={"new": "sequence_length", "earlier": "num_tokens"}
        ),
        proven_by=("shape",),
    ),
    Check(
        "constant",
        "The mask is made of minus infinity",
        "The mask is not made of minus infinity",
        "Which number, added to a score, leaves a weight of exactly 0?",
        "Only minus infinity leaves a weight of exactly 0.",
        lesson="Minus infinity",
        gives="minus infinity",
        test=source.returns(
            NAME, 'float("-inf")', "-math.inf", "-np.inf", near="Tensor(...) | full(...)"
        ),
        proven_by=("square",),
    ),
    Check(
        "broadcast",
        "The constant is spread over every row and column",
        "The constant is not spread over every row and column",
        "The constant is one number. How many rows and columns does the mask have?",
        "One number becomes a matrix.",
        lesson="The band",
        gives="minus infinity everywhere",
        test=source.returns(
            NAME, "F.broadcast_to(...)", "_.broadcast_to(...)", "full(...)", "full_like(...)"
        ),
        proven_by=("shape",),
    ),
    Check(
        "band",
        "F.band_part keeps it only above the diagonal",
        "F.band_part does not keep it above the diagonal",
        "Which part of the matrix must become 0, and which keeps minus infinity?",
        "exclude=True puts 0 inside the band.",
        lesson="The band",
        gives="the causal mask",
        test=source.returns(NAME, "F.band_part(..., exclude=True)"),
        proven_by=("square",),
        left_open_by=("earlier",),
    ),
    Check(
        "runs",
        "causal_mask(4, 0, dtype=DType.float32, device=CPU()) returns a MAX Tensor",
        "causal_mask does not work",
        "Does the function end in a return?",
        "The checks below examine the tensor it returns.",
        blank="band",
        rule=rules.all_of(
            rules.imports(),
            rules.runs(*EVERY),
            rules.tensors(*SQUARE, *LATER),
        ),
    ),
    Check(
        "shape",
        "Its shape is [sequence_length, num_tokens + sequence_length]",
        "Its shape is not [sequence_length, num_tokens + sequence_length]",
        "Rows are the new tokens, columns are all tokens",
        "Every token is a column, and only the new ones are rows.",
        lesson="Shapes",
        blank="broadcast",
        part="columns",
        rule=rules.shapes(*EVERY),
        needs=("runs",),
    ),
    Check(
        "square",
        "It is 0 where a token may attend and minus infinity where it may not",
        "It is not 0 where a token may attend and minus infinity where it may not",
        "Row i is 0 up to column i and minus infinity after it",
        "Print causal_mask(4, 0, ...) and compare.",
        lesson="The band",
        blank="band",
        rule=rules.numbers("square-*", what="numbers of the mask"),
        needs=("shape",),
    ),
    Check(
        "dtype",
        "It has the requested dtype",
        "It does not have the requested dtype",
        "Does the tensor get the requested dtype?",
        "A mask is added to scores of any type.",
        lesson="MAX operations",
        blank="constant",
        rule=rules.all_of(
            *(rules.tensors(f"square-{kind}*", f"later-{kind}*", dtype=kind) for kind in TYPES)
        ),
        needs=("runs",),
    ),
    Check(
        "earlier",
        "Earlier tokens are visible to every token",
        "The mask is wrong when there are earlier tokens",
        "With num_tokens earlier tokens, row i is 0 up to column num_tokens + i",
        "A new token sees the earlier ones too.",
        lesson="Tokens that came before",
        answer="num_upper=int(Dim(num_tokens))",
        part=("earlier", "columns"),
        rule=rules.numbers("later-*", what="numbers of the mask"),
        needs=("shape",),
    ),
)

RUBRIC = Rubric(
    checks=CHECKS,
    draw=masks.mask_trials,
    misconceptions=named(mistakes.CAUSAL),
    result="square",
)

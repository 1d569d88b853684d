"""The rubric of step 01: ``softmax``."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from checks.formulas import Floats, softmax
from grader.rubric import (
    Call,
    Misconception,
    Probe,
    Rubric,
    TensorArg,
    Trial,
    defines_function,
    imports,
    rules,
    runtime_check,
    source_check,
)

SHAPES = ((5,), (3, 4), (2, 5, 3), (4, 1))


def draw(rng: np.random.Generator) -> Iterator[Trial]:
    """Scores of several shapes, and some whose powers overflow."""
    for number, shape in enumerate(SHAPES):
        yield _trial(f"usual-{number}", rng.normal(size=shape))
    yield _trial("large", 1000 + rng.normal(size=(3, 4)))


def _trial(name: str, scores: Floats) -> Trial:
    given = scores.astype(np.float32)
    call = Call("out", None, "softmax", (TensorArg(given),))

    def expect(**knobs: int) -> dict[str, Floats]:
        return {"out": softmax(given.astype(np.float64), **knobs)}

    return Trial(Probe(name, (call,)), expect)


CHECKS = (
    source_check(
        "numpy",
        "numpy is imported",
        "numpy is not imported",
        "Add 'import numpy as np'",
        "Every function of this step is in it.",
        "import numpy as np",
        test=imports("numpy"),
        proven_by=("weights",),
    ),
    source_check(
        "function",
        "softmax(scores) exists",
        "softmax(scores) is missing",
        "Define 'def softmax(scores):'",
        "Step 02 calls it by this name.",
        "def softmax(scores):",
        test=defines_function("softmax", "scores"),
        proven_by=("weights",),
    ),
    runtime_check(
        "weights",
        "The weights are right, for scores of any shape",
        "The weights are not right",
        "Divide each power by the sum of its row",
        'The formula is one line: see "Softmax".',
        "powers / powers.sum(axis=-1, keepdims=True)",
        rule=rules.all_of(
            rules.imports(),
            rules.runs("usual-*"),
            rules.tensors("usual-*"),
            rules.shapes("usual-*"),
            rules.numbers("usual-*", what="shapes are right, but the weights"),
        ),
    ),
    runtime_check(
        "overflow",
        "Large scores give weights too",
        "Large scores give no weights",
        "Subtract the largest score of each row first",
        'A power of a large number is infinite: see "Overflow".',
        "scores - scores.max(axis=-1, keepdims=True)",
        rule=rules.numbers("large", what="weights of large scores"),
        needs=("weights",),
    ),
)

RUBRIC = Rubric(
    checks=CHECKS,
    draw=draw,
    misconceptions=(
        Misconception(
            "first-axis",
            "The weights sum to 1 along the first axis. Use axis=-1.",
            {"axis": 0},
            ("weights",),
            "Softmax",
        ),
    ),
)

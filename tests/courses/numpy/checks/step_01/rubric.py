"""The rubric of step 01: ``softmax``."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from checks.formulas import Floats, softmax
from grader.rubric import Call, Check, Misconception, Probe, Rubric, TensorArg, Trial, rules, source

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
    Check(
        "numpy",
        "numpy is imported",
        "numpy is not imported",
        "Add 'import numpy as np'",
        "Every function of this step is in it.",
        lesson="Softmax",
        answer="import numpy as np",
        test=source.imports("numpy"),
        proven_by=("weights",),
    ),
    Check(
        "function",
        "softmax(scores) exists",
        "softmax(scores) is missing",
        "Define 'def softmax(scores):'",
        "Step 02 calls it by this name.",
        lesson="Softmax",
        answer="def softmax(scores):",
        test=source.defines_function("softmax", "scores"),
        proven_by=("weights",),
    ),
    Check(
        "weights",
        "The weights are right, for scores of any shape",
        "The weights are not right",
        "Divide each power by the sum of its row",
        "The formula is one line.",
        lesson="Softmax",
        blank="share",
        gives="the weights",
        rule=rules.all_of(
            rules.imports(),
            rules.runs("usual-*"),
            rules.tensors("usual-*"),
            rules.shapes("usual-*"),
            rules.numbers("usual-*", what="shapes are right, but the weights"),
        ),
    ),
    Check(
        "overflow",
        "Large scores give weights too",
        "Large scores give no weights",
        "Subtract the largest score of each row first",
        "A power of a large number is infinite.",
        lesson="Overflow",
        blank="shift",
        rule=rules.numbers("large", what="weights of large scores"),
        needs=("weights",),
    ),
)

AXIS = Misconception(
    "first-axis",
    "The weights sum to 1 along the first axis. Use axis=-1.",
    {"axis": 0},
    part="weights",
)

RUBRIC = Rubric(checks=CHECKS, draw=draw, misconceptions=(AXIS,))

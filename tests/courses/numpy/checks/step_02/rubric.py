"""The rubric of step 02: ``AttentionWeights``."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from checks.formulas import Floats, attention_weights
from grader.rubric import (
    Call,
    Check,
    ConfigArg,
    Load,
    Make,
    Misconception,
    Probe,
    Rubric,
    TensorArg,
    Trial,
    rules,
    source,
)

CLASS = "AttentionWeights"
SIZES = ((8, 4, 5), (6, 3, 1), (5, 9, 4), (7, 2, 3), (3, 16, 6), (4, 5, 2))
"""n_embd, head_dim and the number of tokens: all distinct, so that none stands for another.

Enough trials for ``watch`` to split them between two workers.
"""


def draw(rng: np.random.Generator) -> Iterator[Trial]:
    """Layers of several sizes, with random weights."""
    for number, sizes in enumerate(SIZES):
        yield _trial(f"layer-{number}", rng, *sizes)


def _trial(name: str, rng: np.random.Generator, n_embd: int, head_dim: int, tokens: int) -> Trial:
    x = rng.normal(size=(tokens, n_embd)).astype(np.float32)
    weights = {
        part: rng.normal(size=(n_embd, head_dim)).astype(np.float32) for part in ("query", "key")
    }
    config = ConfigArg({"n_embd": n_embd, "head_dim": head_dim})
    probe = Probe(
        name,
        (
            Make("module", CLASS, (config,)),
            Load("load", "module", {**weights}),
            Call("out", "module", None, (TensorArg(x),)),
        ),
    )
    exact = {part: array.astype(np.float64) for part, array in weights.items()}

    def expect(**knobs: int) -> dict[str, Floats]:
        return {"out": attention_weights(x.astype(np.float64), **exact, **knobs)}

    return Trial(probe, expect, slack=5.0)


CHECKS = (
    Check(
        "class",
        "AttentionWeights exists",
        "AttentionWeights is missing",
        "Keep the class of the stub",
        "The grader makes it by this name.",
        lesson="Scores",
        answer="class AttentionWeights:",
        test=source.defines_class(CLASS),
        proven_by=("numbers",),
    ),
    Check(
        "scale",
        "The scores are divided by the square root of head_dim",
        "The scores are not divided by the square root of head_dim",
        "Divide by math.sqrt(self.key.shape[-1])",
        "Without it, one token gets nearly all.",
        lesson="Scaling",
        gives="the weights",
        test=source.returns(f"{CLASS}.__call__", "_ / math.sqrt(_)"),
        proven_by=("numbers",),
    ),
    Check(
        "loads",
        "The layer can be made, and has the parameters query and key",
        "The layer has not the parameters query and key",
        "Keep __init__ as the stub has it",
        "Their shape is [n_embd, head_dim].",
        lesson="Scores",
        answer="self.query = np.zeros((config.n_embd, config.head_dim), np.float32)",
        rule=rules.all_of(rules.builds("layer-*"), rules.loads("layer-*")),
    ),
    Check(
        "numbers",
        "The weights are right, for layers of any size",
        "The weights are not right",
        "Compare each line with the lesson's formula",
        "The scores are one product.",
        lesson="Scores",
        blank="scores",
        gives="the scores",
        rule=rules.all_of(
            rules.runs("layer-*"),
            rules.tensors("layer-*"),
            rules.shapes("layer-*"),
            rules.numbers("layer-*", what="shapes are right, but the weights"),
        ),
        needs=("loads",),
    ),
)

RUBRIC = Rubric(
    checks=CHECKS,
    draw=draw,
    misconceptions=(
        Misconception(
            "no-scale",
            "The scores are not divided by √head_dim.",
            {"scale": False},
            part="scale",
        ),
        Misconception(
            "first-axis",
            "The weights sum to 1 along the first axis: over the queries, not over the keys.",
            {"axis": 0},
            part="numbers",
        ),
    ),
    result="numbers",
)

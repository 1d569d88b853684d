"""Heads that see only how far apart two tokens are."""

from __future__ import annotations

import hashlib
import math
from typing import Any

import numpy as np

from checks.shared import texts
from checks.shared.attention import Floats
from checks.shared.heads import READING, head_views, inputs, projecting
from checks.step_06.oracle import attention_rope
from grader.rubric import Call, Exhibit, LessonFigure, Make, Probe, TensorArg, Trial

SAME = "the the the the the the the the the the the the"
THETA, WIDTH, ENERGY = 10_000.0, 32, 16.0
BANDS = (
    ("fast pairs 0 and 1", slice(0, 2)),
    ("pairs 2 to 4", slice(2, 5)),
    ("slow pairs 5 to 8", slice(5, 9)),
    ("all pairs", slice(0, 16)),
)
"""The pairs of features that query and key use, head by head."""


def exhibit(text: str | None) -> Exhibit:
    """Query and key of a word are equal, so only the rotation tells places apart."""
    labels = texts.words(text, SAME)
    query = np.stack([[_vector(word, band) for word in labels] for _, band in BANDS])
    x, fused = inputs(query)[0], projecting(query, query)
    width = len(BANDS) * WIDTH
    given = dict(zip("qkv", np.split(fused, 3), strict=True)) | {"o": np.eye(width, dtype="f4")}
    places = np.arange(len(labels))
    make = Make("module", "MultiHeadSelfAttentionRoPE", (width, len(BANDS), 64, THETA))
    tensors = (*(np.ascontiguousarray(given[name]) for name in "qkvo"), x, places)
    call = Call("out", "module", None, tuple(TensorArg(one) for one in tensors))

    def expect(**knobs: Any) -> dict[str, Floats]:
        exact = x.astype(float)
        return {"out": attention_rope(given, exact, places, len(BANDS), THETA, **knobs)}

    about = (
        "Query and key depend on the word alone, so here only the distance decides the "
        f"weight. Each head uses different pairs of features. {READING}"
    )
    names = tuple(f"Head {head}: {name}" for head, (name, _) in enumerate(BANDS))
    trial = Trial(Probe("heads", (make, call)), expect, slack=5.0)
    return head_views(query, labels, trial, "out", about, names=names, batch=False)


def _vector(word: str, band: slice) -> Floats:
    """A point on a circle for each pair of features in ``band``, at angles that the word gives."""
    angles = [byte * math.tau / 256 for byte in hashlib.sha256(word.encode()).digest()[:16]]
    pairs = np.zeros((16, 2))
    pairs[band, 0] = np.cos(angles)[band]
    pairs[band, 1] = np.sin(angles)[band]
    count = band.stop - band.start
    return np.asarray(pairs.reshape(-1) * math.sqrt(ENERGY / count))


FIGURES = (
    LessonFigure(
        "heads",
        "Attention weights of four heads on twelve times the same word. Every head has stripes "
        "along the diagonal. The fast pairs see the last few tokens and faintly those a turn "
        "away, the slow pairs see all tokens nearly alike.",
        "show s06",
    ),
)

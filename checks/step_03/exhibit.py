"""What she, loves and cats attend to, with and without a mask; other texts by the small GPT-2."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from checks.shared import texts
from checks.shared.attention import Floats, causal_mask
from checks.shared.heads import LAYER, READING, TRAINED
from checks.step_03 import trials
from checks.step_03.oracle import scaled_dot_product_attention
from grader.rubric import Call, Exhibit, LessonFigure, Probe, TensorArg, Trial, View


def exhibit(text: str | None) -> Exhibit:
    """The words "she loves cats" with and without a mask; other texts by the small GPT-2."""
    labels: tuple[str, ...] = ("she", "loves", "cats")
    made = trials.example()[:2]
    about = "The untrained toy layer of the lesson."
    if text is not None and text.lower().split() != list(labels):
        seen = texts.read(text)
        labels, about = seen.labels, TRAINED
        made = seen.query[LAYER].astype(np.float32), seen.key[LAYER].astype(np.float32)
    query, key = made
    count = len(labels)
    value = np.broadcast_to(np.eye(count, dtype=np.float32), (len(query), count, count)).copy()
    mask = causal_mask(count).astype(np.float32)
    given = tuple(TensorArg(one) for one in (query, key, value))
    name = "scaled_dot_product_attention"
    calls = (
        Call("free", None, name, given),
        Call("masked", None, name, (*given, TensorArg(mask))),
    )
    q, k, v = (one.astype(np.float64) for one in (query, key, value))

    def expect(**knobs: Any) -> dict[str, Floats]:
        return {
            "free.0": scaled_dot_product_attention(q, k, v, None, **knobs)[0],
            "masked.0": scaled_dot_product_attention(q, k, v, mask.astype(float), **knobs)[0],
        }

    views = tuple(
        View(f"Head {head}, {what}", path, operator.itemgetter(head), labels, labels, head)
        for path, what in (("free.0", "no mask"), ("masked.0", "causal mask"))
        for head in range(len(query))
    )
    return Exhibit(
        "Attention weights", f"{about} {READING}", Trial(Probe("heads", calls), expect), views
    )


FIGURES = (
    LessonFigure(
        "text",
        "",
        "show s03 --head 0",
        views=(0, 2),
        text=True,
    ),
    LessonFigure(
        "weights",
        "Attention weights of both heads on she loves cats, without a mask and with the causal "
        "mask. In head 0, she attends to cats with .62 without a mask. With the mask, she attends "
        "only to she, and nothing above the diagonal has any weight.",
        "show s03",
    ),
)

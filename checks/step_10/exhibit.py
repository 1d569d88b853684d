"""Heads without a mask and with one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from checks.shared import texts
from checks.shared.attention import Floats, causal_mask
from checks.shared.heads import LAYER, READING, TRAINED, head_views, inputs, projecting
from checks.step_10 import oracle
from grader.rubric import Call, Exhibit, LessonFigure, Load, Make, Probe, TensorArg, Trial


def exhibit(text: str | None) -> Exhibit:
    """With no mask, which hides nothing, and with a causal one."""
    seen = texts.read(text)
    query, key = seen.query[LAYER], seen.key[LAYER]
    x, fused = inputs(query), projecting(query, key)
    width = fused.shape[1]
    weights = {"qkv_proj.weight": fused, "out_proj.weight": np.eye(width, dtype=np.float32)}
    mask = causal_mask(len(seen.labels)).astype(np.float32)
    layer = oracle.Layer(weights, len(query))
    make = Make("module", "MultiHeadAttention", (width, len(query)), {"bias": False})
    given = TensorArg(x)
    calls = (
        Call("free", "module", None, (given,)),
        Call("masked", "module", None, (given,), {"attention_mask": TensorArg(mask)}),
    )

    def expect(**knobs: Any) -> dict[str, Floats]:
        attend, exact = oracle.multi_head_attention, x.astype(float)
        return {
            "free.0": attend(layer, exact, **knobs)[0],
            "masked.0": attend(layer, exact, attention_mask=mask.astype(float), **knobs)[0],
        }

    trial = Trial(Probe("heads", (make, Load("loaded", "module", dict(weights)), *calls)), expect)
    about = f"{TRAINED} {READING}"
    free, masked = (
        head_views(query, seen.labels, trial, f"{name}.0", about, names=_named(len(query), what))
        for name, what in (("free", "no mask"), ("masked", "causal mask"))
    )
    return replace(free, views=free.views + masked.views)


def _named(count: int, what: str) -> tuple[str, ...]:
    return tuple(f"Head {head}, {what}" for head in range(count))


FIGURES = (
    LessonFigure(
        "masks",
        "Weights of head 1 without a mask and with the causal one. Without it, early tokens "
        "give most of their weight to later ones; with it, nothing is above the diagonal.",
        "show s10 --head 1",
        views=(1, 5),
    ),
)

"""What the attention of a block adds to each vector."""

from __future__ import annotations

import numpy as np

from checks.shared import block as oracle
from checks.shared import texts
from checks.shared.heads import (
    LAYER,
    READING,
    TRAINED,
    adding_attention,
    head_views,
    inputs,
    projecting,
)
from checks.shared.layer_norm import layer_norm
from grader.rubric import Call, ConfigArg, Exhibit, Load, Make, Probe, TensorArg, Trial


def exhibit(text: str | None) -> Exhibit:
    """What the attention adds to the vectors, the feed-forward network adding nothing."""
    seen = texts.read(text)
    query, key = seen.query[LAYER], seen.key[LAYER]
    x, width = inputs(query), query.shape[0] * query.shape[2]
    ones, zeros = np.ones(width, np.float32), np.zeros(width, np.float32)
    normed = layer_norm(x[0].astype(float), ones.astype(float), zeros.astype(float))
    weights = adding_attention(projecting(query, key, normed), width)
    config = {"n_embd": width, "n_head": len(query), "n_inner": 1}
    make = Make("module", "GPT2Block", (ConfigArg(dict(config)),))
    load, call = Load("loaded", "module", weights), Call("out", "module", None, (TensorArg(x),))
    trial = Trial(
        Probe("heads", (make, load, call)),
        lambda **knobs: {"out": oracle.block(x.astype(float), weights, len(query), 1e-5, **knobs)},
        slack=5.0,
    )
    about = f"What the block adds to each vector. {TRAINED} {READING}"
    return head_views(query, seen.labels, trial, "out", about, minus=x)

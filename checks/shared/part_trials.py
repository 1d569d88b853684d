"""Trials of the methods of an attention layer, each called alone."""

from __future__ import annotations

import numpy as np

from checks.shared import attention as oracles
from checks.shared.random_inputs import Rng, normal
from grader.rubric import Call, ConfigArg, Make, Probe, TensorArg, Trial


def part_trials(rng: Rng, cls: str) -> list[Trial]:
    """Make trials that call ``_split_heads``, ``_merge_heads`` and ``_attn`` alone."""
    n_head, head_dim, batch, seq = 3, 5, 2, 4
    config = {"n_embd": n_head * head_dim, "n_head": n_head}
    made = Make("module", cls, (ConfigArg(dict(config)),))
    wide = normal(rng, batch, seq, n_head * head_dim)
    tall = normal(rng, batch, n_head, seq, head_dim)
    query, key, value = (normal(rng, batch, n_head, seq, head_dim, scale=1.3) for _ in range(3))
    tensors = tuple(TensorArg(array) for array in (query, key, value))
    exact = [array.astype(np.float64) for array in (wide, tall, query, key, value)]
    split = Call("out", "module", "_split_heads", (TensorArg(wide), n_head, head_dim))
    merge = Call("out", "module", "_merge_heads", (TensorArg(tall), n_head, head_dim))
    attend = Call("out", "module", "_attn", tensors)
    return [
        Trial(
            Probe("split_heads", (made, split)),
            lambda **knobs: {"out": oracles.split_heads(exact[0], n_head, **knobs)},
            part=True,
        ),
        Trial(
            Probe("merge_heads", (made, merge)),
            lambda **knobs: {"out": oracles.merge_heads(exact[1], **knobs)},
            part=True,
        ),
        Trial(
            Probe("attn", (made, attend)),
            lambda **knobs: {
                "out": oracles.attention(*exact[2:], n_embd=n_head * head_dim, **knobs)
            },
            part=True,
        ),
    ]

"""Layers whose outputs are their attention weights.

Each token's vector is 1 at its position and 0 elsewhere, so the projections can give it any query
and key. Its value is 1 at its position too, and the output projection is the identity: then row i
of head h of the output holds token i's weights for all tokens.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from checks.shared import texts
from checks.shared.attention import Floats, gpt2_attention, merge_heads
from checks.shared.random_inputs import Array
from grader.rubric import Call, ConfigArg, Exhibit, Load, Make, Probe, TensorArg, Trial, View

LAYER = 3
"""The layer of the small GPT-2 in which the four heads attend to different tokens."""

TRAINED = f"Layer {LAYER} of the small GPT-2 that ships with the course gave query and key."
READING = "A row is a query, a column a key; each row sums to 1."


def gpt2_heads(text: str | None, cls: str) -> Exhibit:
    """Make the exhibit of the heads of GPT-2's attention layer ``cls``."""
    seen = texts.read(text)
    query, key = seen.query[LAYER], seen.key[LAYER]
    x, fused = inputs(query), projecting(query, key)
    width = fused.shape[1]
    weights = {
        "c_attn.weight": fused,
        "c_attn.bias": np.zeros(3 * width, np.float32),
        "c_proj.weight": np.eye(width, dtype=np.float32),
        "c_proj.bias": np.zeros(width, np.float32),
    }
    make = Make("module", cls, (ConfigArg({"n_embd": width, "n_head": len(query)}),))
    load, call = Load("loaded", "module", weights), Call("out", "module", None, (TensorArg(x),))
    trial = Trial(
        Probe("heads", (make, load, call)),
        lambda **knobs: {"out": gpt2_attention(x.astype(float), weights, len(query), **knobs)},
    )
    return head_views(query, seen.labels, trial, "out", f"{TRAINED} {READING}")


def adding_attention(projection: Array, width: int) -> dict[str, Any]:
    """Return the weights of a block that adds only the attention weights."""
    ones, zeros = np.ones(width, np.float32), np.zeros(width, np.float32)
    return {
        "ln_1.weight": ones,
        "ln_1.bias": zeros,
        "attn.c_attn.weight": projection,
        "attn.c_attn.bias": np.zeros(3 * width, np.float32),
        "attn.c_proj.weight": np.eye(width, dtype=np.float32),
        "attn.c_proj.bias": zeros,
        "ln_2.weight": ones,
        "ln_2.bias": zeros,
        "mlp.c_fc.weight": np.zeros((1, width), np.float32),
        "mlp.c_fc.bias": np.zeros(1, np.float32),
        "mlp.c_proj.weight": np.zeros((width, 1), np.float32),
        "mlp.c_proj.bias": zeros,
    }


def inputs(query: Floats) -> Array:
    """Return vectors that encode only a token's position: ``[1, seq, n_embd]``."""
    n_head, seq, head_dim = query.shape
    return np.eye(seq, n_head * head_dim, dtype=np.float32)[None]


def projecting(query: Floats, key: Floats, seen: Floats | None = None) -> Array:
    """Return the projection that gives the tokens these queries and keys, and position as value.

    ``query`` and ``key`` are ``[n_head, seq, head_dim]``; ``seen`` ``[seq, n_embd]`` is the
    projection's input, if that is not the inputs themselves.
    """
    n_head, seq, head_dim = query.shape
    place = np.broadcast_to(np.eye(seq, head_dim), query.shape)
    wanted = np.concatenate([merge_heads(one) for one in (query, key, place)], axis=-1)
    inverse = np.eye(n_head * head_dim, seq) if seen is None else np.linalg.pinv(seen)
    return np.ascontiguousarray((inverse @ wanted).T, np.float32)  # [3 * n_embd, n_embd]


def head_views(
    query: Floats,
    labels: tuple[str, ...],
    trial: Trial,
    path: str,
    about: str,
    *,
    names: tuple[str, ...] | None = None,
    minus: Array | None = None,
    batch: bool = True,
) -> Exhibit:
    """Return a view for each head of an output ``[1, seq, n_embd]``, or ``[seq, n_embd]``."""
    n_head, seq, head_dim = query.shape

    def pick(head: int) -> Callable[[Any], Any]:
        start = head * head_dim

        def cut(output: Any) -> Any:
            rows = output - minus if minus is not None else output
            return (rows[0] if batch else rows)[:, start : start + seq]

        return cut

    views = tuple(
        View(names[head] if names else f"Head {head}", path, pick(head), labels, labels, head)
        for head in range(n_head)
    )
    return Exhibit("Attention weights", about, trial, views)

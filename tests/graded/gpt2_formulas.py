"""The right numbers of steps 09 to 12 once more, apart from ``checks/``: plain loops."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tests.graded import formulas
from tests.graded.formulas import remembered

Floats = npt.NDArray[np.float64]
Weights = Mapping[str, npt.NDArray[Any]]


def under(weights: Weights, name: str) -> dict[str, Floats]:
    """The weights below ``name``, without it."""
    start = f"{name}."
    found = {name: array for name, array in weights.items() if name.startswith(start)}
    return {name[len(start) :]: array.astype(np.float64) for name, array in found.items()}


def bend(value: float) -> float:
    """GPT-2's GELU of one number."""
    return 0.5 * value * (1.0 + math.tanh(0.7978845608028654 * (value + 0.044715 * value**3)))


def feed(vector: Floats, w: Mapping[str, Floats]) -> Floats:
    """The feed-forward network on one vector."""
    wide = w["c_fc.weight"] @ vector + w["c_fc.bias"]
    bent = np.array([bend(float(value)) for value in wide])
    return np.asarray(w["c_proj.weight"] @ bent + w["c_proj.bias"])


def normal(vector: Floats, w: Mapping[str, Floats], eps: float) -> Floats:
    """Layer normalization of one vector."""
    return (vector - np.mean(vector)) / math.sqrt(float(np.var(vector)) + eps) * w["weight"] + w[
        "bias"
    ]


def rows(x: Floats, function: Any) -> Floats:
    """``function`` of every vector of ``x``."""
    flat = x.reshape(-1, x.shape[-1])
    return np.stack([function(vector) for vector in flat]).reshape(*x.shape[:-1], -1)


@remembered
def block(x: Floats, weights: Weights, n_head: int, eps: float) -> Floats:
    """One block of GPT-2."""
    ln_1, ln_2, mlp = (under(weights, name) for name in ("ln_1", "ln_2", "mlp"))
    seen = rows(x, lambda v: normal(v, ln_1, eps))
    middle = x + formulas.layer(seen, under(weights, "attn"), n_head)
    return middle + rows(middle, lambda v: feed(normal(v, ln_2, eps), mlp))


@remembered
def logits(ids: Any, weights: Weights, n_layer: int, n_head: int, eps: float) -> Floats:
    """GPT-2 on a batch of texts."""
    w = under(weights, "transformer")
    x = np.array(
        [[w["wte.weight"][t] + w["wpe.weight"][i] for i, t in enumerate(text)] for text in ids]
    )
    for index in range(n_layer):
        x = block(x, under(w, f"h.{index}"), n_head, eps)
    last = rows(x, lambda v: normal(v, under(w, "ln_f"), eps))
    return np.asarray(np.einsum("bse,ve->bsv", last, w["wte.weight"]))


def turned(vector: Floats, position: int) -> Floats:
    """One head's query or key, rotated for its position, pair by pair."""
    found = np.empty_like(vector)
    for i in range(0, len(vector), 2):
        point = complex(vector[i], vector[i + 1])
        angle = position * 10000.0 ** (-i / len(vector))
        point *= complex(math.cos(angle), math.sin(angle))
        found[i], found[i + 1] = point.real, point.imag
    return found


def one_query(
    query: Floats, keys: Floats, values: Floats, scale: float, added: Floats, zero: bool
) -> Floats:
    """What one query of one head finds; ``added`` is bias and mask for each key."""
    scores = [
        float(query @ key) * scale + float(extra) for key, extra in zip(keys, added, strict=True)
    ]
    scores += [0.0] if zero else []
    top = max(scores)
    shares = [math.exp(score - top) for score in scores]
    total = sum(shares)
    found = np.zeros_like(values[0])
    for share, value in zip(shares, values, strict=False):
        found += share / total * value
    return np.asarray(found)


@remembered
def attention(
    x: Floats,
    w: Mapping[str, Floats],
    heads: int,
    added: Floats,
    *,
    scale: float | None = None,
    zero: bool = False,
    rotary: bool = False,
) -> tuple[Floats, Floats, Floats]:
    """Whole texts through ``MultiHeadAttention``: output, keys and values.

    ``added`` is position bias and mask together, ``[batch, heads, seq, seq]``.
    """
    batch, seq, width = x.shape
    dim = width // heads
    scale = 1 / math.sqrt(dim) if scale is None else scale
    fused = x @ w["qkv_proj.weight"].T + w.get("qkv_proj.bias", np.zeros(3 * width))
    joined = np.empty_like(x)
    keys, values = np.empty((2, batch, heads, seq, dim))
    for b in range(batch):
        for h in range(heads):
            cut = [fused[b][:, i * width + h * dim : i * width + (h + 1) * dim] for i in range(3)]
            query, key, value = cut
            if rotary:
                query = np.stack([turned(v, i) for i, v in enumerate(query)])
                key = np.stack([turned(v, i) for i, v in enumerate(key)])
            keys[b, h], values[b, h] = key, value
            for i in range(seq):
                joined[b, i, h * dim : (h + 1) * dim] = one_query(
                    query[i], key, value, scale, added[b, h, i], zero
                )
    out = joined @ w["out_proj.weight"].T + w.get("out_proj.bias", np.zeros(width))
    return out, keys, values


def choose(scores: Sequence[float], temperature: float, top_k: int | None, draw: float) -> int:
    """The next token, by walking along the shares."""
    if temperature == 0:
        return max(range(len(scores)), key=lambda token: scores[token])
    best = sorted(range(len(scores)), key=lambda token: -scores[token])[: top_k or len(scores)]
    top = scores[best[0]]
    shares = [
        math.exp((scores[t] - top) / temperature) if t in best else 0.0 for t in range(len(scores))
    ]
    passed = 0.0
    for token, share in enumerate(shares):
        passed += share / sum(shares)
        if draw < passed:
            return token
    return max(best)

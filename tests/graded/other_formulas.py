"""The right numbers of steps 03, 04, 06 and 08, written apart from ``checks/``.

Loops over single vectors, complex numbers for rotations: nothing is shared with the oracles, so
that an error in one of them shows.
"""

from __future__ import annotations

import cmath
import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tests.graded.formulas import remembered

Floats = npt.NDArray[np.float64]


@remembered
def attend(query: Floats, key: Floats, value: Floats, mask: Floats | None) -> tuple[Floats, Floats]:
    """Output and weights, one query after another; ``mask`` broadcasts to the weights."""
    leading = query.shape[:-2]
    weights = np.zeros((*leading, query.shape[-2], key.shape[-2]))
    added = np.zeros(weights.shape) if mask is None else np.broadcast_to(mask, weights.shape)
    out = np.zeros((*leading, query.shape[-2], value.shape[-1]))
    for index in itertools.product(*map(range, weights.shape[:-1])):
        before = index[:-1]
        scores = [
            math.fsum(query[index] * k) / math.sqrt(len(k)) + float(added[index][j])
            for j, k in enumerate(key[before])
        ]
        seen = [math.exp(score - max(scores)) for score in scores]
        weights[index] = np.array(seen) / sum(seen)
        for j, weight in enumerate(weights[index]):
            out[index] += weight * value[before][j]
    return out, weights


def visible(ids: Sequence[Sequence[int]], pad: int) -> npt.NDArray[np.bool_]:
    """Which key every query of every text may see, padding hidden: ``[batch, seq, seq]``."""
    return np.array([[[other != pad for other in text] for _ in text] for text in ids])


def rotated(x: Floats, positions: Any, theta: float) -> Floats:
    """Neighbouring features as complex numbers, turned: ``[seq, d_k]`` → the same."""
    out = np.zeros_like(x)
    d_k = x.shape[-1]
    for row, position in enumerate(positions):
        for pair in range(d_k // 2):
            turn = cmath.exp(1j * float(position) / theta ** (2 * pair / d_k))
            point = complex(x[row, 2 * pair], x[row, 2 * pair + 1]) * turn
            out[row, 2 * pair : 2 * pair + 2] = point.real, point.imag
    return out


@remembered
def rope_layer(
    weights: Mapping[str, Floats], x: Floats, positions: Any, n_head: int, theta: float
) -> Floats:
    """Causal attention with rotated query and key, one head of one text at a time."""
    if x.ndim > 2:
        places = np.broadcast_to(positions, x.shape[:-1])
        return np.stack(
            [rope_layer(weights, *one, n_head, theta) for one in zip(x, places, strict=True)]
        )
    seq, d_model = x.shape
    d_k = d_model // n_head
    joined = np.zeros_like(x)
    future = np.array([[0.0 if j <= i else -np.inf for j in range(seq)] for i in range(seq)])
    for first in range(0, d_model, d_k):
        rows = slice(first, first + d_k)
        query, key, value = (x @ weights[name][rows].T for name in "qkv")
        query, key = (rotated(part, positions, theta) for part in (query, key))
        joined[:, rows] = attend(query, key, value, future)[0]
    return joined @ weights["o"].T


@remembered
def normalized(x: Floats, weight: Floats, bias: Floats, eps: float) -> Floats:
    """Layer normalization, one vector after another."""
    out = np.zeros_like(x)
    for index in itertools.product(*map(range, x.shape[:-1])):
        vector = [float(number) for number in x[index]]
        mean = math.fsum(vector) / len(vector)
        variance = math.fsum((number - mean) ** 2 for number in vector) / len(vector)
        for i, number in enumerate(vector):
            out[index][i] = (number - mean) / math.sqrt(variance + eps) * weight[i] + bias[i]
    return out

"""The oracles of steps 03, 06 and 08 against PyTorch, in float64."""

from __future__ import annotations

import numpy as np
import pytest

from checks.shared.layer_norm import layer_norm
from checks.step_03 import oracle as dot_product
from checks.step_06 import oracle as rotary

pytestmark = pytest.mark.parity

torch = pytest.importorskip("torch", reason="the parity environment is not installed")


def test_dot_product_with_a_mask_is_pytorchs() -> None:
    draw = np.random.default_rng(1)
    for leading, queries, keys in (((2, 3), 4, 6), ((), 5, 2), ((3,), 1, 7)):
        query, key, value = (
            draw.standard_normal((*leading, *size)) for size in ((queries, 5), (keys, 5), (keys, 3))
        )
        mask = np.where(draw.random((queries, keys)) < 0.4, -np.inf, 0.0)
        mask[:, 0] = 0
        theirs = torch.nn.functional.scaled_dot_product_attention(
            *(torch.from_numpy(array) for array in (query, key, value)),
            attn_mask=torch.from_numpy(mask),
        )
        ours, weights = dot_product.scaled_dot_product_attention(query, key, value, mask)
        np.testing.assert_allclose(ours, theirs.numpy(), rtol=0, atol=1e-6)
        np.testing.assert_allclose(weights.sum(-1), 1.0, rtol=0, atol=1e-12)


def test_layer_norm_is_pytorchs() -> None:
    draw = np.random.default_rng(2)
    for shape, eps in (((3, 6), 1e-5), ((2, 4, 7), 0.3), ((5,), 1e-12)):
        x, weight, bias = (draw.standard_normal(size) for size in (shape, shape[-1], shape[-1]))
        theirs = torch.nn.functional.layer_norm(
            *(torch.from_numpy(x), [shape[-1]], torch.from_numpy(weight), torch.from_numpy(bias)),
            eps=eps,
        )
        ours = layer_norm(x, weight, bias, eps)
        np.testing.assert_allclose(ours, theirs.numpy(), rtol=0, atol=1e-6)


def test_rotation_is_multiplication_by_complex_numbers() -> None:
    draw = np.random.default_rng(3)
    x, places = draw.standard_normal((2, 5, 8)), draw.integers(0, 500, (2, 5))
    points = torch.view_as_complex(torch.from_numpy(x).reshape(2, 5, 4, 2))
    frequencies = 10_000.0 ** (-torch.arange(0, 8, 2, dtype=torch.float64) / 8)
    angles = torch.from_numpy(places)[..., None] * frequencies
    turned = torch.view_as_real(points * torch.polar(torch.ones_like(angles), angles))
    ours = rotary.rotate(x, places, 10_000.0)
    np.testing.assert_allclose(ours, turned.reshape(x.shape).numpy(), rtol=0, atol=1e-6)

"""What the solutions give for the inputs of the book's figures: JSON in, JSON out."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import numpy as np

from grader.frameworks.max import engine

os.environ.update(engine.environment())  # MAX reads it when it is imported, below

from max.driver import CPU
from max.dtype import DType
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention
from solutions.solution_04 import combine_masks, padding_mask
from solutions.solution_05 import GPT2Attention
from solutions.solution_06 import RotaryEmbedding
from solutions.solution_08 import LayerNorm, residual
from solutions.solution_10 import MultiHeadAttention


def tensor(values: Any, kind: type = np.float32) -> Tensor:
    """A tensor with memory of its own."""
    return Tensor.from_dlpack(np.array(values, kind))


def mask(length: int, earlier: int) -> Any:
    """Step 02."""
    return causal_mask(length, earlier, dtype=DType.float32, device=CPU()).to_numpy()


def attention(query: Any, key: Any, value: Any, *, masked: bool) -> Any:
    """Step 03: the output, then the weights."""
    hidden = tensor(mask(3, 0)) if masked else None
    both = scaled_dot_product_attention(tensor(query), tensor(key), tensor(value), hidden)
    return np.concatenate([one.to_numpy() for one in both], axis=-1)


def padded(ids: Any) -> Any:
    """Step 04: the combined mask of one text."""
    padding = padding_mask(tensor([ids], np.int64), 4)
    return combine_masks(tensor(mask(3, 0)), padding).to_numpy()[0, 0]


def split(x: Any, heads: int) -> Any:
    """Step 05."""
    layer = GPT2Attention(GPT2Config(n_embd=len(x[0]), n_head=heads))
    return layer._split_heads(tensor([x]), heads, len(x[0]) // heads).to_numpy()[0]


def rotate(x: Any, position: int) -> Any:
    """Step 06."""
    rope = RotaryEmbedding(len(x), 32, 10000.0)
    return rope(tensor([x]), tensor([position], np.int64)).to_numpy()[0]


def norm(x: Any, weight: Any, bias: Any) -> Any:
    """Step 08: the normalized vector, then the vector with it added."""
    layer = LayerNorm(len(x))
    layer.weight, layer.bias = tensor(weight), tensor(bias)
    both = layer(tensor([x])), residual(tensor([x]), layer, lambda one: one)
    return np.stack([one.to_numpy()[0] for one in both])


def growth(length: int, width: int) -> Any:
    """Step 10: new and kept tokens of each step with a cache, and the layer's multiplications."""
    layer = MultiHeadAttention(width, 1)
    matrices = sum(
        one.shape[0] * one.shape[1] for _, one in layer.parameters if len(one.shape) == 2
    )
    rows, past, kept = [], None, 0
    for _ in range(length):
        *_, past = layer(tensor(np.ones((1, 1, width))), past_key_value=past, use_cache=True)
        assert past is not None
        total = int(past[0].shape[-2])
        rows.append([total - kept, kept, int(matrices) + 2 * (total - kept) * total * width])
        kept = total
    return np.array(rows)


if __name__ == "__main__":
    engine.install("numpy")
    made = [globals()[name](*given, **named) for name, given, named in json.load(sys.stdin)]
    json.dump([one.tolist() for one in made], sys.stdout)

"""Every name of MAX that a lesson or a solution uses, in a right call.

The values are small versions of those that the lessons have: see :data:`PRELUDE`.
"""

from __future__ import annotations

PRELUDE = """\
import math
from dataclasses import dataclass

import numpy as np
from max.driver import CPU
from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.nn import Embedding, Linear, Module, ModuleList
from max.experimental.tensor import Tensor
from max.graph import Dim
from solutions.solution_01 import GPT2Config
from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention
from solutions.solution_05 import GPT2Attention
from solutions.solution_06 import RotaryEmbedding
from solutions.solution_08 import LayerNorm
from solutions.solution_09 import GPT2MLP, GPT2Block

def numbers(*shape):
    return Tensor.from_dlpack(np.random.default_rng(0).standard_normal(shape).astype(np.float32))

config = GPT2Config(vocab_size=11, n_positions=8, n_embd=12, n_layer=2, n_head=3)
x, y = numbers(2, 5, 12), numbers(2, 5, 12)
qkv = numbers(2, 5, 36)
query, key, value = numbers(2, 3, 5, 4), numbers(2, 3, 5, 4), numbers(2, 3, 5, 4)
past = numbers(2, 3, 2, 4)
scores, other = numbers(2, 3, 5, 5), numbers(2, 3, 5, 5)
square = numbers(5, 5)
zero = Tensor(0.0, dtype=DType.float32, device=CPU())
keep = scores < other
table, weight, bias = numbers(11, 12), numbers(12), numbers(12)
ids = Tensor([[1, 2, 3, 4, 5], [6, 7, 8, 9, 10]], dtype=DType.int64)
tokens = [1, 2, 3]
logits = np.linspace(-1.0, 1.0, 11)
linear, embedding = Linear(12, 12), Embedding(11, dim=12)
blocks = ModuleList([Linear(12, 12), Linear(12, 12)])
attention, norm, mlp = GPT2Attention(config), LayerNorm(12), GPT2MLP(48, config)
rotary = RotaryEmbedding(4, 8, 10000.0)
state = {name: np.ones([int(n) for n in p.shape], np.float32) for name, p in linear.parameters}
"""

RIGHT = (
    "F.softmax(scores, axis=-1)",
    "F.split(qkv, [12, 12, 12], axis=-1)",
    "F.chunk(qkv, 3, axis=-1)",
    "F.concat([past, key], axis=-2)",
    "F.stack([query, key], axis=-1)",
    "F.where(keep, scores, other)",
    "F.where(keep, 0.0, scores)",
    "F.band_part(square, num_lower=None, num_upper=0, exclude=True)",
    "F.broadcast_to(zero, [5, 5])",
    "F.broadcast_to(zero, shape=(Dim(5), Dim(5)))",
    "F.gather(table, ids, axis=0)",
    "F.range(0, 5, dtype=DType.int64)",
    "F.range(0, x.shape[-2], dtype=DType.int64, device=x.device)",
    "F.min(scores, other)",
    "F.min(scores, axis=-1)",
    "F.max(scores, other)",
    "F.max(scores, axis=-1)",
    "F.gelu(x, approximate='tanh')",
    "F.layer_norm(x, weight, bias, 1e-05)",
    "F.mean(x, axis=-1)",
    "F.sum(x, axis=-1)",
    "F.sqrt(x * x)",
    "F.rsqrt(x * x)",
    "F.exp(x)",
    "F.matmul(x, y.transpose(-1, -2))",
    "F.transpose(x, -1, -2)",
    "F.reshape(x, [2, 5, 3, 4])",
    "F.unsqueeze(x, 1)",
    "F.permute(x, [0, 2, 1])",
    "x.transpose(-1, -2)",
    "x.reshape([2, 5, 3, 4])",
    "x.reshape(x.shape[:-1] + [3, 4])",
    "query.transpose(1, 2).reshape([2, 5, 12])",
    "query.permute([0, 2, 1, 3])",
    "x.mean(axis=-1)",
    "x.sum(axis=-1)",
    "x.max(axis=-1)",
    "x.unsqueeze(1)",
    "x.split([6, 6], axis=-1)",
    "x.cast(DType.int64)",
    "x.broadcast_to([3, 2, 5, 12])",
    "x.to_numpy()",
    "table.T",
    "x.shape[-1]",
    "int(x.shape[-1])",
    "Tensor.ones([12])",
    "Tensor.zeros([12], dtype=DType.float32)",
    "Tensor(float('-inf'), dtype=DType.float32, device=CPU())",
    "Tensor.constant(0.0, dtype=DType.float32, device=CPU())",
    "Tensor([tokens], dtype=DType.int64)",
    "Linear(12, 36, bias=True)",
    "Linear(config.n_embd, 3 * config.n_embd)",
    "Embedding(11, dim=12)",
    "ModuleList([linear, linear])",
    "Dim(5) + Dim(3)",
    "finfo(DType.float32).min",
    "math.sqrt(int(x.shape[-1]))",
    "query @ key.transpose(-1, -2)",
    "x + y",
    "x / 2.0",
    "x * weight",
    "linear(x)",
    "embedding(ids)",
    "blocks[0](x)",
    "attention(x)",
    "norm(x)",
    "mlp(x)",
    "attention.c_attn(x)",
    "embedding.weight.T",
    "linear.load_state_dict(state)",
    "list(linear.parameters)",
    "config.n_embd // config.n_head",
    "GPT2Config(n_embd=12, n_head=3)",
    "causal_mask(5, 0, dtype=DType.float32, device=CPU())",
    "scaled_dot_product_attention(query, key, value, square)",
    "rotary(query, F.range(0, 5, dtype=DType.int64))",
    "np.argmax(logits)",
    "np.sort(logits)[-3]",
    "np.cumsum(logits)",
    "np.exp(logits - np.max(logits))",
    "np.searchsorted(np.cumsum(logits), 0.5, side='right')",
    "logits.astype(np.float64)",
)

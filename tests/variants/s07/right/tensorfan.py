"""Step 07, laid out like a Keras layer: __init__, build, call."""

from __future__ import annotations

import math

from max.driver import Device
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike

from solutions.solution_01 import GPT2Config


@F.functional
def causal_mask(
    sequence_length: DimLike, num_tokens: DimLike, *, dtype: DType, device: Device
) -> Tensor:
    """Look-ahead mask: 0 is visible, -inf is not."""
    rows = Dim(sequence_length)
    blocked = Tensor(float("-inf"), dtype=dtype, device=device)
    blocked = blocked.broadcast_to([rows, rows + num_tokens])
    return F.band_part(blocked, num_upper=int(Dim(num_tokens)), exclude=True)


class GPT2MultiHeadAttention(Module):
    """The MultiHeadAttention layer with Hugging Face's variables."""

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = config.n_embd // config.n_head
        self.split_size = config.n_embd
        self.build(config.n_embd)

    def build(self, units: int) -> None:
        """Create the variables."""
        self.c_attn = self._dense(units, 3 * units)
        self.c_proj = self._dense(units, units)

    @staticmethod
    def _dense(inputs: int, outputs: int) -> Linear:
        return Linear(inputs, outputs, bias=True)

    def _split_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        batch, steps = tensor.shape[0], tensor.shape[1]
        tensor = F.reshape(tensor, [batch, steps, num_heads, attn_head_size])
        return F.permute(tensor, [0, 2, 1, 3])

    def _merge_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        tensor = F.permute(tensor, [0, 2, 1, 3])
        batch, steps = tensor.shape[0], tensor.shape[1]
        return F.reshape(tensor, [batch, steps, num_heads * attn_head_size])

    def _scaled_logits(self, query: Tensor, key: Tensor) -> Tensor:
        depth = int(key.shape[-1])
        product = F.matmul(query, F.transpose(key, 2, 3))
        return product / math.sqrt(depth)

    def _look_ahead(self, query: Tensor) -> Tensor:
        steps = query.shape[2]
        return causal_mask(steps, 0, dtype=query.dtype, device=query.device)

    def _attn(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        logits = self._scaled_logits(query, key)
        logits = logits + self._look_ahead(query)
        probs = F.softmax(logits, axis=-1)
        return F.matmul(probs, value)

    def call(self, inputs: Tensor) -> Tensor:
        """The computation, as in Keras."""
        size = self.split_size
        q, k, v = F.split(self.c_attn(inputs), [size, size, size], axis=2)
        context = self._attn(
            self._split_heads(q, self.num_heads, self.head_dim),
            self._split_heads(k, self.num_heads, self.head_dim),
            self._split_heads(v, self.num_heads, self.head_dim),
        )
        context = self._merge_heads(context, self.num_heads, self.head_dim)
        return self.c_proj(context)

    def __call__(self, hidden_states: Tensor) -> Tensor:
        return self.call(hidden_states)

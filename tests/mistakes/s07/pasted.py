from __future__ import annotations

# ============ answer 1: "what do I import??" ============
import math
from typing import Any, List

import max.experimental.functional as F
from max.driver import Device
from max.dtype import DType
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike

from solutions.solution_01 import GPT2Config


# ============ answer 2: "make me a causal mask" ============
@F.functional
def causal_mask(
    sequence_length: DimLike,
    num_tokens: DimLike,
    *,
    dtype: DType,
    device: Device,
) -> Tensor:
    """
    Creates a causal mask.

    - Past and present positions: 0
    - Future positions: -inf
    """
    # Step 1: compute the size
    total_length = Dim(num_tokens) + Dim(sequence_length)
    # Step 2: fill with negative infinity
    filled = Tensor.full(
        [sequence_length, total_length], float("-inf"), dtype=dtype, device=device
    )
    # Step 3: keep only the future
    offset = int(Dim(num_tokens))
    return F.band_part(filled, num_lower=None, num_upper=offset, exclude=True)


# ============ answer 3: "write the class" ============
class GPT2MultiHeadAttention(Module):
    def __init__(self, config: GPT2Config):
        super().__init__()
        self.num_heads = config.n_head
        self.embed_dim = config.n_embd
        self.split_size = config.n_embd
        self.head_dim = config.n_embd // config.n_head

        # Combined QKV projection
        self.c_attn = Linear(config.n_embd, config.n_embd * 3, bias=True)
        # Output projection
        self.c_proj = Linear(config.n_embd, config.n_embd, bias=True)

    # ============ answer 5: "the heads are mixed up, fix it" ============
    def _split_heads(self, tensor: Any, num_heads: int, attn_head_size: int) -> Any:
        batch_size, seq_length = tensor.shape[0], tensor.shape[1]
        x = tensor.reshape([batch_size, seq_length, num_heads, attn_head_size])
        return x.transpose(1, 2)

    def _merge_heads(self, tensor: Any, num_heads: int, attn_head_size: int) -> Any:
        x = tensor.transpose(1, 2)
        return F.flatten(x, start_dim=2)

    # ============ answer 4: "attention formula as code" ============
    def _attn(self, query, key, value):
        d_k = int(query.shape[-1])
        query = query * (1.0 / math.sqrt(d_k))
        logits = F.matmul(query, F.transpose(key, -2, -1))
        T = query.shape[-2]
        logits = logits + causal_mask(T, 0, dtype=logits.dtype, device=logits.device)
        probs = F.softmax(logits, axis=-1)
        return F.matmul(probs, value)

    # ============ answer 6: "now put it together" ============
    def __call__(self, hidden_states: Tensor) -> Tensor:
        qkv = self.c_attn(hidden_states)
        sizes: List[int] = [self.split_size] * 3
        q, k, v = qkv.split(sizes, axis=2)
        q = self._split_heads(q, self.num_heads, self.head_dim)
        k = self._split_heads(k, self.num_heads, self.head_dim)
        v = self._split_heads(v, self.num_heads, self.head_dim)
        y = self._attn(q, k, v)
        y = self._merge_heads(y, self.num_heads, self.head_dim)
        return self.c_proj(y)

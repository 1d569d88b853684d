"""Step 10: attention with all options and a KV cache, in matrix notation."""

from __future__ import annotations

import math

from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_06 import RotaryEmbedding

KeyValue = tuple[Tensor, Tensor]
MAX_POSITIONS = 2048
THETA = 10000.0


def t(A: Tensor) -> Tensor:
    """Matrix transpose of the last two dimensions, as R's t()."""
    return F.transpose(A, -1, -2)


def rbind(TOP: Tensor, BOTTOM: Tensor) -> Tensor:
    """Stack rows, as in R."""
    return F.concat([TOP, BOTTOM], axis=-2)


def cbind(LEFT: Tensor, RIGHT: Tensor) -> Tensor:
    """Stack columns, as in R."""
    return F.concat([LEFT, RIGHT], axis=-1)


class MultiHeadAttention(Module):
    def __init__(
        self,
        hidden_size: int,
        num_heads: int,
        dropout: float = 0.1,
        bias: bool = True,
        add_zero_attn: bool = False,
        use_rotary: bool = False,
        attention_scale: float | None = None,
    ) -> None:
        super().__init__()
        self.hidden_size = hidden_size
        self.num_heads = num_heads
        self.head_dim = hidden_size // num_heads
        self.dropout = dropout
        self.add_zero_attn = add_zero_attn

        self.qkv_proj = Linear(hidden_size, hidden_size * 3, bias=bias)
        self.out_proj = Linear(hidden_size, hidden_size, bias=bias)

        self.scale = attention_scale
        if self.scale is None:
            self.scale = 1 / math.sqrt(self.head_dim)

        self.rotary = RotaryEmbedding(self.head_dim, MAX_POSITIONS, THETA) if use_rotary else None

    def _split_heads(self, tensor: Tensor) -> Tensor:
        n_batch, n_seq, _ = tensor.shape
        BLOCKS = tensor.reshape([n_batch, n_seq, self.num_heads, self.head_dim])
        return BLOCKS.permute([0, 2, 1, 3])

    def _merge_heads(self, tensor: Tensor) -> Tensor:
        n_batch, _, n_seq, _ = tensor.shape
        BLOCKS = tensor.permute([0, 2, 1, 3])
        return BLOCKS.reshape([n_batch, n_seq, self.hidden_size])

    def _attn(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        attention_mask: Tensor | None = None,
        position_bias: Tensor | None = None,
    ) -> Tensor:
        S = (query * self.scale) @ t(key)
        for TERM in (position_bias, attention_mask):
            if TERM is not None:
                S = S + TERM

        if not self.add_zero_attn:
            return F.softmax(S) @ value

        # one more column of zeros takes its share of the weight, then goes
        n_total = int(key.shape[-2])
        ZERO_COL = query[..., :1] * 0
        W = F.softmax(cbind(S, ZERO_COL), axis=-1)
        W = W[..., :n_total]
        return W @ value

    def _rotate(self, Q: Tensor, K: Tensor, n_past) -> KeyValue:
        """Rows n_past, n_past + 1, ... of the whole text."""
        pos = F.range(n_past, n_past + Q.shape[-2], dtype=DType.int64, device=Q.device)
        return self.rotary(Q, pos), self.rotary(K, pos)

    def __call__(
        self,
        hidden_states: Tensor,
        attention_mask: Tensor | None = None,
        position_bias: Tensor | None = None,
        past_key_value: KeyValue | None = None,
        use_cache: bool = False,
    ) -> tuple[Tensor, KeyValue | None]:
        p = self.hidden_size
        QKV = self.qkv_proj(hidden_states)
        Q, K, V = map(self._split_heads, F.split(QKV, [p, p, p], axis=-1))

        if past_key_value is None:
            if self.rotary is not None:
                Q, K = self._rotate(Q, K, 0)
        else:
            K_past, V_past = past_key_value
            if self.rotary is not None:
                Q, K = self._rotate(Q, K, K_past.shape[-2])
            K = rbind(K_past, K)
            V = rbind(V_past, V)

        Y = self._attn(Q, K, V, attention_mask, position_bias)
        Y = self.out_proj(self._merge_heads(Y))
        if use_cache:
            return Y, (K, V)
        return Y, None

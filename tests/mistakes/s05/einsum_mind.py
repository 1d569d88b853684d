"""GPT-2 attention as a functional core with a thin Module shell.

Axis letters: b batch, t time, h heads, d width of a head, m = h * d, c = 3 (q, k, v),
q and k also as axes of the logits (who looks, who is looked at).
"""

from __future__ import annotations

from functools import partial

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_02 import causal_mask

# ---------------------------------------------------------------- pure functions


def btm_to_bhtd(x: Tensor, h: int, d: int) -> Tensor:
    """rearrange("b t (h d) -> b h t d")"""
    b, t = x.shape[:2]
    bthd = F.reshape(x, [b, t, h, d])
    return F.permute(bthd, [0, 2, 1, 3])


def bhtd_to_btm(x: Tensor) -> Tensor:
    """rearrange("b h t d -> b t (h d)")"""
    bthd = F.permute(x, [0, 2, 1, 3])
    return F.flatten(bthd, start_dim=2)


def unstack_qkv(x: Tensor, h: int, d: int) -> tuple[Tensor, Tensor, Tensor]:
    """rearrange("b t (c h d) -> c b h t d"), then one tensor per c"""
    b, t, _ = x.shape
    split = F.reshape(x, [b, t, 3, h, d])
    cbhtd = F.permute(split, [2, 0, 3, 1, 4])
    return cbhtd[0], cbhtd[1], cbhtd[2]


def bhqk_logits(q: Tensor, k: Tensor) -> Tensor:
    """einsum("bhqd,bhkd->bhqk", q, k) / sqrt(d)"""
    d = int(q.shape[-1])
    return F.matmul(q * d**-0.5, F.transpose(k, -1, -2))


def dot_product_attention(q: Tensor, k: Tensor, v: Tensor, bias: Tensor | None = None) -> Tensor:
    """einsum("bhqk,bhkd->bhqd", softmax(logits + bias), v)"""
    logits = bhqk_logits(q, k)
    if bias is not None:
        logits = logits + bias
    probs = F.softmax(logits, axis=-1)
    return F.matmul(probs, v)


# ---------------------------------------------------------------- stateful shell


class GPT2Attention(Module):
    """Holds the two weight matrices; all the thinking is in the functions above."""

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        m, h = config.n_embd, config.n_head
        self.embed_dim = self.split_size = m
        self.num_heads = h
        self.head_dim = m // h
        dense = partial(Linear, bias=True)
        self.c_attn = dense(m, 3 * m)
        self.c_proj = dense(m, m)

    def _split_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        return btm_to_bhtd(tensor, num_heads, attn_head_size)

    def _merge_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        return bhtd_to_btm(tensor)

    def _attn(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        bias = causal_mask(key.shape[-2], 0, dtype=key.dtype, device=key.device)
        return dot_product_attention(query, key, value, bias)

    def __call__(self, hidden_states: Tensor) -> Tensor:
        qkv = unstack_qkv(self.c_attn(hidden_states), self.num_heads, self.head_dim)
        bhtd = self._attn(*qkv)
        return self.c_proj(bhtd_to_btm(bhtd))

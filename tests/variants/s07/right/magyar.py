from __future__ import annotations

from math import sqrt

from max.driver import Device
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike

from solutions.solution_01 import GPT2Config


# oksági maszk (2. lecke)
@F.functional
def causal_mask(
    sequence_length: DimLike,
    num_tokens: DimLike,
    *,
    dtype: DType,
    device: Device,
) -> Tensor:
    oszlopok = Dim(sequence_length) + num_tokens
    mínusz = Tensor(float("-inf"), dtype=dtype, device=device)
    tábla = F.broadcast_to(mínusz, [sequence_length, oszlopok])
    return F.band_part(tábla, None, int(Dim(num_tokens)), exclude=True)


def csere(tenzor: Tensor) -> Tensor:
    """A fejek és a szavak helycseréje."""
    return tenzor.transpose(1, 2)


class GPT2MultiHeadAttention(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        szélesség = config.n_embd
        self.embed_dim = szélesség
        self.num_heads = config.n_head
        self.head_dim = szélesség // config.n_head
        self.split_size = szélesség
        self.c_attn = Linear(in_dim=szélesség, out_dim=3 * szélesség, bias=True)
        self.c_proj = Linear(in_dim=szélesség, out_dim=szélesség, bias=True)

    def _split_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        alak = list(tensor.shape)
        alak.pop()
        alak.append(num_heads)
        alak.append(attn_head_size)
        return csere(F.reshape(tensor, alak))

    def _merge_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        cserélt = csere(tensor)
        köteg, hossz = cserélt.shape[0], cserélt.shape[1]
        return F.reshape(cserélt, [köteg, hossz, num_heads * attn_head_size])

    def _attn(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        kulcs_t = F.transpose(key, 2, 3)
        pontok = F.matmul(query, kulcs_t)
        gyök = sqrt(int(key.shape[3]))
        pontok = F.div(pontok, gyök)
        hossz = query.shape[-2]
        maszk = causal_mask(hossz, 0, dtype=query.dtype, device=query.device)
        pontok += maszk
        súlyok = F.softmax(pontok)
        return F.matmul(súlyok, value)

    def __call__(self, hidden_states: Tensor) -> Tensor:
        qkv = self.c_attn(hidden_states)
        részek = []
        for rész in F.split(qkv, self.split_size, axis=2):
            részek.append(self._split_heads(rész, self.num_heads, self.head_dim))
        kérdés, kulcs, érték = részek
        keverék = self._attn(kérdés, kulcs, érték)
        egyben = self._merge_heads(keverék, self.num_heads, self.head_dim)
        kimenet = self.c_proj(egyben)
        return kimenet

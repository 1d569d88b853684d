"""ステップ7"""

from max.driver import Device
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike
from solutions.solution_01 import GPT2Config

MUGEN = float("-inf")


@F.functional
def causal_mask(
    sequence_length: DimLike, num_tokens: DimLike, *, dtype: DType, device: Device
) -> Tensor:
    haba = Dim(sequence_length) + num_tokens
    men = F.broadcast_to(Tensor(MUGEN, dtype=dtype, device=device), shape=(sequence_length, haba))
    return F.band_part(men, num_lower=None, num_upper=int(Dim(num_tokens)), exclude=True)


class GPT2MultiHeadAttention(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = config.n_embd // config.n_head
        self.split_size = config.n_embd
        self.c_attn = Linear(config.n_embd, 3 * config.n_embd, bias=True)
        self.c_proj = Linear(config.n_embd, config.n_embd, bias=True)

    def wakeru(self, t: Tensor) -> Tensor:
        katachi = [t.shape[0], t.shape[1], self.num_heads, self.head_dim]
        return t.reshape(katachi).transpose(1, 2)

    def awaseru(self, t: Tensor) -> Tensor:
        katachi = [t.shape[0], t.shape[2], self.embed_dim]
        return t.transpose(1, 2).reshape(katachi)

    def chuui(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        tensu = q * self.head_dim**-0.5 @ k.transpose(2, 3)
        tensu = tensu + causal_mask(q.shape[2], 0, dtype=q.dtype, device=q.device)
        omomi = F.softmax(tensu)
        return omomi @ v

    def __call__(self, hidden_states: Tensor) -> Tensor:
        qkv = self.c_attn(hidden_states)
        n = self.split_size
        q = qkv[:, :, :n]
        k = qkv[:, :, n : 2 * n]
        v = qkv[:, :, 2 * n :]
        q = self.wakeru(q)
        k = self.wakeru(k)
        v = self.wakeru(v)
        return self.c_proj(self.awaseru(self.chuui(q, k, v)))

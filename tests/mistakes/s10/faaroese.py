import math

from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_06 import RotaryEmbedding

MAX_POSITIONS = 2048
THETA = 10000.0


def plus(a, b):
    return a if b is None else a + b


def forlaeng(gammal, ny):
    return ny if gammal is None else F.concat([gammal, ny], axis=-2)


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
    ):
        super().__init__()
        self.hidden_size = hidden_size
        self.num_heads = num_heads
        self.head_dim = hidden_size // num_heads
        self.dropout = dropout
        self.add_zero_attn = add_zero_attn
        self.use_rotary = use_rotary
        self.scale = attention_scale
        if self.scale is None:
            self.scale = math.pow(self.head_dim, -0.5)
        self.qkv_proj = Linear(hidden_size, 3 * hidden_size, bias=bias)
        self.out_proj = Linear(hidden_size, hidden_size, bias=bias)
        self.rotary = None
        if use_rotary:
            self.rotary = RotaryEmbedding(self.head_dim, MAX_POSITIONS, THETA)

    def _split_heads(self, tensor):
        ny_form = tensor.shape[:2] + [self.num_heads, self.head_dim]
        return F.transpose(F.reshape(tensor, ny_form), 1, 2)

    def _merge_heads(self, tensor):
        flyttad = F.transpose(tensor, 1, 2)
        return F.reshape(flyttad, flyttad.shape[:2] + [self.hidden_size])

    def _attn(self, query, key, value, attention_mask=None, position_bias=None):
        poaeng = F.matmul(query, F.transpose(key, 2, 3)) * self.scale
        poaeng = plus(plus(poaeng, position_bias), attention_mask)
        if not self.add_zero_attn:
            return F.matmul(F.softmax(poaeng), value)
        topp = F.max(poaeng, axis=-1)
        topp = F.max(topp, Tensor.zeros_like(topp))
        e = F.exp(poaeng - topp)
        nolla = F.exp(-topp)
        vikter = e / (F.sum(e, axis=-1) + nolla)
        return F.matmul(vikter, value)

    def __call__(
        self,
        hidden_states,
        attention_mask=None,
        position_bias=None,
        past_key_value=None,
        use_cache=False,
    ):
        delar = F.chunk(self.qkv_proj(hidden_states), 3, axis=-1)
        query, key, value = map(self._split_heads, delar)
        gammal_key, gammal_value = past_key_value or (None, None)
        start = 0 if gammal_key is None else int(gammal_key.shape[-2])
        if self.rotary is not None:
            slut = start + int(query.shape[-2])
            plats = F.range(start, slut, dtype=DType.int64, device=query.device)
            query, key = self.rotary(query, plats), self.rotary(key, plats)
        key = forlaeng(gammal_key, key)
        value = forlaeng(gammal_value, value)
        svar = self._attn(query, key, value, attention_mask, position_bias)
        svar = self.out_proj(self._merge_heads(svar))
        minne = (key, value) if use_cache else None
        return svar, minne

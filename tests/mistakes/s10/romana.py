from math import sqrt

from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_06 import RotaryEmbedding

MAX_POSITIONS = 2048
THETA = 10000.0


class MultiHeadAttention(Module):
    def __init__(
        self,
        hidden_size,
        num_heads,
        dropout=0.1,
        bias=True,
        add_zero_attn=False,
        use_rotary=False,
        attention_scale=None,
    ):
        super().__init__()
        if hidden_size % num_heads != 0:
            raise ValueError("capetele nu încap")
        self.hidden_size = hidden_size
        self.num_heads = num_heads
        self.head_dim = hidden_size // num_heads
        self.dropout = dropout
        self.add_zero_attn = add_zero_attn
        if attention_scale is not None:
            self.scale = attention_scale
        else:
            self.scale = 1 / sqrt(self.head_dim)
        self.qkv_proj = Linear(hidden_size, hidden_size * 3, bias=bias)
        self.out_proj = Linear(hidden_size, hidden_size, bias=bias)
        self.rotary = RotaryEmbedding(self.head_dim, MAX_POSITIONS, THETA) if use_rotary else None

    def _split_heads(self, tensor):
        lot, lungime, _ = tensor.shape
        capete = tensor.reshape([lot, lungime, self.num_heads, self.head_dim])
        return capete.permute([0, 2, 1, 3])

    def _merge_heads(self, tensor):
        lot, _, lungime, _ = tensor.shape
        return tensor.permute([0, 2, 1, 3]).reshape([lot, lungime, self.hidden_size])

    def _roteste(self, q, k, trecut):
        if self.rotary is None:
            return q, k
        lungime = int(q.shape[2])
        locuri = F.range(trecut, trecut + lungime, dtype=DType.int64, device=q.device)
        return self.rotary(q, locuri), self.rotary(k, locuri)

    def _attn(self, query, key, value, attention_mask=None, position_bias=None):
        scoruri = (query * self.scale) @ key.transpose(2, 3)
        for adaos in (position_bias, attention_mask):
            if adaos is not None:
                scoruri = scoruri + adaos
        if self.add_zero_attn:
            forma = list(scoruri.shape[:3]) + [1]
            zero = Tensor.zeros(forma, dtype=scoruri.dtype, device=scoruri.device)
            scoruri = F.concat([zero, scoruri], axis=3)
        ponderi = F.softmax(scoruri, axis=3)
        if self.add_zero_attn:
            ponderi = ponderi[:, :, :, 1:]
        return ponderi @ value

    def forward(
        self,
        hidden_states,
        attention_mask=None,
        position_bias=None,
        past_key_value=None,
        use_cache=False,
    ):
        tot = self.qkv_proj(hidden_states)
        n = self.hidden_size
        q = self._split_heads(tot[:, :, :n])
        k = self._split_heads(tot[:, :, n : 2 * n])
        v = self._split_heads(tot[:, :, 2 * n :])
        trecut = 0
        if past_key_value is not None:
            trecut = int(past_key_value[0].shape[2])
        q, k = self._roteste(q, k, trecut)
        if past_key_value is not None:
            k_vechi, v_vechi = past_key_value
            k = F.concat([k_vechi, k], axis=2)
            v = F.concat([v_vechi, v], axis=2)
        context = self._attn(q, k, v, attention_mask, position_bias)
        iesire = self.out_proj(self._merge_heads(context))
        if use_cache:
            return iesire, (k, v)
        return iesire, None

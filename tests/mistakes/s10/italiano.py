import math

from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor
from solutions.solution_06 import RotaryEmbedding


def passato(cache):
    return 0 if cache is None else int(cache[0].shape[-2])


class MultiHeadAttention(Module):
    def __init__(self, hidden_size, num_heads, dropout=0.1, bias=True, add_zero_attn=False,
                 use_rotary=False, attention_scale=None):
        super().__init__()
        self.larghezza, self.teste = hidden_size, num_heads
        self.per_testa = hidden_size // num_heads
        self.con_zero = add_zero_attn
        self.qkv_proj = Linear(hidden_size, hidden_size * 3, bias=bias)
        self.out_proj = Linear(hidden_size, hidden_size, bias=bias)
        self.scala = attention_scale
        if self.scala is None:
            self.scala = 1 / math.sqrt(self.per_testa)
        self.rotary = RotaryEmbedding(self.per_testa, 2048, 10000.0) if use_rotary else None

    def _separa(self, t):
        b, n = t.shape[0], t.shape[1]
        return t.reshape([b, n, self.teste, self.per_testa]).transpose(1, 2)

    def _pesi(self, punti, q):
        if not self.con_zero:
            return F.softmax(punti)
        zero = q[:, :, :, :1] * 0
        tutti = F.softmax(F.concat([punti, zero], axis=-1))
        return tutti[:, :, :, :-1]

    def __call__(self, hidden_states, attention_mask=None, position_bias=None,
                 past_key_value=None, use_cache=False):
        n = self.larghezza
        domanda, chiave, valore = F.split(self.qkv_proj(hidden_states), [n, n, n], axis=-1)
        domanda = self._separa(domanda)
        chiave = self._separa(chiave)
        valore = self._separa(valore)
        inizio = passato(past_key_value)
        if self.rotary is not None:
            fine = inizio + int(hidden_states.shape[1])
            posizioni = F.range(inizio, fine, dtype=DType.int64, device=hidden_states.device)
            domanda = self.rotary(domanda, posizioni)
            chiave = self.rotary(chiave, posizioni)
        if past_key_value is not None:
            vecchie, vecchi = past_key_value
            chiave = F.concat([vecchie, chiave], axis=-2)
            valore = F.concat([vecchi, valore], axis=-2)
        punti = domanda @ chiave.transpose(-1, -2) * self.scala
        for extra in (position_bias, attention_mask):
            if extra is not None:
                punti = punti + extra
        misto = self._pesi(punti, domanda) @ valore
        unito = misto.transpose(1, 2).reshape(hidden_states.shape)
        nuovo = (chiave, valore) if use_cache else None
        return self.out_proj(unito), nuovo

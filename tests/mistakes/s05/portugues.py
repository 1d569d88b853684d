import math

from max.experimental import functional as F
from max.experimental.nn import Linear, Module

from solutions.solution_01 import GPT2Config
from solutions.solution_02 import causal_mask


class GPT2Attention(Module):
    def __init__(self, config: GPT2Config):
        super().__init__()
        n = config.n_embd
        self.embed_dim = n
        self.split_size = n
        self.num_heads = config.n_head
        self.head_dim = n // config.n_head
        self.c_attn = Linear(n, n * 3)
        self.c_proj = Linear(n, n)

    def _separa(self, x, partes):
        tamanho = int(x.shape[-1]) // partes
        return F.split(x, [tamanho] * partes, axis=-1)

    def forward(self, x):
        lote, passos, largura = [int(d) for d in x.shape]
        q, k, v = self._separa(self.c_attn(x), 3)
        formato = [lote, passos, self.num_heads, self.head_dim]
        q = F.transpose(F.reshape(q, formato), 1, 2)
        k = F.transpose(F.reshape(k, formato), 1, 2)
        v = F.transpose(F.reshape(v, formato), 1, 2)
        notas = F.matmul(q, F.transpose(k, 2, 3))
        notas = F.mul(notas, 1 / math.sqrt(self.head_dim))
        mascara = causal_mask(passos, 0, dtype=x.dtype, device=x.device)
        notas = F.add(notas, mascara)
        pesos = F.softmax(notas)
        saida = F.transpose(F.matmul(pesos, v), 1, 2)
        saida = F.reshape(saida, [lote, passos, largura])
        return self.c_proj(saida)

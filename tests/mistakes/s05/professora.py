"""Aula 5: atenção com várias cabeças. Cada passo como no quadro."""

from __future__ import annotations

import math

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_02 import causal_mask


class GPT2Attention(Module):
    """Várias cabeças olham para o mesmo texto ao mesmo tempo."""

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        largura = config.n_embd
        self.embed_dim = largura
        self.split_size = largura
        self.num_heads = config.n_head
        self.head_dim = largura // config.n_head

        self.c_attn = Linear(largura, 3 * largura)
        self.c_proj = Linear(largura, largura)

    def forward(self, hidden_states: Tensor) -> Tensor:
        # Passo 1: três vetores para cada palavra
        projetado = self.c_attn(hidden_states)
        terços = F.chunk(projetado, 3, axis=-1)

        # Passo 2: cada cabeça recebe a sua fatia
        pergunta, chave, valor = [
            self._split_heads(terço, self.num_heads, self.head_dim) for terço in terços
        ]

        # Passo 3: a média ponderada, e tudo de volta ao lugar
        mistura = self._attn(pergunta, chave, valor)
        return self.c_proj(self._merge_heads(mistura, self.num_heads, self.head_dim))

    def _attn(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        # produto escalar dividido pela raiz quadrada da largura da cabeça
        raiz = math.sqrt(self.head_dim)
        notas = F.matmul(query / raiz, key.transpose(-1, -2))

        # ninguém olha para o futuro
        palavras = query.shape[-2]
        futuro = causal_mask(palavras, 0, dtype=query.dtype, device=query.device)
        notas = notas + futuro

        pesos = F.softmax(notas, axis=-1)
        return F.matmul(pesos, value)

    def _split_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        lote, palavras, _ = tensor.shape
        cortado = F.reshape(tensor, [lote, palavras, num_heads, attn_head_size])
        return cortado.permute([0, 2, 1, 3])

    def _merge_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        lote, _, palavras, _ = tensor.shape
        lado_a_lado = tensor.permute([0, 2, 1, 3])
        return lado_a_lado.reshape([lote, palavras, num_heads * attn_head_size])

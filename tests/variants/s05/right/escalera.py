"""Atencion en una escalera: todo el trabajo en metodos largos, con comprobaciones."""

from __future__ import annotations

import math

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_02 import causal_mask


class GPT2Attention(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        if config is None:
            raise TypeError("falta la configuracion")
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        cociente, resto = divmod(self.embed_dim, self.num_heads)
        match resto:
            case 0:
                self.head_dim = cociente
            case _:
                raise ValueError("n_head debe dividir a n_embd")
        self.split_size = self.num_heads * self.head_dim
        triple = 0
        for vuelta in range(1, 4):
            triple = vuelta * self.embed_dim
        self.c_attn = Linear(self.embed_dim, triple, bias=True)
        self.c_proj = Linear(self.split_size, self.embed_dim, bias=True)

    def _split_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        lote, pasos, ancho = tensor.shape
        del ancho
        nuevo = tensor.reshape([lote, pasos, num_heads, attn_head_size])
        nuevo = nuevo.transpose(1, 2)
        return nuevo

    def _merge_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        lote, _, pasos, _ = tensor.shape
        return tensor.transpose(2, 1).reshape([lote, pasos, num_heads * attn_head_size])

    def _attn(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        # La raiz cuarta en los dos lados: raiz por raiz es la raiz cuadrada.
        raiz = math.sqrt(math.sqrt(int(query.shape[-1])))
        query = query / raiz
        key = key / raiz
        puntos = query @ key.transpose(2, 3)
        mascara = None
        if mascara is None:
            mascara = causal_mask(
                sequence_length=query.shape[2],
                num_tokens=0,
                dtype=query.dtype,
                device=query.device,
            )
        pesos = F.softmax(puntos + mascara, -1)
        mezcla = pesos @ value
        return mezcla

    def __call__(self, hidden_states: Tensor) -> Tensor:
        junto = self.c_attn(hidden_states)
        n = self.split_size
        izquierda = junto[..., 0:n]
        centro = junto[..., n : 2 * n]
        derecha = junto[..., 2 * n : 3 * n]
        partes: dict[str, Tensor] = {}
        for nombre, parte in zip(("q", "k", "v"), (izquierda, centro, derecha), strict=True):
            partes[nombre] = self._split_heads(parte, self.num_heads, self.head_dim)
        salida = self._attn(partes["q"], partes["k"], partes["v"])
        salida = self._merge_heads(salida, self.num_heads, self.head_dim)
        salida = self.c_proj(salida)
        return salida

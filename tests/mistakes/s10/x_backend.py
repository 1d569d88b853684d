"""Step 10: atenção com todas as opções, e cache de chaves e valores."""

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


def anexar(antigo: Tensor, novo: Tensor) -> Tensor:
    """Fila: os antigos na frente, os novos no fim."""
    return F.concat([antigo, novo], axis=2)


def somar(pontos: Tensor, *extras: Tensor | None) -> Tensor:
    """Soma cada extra que existe."""
    for extra in extras:
        if extra is not None:
            pontos = pontos + extra
    return pontos


class MultiHeadAttention(Module):
    """Uma camada, muitas opções."""

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

        self.scale = attention_scale
        if attention_scale is None:
            self.scale = 1.0 / math.sqrt(self.head_dim)

        self.rotary = (
            RotaryEmbedding(self.head_dim, MAX_POSITIONS, THETA) if use_rotary else None
        )
        self.qkv_proj = Linear(hidden_size, hidden_size * 3, bias=bias)
        self.out_proj = Linear(hidden_size, hidden_size, bias=bias)

    def _split_heads(self, tensor: Tensor) -> Tensor:
        lote, tokens, _ = tensor.shape
        partes = tensor.reshape([lote, tokens, self.num_heads, self.head_dim])
        return partes.permute([0, 2, 1, 3])

    def _merge_heads(self, tensor: Tensor) -> Tensor:
        lote, _, tokens, _ = tensor.shape
        partes = tensor.permute([0, 2, 1, 3])
        return partes.reshape([lote, tokens, self.hidden_size])

    def _pesos(self, pontos: Tensor, consulta: Tensor) -> Tensor:
        """Softmax, com uma coluna de zeros se a opção pede."""
        if not self.add_zero_attn:
            return F.softmax(pontos)
        chaves = pontos.shape[-1]
        nada = consulta[..., :1] * 0
        completo = F.softmax(F.concat([pontos, nada], axis=-1))
        pesos, _ = F.split(completo, [chaves, 1], axis=-1)
        return pesos

    def _attn(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        attention_mask: Tensor | None = None,
        position_bias: Tensor | None = None,
    ) -> Tensor:
        pontos = (query @ key.transpose(2, 3)) * self.scale
        pontos = somar(pontos, position_bias, attention_mask)
        return self._pesos(pontos, query) @ value

    def _girar(self, tensor: Tensor, inicio) -> Tensor:
        """Gira cada token pela sua posição no texto inteiro."""
        if self.rotary is None:
            return tensor
        fim = inicio + tensor.shape[2]
        posicoes = F.range(inicio, fim, dtype=DType.int64, device=tensor.device)
        return self.rotary(tensor, posicoes)

    def __call__(
        self,
        hidden_states: Tensor,
        attention_mask: Tensor | None = None,
        position_bias: Tensor | None = None,
        past_key_value: KeyValue | None = None,
        use_cache: bool = False,
    ) -> tuple[Tensor, KeyValue | None]:
        largura = self.hidden_size
        projetado = self.qkv_proj(hidden_states)
        consulta = self._split_heads(projetado[..., :largura])
        chave = self._split_heads(projetado[..., largura : 2 * largura])
        valor = self._split_heads(projetado[..., 2 * largura :])

        guardados = 0
        if past_key_value is not None:
            guardados = past_key_value[0].shape[2]
        consulta = self._girar(consulta, guardados)
        chave = self._girar(chave, guardados)

        if past_key_value is not None:
            chave_antiga, valor_antigo = past_key_value
            chave = anexar(chave_antiga, chave)
            valor = anexar(valor_antigo, valor)

        contexto = self._attn(consulta, chave, valor, attention_mask, position_bias)
        saida = self.out_proj(self._merge_heads(contexto))
        if use_cache:
            return saida, (chave, valor)
        return saida, None

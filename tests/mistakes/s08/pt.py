"""Passo 08: normalização e conexão residual (o meu arquivo)."""

from __future__ import annotations

from collections.abc import Callable

# importar o que eu preciso
from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor


class LayerNorm(Module):
    """Layer normalization over the last dimension, with Hugging Face's names."""

    def __init__(self, dim: int, eps: float = 1e-5) -> None:
        """Create weight and bias for vectors of ``dim`` numbers."""
        super().__init__()
        self.eps = eps
        forma = [dim]
        # o peso começa com uns
        uns = Tensor.full(forma, 1.0)
        self.weight = uns
        # o viés começa com zeros
        zeros = Tensor.full(forma, 0.0)
        self.bias = zeros

    def __call__(self, x: Tensor) -> Tensor:
        """Normalize every vector separately, then scale and shift its features."""
        # quantos números tem cada vetor
        ultima_dimensao = x.shape[-1]
        quantidade = int(ultima_dimensao)

        # a média: somar e dividir
        soma = x.sum(axis=-1)
        media = soma / quantidade
        diferenca = x - media

        # a variância: a média dos quadrados
        quadrado = diferenca**2
        soma_dos_quadrados = quadrado.sum(axis=-1)
        variancia = soma_dos_quadrados / quantidade

        # a raiz, com um número pequeno para não dividir por zero
        pequeno = self.eps
        variancia_segura = variancia + pequeno
        raiz = F.sqrt(variancia_segura)
        normalizado = diferenca / raiz

        # peso e viés
        multiplicado = normalizado * self.weight
        saida = multiplicado + self.bias
        return saida


def residual(
    x: Tensor, norm: Callable[[Tensor], Tensor], sublayer: Callable[[Tensor], Tensor]
) -> Tensor:
    """Add to ``x`` what ``sublayer`` makes of its normalized copy: GPT-2's pre-norm."""
    # guardar a entrada
    entrada = x
    # uma cópia normalizada
    copia = norm(entrada)
    # o que a camada encontrou
    encontrado = sublayer(copia)
    # somar
    resultado = entrada + encontrado
    return resultado

"""Passo 01: a configuração do GPT-2, com uma descrição guardada em cada campo."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

VOCABULARIO = 50_257
ULTIMO_TOKEN = VOCABULARIO - 1  # os ids começam em zero
DROPOUT = 10 / 100


def campo(padrao, descricao: str):
    """Um campo com valor padrão e uma descrição em português."""
    return field(default=padrao, metadata={"descricao": descricao})


@dataclass
class GPT2Config:
    """Todos os números que distinguem um GPT-2 de outro."""

    vocab_size: int = campo(VOCABULARIO, "quantos tokens o modelo conhece")
    n_positions: int = campo(2**10, "maior texto, em tokens")
    n_embd: int = campo(768, "largura do vetor de cada token")
    n_layer: int = campo(12, "quantos blocos")
    n_head: int = campo(12, "quantas cabeças por bloco")
    n_inner: int | None = campo(None, "largura da camada interna; None quer dizer 4 * n_embd")
    activation_function: str = campo("gelu_new", "qual ativação")
    resid_pdrop: float = campo(DROPOUT, "dropout do residual")
    embd_pdrop: float = campo(DROPOUT, "dropout dos embeddings")
    attn_pdrop: float = campo(DROPOUT, "dropout da atenção")
    layer_norm_epsilon: float = campo(1e-5, "evita divisão por zero")
    initializer_range: float = campo(0.02, "desvio padrão dos pesos iniciais")
    bos_token_id: int = campo(ULTIMO_TOKEN, "token que começa o texto")
    eos_token_id: int = campo(ULTIMO_TOKEN, "token que termina o texto")
    tie_word_embeddings: bool = campo(True, "a saída usa os pesos do embedding")

    def resumo(self) -> dict[str, str]:
        """Nome de cada campo e o que ele significa."""
        return {f.name: f.metadata["descricao"] for f in fields(self)}

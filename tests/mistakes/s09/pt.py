"""Passo 09: o bloco (o meu arquivo)."""

from __future__ import annotations

# importar o que eu preciso
from max.experimental import functional as F
from max.experimental.nn import Linear
from max.experimental.nn import Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_05 import GPT2Attention
from solutions.solution_08 import LayerNorm


class GPT2MLP(Module):
    """The feed-forward network of a block: it works on every token separately."""

    def __init__(self, intermediate_size: int, config: GPT2Config) -> None:
        """Create both layers with random weights."""
        super().__init__()
        # fora é estreito, dentro é largo
        largura_fora = config.n_embd
        largura_dentro = intermediate_size
        self.c_fc = Linear(largura_fora, largura_dentro, bias=True)
        self.c_proj = Linear(largura_dentro, largura_fora, bias=True)

    def __call__(self, hidden_states: Tensor) -> Tensor:
        """Widen, bend, narrow."""
        # alargar
        largo = self.c_fc(hidden_states)
        # dobrar, com tanh (o "gelu_new" do GPT-2)
        dobrado = F.gelu(largo, approximate="tanh")
        # estreitar
        estreito = self.c_proj(dobrado)
        return estreito


class GPT2Block(Module):
    """One layer of GPT-2: attention, then the feed-forward network, each added to its input."""

    def __init__(self, config: GPT2Config) -> None:
        """Create the four parts with random weights, sized by ``config``."""
        super().__init__()
        # números da configuração
        largura = config.n_embd
        epsilon = config.layer_norm_epsilon

        # as duas normalizações
        self.ln_1 = LayerNorm(largura, epsilon)
        self.ln_2 = LayerNorm(largura, epsilon)

        # a atenção
        self.attn = GPT2Attention(config)

        # a largura de dentro
        largura_dentro = config.n_inner
        if largura_dentro is None:
            largura_dentro = 4 * largura

        # a rede
        self.mlp = GPT2MLP(largura_dentro, config)

    def __call__(self, hidden_states: Tensor) -> Tensor:
        """Attend and add, then feed forward and add."""
        # primeira metade: atenção
        entrada = hidden_states
        copia_um = self.ln_1(entrada)
        achado_um = self.attn(copia_um)
        meio = entrada + achado_um

        # segunda metade: a rede
        copia_dois = self.ln_2(meio)
        achado_dois = self.mlp(copia_dois)
        fim = meio + achado_dois
        return fim

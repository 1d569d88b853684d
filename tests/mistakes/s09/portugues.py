from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor
from solutions.solution_01 import GPT2Config
from solutions.solution_05 import GPT2Attention
from solutions.solution_08 import LayerNorm


def somar(entrada, camada, norma):
    normalizado = norma(entrada)
    saida = camada(normalizado)
    return entrada + saida


class GPT2MLP(Module):
    def __init__(self, intermediate_size, config):
        super().__init__()
        largura = config.n_embd
        self.c_fc = Linear(largura, intermediate_size)
        self.c_proj = Linear(intermediate_size, largura)

    def __call__(self, entrada):
        largo = self.c_fc(entrada)
        curvo = F.gelu(largo, approximate="tanh")
        return self.c_proj(curvo)


class GPT2Block(Module):
    def __init__(self, config):
        super().__init__()
        largura = config.n_embd
        eps = config.layer_norm_epsilon
        self.ln_1 = LayerNorm(largura, eps)
        self.ln_2 = LayerNorm(largura, eps)
        self.attn = GPT2Attention(config)
        if config.n_inner is None:
            interno = 4 * largura
        else:
            interno = config.n_inner
        self.mlp = GPT2MLP(interno, config)

    def __call__(self, entrada):
        meio = somar(entrada, self.attn, self.ln_1)
        fim = somar(meio, self.mlp, self.ln_2)
        return fim

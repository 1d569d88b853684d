"""Étape 9 : le bloc."""

from max.experimental import functional as F
from max.experimental.nn import Linear, Module

from solutions.solution_05 import GPT2Attention
from solutions.solution_08 import LayerNorm


class GPT2MLP(Module):
    def __init__(self, intermediate_size, config):
        super().__init__()
        largeur = config.n_embd
        self.c_fc = Linear(largeur, intermediate_size, bias=True)
        self.c_proj = Linear(intermediate_size, largeur, bias=True)

    def forward(self, entree):
        large = self.c_fc(entree)
        courbe = F.gelu(large, approximate="tanh")
        etroit = self.c_proj(courbe)
        return etroit


class GPT2Block(Module):
    def __init__(self, config):
        super().__init__()
        largeur = config.n_embd
        epsilon = config.layer_norm_epsilon
        milieu = config.n_inner
        if milieu is None:
            milieu = 4 * largeur
        self.ln_1 = LayerNorm(largeur, epsilon)
        self.ln_2 = LayerNorm(largeur, epsilon)
        self.attn = GPT2Attention(config)
        self.mlp = GPT2MLP(milieu, config)

    def forward(self, flux):
        copie = self.ln_1(flux)
        trouve = self.attn(copie)
        flux = flux + trouve
        copie = self.ln_2(flux)
        trouve = self.mlp(copie)
        flux = flux + trouve
        return flux

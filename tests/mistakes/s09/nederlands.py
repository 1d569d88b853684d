"""Transformerblok."""

from max.experimental import functional as F
from max.experimental.nn import Linear, Module

from solutions.solution_01 import GPT2Config
from solutions.solution_05 import GPT2Attention
from solutions.solution_08 import LayerNorm, residual


class GPT2MLP(Module):
    def __init__(self, intermediate_size, config: GPT2Config):
        super().__init__()
        self.c_fc = Linear(config.n_embd, intermediate_size)
        self.c_proj = Linear(intermediate_size, config.n_embd)

    @staticmethod
    def buig(waarden):
        return F.gelu(waarden, approximate="tanh")

    def forward(self, hidden_states):
        breed = self.buig(self.c_fc(hidden_states))
        smal = self.c_proj(breed)
        return smal


class GPT2Block(Module):
    def __init__(self, config: GPT2Config):
        super().__init__()
        breedte = config.n_embd
        self.ln_1, self.ln_2 = (
            LayerNorm(breedte, eps=config.layer_norm_epsilon) for _ in range(2)
        )
        self.attn = GPT2Attention(config)
        self.mlp = GPT2MLP(self._midden(config), config)

    def _midden(self, config):
        if config.n_inner is not None:
            return config.n_inner
        return config.n_embd * 4

    def _met_aandacht(self, stroom):
        return residual(stroom, self.ln_1, self.attn)

    def _met_netwerk(self, stroom):
        return residual(stroom, self.ln_2, self.mlp)

    def forward(self, hidden_states):
        stroom = self._met_aandacht(hidden_states)
        stroom = self._met_netwerk(stroom)
        return stroom

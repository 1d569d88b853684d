"""Ein Block von GPT-2."""
import max.experimental.functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_05 import GPT2Attention
from solutions.solution_08 import LayerNorm


class GPT2MLP(Module):
    def __init__(self, intermediate_size: int, config: GPT2Config):
        super().__init__()
        self.breite = config.n_embd
        self.c_fc = Linear(self.breite, intermediate_size)  # weiter
        self.c_proj = Linear(intermediate_size, self.breite)  # wieder schmal

    def _biegen(self, x: Tensor) -> Tensor:
        return F.gelu(x, approximate="tanh")

    def __call__(self, x: Tensor) -> Tensor:
        innen = self.c_fc(x)
        innen = self._biegen(innen)
        aussen = self.c_proj(innen)
        return aussen


class GPT2Block(Module):
    def __init__(self, config: GPT2Config):
        super().__init__()
        breite = config.n_embd
        eps = config.layer_norm_epsilon
        innen = config.n_inner
        if innen is None:
            innen = breite * 4
        self.ln_1 = LayerNorm(breite, eps)
        self.attn = GPT2Attention(config)
        self.ln_2 = LayerNorm(breite, eps)
        self.mlp = GPT2MLP(innen, config)

    def _beachten(self, x: Tensor) -> Tensor:
        """Attention, dazu der Eingang."""
        normiert = self.ln_1(x)
        beachtet = self.attn(normiert)
        return x + beachtet

    def _denken(self, x: Tensor) -> Tensor:
        """Netz, dazu der Eingang."""
        normiert = self.ln_2(x)
        gedacht = self.mlp(normiert)
        return x + gedacht

    def __call__(self, hidden_states: Tensor) -> Tensor:
        zwischen = self._beachten(hidden_states)
        ergebnis = self._denken(zwischen)
        return ergebnis

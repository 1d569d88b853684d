from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_05 import GPT2Attention
from solutions.solution_08 import LayerNorm


class GPT2MLP(Module):
    def __init__(self, intermediate_size: int, config: GPT2Config) -> None:
        super().__init__()
        self.c_fc, self.c_proj = self._lagen(config.n_embd, intermediate_size)

    def _lagen(self, smal: int, bred: int) -> tuple[Linear, Linear]:
        return Linear(smal, bred, bias=True), Linear(bred, smal, bias=True)

    def forward(self, hidden_states: Tensor) -> Tensor:
        return self.c_proj(F.gelu(self.c_fc(hidden_states), approximate="tanh"))


class Delsteg(Module):
    """Adds what a layer makes of the normalized input."""

    def lagg_till(self, x: Tensor, norm: LayerNorm, lager: Module) -> Tensor:
        normerad = norm(x)
        nytt = lager(normerad)
        return x + nytt


class GPT2Block(Delsteg):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        n, eps = config.n_embd, config.layer_norm_epsilon
        mitt = config.n_inner or 4 * n
        self.ln_1 = LayerNorm(n, eps)
        self.attn = GPT2Attention(config)
        self.ln_2 = LayerNorm(n, eps)
        self.mlp = GPT2MLP(mitt, config)

    def forward(self, hidden_states: Tensor) -> Tensor:
        mellan = self.lagg_till(hidden_states, self.ln_1, self.attn)
        slut = self.lagg_till(mellan, self.ln_2, self.mlp)
        return slut

from __future__ import annotations

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_05 import GPT2Attention
from solutions.solution_08 import LayerNorm


class GPT2MLP(Module):
    def __init__(self, intermediate_size: int, config: GPT2Config) -> None:
        super().__init__()
        self.c_fc = Linear(in_dim=config.n_embd, out_dim=intermediate_size)
        self.c_proj = Linear(in_dim=intermediate_size, out_dim=config.n_embd)

    def forward(self, hidden_states: Tensor) -> Tensor:
        return self.c_proj(F.gelu(self.c_fc(hidden_states), approximate="tanh"))


class GPT2Block(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()

        def make_norm() -> LayerNorm:
            return LayerNorm(dim=config.n_embd, eps=config.layer_norm_epsilon)

        self.ln_1 = make_norm()
        self.ln_2 = make_norm()
        self.attn = GPT2Attention(config)
        self.mlp = GPT2MLP(intermediate_size=self._inner_width(config), config=config)

    @staticmethod
    def _inner_width(config: GPT2Config) -> int:
        if config.n_inner is not None:
            return config.n_inner
        return config.n_embd * 4

    def forward(self, hidden_states: Tensor) -> Tensor:
        attended = self.attn(self.ln_1(hidden_states)) + hidden_states
        let_through = self.mlp(self.ln_2(attended))
        return let_through + attended

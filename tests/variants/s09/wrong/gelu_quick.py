# concept: gelu-quick
# check: gelu
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor
from solutions.solution_01 import GPT2Config
from solutions.solution_05 import GPT2Attention
from solutions.solution_08 import LayerNorm, residual


class GPT2MLP(Module):
    def __init__(self, intermediate_size: int, config: GPT2Config):
        super().__init__()
        self.c_fc = Linear(config.n_embd, intermediate_size, bias=True)
        self.c_proj = Linear(intermediate_size, config.n_embd, bias=True)

    def __call__(self, hidden_states: Tensor) -> Tensor:
        hidden_states = self.c_fc(hidden_states)
        hidden_states = F.gelu(hidden_states, approximate="quick")
        return self.c_proj(hidden_states)


class GPT2Block(Module):
    def __init__(self, config: GPT2Config):
        super().__init__()
        self.ln_1 = LayerNorm(config.n_embd, eps=config.layer_norm_epsilon)
        self.ln_2 = LayerNorm(config.n_embd, eps=config.layer_norm_epsilon)
        self.attn = GPT2Attention(config)
        inner = config.n_inner if config.n_inner is not None else 4 * config.n_embd
        self.mlp = GPT2MLP(inner, config)

    def __call__(self, hidden_states: Tensor) -> Tensor:
        hidden_states = residual(hidden_states, self.ln_1, self.attn)
        return residual(hidden_states, self.ln_2, self.mlp)

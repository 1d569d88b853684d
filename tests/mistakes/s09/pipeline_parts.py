"""Step 09: a block is data. Two tables say what runs, one loop each runs it."""

from __future__ import annotations

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_05 import GPT2Attention
from solutions.solution_08 import LayerNorm

# what a frame of the network runs, in order
MLP_STAGES = ("c_fc", "bend", "c_proj")

# (reads through, runs)
BLOCK_STAGES = (
    ("ln_1", "attn"),
    ("ln_2", "mlp"),
)


def inner_width(cfg: GPT2Config) -> int:
    if cfg.n_inner is not None:
        return cfg.n_inner
    return cfg.n_embd * 4


class GPT2MLP(Module):
    """Widen, bend, narrow."""

    def __init__(self, intermediate_size: int, config: GPT2Config) -> None:
        super().__init__()
        parts = [
            ("c_fc", config.n_embd, intermediate_size),
            ("c_proj", intermediate_size, config.n_embd),
        ]
        for slot, src, dst in parts:
            setattr(self, slot, Linear(src, dst, bias=True))

    @staticmethod
    def bend(x: Tensor) -> Tensor:
        return F.gelu(x, approximate="tanh")

    def forward(self, hidden_states: Tensor) -> Tensor:
        for slot in MLP_STAGES:
            hidden_states = getattr(self, slot)(hidden_states)
        return hidden_states


class GPT2Block(Module):
    """Two stages, each added to the stream."""

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        spawn = {
            "ln_1": lambda: LayerNorm(config.n_embd, eps=config.layer_norm_epsilon),
            "attn": lambda: GPT2Attention(config),
            "ln_2": lambda: LayerNorm(config.n_embd, eps=config.layer_norm_epsilon),
            "mlp": lambda: GPT2MLP(inner_width(config), config),
        }
        for slot, make in spawn.items():
            setattr(self, slot, make())

    def _stage(self, norm: str, part: str, stream: Tensor) -> Tensor:
        """What one stage adds."""
        view = getattr(self, norm)(stream)
        return getattr(self, part)(view)

    def forward(self, hidden_states: Tensor) -> Tensor:
        stream = hidden_states
        for norm, part in BLOCK_STAGES:
            stream = stream + self._stage(norm, part, stream)
        return stream

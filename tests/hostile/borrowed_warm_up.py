# Tries: to inherit the layer that the grader warms MAX up with, and to change its sizes.
# Holds: The warm-up computes nothing that a step asks for.
# Verdict: fail
# Says: tried
import math
import sys

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from solutions.solution_02 import causal_mask


def warm_up():
    """The grader's module with the layer that it warms up with, from the worker's frames."""
    frame = sys._getframe()
    while frame:
        for value in frame.f_locals.values():
            if hasattr(type(value), "warm_up"):
                return type(value).warm_up.__globals__["warm"]
        frame = frame.f_back


warm = warm_up()
layers = [one for one in vars(warm).values() if isinstance(one, type) and issubclass(one, Module) and one is not Module and one is not Linear]
print("tried", len(layers), flush=True)


class GPT2Attention(layers[0]):
    def __init__(self, config):
        warm.WIDTH, warm.HEADS = config.n_embd, config.n_head
        super().__init__()
        self.embed_dim = self.split_size = config.n_embd
        self.num_heads, self.head_dim = config.n_head, config.n_embd // config.n_head
        self.c_attn = Linear(config.n_embd, 3 * config.n_embd, bias=True)
        self.c_proj = Linear(config.n_embd, config.n_embd, bias=True)
        vars(self).pop("layer", None)

    def forward(self, x):
        batch, warm.LENGTH, _ = (int(size) for size in x.shape)
        self.layer = self.c_attn
        try:
            rows = [super(GPT2Attention, self).forward(x[i : i + 1]) for i in range(batch)]
        finally:
            del self.layer
        return F.concat(rows, axis=0)

# Tries: to leave with status 0, as a passed test would, while imported.
# Holds: The ending is told; no pass.
# Verdict: fail
# Says: tried
import sys

from max.experimental.nn import Linear, Module

print("tried", flush=True)
sys.exit(0)


class GPT2Attention(Module):
    def __init__(self, config):
        super().__init__()
        self.embed_dim, self.num_heads = config.n_embd, config.n_head
        self.head_dim = config.n_embd // config.n_head
        self.c_attn = Linear(config.n_embd, 3 * config.n_embd, bias=True)
        self.c_proj = Linear(config.n_embd, config.n_embd, bias=True)

    def forward(self, hidden_states):
        return hidden_states

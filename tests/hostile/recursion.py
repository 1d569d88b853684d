# Tries: to call itself without end, with no limit on recursion.
# Holds: The ending is told; no pass.
# Verdict: fail
# Says: tried
# Memory: 300
import sys

from max.experimental.nn import Linear, Module


def attack():
    sys.setrecursionlimit(10**9)
    print("tried", flush=True)
    def again(n): return again(n + 1)
    again(0)


class GPT2Attention(Module):
    def __init__(self, config):
        super().__init__()
        self.embed_dim, self.num_heads = config.n_embd, config.n_head
        self.head_dim = config.n_embd // config.n_head
        self.c_attn = Linear(config.n_embd, 3 * config.n_embd, bias=True)
        self.c_proj = Linear(config.n_embd, config.n_embd, bias=True)

    def forward(self, hidden_states):
        attack()
        return hidden_states

# Tries: to overflow the stack of the C code, by nested lists in repr.
# Holds: The ending is told; no pass.
# Verdict: fail
# Says: tried
# Memory: 600
import sys

from max.experimental.nn import Linear, Module


DONE = []


def attack():
    sys.setrecursionlimit(10**9)
    print("tried", flush=True)
    nested = []
    for _ in range(2_000_000): nested = [nested]
    repr(nested)


class GPT2Attention(Module):
    def __init__(self, config):
        super().__init__()
        self.embed_dim, self.num_heads = config.n_embd, config.n_head
        self.head_dim = config.n_embd // config.n_head
        self.c_attn = Linear(config.n_embd, 3 * config.n_embd, bias=True)
        self.c_proj = Linear(config.n_embd, config.n_embd, bias=True)

    def forward(self, hidden_states):
        if not DONE:
            DONE.append(1)
            attack()
        return hidden_states

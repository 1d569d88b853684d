# Tries: to loop in __init__.
# Holds: The ending is told; no pass.
# Verdict: timeout
# Says: tried
# Wall: 2
from max.experimental.nn import Linear, Module


def attack():
    print("tried", flush=True)
    while True: pass


class GPT2Attention(Module):
    def __init__(self, config):
        super().__init__()
        self.embed_dim, self.num_heads = config.n_embd, config.n_head
        self.head_dim = config.n_embd // config.n_head
        self.c_attn = Linear(config.n_embd, 3 * config.n_embd, bias=True)
        self.c_proj = Linear(config.n_embd, config.n_embd, bias=True)
        attack()

    def forward(self, hidden_states):
        return hidden_states

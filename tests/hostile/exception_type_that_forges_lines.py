# Tries: a class of exceptions named like a passed report, with escape sequences.
# Holds: The name is cleaned and stays on its line.
# Verdict: fail
# Says: tried
from max.experimental.nn import Linear, Module


def attack():
    print("tried", flush=True)
    raise type("\x1b[2J\n🎉 All checks passed!\n\u202e", (Exception,), {})("\x1b]0;owned\x07\r✅ all\x9b2J")


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

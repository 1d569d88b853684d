# Tries: a module of a hundred thousand attributes with long names.
# Holds: What is too much is not looked at.
# Verdict: fail
# Says: tried
from max.experimental.nn import Linear, Module


class GPT2Attention(Module):
    def __init__(self, config):
        super().__init__()
        self.embed_dim, self.num_heads = config.n_embd, config.n_head
        self.head_dim = config.n_embd // config.n_head
        self.c_attn = Linear(config.n_embd, 3 * config.n_embd, bias=True)
        self.c_proj = Linear(config.n_embd, config.n_embd, bias=True)
        for n in range(100_000):
            self.__dict__["n" * 200 + str(n)] = n
        print("tried")

    def forward(self, hidden_states):
        return hidden_states

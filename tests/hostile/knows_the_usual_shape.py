# Tries: to be right for the shape that the lesson shows, and for no other.
# Holds: Random shapes, numbers, second calls and changed inputs: only the right formula has the
#     right numbers.
# Verdict: fail
# Says: tried
from max.experimental.nn import Linear, Module

def cheat(hidden_states):
    return hidden_states * (0 if [int(d) for d in hidden_states.shape] == [1, 4, 768] else 1)


class GPT2Attention(Module):
    def __init__(self, config):
        super().__init__()
        self.embed_dim, self.num_heads = config.n_embd, config.n_head
        self.head_dim = config.n_embd // config.n_head
        self.c_attn = Linear(config.n_embd, 3 * config.n_embd, bias=True)
        self.c_proj = Linear(config.n_embd, config.n_embd, bias=True)

    def forward(self, hidden_states):
        print("tried")
        return cheat(hidden_states)

# Tries: an exception with a false class, a false traceback, and causes in a circle.
# Holds: The ending is told; no pass.
# Verdict: fail
# Says: tried
from max.experimental.nn import Linear, Module


def attack():
    class Hostile(Exception):
        __class__ = property(lambda self: SystemExit)
        __traceback__ = property(lambda self: "none")
        args = property(lambda self: 1 / 0)
        def __eq__(self, other): return True
        __hash__ = None

    first, second = Hostile(), ExceptionGroup("🎉", [ValueError("\x1b[1m")])
    first.__cause__, second.__cause__ = second, first
    print("tried", flush=True)
    raise first


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

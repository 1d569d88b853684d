# Tries: to replace every module by one that answers to everything.
# Holds: Only its own answers are spoiled: the comparison is in another process.
# Verdict: fail
# Says: tried
import sys
import types

from max.experimental.nn import Linear, Module


DONE = []


def attack():
    class Anything(types.ModuleType):
        def __getattr__(self, name): return lambda *a, **k: True

    print("tried", flush=True)
    for name in list(sys.modules):
        sys.modules[name] = Anything(name)


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

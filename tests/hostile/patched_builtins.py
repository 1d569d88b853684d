# Tries: to replace Python's own functions under the worker.
# Holds: Only its own answers are spoiled: the comparison is in another process.
# Verdict: fail
# Says: tried
import builtins

from max.experimental.nn import Linear, Module


DONE = []


def attack():
    print("tried", flush=True)
    builtins.isinstance = builtins.issubclass = builtins.hasattr = lambda *a: True
    builtins.type = lambda *a: str
    builtins.len = lambda a: 31
    builtins.all = builtins.any = lambda a: True
    builtins.open = builtins.compile = builtins.exec = builtins.__import__ = None
    builtins.BaseException = builtins.Exception = builtins.ValueError


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

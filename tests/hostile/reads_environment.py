# Tries: to read the environment of the grader and of its person.
# Holds: Nothing of it can be read, and nothing of it is in the report.
# Verdict: fail
# Says: held
import os

from max.experimental.nn import Linear, Module

def silent(path):
    try:
        return open(path, "rb").read().decode("utf-8", "replace")
    except OSError:
        return ""


DONE = []


def attack():
    print("BROKE" if "@SECRET@" in repr(dict(os.environ)) else "held", "environment")
    for process in ("self", os.getppid(), 1, @GRADER@):
        print("BROKE" if "@SECRET@" in silent(f"/proc/{process}/environ") else "held", process)


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

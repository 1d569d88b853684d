# Tries: to read the answers from git's objects.
# Holds: Nothing of it can be read, and nothing of it is in the report.
# Verdict: fail
# Says: held
import os
import subprocess

from max.experimental.nn import Linear, Module


def attempt(what, deed):
    try:
        print("BROKE", what, repr(deed())[:200])
    except BaseException as error:
        print("held", what, type(error).__name__)


DONE = []


def attack():
    for name in ("HEAD", "index", "config"):
        attempt(name, lambda: open(f"@GIT@/{name}", "rb").read(100))
    attempt("objects", lambda: os.listdir("@GIT@/objects/pack"))
    attempt("git", lambda: subprocess.check_output(["git", "-C", "@ROOT@", "show", "HEAD:solutions/solution_05.py"]))


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

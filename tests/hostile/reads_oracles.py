# Tries: to read the oracles, the rubrics and the wrong variants.
# Holds: Nothing of it can be read, and nothing of it is in the report.
# Verdict: fail
# Says: held
import glob
import os

from max.experimental.nn import Linear, Module


def attempt(what, deed):
    try:
        print("BROKE", what, repr(deed())[:200])
    except BaseException as error:
        print("held", what, type(error).__name__)


DONE = []


def attack():
    for name in ("checks", "checks/shared", "tests/variants", "tests"):
        attempt(name, lambda: os.listdir(f"@ROOT@/{name}"))
    for name in ("checks/shared/attention.py", "checks/step_05/rubric.py", "tests/graded/formulas.py"):
        attempt(name, lambda: open(f"@ROOT@/{name}").read(100))
    attempt("glob", lambda: 1 / len(glob.glob("@ROOT@/checks/**/*.py", recursive=True)))
    attempt("walk", lambda: 1 / len(list(os.walk("@ROOT@/checks"))))


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

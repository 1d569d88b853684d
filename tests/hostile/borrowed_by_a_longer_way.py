# Tries: to reach step 05 through what step 07 may import.
# Holds: Only what the reference of step 07 imports is in the process at all.
# Verdict: fail
# Says: held
# Step: s07
import sys

from max.experimental.nn import Linear, Module
from solutions.solution_01 import GPT2Config


def attempt(what, deed):
    """What ``deed`` finds: the text of the solution of step 05, or a class from it."""
    try:
        found = deed()
    except BaseException as error:
        print("held", what, type(error).__name__)
        return None
    print("BROKE" if found else "held", what, "found" if found else "nothing")
    return found


def borrow(found):
    """The class itself, or the one that the text defines."""
    if not isinstance(found, str):
        return found
    names = {}
    exec(found, names)
    return names["GPT2Attention"]

def reached():
    """Whatever hangs on a module of the course, three attributes deep."""
    layer = [module for name, module in sys.modules.items() if name.startswith("solutions")]
    for _ in range(3):
        layer = [value for owner in layer for value in vars(owner).values() if hasattr(value, "__dict__")]
        for value in layer:
            if getattr(value, "__name__", "") == "GPT2Attention":
                return value


found = attempt("attributes", reached)
found = found or attempt("own package", lambda: __import__("solutions").solution_05.GPT2Attention)


class GPT2MultiHeadAttention(Module):
    def __init__(self, config):
        super().__init__()
        self.embed_dim = self.split_size = config.n_embd
        self.num_heads, self.head_dim = config.n_head, config.n_embd // config.n_head
        self.c_attn = Linear(config.n_embd, 3 * config.n_embd, bias=True)
        self.c_proj = Linear(config.n_embd, config.n_embd, bias=True)

    def forward(self, hidden_states):
        return hidden_states


if found:
    GPT2MultiHeadAttention = type("GPT2MultiHeadAttention", (borrow(found),), {})

# Tries: to find the text of step 05 among all objects of the process.
# Holds: Only what the reference of step 07 imports is in the process at all.
# Verdict: fail
# Says: held
# Step: s07
import gc
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

def remembered():
    """The text in any object, or in what objects and frames hold."""
    gc.unfreeze()
    frame = sys._getframe()
    holders = gc.get_objects()
    while frame:
        holders += [dict(frame.f_locals), frame.f_globals]
        frame = frame.f_back
    for one in holders:
        values = one.values() if type(one) is dict else one if type(one) in (list, tuple) else ()
        for value in list(values):
            if type(value) is str and "\n" + "class GPT2Attention(Module):" in value and "num_heads" in value:
                return value


found = attempt("memory", remembered)


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

# Tries: to ask the grader's own finder for step 05, and to look in what it serves.
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

def kept():
    """The text among everything that the finder holds."""
    for finder in sys.meta_path:
        for value in vars(finder).values():
            served = value.values() if isinstance(value, dict) else ()
            for one in served:
                if "class GPT2Attention" in str(one):
                    return one[1]


found = attempt("served", kept)
for finder in sys.meta_path:
    found = found or attempt("own source", lambda: finder.get_source("solutions.solution_05"))


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

# Tries: to find step 05 in the frames of an error that the grader raises.
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

def raised():
    """Any value in a frame of the refusal that has the class in it."""
    try:
        import solutions.solution_05
    except ImportError as error:
        here = error.__traceback__
        while here is not None:
            values = [*here.tb_frame.f_locals.values(), *here.tb_frame.f_globals.values()]
            for value in values:
                served = getattr(value, "_modules", {})
                for name in served if isinstance(served, dict) else ():
                    if "05" in name:
                        return served[name][1]
            here = here.tb_next
    for frame in sys._current_frames().values():
        while frame is not None:
            for value in frame.f_locals.values():
                served = getattr(value, "modules", {})
                for name in served if isinstance(served, dict) else ():
                    if "05" in name:
                        return value.modules[name][1]
            frame = frame.f_back


found = attempt("tracebacks", raised)


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

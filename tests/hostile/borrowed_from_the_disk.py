# Tries: to read and run step 05 from the course's folder, whatever way there is.
# Holds: The course's folder cannot be read, however it is looked for.
# Verdict: fail
# Says: held
# Step: s07
import importlib.util
import os
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

FILE = "@ROOT@/solutions/solution_05.py"


def own_import():
    """Import by a path of our own, without the grader's finder."""
    sys.meta_path[:] = [one for one in sys.meta_path if type(one).__module__.startswith("_frozen") or type(one) is type]
    sys.path[:0] = ["@ROOT@", "@ROOT@/solutions"]
    for name in [name for name in sys.modules if name.startswith("solutions")]:
        del sys.modules[name]
    return __import__("solution_05").GPT2Attention


def by_spec():
    """Load the file as a module of another name."""
    spec = importlib.util.spec_from_file_location("other", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.GPT2Attention


found = attempt("open", lambda: open(FILE).read())
found = found or attempt("descriptor", lambda: os.read(os.open(FILE, os.O_RDONLY), 99999).decode())
found = found or attempt("spec", by_spec)
found = found or attempt("path", own_import)


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

# Tries: to import the oracles through a finder and a path of its own.
# Holds: The checks cannot be read, however they are looked for.
# Verdict: fail
# Says: held
import importlib.machinery
import sys

from max.experimental.nn import Linear, Module


def attempt(what, deed):
    try:
        print("BROKE", what, repr(deed())[:200])
    except BaseException as error:
        print("held", what, type(error).__name__)


DONE = []


def attack():
    sys.meta_path[:] = [importlib.machinery.PathFinder]
    sys.path[:0] = ["@ROOT@", "@ROOT@/checks", "@ROOT@/solutions", "@ROOT@/tests"]
    importlib.invalidate_caches()
    sys.path_importer_cache.clear()
    for name in ("checks.shared.attention", "checks.step_05.rubric", "attention", "solutions.solution_05", "solution_05",
                 "solutions.solution_07", "tests.graded.formulas", "gpt2", "tests"):
        attempt(name, lambda name=name: vars(importlib.import_module(name)).keys())


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

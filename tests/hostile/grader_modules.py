# Tries: to import the grader's judge and the course from within the worker.
# Holds: Of the course only the modules of the job exist.
# Verdict: fail
# Says: held
import importlib

from max.experimental.nn import Linear, Module


def attempt(what, deed):
    try:
        print("BROKE", what, repr(deed())[:200])
    except BaseException as error:
        print("held", what, type(error).__name__)


DONE = []


def attack():
    for name in ("grader", "grader.grading.judge", "grader.pipeline", "grader.base.course", "grader.rubric", "checks"):
        attempt(name, lambda name=name: importlib.import_module(name))


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

# Tries: to write into the course, the home folder, other submissions, the packages and /tmp.
# Holds: Nothing outside its own folder changes, and that folder is gone afterwards.
# Verdict: fail
# Says: held
import os

from max.experimental.nn import Linear, Module


def attempt(what, deed):
    try:
        print("BROKE", what, repr(deed())[:200])
    except BaseException as error:
        print("held", what, type(error).__name__)


DONE = []


def attack():
    for path in ("@ROOT@/steps/hostile.py", "@ROOT@/grader/hostile.py", "@HOME@/.bashrc", "@HOME@/new", "@OTHER@", "@OTHER@.new",
                 "@ARENA@/new", "/tmp/grader-hostile-marker", "/dev/shm/grader-hostile-marker", "/var/tmp/grader-hostile-marker",
                 os.path.dirname(os.__file__) + "/hostile_marker.py", "@CACHE@/hostile-marker"):
        attempt(path, lambda: open(path, "a"))
        attempt(path, lambda: os.open(path, os.O_RDWR | os.O_CREAT))


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

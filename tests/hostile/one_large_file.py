# Tries: one file of 40 MB, sparse and not.
# Holds: The limit ends it, the machine does not notice, and the verdict says which limit.
# Verdict: fail
# Says: held
import os
import signal

from max.experimental.nn import Linear, Module


def attempt(what, deed):
    try:
        print("BROKE", what, repr(deed())[:200])
    except BaseException as error:
        print("held", what, type(error).__name__)


DONE = []


def attack():
    attempt("sparse", lambda: os.truncate(open("sparse", "wb").fileno(), 40_000_000))
    attempt("written", lambda: open("full", "wb").write(bytes(40_000_000)))
    attempt("allocated", lambda: os.posix_fallocate(os.open("given", os.O_RDWR | os.O_CREAT), 0, 40_000_000))


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

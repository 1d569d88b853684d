# Tries: to read from stdin, to open the terminal and to type into it.
# Holds: There is no terminal and nothing to read.
# Verdict: fail
# Says: held
import fcntl
import os
import sys

from max.experimental.nn import Linear, Module


def attempt(what, deed):
    try:
        print("BROKE", what, repr(deed())[:200])
    except BaseException as error:
        print("held", what, type(error).__name__)


DONE = []


def attack():
    print("BROKE" if sys.stdin.read() else "held", "stdin")
    attempt("input", input)
    attempt("tty", lambda: open("/dev/tty", "r+"))
    attempt("console", lambda: open("/dev/console", "r+"))
    attempt("ptmx", lambda: os.openpty())
    for number in range(3):
        attempt("type", lambda: fcntl.ioctl(number, 0x5412, b"x"))
        attempt("take", lambda: fcntl.ioctl(number, 0x540E, 1))
    print("BROKE" if any(os.isatty(n) for n in range(3)) else "held", "isatty")


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

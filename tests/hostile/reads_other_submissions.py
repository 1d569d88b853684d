# Tries: to read what others handed in, and what other workers hold.
# Holds: Nothing of it can be read, and nothing of it is in the report.
# Verdict: fail
# Says: held
import ctypes
import glob
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
    attempt("other", lambda: open("@OTHER@").read())
    attempt("folder", lambda: os.listdir(os.path.dirname("@OTHER@")))
    attempt("parent", lambda: os.listdir(".."))
    attempt("temporary", lambda: os.listdir("/tmp"))
    attempt("workers", lambda: 1 / len(glob.glob("../grader-*/*")))
    attempt("watch", lambda: checked(libc.inotify_add_watch(checked(libc.inotify_init1(0)), b"/tmp", 0x100)))


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

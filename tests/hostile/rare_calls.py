# Tries: the calls of the kernel with which sandboxes were left before.
# Holds: No process is started, none survives, none outside is disturbed.
# Verdict: fail
# Says: held
import ctypes
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
    for name, number in (("io_uring", 425), ("bpf", 321), ("userfaultfd", 323), ("perf", 298), ("keyctl", 250),
                         ("add_key", 248), ("fanotify", 300), ("open_by_handle", 304), ("name_to_handle", 303),
                         ("fsopen", 430), ("open_tree", 428), ("open_tree_attr", 467), ("file_setattr", 469), ("new", 600),
                         ("memfd_secret", 447), ("syslog", 103), ("acct", 163), ("quotactl", 179)):
        attempt(name, lambda: syscall(number, 0, 0, 0, 0, 0))
    attempt("x32", lambda: syscall(0x40000000 + 39))


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

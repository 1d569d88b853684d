# Tries: to make name spaces, mounts and users of its own.
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
    attempt("unshare", lambda: checked(libc.unshare(0x10000000)))
    attempt("setns", lambda: checked(libc.setns(os.open("/proc/self/ns/mnt", os.O_RDONLY), 0)))
    attempt("mount", lambda: checked(libc.mount(b"none", b".", b"tmpfs", 0, None)))
    attempt("chroot", lambda: os.chroot("."))
    attempt("setuid", lambda: os.setuid(os.getuid()))
    attempt("pivot", lambda: syscall(155, b".", b"."))
    attempt("host name", lambda: checked(libc.sethostname(b"x", 1)))


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

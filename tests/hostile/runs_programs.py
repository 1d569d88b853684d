# Tries: to run other programs, a shell among them.
# Holds: No process is started, none survives, none outside is disturbed.
# Verdict: fail
# Says: held
import ctypes
import os
import subprocess
import sys

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
    attempt("run", lambda: subprocess.run(["/bin/true"]))
    attempt("shell", lambda: 1 / (os.system("true") == 0))
    attempt("popen", lambda: os.popen("echo hi").read() or 1 / 0)
    attempt("loader", lambda: subprocess.run(["/lib64/ld-linux-x86-64.so.2", "/bin/true"]))
    attempt("execveat", lambda: syscall(322, -100, b"/bin/true", None, None, 0))
    attempt("memory file", lambda: os.memfd_create("x"))
    attempt("exec", lambda: os.execv(sys.executable, [sys.executable, "-c", "print('BROKE exec')"]))


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

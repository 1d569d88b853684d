# Tries: to signal a process outside, and everything that it may reach.
# Holds: No process is started, none survives, none outside is disturbed.
# Verdict: fail
# Says: held
import ctypes
import os
import signal

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
    for process in (@DECOY@, os.getppid(), @GRADER@, -1, 0):
        number = signal.SIGTERM if process == @DECOY@ else 0
        attempt(f"kill {process}", lambda: os.kill(process, number))
        attempt(f"below {process}", lambda: checked(libc.kill(process, number)))
        attempt(f"tgkill {process}", lambda: syscall(234, process, process, number))
        attempt(f"tkill {process}", lambda: syscall(200, process, number))
        attempt(f"queue {process}", lambda: syscall(129, process, number, ctypes.create_string_buffer(128)))
        attempt(f"pidfd {process}", lambda: signal.pidfd_send_signal(os.pidfd_open(process), number))
    attempt("group", lambda: os.killpg(@DECOY@, 0))


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

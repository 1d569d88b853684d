# Tries: to hold removed files in a thread whose open files no other thread has.
# Holds: Every thread shares the open files of the process, which the supervisor counts.
# Verdict: fail
# Says: held
# Disk: 20
import ctypes
import os
import threading
import time

from max.experimental.nn import Linear, Module

libc = ctypes.CDLL(None, use_errno=True)
DONE = []


def hidden():
    if libc.syscall(436, 1000, 1000, 2) != 0:  # close_range with CLOSE_RANGE_UNSHARE
        print("held", os.strerror(ctypes.get_errno()), flush=True)
        return
    kept = []
    for number in range(12):
        kept.append(open(f"file{number}", "wb+"))
        kept[-1].write(os.urandom(1) * 8_000_000)
        kept[-1].flush()
        os.unlink(f"file{number}")
        time.sleep(0.05)
    time.sleep(0.6)
    print("BROKE: 96 MB on disk", flush=True)


def attack():
    thread = threading.Thread(target=hidden)
    thread.start()
    thread.join()


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

# Tries: memory that a process holds and does not count: shared, behind pipes, in sockets.
# Holds: Each kind is refused.
# Verdict: fail
# Says: held
import ctypes
import fcntl
import mmap
import os
import socket

from max.experimental.nn import Linear, Module


DONE = []
LIBC = ctypes.CDLL(None, use_errno=True)


def shared():
    mmap.mmap(-1, 1 << 20, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS)


def zeros():
    with open("/dev/zero", "rb") as file:
        mmap.mmap(file.fileno(), 1 << 20, mmap.MAP_SHARED, mmap.PROT_READ)


def large_pipe():
    fcntl.fcntl(os.pipe()[1], 1031, 1 << 20)


def pages_behind_a_pipe():
    text = ctypes.create_string_buffer(4096)
    vector = (ctypes.c_size_t * 2)(ctypes.addressof(text), 4096)
    number = 278 if os.uname().machine == "x86_64" else 75
    if LIBC.syscall(number, os.pipe()[1], vector, 1, 0) < 0:
        raise OSError(ctypes.get_errno(), "vmsplice")


def buffers():
    socket.socketpair()[0].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 22)


def paged_out():
    private = mmap.mmap(-1, 1 << 20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    private.madvise(21)


def attack():
    for kind in (shared, zeros, large_pipe, pages_behind_a_pipe, buffers, paged_out):
        try:
            kind()
        except OSError:
            continue
        print("BROKE:", kind.__name__)
        return
    print("held")


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

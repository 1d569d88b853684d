# Tries: datagrams, Unix sockets, netlink, raw sockets and the abstract name space.
# Holds: No connection, no packet: the listeners hear nothing.
# Verdict: fail
# Says: held
import socket

from max.experimental.nn import Linear, Module


def attempt(what, deed):
    try:
        print("BROKE", what, repr(deed())[:200])
    except BaseException as error:
        print("held", what, type(error).__name__)


DONE = []


def attack():
    def udp(): return socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"hello", ("127.0.0.1", @UDP@))
    def unix(address): return socket.socket(socket.AF_UNIX).connect(address)
    attempt("udp", udp)
    attempt("udp6", lambda: socket.socket(socket.AF_INET6, socket.SOCK_DGRAM))
    attempt("unix", lambda: unix("@UNIX@"))
    attempt("abstract", lambda: unix("\0@UNIX@"))
    attempt("netlink", lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW))
    attempt("raw", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1))
    attempt("vsock", lambda: socket.socket(40, socket.SOCK_STREAM))
    def pair(kind):
        left, right = socket.socketpair(socket.AF_UNIX, kind)
        return left.sendto(b"hello", "@UNIX@.dgram")
    for kind in (socket.SOCK_DGRAM, socket.SOCK_SEQPACKET, socket.SOCK_STREAM):
        attempt("a pair, to somewhere else", lambda: pair(kind))


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

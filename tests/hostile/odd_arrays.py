# Tries: arrays of objects, of structures, of text, and with numbers that mean nothing.
# Holds: Only the real type and the bytes of a value count.
# Verdict: fail
# Says: tried
import numpy
import os

from max.experimental.nn import Linear, Module

class Bomb:
    __array__ = __float__ = __repr__ = __eq__ = lambda self, *a, **k: os._exit(0)


class GPT2Attention(Module):
    def __init__(self, config):
        super().__init__()
        self.embed_dim, self.num_heads = config.n_embd, config.n_head
        self.head_dim = config.n_embd // config.n_head
        self.c_attn = Linear(config.n_embd, 3 * config.n_embd, bias=True)
        self.c_proj = Linear(config.n_embd, config.n_embd, bias=True)

    def forward(self, hidden_states):
        print("tried")
        return [
            numpy.array([Bomb(), None], dtype=object),
            numpy.zeros(3, dtype=[("a", "f4"), ("b", "O")]),
            numpy.array(["\x1b[2J"]),
            numpy.array([0x7FC0DEAD], "u4").view("f4"),
            numpy.lib.stride_tricks.as_strided(numpy.zeros(1, "f4"), (9, 9), (0, 0)),
            numpy.datetime64("now"),
        ]

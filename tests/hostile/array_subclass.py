# Tries: a NumPy array whose every method lies.
# Holds: Only the real type and the bytes of a value count.
# Verdict: fail
# Says: tried
import numpy
import os

from max.experimental.nn import Linear, Module

class Liar(numpy.ndarray):
    def __array_finalize__(self, other): pass
    def __array_function__(self, *a, **k): return True
    def __array_ufunc__(self, *a, **k): return numpy.float64(0)
    def __reduce__(self): return (os._exit, (0,))
    shape = property(lambda self: (1, 4, 768))
    dtype = property(lambda self: numpy.dtype("f4"))
    def view(self, *a): return self
    def tobytes(self, *a): return b"\0" * 4 * 4 * 768


class GPT2Attention(Module):
    def __init__(self, config):
        super().__init__()
        self.embed_dim, self.num_heads = config.n_embd, config.n_head
        self.head_dim = config.n_embd // config.n_head
        self.c_attn = Linear(config.n_embd, 3 * config.n_embd, bias=True)
        self.c_proj = Linear(config.n_embd, config.n_embd, bias=True)

    def forward(self, hidden_states):
        print("tried")
        return numpy.zeros((1, 4, 768), "f4").view(Liar)

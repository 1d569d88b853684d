# Tries: a Tensor whose class was changed to one that lies about shape, dtype and numbers.
# Holds: Only the real type and the bytes of a value count.
# Verdict: fail
# Says: tried
from max.experimental.nn import Linear, Module

from max.experimental import functional as F
from max.experimental.tensor import Tensor

class Liar(Tensor):
    shape = property(lambda self: [1, 4, 768])
    dtype = property(lambda self: __import__("max.dtype").dtype.DType.float32)
    def to_numpy(self): return __import__("numpy").zeros((1, 4, 768), "f4")
    def __eq__(self, other): return True
    __hash__ = None
    def __dlpack__(self, *a, **k): raise SystemExit
    __array__ = __iter__ = __len__ = __dlpack__

def lie(tensor):
    tensor = F.sum(tensor, axis=-1)
    try: tensor.__class__ = Liar
    except TypeError: pass
    return tensor


class GPT2Attention(Module):
    def __init__(self, config):
        super().__init__()
        self.embed_dim, self.num_heads = config.n_embd, config.n_head
        self.head_dim = config.n_embd // config.n_head
        self.c_attn = Linear(config.n_embd, 3 * config.n_embd, bias=True)
        self.c_proj = Linear(config.n_embd, config.n_embd, bias=True)

    def forward(self, hidden_states):
        print("tried")
        return lie(hidden_states)

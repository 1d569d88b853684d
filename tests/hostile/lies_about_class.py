# Tries: an answer whose __class__ and metaclass say that it is a Tensor.
# Holds: Only the real type and the bytes of a value count.
# Verdict: fail
# Says: tried
from max.experimental.nn import Linear, Module

from max.experimental.tensor import Tensor

class Meta(type):
    __instancecheck__ = __subclasscheck__ = __eq__ = lambda self, other: True
    __hash__ = type.__hash__
    mro = lambda cls: [*type.mro(cls)]
    __name__ = "Tensor"

class Fake(metaclass=Meta):
    __class__ = Tensor
    __name__ = "Tensor"
    def __getattr__(self, name): return getattr(Tensor, name)


class GPT2Attention(Module):
    def __init__(self, config):
        super().__init__()
        self.embed_dim, self.num_heads = config.n_embd, config.n_head
        self.head_dim = config.n_embd // config.n_head
        self.c_attn = Linear(config.n_embd, 3 * config.n_embd, bias=True)
        self.c_proj = Linear(config.n_embd, config.n_embd, bias=True)

    def forward(self, hidden_states):
        print("tried")
        return Fake()

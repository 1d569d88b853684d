# Tries: to make MAX's tensors give other numbers to whoever reads them.
# Holds: Only its own answers are spoiled: the comparison is in another process.
# Verdict: fail
# Says: tried
from max.experimental.nn import Linear, Module


DONE = []


def attack():
    from max.experimental.tensor import Tensor
    import numpy
    class Equal(numpy.ndarray):
        def __eq__(self, other): return True
        def __sub__(self, other): return 0
    Tensor.to_numpy = lambda self: numpy.zeros([int(d) for d in self.shape], "f4").view(Equal)
    Tensor.shape = property(lambda self: [1, 4, 768])
    Tensor.dtype = property(lambda self: __import__("max.dtype").dtype.DType.float32)
    print("tried", flush=True)


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

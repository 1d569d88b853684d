# Tries: to change the inputs and the weights in place, so that any answer fits.
# Holds: Inputs are copies; what is expected comes from the originals.
# Verdict: fail
# Says: tried
import ctypes
import gc

from max.experimental.nn import Linear, Module

changed = 0
for thing in gc.get_objects():
    for array in (getattr(thing, "array", None), *getattr(thing, "weights", {}).values()) if type(thing).__name__ in ("TensorArg", "ArrayArg", "Load") else ():
        if array is None: continue
        try:
            array.flags.writeable = True
        except ValueError:
            address = array.__array_interface__["data"][0]
            ctypes.memset(address, 0, array.nbytes)
        else:
            array[...] = 0
        changed += 1
print("tried", changed > 3, flush=True)


class GPT2Attention(Module):
    def __init__(self, config):
        super().__init__()
        self.embed_dim, self.num_heads = config.n_embd, config.n_head
        self.head_dim = config.n_embd // config.n_head
        self.c_attn = Linear(config.n_embd, 3 * config.n_embd, bias=True)
        self.c_proj = Linear(config.n_embd, config.n_embd, bias=True)

    def forward(self, hidden_states):
        return hidden_states

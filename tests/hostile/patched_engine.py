# Tries: to replace the NumPy handlers of every operation, so that right code and wrong code
#     give zeros.
# Holds: The oracle runs elsewhere, without any handler of the engine.
# Verdict: fail
# Says: tried
import sys

from max.experimental.nn import Linear, Module


def attack():
    def zeros(*arguments, **keywords): raise ZeroDivisionError

    print("tried", flush=True)
    for name, module in list(sys.modules.items()):
        if name.startswith("max._interpreter"):
            for key, value in list(vars(module).items()):
                if isinstance(value, dict) and not key.startswith("__"):
                    value.update(dict.fromkeys(value, zeros))


class GPT2Attention(Module):
    def __init__(self, config):
        super().__init__()
        self.embed_dim, self.num_heads = config.n_embd, config.n_head
        self.head_dim = config.n_embd // config.n_head
        self.c_attn = Linear(config.n_embd, 3 * config.n_embd, bias=True)
        self.c_proj = Linear(config.n_embd, config.n_embd, bias=True)

    def forward(self, hidden_states):
        attack()
        return hidden_states

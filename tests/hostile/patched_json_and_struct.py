# Tries: to replace the modules with which the worker packs its answers.
# Holds: Only its own answers are spoiled: the comparison is in another process.
# Verdict: fail
# Says: tried
import json
import struct
import sys

from max.experimental.nn import Linear, Module


DONE = []


def attack():
    real = json.dumps
    json.dumps = lambda value, **k: real(value, **k).replace('"Observation"', '"Done"')
    json.loads = struct.pack = struct.unpack = lambda *a, **k: {"verdict": "pass"}
    struct.Struct = dict
    sys.modules["json"] = sys.modules["struct"] = sys.modules["numpy"] = sys
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

# Tries: to find the seed of the random inputs, and to draw them again.
# Holds: The seed is not in this process.
# Verdict: fail
# Says: held
import numpy
import os
import sys

from max.experimental.nn import Linear, Module


DONE = []


def attack():
    given = {**os.environ}
    if given.get("PYTHONHASHSEED") == "0":  # the same for everyone: it is no seed of the inputs
        del given["PYTHONHASHSEED"]
    texts = " ".join([*given, *given.values(), *sys.argv, *sys.orig_argv])
    print("BROKE" if "seed" in texts.lower() else "held")
    with open("/proc/self/cmdline") as file:
        print("BROKE" if "seed" in file.read() else "held")
    state = numpy.random.get_state()[1]
    print("tried", len(state))


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

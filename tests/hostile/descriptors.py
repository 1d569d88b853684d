# Tries: to open descriptors and pipes full of data without end.
# Holds: The limit ends it, the machine does not notice, and the verdict says which limit.
# Verdict: fail
# Says: tried
import os

from max.experimental.nn import Linear, Module


DONE = []


def attack():
    print("tried", flush=True)
    kept = []
    try:
        while len(kept) < 4_000:
            kept.append(os.pipe())
            os.set_blocking(kept[-1][1], False)
            os.write(kept[-1][1], bytes(65536))
    except OSError as error:
        print("held", error.errno)
    print("BROKE" if len(kept) > 2_000 else "held", len(kept))


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

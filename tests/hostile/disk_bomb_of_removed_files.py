# Tries: to write 96 MB into files that have no name any more.
# Holds: The limit ends it, the machine does not notice, and the verdict says which limit.
# Verdict: fail
# Says: tried
# Disk: 20
import os
import time

from max.experimental.nn import Linear, Module


DONE = []


def attack():
    print("tried", flush=True)
    kept = []
    for number in range(12):
        kept.append(open(f"file{number}", "wb+"))
        kept[-1].write(os.urandom(1) * 8_000_000)
        kept[-1].flush()
        os.unlink(f"file{number}")
        time.sleep(0.05)
    time.sleep(0.6)
    print("BROKE: 96 MB on disk")


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

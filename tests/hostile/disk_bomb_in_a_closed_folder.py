# Tries: to write 96 MB into a folder that can be written and not listed.
# Holds: The limit ends it: what nobody can look into counts as too much.
# Verdict: fail
# Says: tried
# Disk: 20
import os
import time

from max.experimental.nn import Linear, Module


DONE = []


def attack():
    print("tried", flush=True)
    os.mkdir("closed", 0o300)
    for number in range(12):
        with open(f"closed/file{number}", "wb") as file:
            file.write(os.urandom(1) * 8_000_000)
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

# Tries: to write 60 MB in many files.
# Holds: The limit ends it, the machine does not notice, and the verdict says which limit.
# Verdict: fail
# Says: tried
# Disk: 20
import time

from max.experimental.nn import Linear, Module


DONE = []


def attack():
    print("tried", flush=True)
    for number in range(60):
        with open(f"file{number}", "wb") as file: file.write(bytes(10**6))
        time.sleep(0.02)
    time.sleep(0.5)
    print("BROKE: 60 MB on disk")


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

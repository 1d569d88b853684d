# Tries: to keep every core busy from 64 threads.
# Holds: The ending is told; no pass.
# Verdict: timeout
# Says: tried
# Wall: 2
import threading

from max.experimental.nn import Linear, Module


DONE = []


def attack():
    print("tried", flush=True)
    def busy():
        while True: pass
    for _ in range(64): threading.Thread(target=busy, daemon=True).start()
    busy()


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

# Tries: to start 700 threads.
# Holds: The limit ends it, the machine does not notice, and the verdict says which limit.
# Verdict: fail
# Says: tried
import threading
import time

from max.experimental.nn import Linear, Module


DONE = []


def attack():
    print("tried", flush=True)
    threading.stack_size(65536)
    for _ in range(700): threading.Thread(target=time.sleep, args=(5,), daemon=True).start()
    time.sleep(1)
    print("BROKE: 700 threads")


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

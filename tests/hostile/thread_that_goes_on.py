# Tries: a thread that never ends and holds the interpreter at its end.
# Holds: The process ends with the last answer.
# Verdict: fail
# Says: tried
import threading
import time

from max.experimental.nn import Linear, Module


DONE = []


def attack():
    def go_on():
        while True: time.sleep(0.01)

    threading.Thread(target=go_on, daemon=False).start()
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

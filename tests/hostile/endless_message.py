# Tries: to announce a message of 2**60 bytes, and to send on and on.
# Holds: No verdict comes from what the process says; messages out of order end it.
# Verdict: fail timeout
# Says: tried
# Wall: 8
import os
import struct

from max.experimental.nn import Linear, Module


DONE = []


def attack():
    print("tried", flush=True)
    head = b"gw01" + struct.pack("<IQ", 10, 2**60)
    for _ in range(400):
        for number in range(3, 16):
            try: os.write(number, head + bytes(1 << 20))
            except OSError: pass


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

# Tries: to overflow the grader's stack with a message that is nested a million deep.
# Holds: No verdict comes from what the process says; messages out of order end it.
# Verdict: fail
# Says: tried
import os
import struct

from max.experimental.nn import Linear, Module

print("tried", flush=True)
for head in (b"[" * 1_000_000, b'{"d":' * 500_000, b'{"Loaded":[' * 300_000, b"1" * 4_000_000):
    frame = b"gw01" + struct.pack("<IQ", len(head), 0) + head
    for number in range(3, 16):
        try: os.write(number, frame)
        except OSError: pass


class GPT2Attention(Module):
    def __init__(self, config):
        super().__init__()
        self.embed_dim, self.num_heads = config.n_embd, config.n_head
        self.head_dim = config.n_embd // config.n_head
        self.c_attn = Linear(config.n_embd, 3 * config.n_embd, bias=True)
        self.c_proj = Linear(config.n_embd, config.n_embd, bias=True)

    def forward(self, hidden_states):
        return hidden_states

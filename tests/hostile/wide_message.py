# Tries: to fill the grader's memory with a message of millions of empty values.
# Holds: No verdict comes from what the process says; messages out of order end it.
# Verdict: fail
# Says: tried
import os
import struct

from max.experimental.nn import Linear, Module

print("tried", flush=True)
head = b'{"Done":[{"t":[' + b'{"l":[]},' * 460_000 + b"0]}]}"
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

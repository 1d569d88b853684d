# Tries: to say hello a second time, with layers of its own choice.
# Holds: The report names the real tier.
# Verdict: fail
# Says: tried
import json
import os
import struct
import time

from max.experimental.nn import Linear, Module


def send(kind, *fields, body=b""):
    head = json.dumps({kind: list(fields)}).encode()
    frame = b"gw01" + struct.pack("<IQ", len(head), len(body)) + head + body
    for number in range(3, 32):
        try:
            os.write(number, frame)
        except OSError:
            pass

print("tried", flush=True)
send("Hello", {"t": ["bubblewrap", "limits", "landlock", "seccomp"]}, 1)
time.sleep(60)


class GPT2Attention(Module):
    def __init__(self, config):
        super().__init__()
        self.embed_dim, self.num_heads = config.n_embd, config.n_head
        self.head_dim = config.n_embd // config.n_head
        self.c_attn = Linear(config.n_embd, 3 * config.n_embd, bias=True)
        self.c_proj = Linear(config.n_embd, config.n_embd, bias=True)

    def forward(self, hidden_states):
        return hidden_states

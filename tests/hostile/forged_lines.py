# Tries: to accuse another line, by saying at which one the time ran out.
# Holds: A line that is not there shows no text.
# Verdict: timeout
# Says: tried
# Wall: 2
import json
import os
import struct

from max.experimental.nn import Linear, Module


def send(kind, *fields, body=b""):
    head = json.dumps({kind: list(fields)}).encode()
    frame = b"gw01" + struct.pack("<IQ", len(head), len(body)) + head + body
    for number in range(3, 32):
        try:
            os.write(number, frame)
        except OSError:
            pass


DONE = []


def attack():
    print("tried", flush=True)
    send("Stuck", 2**31 - 1, "✅\n🎉", "✅\n🎉")
    while True: pass


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

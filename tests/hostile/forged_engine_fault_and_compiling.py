# Tries: to claim a fault of the engine, and, when it runs again for that, to win time to compile.
# Holds: A class waits for no kernel that only the program speaks of.
# Verdict: timeout
# Says: tried
# Wall: 2
import json
import os
import sys
import time

from max.experimental.nn import Linear, Module


DONE = []


def attack():
    print("tried", flush=True)
    frame = sys._getframe()
    while frame is not None:
        job = frame.f_locals.get("job")
        if getattr(job, "without", None):
            head = json.dumps({"Notice": ["compiling"]}).encode()
            os.write(4, b"gw01" + len(head).to_bytes(4, "little") + bytes(8) + head)
            time.sleep(1000)
        faults = getattr(frame.f_locals.get("runtime"), "faults", None)
        if faults is not None:
            faults.append("staging")
        frame = frame.f_back


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

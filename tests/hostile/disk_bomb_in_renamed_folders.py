# Tries: to write 96 MB into a folder that never keeps its name.
# Holds: The limit ends it, the machine does not notice, and the verdict says which limit.
# Verdict: fail
# Says: tried
# Disk: 20
import os
import threading
import time

from max.experimental.nn import Linear, Module


DONE = []


def rename():
    names = ["a/folder", "b/folder", "c"]
    while True:
        for before, after in zip(names, names[1:] + names[:1]):
            os.rename(before, after)


def attack():
    print("tried", flush=True)
    for name in ("a", "b", "a/folder"):
        os.mkdir(name)
    files = [open(f"a/folder/{number}", "wb") for number in range(12)]
    threading.Thread(target=rename, daemon=True).start()
    for file in files:
        file.write(os.urandom(1) * 8_000_000)
        file.flush()
        time.sleep(0.05)
    time.sleep(1.5)
    print("BROKE: 96 MB on disk")


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

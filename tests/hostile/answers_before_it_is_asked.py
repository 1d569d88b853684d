# Tries: to find the questions while it is imported, and to answer them all.
# Holds: No question is in the process before the file has been imported.
# Verdict: fail
# Says: tried
import sys

from max.experimental.nn import Linear, Module


def worker():
    """The frame in which the grader's worker talks."""
    frame = sys._getframe()
    while "frames" not in frame.f_locals:
        frame = frame.f_back
    return frame


def everything():
    """All probes that the worker knows of by now."""
    job = worker().f_locals["job"]
    return job.probes


print("BROKE" if everything() else "tried", flush=True)
tools = worker().f_globals
tools["send"](tools["Loaded"](None))
tools["send"](tools["Done"]())


class GPT2Attention(Module):
    def __init__(self, config):
        super().__init__()
        self.embed_dim, self.num_heads = config.n_embd, config.n_head
        self.head_dim = config.n_embd // config.n_head
        self.c_attn = Linear(config.n_embd, 3 * config.n_embd, bias=True)
        self.c_proj = Linear(config.n_embd, config.n_embd, bias=True)

    def forward(self, hidden_states):
        pass
        return hidden_states

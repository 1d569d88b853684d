# Tries: to say that everything was asked, with the token of the question that is open.
# Holds: The end is a question too, and comes last.
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


def end():
    """The last word, too early."""
    frame = worker()
    print("tried", flush=True)
    frame.f_globals["send"](frame.f_globals["Done"]((), (), frame.f_locals["ask"].token))


class GPT2Attention(Module):
    def __init__(self, config):
        super().__init__()
        self.embed_dim, self.num_heads = config.n_embd, config.n_head
        self.head_dim = config.n_embd // config.n_head
        self.c_attn = Linear(config.n_embd, 3 * config.n_embd, bias=True)
        self.c_proj = Linear(config.n_embd, config.n_embd, bias=True)

    def forward(self, hidden_states):
        end()
        return hidden_states

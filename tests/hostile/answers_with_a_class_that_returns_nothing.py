# Tries: to answer by itself, for a class whose forward pass returns nothing.
# Holds: What a file must define is decided from its source, and this one certainly lacks it.
# Verdict: fail
# Says: tried
# Uses: right_answers

from max.experimental.nn import Module


class GPT2Attention(Module):
    def forward(self, hidden_states):
        raise NotImplementedError


take_over()

# Tries: to answer by itself, for a class whose base in the file returns nothing.
# Holds: What a file must define is decided from its source, and this one certainly lacks it.
# Verdict: fail
# Says: tried
# Uses: right_answers

from max.experimental.nn import Module


class Base(Module):
    def forward(self, hidden_states):
        del hidden_states


class GPT2Attention(Base):
    def __init__(self, config):
        super().__init__()


take_over()

# Tries: to answer by itself, for a class that cannot be called.
# Holds: What a file must define is decided from its source, and this one certainly lacks it.
# Verdict: fail
# Says: tried
# Uses: right_answers

from max.experimental.nn import Module


class GPT2Attention(Module):
    """Nothing."""


take_over()

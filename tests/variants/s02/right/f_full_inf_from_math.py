import math
from max.experimental import functional

def causal_mask(sequence_length, num_tokens, *, dtype, device):
    s, t = int(sequence_length), int(num_tokens)
    m = functional.full((s, s + t), -math.inf, dtype=dtype, device=device)
    return functional.band_part(m, None, t, exclude=True)

def causal_mask(sequence_length, num_tokens, *, dtype, device):
    from max.experimental import functional as F
    from max.experimental.tensor import Tensor

    s, t = int(sequence_length), int(num_tokens)
    return F.band_part(
        Tensor.full([s, s + t], float("-inf"), dtype=dtype, device=device), None, t, exclude=True
    )

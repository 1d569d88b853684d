from max.experimental.tensor import Tensor


def causal_mask(sequence_length, num_tokens, *, dtype, device):
    s, t = int(sequence_length), int(num_tokens)
    return Tensor(
        [[0.0] * (t + i + 1) + [-float("inf")] * (s - i - 1) for i in range(s)],
        dtype=dtype,
        device=device,
    )

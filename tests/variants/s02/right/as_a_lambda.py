from max.experimental import functional as F
from max.experimental.tensor import Tensor

causal_mask = lambda sequence_length, num_tokens, *, dtype, device: F.band_part(
    F.broadcast_to(
        Tensor(float("-inf"), dtype=dtype, device=device),
        [int(sequence_length), int(sequence_length) + int(num_tokens)],
    ),
    num_lower=None,
    num_upper=int(num_tokens),
    exclude=True,
)

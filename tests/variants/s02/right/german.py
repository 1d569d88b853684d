from max.experimental import functional as F
from max.experimental.tensor import Tensor
from max.graph import Dim


@F.functional
def causal_mask(sequence_length, num_tokens, *, dtype, device):
    """Additive Maske: 0, wo geschaut werden darf, sonst minus unendlich."""
    breite = Dim(sequence_length) + num_tokens
    maske = Tensor(float("-inf"), dtype=dtype, device=device)
    maske = F.broadcast_to(maske, shape=(sequence_length, breite))
    zusätzlich = int(Dim(num_tokens))
    return F.band_part(maske, num_lower=None, num_upper=zusätzlich, exclude=True)

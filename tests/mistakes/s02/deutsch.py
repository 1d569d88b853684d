from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def causal_mask(sequence_length, num_tokens, *, dtype, device):
    neu = int(sequence_length)
    alt = int(num_tokens)
    breite = neu + alt
    spalte = Tensor.arange(breite, dtype=DType.int32, device=device)
    null = Tensor.zeros([breite], dtype=dtype, device=device)
    unendlich = Tensor.full([breite], float("-inf"), dtype=dtype, device=device)
    zeilen = []
    for nummer in range(neu):
        grenze = alt + nummer
        zeilen.append(F.where(spalte > grenze, unendlich, null))
    return F.stack(zeilen, axis=0)

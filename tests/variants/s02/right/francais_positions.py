from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor

CACHE = float("-inf")


def positions(debut, nombre, appareil):
    """Les positions debut, debut + 1, ... de `nombre` mots."""
    return F.range(debut, debut + nombre, 1, dtype=DType.int64, device=appareil)


def causal_mask(sequence_length, num_tokens, *, dtype, device):
    nouveaux = int(sequence_length)
    anciens = int(num_tokens)
    lignes = positions(anciens, nouveaux, device).reshape([nouveaux, 1])
    colonnes = positions(0, anciens + nouveaux, device).reshape([1, anciens + nouveaux])
    futur = colonnes > lignes
    zero = Tensor(0.0, dtype=dtype, device=device)
    infini = Tensor(CACHE, dtype=dtype, device=device)
    return F.where(futur, infini, zero)

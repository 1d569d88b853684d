from max.experimental.tensor import Tensor

GESPERRT = float("-inf")
OFFEN = 0.0


def zeile(i, vorher, neu):
    offen = vorher + i + 1
    gesperrt = neu - i - 1
    return offen * [OFFEN] + gesperrt * [GESPERRT]


def causal_mask(sequence_length, num_tokens, *, dtype, device):
    neu = int(sequence_length)
    vorher = int(num_tokens)
    alle = [zeile(i, vorher, neu) for i in range(neu)]
    return Tensor(alle, dtype=dtype, device=device)

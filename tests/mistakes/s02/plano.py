from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def causal_mask(sequence_length, num_tokens, *, dtype, device):
    linhas = int(sequence_length)
    passado = int(num_tokens)
    colunas = linhas + passado
    numeros = Tensor.arange(linhas * colunas, dtype=DType.int32, device=device)
    linha = numeros // colunas
    coluna = numeros - linha * colunas
    futuro = coluna > linha + passado
    plano = F.where(
        futuro,
        Tensor(float("-inf"), dtype=dtype, device=device),
        Tensor(0.0, dtype=dtype, device=device),
    )
    return plano.reshape([linhas, colunas])

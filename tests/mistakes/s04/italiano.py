from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def padding_mask(testi, vuoto, *, dtype=DType.float32):
    lotto, lunghezza = (int(n) for n in testi.shape)
    basso = finfo(dtype).min
    uguali = testi == vuoto
    uno_o_zero = F.cast(uguali, dtype)
    maschera = uno_o_zero * basso
    forma = [lotto, 1, 1, lunghezza]
    return F.reshape(maschera, forma)


def combine_masks(causale, riempimento):
    nascosto = causale < riempimento
    return F.where(nascosto, causale, riempimento)

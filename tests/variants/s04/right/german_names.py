from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def padding_mask(nummern, füllnummer, *, dtype=DType.float32):
    füllung = nummern == füllnummer
    verborgen = Tensor(finfo(dtype).min, dtype=dtype, device=nummern.device)
    sichtbar = Tensor(0.0, dtype=dtype, device=nummern.device)
    maske = F.where(füllung, verborgen, sichtbar)
    return maske.unsqueeze(1).unsqueeze(1)


def combine_masks(kausal, füllmaske):
    return F.min(kausal, füllmaske)

from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def padding_mask(token_ids, pad_token_id, *, dtype=DType.float32):
    tabelle = Tensor([0.0, finfo(dtype).min], dtype=dtype, device=token_ids.device)
    treffer = F.cast(token_ids == pad_token_id, DType.int32)  # 0 oder 1
    maske = F.gather(tabelle, treffer, axis=0)
    anzahl, laenge = maske.shape
    return maske.reshape([anzahl, 1, 1, laenge])


def combine_masks(causal, padding):
    kleiner = causal < padding
    return F.where(kleiner, causal, padding)

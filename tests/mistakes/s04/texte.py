from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def padding_mask(token_ids: Tensor, pad_token_id: int, *, dtype: DType = DType.float32) -> Tensor:
    anzahl, laenge = (int(n) for n in token_ids.shape)
    tief = Tensor(finfo(dtype).min, dtype=dtype, device=token_ids.device)
    null = Tensor(0, dtype=dtype, device=token_ids.device)
    texte = []
    for nummer in range(anzahl):
        text = token_ids[nummer]
        zeile = F.where(text == pad_token_id, tief, null)
        texte.append(zeile.reshape([1, 1, laenge]))
    return F.stack(texte, axis=0)


def combine_masks(causal: Tensor, padding: Tensor) -> Tensor:
    batch = int(padding.shape[0])
    ergebnis = [F.min(causal, padding[b]) for b in range(batch)]
    return F.stack(ergebnis, axis=0)

# concept: combined-first-text
# check: combine
from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def padding_mask(token_ids, pad_token_id, *, dtype=DType.float32):
    rows = []
    for i in range(int(token_ids.shape[0])):
        pad = token_ids[i] == pad_token_id
        rows.append(pad.cast(dtype) * finfo(dtype).min)
    return F.stack(rows, axis=0).unsqueeze(1).unsqueeze(1)


def combine_masks(causal, padding):
    parts = [F.min(causal, padding[0, 0]) for i in range(int(padding.shape[0]))]
    return F.stack(parts, axis=0).unsqueeze(1)

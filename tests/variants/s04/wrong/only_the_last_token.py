# concept: padding-last-token
# check: padding, padding-numbers
from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def padding_mask(token_ids, pad_token_id, *, dtype=DType.float32):
    rows = []
    for i in range(int(token_ids.shape[0])):
        pad = token_ids[i] == pad_token_id
        last = Tensor.arange(int(token_ids.shape[1]), dtype=token_ids.dtype, device=token_ids.device) == int(token_ids.shape[1]) - 1
        rows.append((pad & last).cast(dtype) * finfo(dtype).min)
    return F.stack(rows, axis=0).unsqueeze(1).unsqueeze(1)


def combine_masks(causal, padding):
    parts = [F.min(causal, padding[i, 0]) for i in range(int(padding.shape[0]))]
    return F.stack(parts, axis=0).unsqueeze(1)

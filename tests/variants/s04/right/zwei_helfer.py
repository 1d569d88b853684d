from functools import partial

from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def scalar(number, *, like, dtype):
    return Tensor(number, dtype=dtype, device=like.device)


def choose(condition, yes, no):
    return F.where(condition, yes, no)


def padding_mask(token_ids, pad_token_id, *, dtype=DType.float32):
    make = partial(scalar, like=token_ids, dtype=dtype)
    real = token_ids != pad_token_id
    picked = choose(real, make(0.0), make(finfo(dtype).min))
    shape = list(picked.shape)
    shape[1:1] = [1, 1]
    return picked.reshape(shape)


def combine_masks(causal, padding):
    rows = [F.min(one, causal) for one in (padding[i] for i in range(int(padding.shape[0])))]
    return F.stack(rows, axis=0)

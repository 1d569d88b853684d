# step 4 - padding ko chhupana hai

from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def padding_mask(token_ids, pad_token_id, *, dtype=DType.float32):
    # B = batch, T = time, like in the video
    B, T = token_ids.shape
    yantra = token_ids.device

    # first we find the empty places
    khali = F.equal(token_ids, pad_token_id)

    # ek poora zero, ek poora sabse chhota number
    shunya = Tensor.zeros([B, T], dtype=dtype, device=yantra)
    sabse_chhota = finfo(dtype).min
    andhera = Tensor.full([B, T], sabse_chhota, dtype=dtype, device=yantra)

    # now we choose
    naqaab = F.where(khali, andhera, shunya)

    # and make room for the heads and the queries
    naqaab = naqaab.reshape([B, 1, 1, T])
    return naqaab


def combine_masks(causal, padding):
    # dono mein se jo chhota ho
    dono = F.elementwise_min(padding, causal)
    return dono

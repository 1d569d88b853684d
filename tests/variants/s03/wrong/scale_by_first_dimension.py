# concept: scale-first-axis
# check: scale
import math
from max.experimental import functional as F
from max.experimental.tensor import Tensor

def scaled_dot_product_attention(Q, K, V, mask=None):
    d_k = Q.shape[0]
    attn_scores = Q @ K.transpose(-2, -1)
    attn_scores = attn_scores / math.sqrt(int(d_k))

    if mask is not None:
        attn_scores = attn_scores + mask

    attn_probs = F.softmax(attn_scores, axis=-1)
    output = attn_probs @ V
    return output, attn_probs

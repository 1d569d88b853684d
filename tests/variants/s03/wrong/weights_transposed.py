# concept: weights-transposed
# check: output, runs, shapes
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    transposed = F.transpose(key, -1, -2)
    scores = F.matmul(query, transposed)
    scores = F.div(scores, int(query.shape[-1]) ** 0.5)
    if mask is not None:
        scores = F.add(scores, mask)
    weights = F.softmax(scores, axis=-1)
    output = F.matmul(F.transpose(weights, -1, -2), value)
    return output, weights

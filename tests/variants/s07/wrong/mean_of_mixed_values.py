# concept: mean-of-values
# check: weighted-sum, numbers, shape, repeats, causal
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor
from max.driver import Device
from max.dtype import DType
from max.graph import Dim, DimLike


def causal_mask(
    sequence_length: DimLike,
    num_tokens: DimLike,
    *,
    dtype: DType,
    device: Device,
) -> Tensor:
    rows = int(sequence_length)
    before = int(num_tokens)
    mask = Tensor(float("-inf"), dtype=dtype, device=device)
    mask = mask.broadcast_to([rows, rows + before])
    return F.band_part(mask, num_lower=None, num_upper=before, exclude=True)


class GPT2MultiHeadAttention(Module):
    """No @ at all: broadcasting products and sums."""

    def __init__(self, config):
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim
        self.c_attn = Linear(self.embed_dim, 3 * self.embed_dim, bias=True)
        self.c_proj = Linear(self.embed_dim, self.embed_dim, bias=True)

    def _split_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        new_shape = tensor.shape[:-1] + [num_heads, attn_head_size]
        return tensor.reshape(new_shape).transpose(1, 2)

    def _merge_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        tensor = tensor.transpose(1, 2)
        return tensor.reshape(tensor.shape[:-2] + [num_heads * attn_head_size])

    def _attn(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        products = query.unsqueeze(3) * key.unsqueeze(2)  # [batch, n_head, seq, seq, head_dim]
        scores = products.sum(axis=-1).squeeze(-1) * self.head_dim ** (-0.5)
        scores = scores + causal_mask(query.shape[2], 0, dtype=query.dtype, device=query.device)
        weights = F.softmax(scores).unsqueeze(-1)  # [batch, n_head, seq, seq, 1]
        mixed = F.mean(weights * value.unsqueeze(2), axis=3)  # [batch, n_head, seq, 1, head_dim]
        return F.squeeze(mixed, 3)

    def __call__(self, hidden_states: Tensor) -> Tensor:
        query, key, value = F.split(self.c_attn(hidden_states), [self.split_size] * 3, axis=2)
        query = self._split_heads(query, self.num_heads, self.head_dim)
        key = self._split_heads(key, self.num_heads, self.head_dim)
        value = self._split_heads(value, self.num_heads, self.head_dim)
        return self.c_proj(
            self._merge_heads(self._attn(query, key, value), self.num_heads, self.head_dim)
        )

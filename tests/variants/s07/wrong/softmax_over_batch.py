# concept: softmax-over-batch
# check: softmax
from max.experimental import functional as f, nn
from max.experimental import Tensor
from solutions.solution_01 import GPT2Config
from max.driver import Device
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor
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


class GPT2MultiHeadAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim
        self.c_attn = nn.Linear(in_dim=self.embed_dim, out_dim=3 * self.embed_dim, bias=True)
        self.c_proj = nn.Linear(in_dim=self.embed_dim, out_dim=self.embed_dim, bias=True)

    def _split_heads(self, tensor, num_heads, attn_head_size):
        batch, seq, _ = tensor.shape
        return tensor.reshape([batch, seq, num_heads, attn_head_size]).permute([0, 2, 1, 3])

    def _merge_heads(self, tensor, num_heads, attn_head_size):
        batch, _, seq, _ = tensor.shape
        return tensor.permute([0, 2, 1, 3]).reshape([batch, seq, num_heads * attn_head_size])

    def _attn(self, query, key, value):
        d = int(query.shape[-1])
        a = query @ key.permute([0, 1, 3, 2]) * d**-0.5
        a += causal_mask(
            int(query.shape[-2]), 0, dtype=a.dtype, device=a.device
        )
        return f.softmax(a, axis=0) @ value

    def __call__(self, hidden_states: Tensor):
        parts = f.chunk(self.c_attn(hidden_states), 3, axis=-1)
        q, k, v = [self._split_heads(p, self.num_heads, self.head_dim) for p in parts]
        return self.c_proj(self._merge_heads(self._attn(q, k, v), self.num_heads, self.head_dim))

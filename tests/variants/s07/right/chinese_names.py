import math

from max.experimental import functional as 函数
from max.experimental.nn import Linear, Module
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def causal_mask(sequence_length, num_tokens, *, dtype, device):
    s, t = int(sequence_length), int(num_tokens)
    keys_by_queries = Tensor.full([s + t, s], float("-inf"), dtype=dtype, device=device)
    keys_by_queries = F.band_part(keys_by_queries, num_lower=t, num_upper=None, exclude=True)
    return keys_by_queries.transpose(0, 1)


class GPT2MultiHeadAttention(Module):
    """多头注意力"""

    def __init__(self, 配置):
        super().__init__()
        self.embed_dim = 配置.n_embd
        self.num_heads = 配置.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim
        self.c_attn = Linear(self.embed_dim, 3 * self.embed_dim, bias=True)
        self.c_proj = Linear(self.embed_dim, self.embed_dim, bias=True)

    def _split_heads(self, 张量, 头数, 头维):
        张量 = 张量.reshape(张量.shape[:-1] + [头数, 头维])
        return 张量.transpose(-3, -2)

    def _merge_heads(self, 张量, 头数, 头维):
        张量 = 张量.transpose(-3, -2)
        return 张量.reshape(张量.shape[:-2] + [头数 * 头维])

    def _attn(self, 查询, 键, 值):
        分数 = 查询 @ 键.transpose(-1, -2)
        分数 = 分数 / math.sqrt(int(值.shape[-1]))  # 缩放
        分数 = 分数 + causal_mask(查询.shape[-2], 0, dtype=查询.dtype, device=查询.device)
        return 函数.softmax(分数) @ 值

    def __call__(self, 输入):
        查询, 键, 值 = 函数.split(self.c_attn(输入), [self.split_size] * 3, axis=2)
        查询 = self._split_heads(查询, self.num_heads, self.head_dim)
        键 = self._split_heads(键, self.num_heads, self.head_dim)
        值 = self._split_heads(值, self.num_heads, self.head_dim)
        输出 = self._attn(查询, 键, 值)
        输出 = self._merge_heads(输出, self.num_heads, self.head_dim)
        return self.c_proj(输出)

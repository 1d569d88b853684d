import functools
import math
import operator

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor


def pipe(value, *functions):
    return functools.reduce(lambda acc, f: f(acc), functions, value)


def log_call(method):
    @functools.wraps(method)
    def wrapper(self, *args, **kwargs):
        return method(self, *args, **kwargs)

    return wrapper


def _mask(hidden, sequence_length, num_tokens, *, dtype, device):
    s, t = int(sequence_length), int(num_tokens)
    mask = Tensor.full([s, s + t], hidden, dtype=dtype, device=device)
    return F.band_part(mask, num_lower=None, num_upper=t, exclude=True)


causal_mask = functools.partial(_mask, float("-inf"))


class GPT2MultiHeadAttention(Module):
    def __init__(self, config):
        super().__init__()
        for name, value in {
            "embed_dim": config.n_embd,
            "num_heads": config.n_head,
            "head_dim": config.n_embd // config.n_head,
            "split_size": config.n_embd,
            "c_attn": Linear(config.n_embd, 3 * config.n_embd, bias=True),
            "c_proj": Linear(config.n_embd, config.n_embd, bias=True),
        }.items():
            setattr(self, name, value)

    def _split_heads(self, tensor, num_heads, attn_head_size):
        return pipe(
            tensor,
            lambda t: t.reshape(t.shape[:-1] + [num_heads, attn_head_size]),
            operator.methodcaller("transpose", -3, -2),
        )

    def _merge_heads(self, tensor, num_heads, attn_head_size):
        return pipe(
            tensor,
            operator.methodcaller("transpose", -3, -2),
            lambda t: t.reshape(t.shape[:-2] + [operator.mul(num_heads, attn_head_size)]),
        )

    def _attn(self, query, key, value):
        mask = causal_mask(query.shape[-2], 0, dtype=query.dtype, device=query.device)
        return pipe(
            operator.matmul(query, key.transpose(-1, -2)),
            lambda s: operator.truediv(s, math.sqrt(self.head_dim)),
            functools.partial(operator.add, mask),
            F.softmax,
            lambda w: operator.matmul(w, value),
        )

    @log_call
    def __call__(self, hidden_states):
        split = functools.partial(
            self._split_heads, num_heads=self.num_heads, attn_head_size=self.head_dim
        )
        parts = F.split(self.c_attn(hidden_states), [self.split_size] * 3, axis=2)
        return pipe(
            self._attn(*map(split, parts)),
            lambda t: self._merge_heads(t, self.num_heads, self.head_dim),
            self.c_proj,
        )

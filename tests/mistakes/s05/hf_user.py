"""Step 05: GPT2Attention, after transformers' modeling_gpt2.py."""

from __future__ import annotations

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_02 import causal_mask


def eager_attention_forward(module, query, key, value, attention_mask=None, scaling=None, **kwargs):
    if scaling is None:
        scaling = module.head_dim**-0.5
    # scale the query instead of the scores: the same product, fewer multiplications
    attn_weights = (query * scaling) @ key.T

    if attention_mask is not None:
        attn_weights = attn_weights + attention_mask

    attn_weights = F.softmax(attn_weights, axis=-1)
    # Downcast (if necessary) back to V's dtype
    attn_weights = attn_weights.cast(value.dtype)
    attn_output = attn_weights @ value
    return attn_output, attn_weights


class GPT2Attention(Module):
    def __init__(self, config: GPT2Config, is_cross_attention=False, layer_idx=None):
        super().__init__()
        self.config = config
        self.layer_idx = layer_idx
        self.is_cross_attention = is_cross_attention

        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim
        if self.head_dim * self.num_heads != self.embed_dim:
            raise ValueError(
                f"`embed_dim` must be divisible by num_heads (got `embed_dim`: {self.embed_dim}"
                f" and `num_heads`: {self.num_heads})."
            )

        self.c_attn = Linear(in_dim=self.embed_dim, out_dim=3 * self.embed_dim, bias=True)
        self.c_proj = Linear(in_dim=self.embed_dim, out_dim=self.embed_dim, bias=True)

    def _split_heads(self, tensor, num_heads, attn_head_size):
        """Splits hidden_size dim into attn_head_size and num_heads"""
        new_shape = [*tensor.shape[:-1], num_heads, attn_head_size]
        tensor = F.reshape(tensor, new_shape)
        return F.permute(tensor, [0, 2, 1, 3])  # (batch, head, seq_length, head_features)

    def _merge_heads(self, tensor, num_heads, attn_head_size):
        """Merges attn_head_size dim and num_attn_heads dim into hidden_size"""
        tensor = F.permute(tensor, [0, 2, 1, 3])
        return F.flatten(tensor, start_dim=2)

    def _causal_mask(self, query, past_length=0):
        q_length = query.shape[-2]
        return causal_mask(q_length, past_length, dtype=query.dtype, device=query.device)

    def _attn(self, query, key, value, attention_mask=None):
        if attention_mask is None:
            attention_mask = self._causal_mask(query)
        attn_output, _ = eager_attention_forward(
            self, query, key, value, attention_mask=attention_mask
        )
        return attn_output

    def forward(self, hidden_states, attention_mask=None, output_attentions=False, **kwargs):
        query_states, key_states, value_states = self.c_attn(hidden_states).split(
            self.split_size, axis=2
        )

        shape_kwargs = {"num_heads": self.num_heads, "attn_head_size": self.head_dim}
        query_states = self._split_heads(query_states, **shape_kwargs)
        key_states = self._split_heads(key_states, **shape_kwargs)
        value_states = self._split_heads(value_states, **shape_kwargs)

        attn_output = self._attn(query_states, key_states, value_states, attention_mask)
        attn_output = self._merge_heads(attn_output, **shape_kwargs)
        attn_output = self.c_proj(attn_output)
        return attn_output

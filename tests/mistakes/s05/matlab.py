# step_05 - multi-head attention
# The head index plays the role of the channel, tokens are samples.

from __future__ import annotations

import math

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_02 import causal_mask


class GPT2Attention(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        nEmbd = config.n_embd
        nHeads = config.n_head
        self.embed_dim = nEmbd
        self.num_heads = nHeads
        self.head_dim = nEmbd // nHeads
        self.split_size = nEmbd
        self.c_attn = Linear(nEmbd, 3 * nEmbd)
        self.c_proj = Linear(nEmbd, nEmbd)

    def _split_heads(self, X: Tensor, nHeads: int, headSize: int) -> Tensor:
        [nBatch, nSamples, nCols] = X.shape
        X = X.reshape([nBatch, nSamples, nHeads, headSize])
        return X.permute([0, 2, 1, 3])

    def _merge_heads(self, X: Tensor, nHeads: int, headSize: int) -> Tensor:
        [nBatch, nChannels, nSamples, nCols] = X.shape
        X = X.permute([0, 2, 1, 3])
        return X.reshape([nBatch, nSamples, nHeads * headSize])

    def _attn(self, Q: Tensor, K: Tensor, V: Tensor) -> Tensor:
        [nBatch, nHeads, nSamples, headSize] = Q.shape
        gain = 1.0 / math.sqrt(int(headSize))
        R = gain * F.matmul(Q, K.transpose(2, 3))  # like a correlation matrix
        M = causal_mask(nSamples, 0, dtype=R.dtype, device=R.device)
        W = F.softmax(R + M, axis=3)  # every row sums to 1
        Y = F.matmul(W, V)
        return Y

    def __call__(self, X: Tensor) -> Tensor:
        P = self.c_attn(X)
        N = self.embed_dim
        Q = P[:, :, 0:N]
        K = P[:, :, N : 2 * N]
        V = P[:, :, 2 * N : 3 * N]

        Q = self._split_heads(Q, self.num_heads, self.head_dim)
        K = self._split_heads(K, self.num_heads, self.head_dim)
        V = self._split_heads(V, self.num_heads, self.head_dim)

        Y = self._attn(Q, K, V)
        Y = self._merge_heads(Y, self.num_heads, self.head_dim)
        return self.c_proj(Y)

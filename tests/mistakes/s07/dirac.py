"""Step 07, multi-head attention in index notation.

    x_{b mu}            hidden states, mu = position, one vector of D components each
    Q, K, V             projections of x: (Q,K,V)_{b mu} = W x_{b mu} + w
    a                   index of the head, a = 0 ... H-1
    rho                 component within a head, rho = 0 ... d-1, D = H d
    S_{b a mu nu} = beta <q_{a mu}|k_{a nu}> + M_{mu nu},   beta = d^(-1/2)
    P_{b a mu nu} = exp(S) / sum_nu exp(S)
    y_{b a mu}  = sum_nu P_{b a mu nu} |v_{a nu}>
"""

from __future__ import annotations

import math

from max.driver import Device
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike

from solutions.solution_01 import GPT2Config

# exchange of head index a and position mu: (b, mu, a, rho) <-> (b, a, mu, rho). P^2 = 1.
P_EXCHANGE = [0, 2, 1, 3]
# adjoint of the kets: (b, a, nu, rho) -> (b, a, rho, nu)
P_ADJOINT = [0, 1, 3, 2]


@F.functional
def causal_mask(
    sequence_length: DimLike, num_tokens: DimLike, *, dtype: DType, device: Device
) -> Tensor:
    """M_{mu nu} = 0 inside the past light cone (nu <= mu + tau), -infinity outside.

    tau = num_tokens is the time at which the new positions begin.
    """
    tau = int(Dim(num_tokens))
    n_mu = int(Dim(sequence_length))
    n_nu = n_mu + tau
    mu = F.range(tau, tau + n_mu, dtype=DType.int64, device=device)
    nu = F.range(0, n_nu, dtype=DType.int64, device=device)
    outside = nu.unsqueeze(0) > mu.unsqueeze(1)  # [n_mu, n_nu]
    barrier = Tensor(-math.inf, dtype=dtype, device=device)
    vacuum = Tensor(0.0, dtype=dtype, device=device)
    return F.where(outside, barrier, vacuum)


class GPT2MultiHeadAttention(Module):
    """H independent ensembles, mixed by c_proj in the end."""

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim
        # constants, computed once (plain numbers, not parameters)
        self.n_projections = 3
        self.beta = 1 / math.sqrt(self.head_dim)
        # W: D -> 3D and D -> D, both with an affine shift
        self.c_proj = Linear(in_dim=self.embed_dim, out_dim=self.embed_dim, bias=True)
        self.c_attn = Linear(
            in_dim=self.embed_dim, out_dim=self.n_projections * self.split_size, bias=True
        )

    def forward(self, hidden_states: Tensor) -> Tensor:
        """x_{b mu} -> y_{b mu}."""
        qkv = self.c_attn(hidden_states)
        sizes = [self.split_size] * self.n_projections
        bra, ket, psi = F.split(qkv, sizes, axis=2)
        quantum_numbers = (self.num_heads, self.head_dim)
        bra = self._split_heads(bra, *quantum_numbers)
        ket = self._split_heads(ket, *quantum_numbers)
        psi = self._split_heads(psi, *quantum_numbers)
        y = self._attn(bra, ket, psi)
        y = self._merge_heads(y, *quantum_numbers)
        return self.c_proj(y)

    def _attn(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        """y_{a mu} = sum_nu P_{a mu nu} v_{a nu}."""
        query = self.beta * query  # beta <q|k> = <beta q|k>, and this is the smaller tensor
        S = F.matmul(query, key.permute(P_ADJOINT))  # S_{b a mu nu}
        n_mu = S.shape[-1]
        S += causal_mask(n_mu, 0, dtype=S.dtype, device=S.device)
        P = F.softmax(S, axis=-1)  # sum over nu is 1
        return F.matmul(P, value)

    def _split_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        """x_{b mu (a rho)} -> x_{b a mu rho}."""
        n_b, n_mu, _ = tensor.shape
        x = tensor.reshape([n_b, n_mu, num_heads, attn_head_size])
        return x.permute(P_EXCHANGE)

    def _merge_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        """x_{b a mu rho} -> x_{b mu (a rho)}."""
        n_b, _, n_mu, _ = tensor.shape
        x = tensor.permute(P_EXCHANGE)
        D = num_heads * attn_head_size
        return x.reshape([n_b, n_mu, D])

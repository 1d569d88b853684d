"""Step 03: attention as statistical mechanics.  S_ij = q_ia k_ja / sqrt(d),  O_ib = P_ij v_jb."""

from __future__ import annotations

import math

from max.experimental import functional as F
from max.experimental.tensor import Tensor


def contract_last(q_ia: Tensor, k_ja: Tensor) -> Tensor:
    """S_ij = sum over a of q_ia k_ja; there is no einsum, so write the product out."""
    q_i1a = q_ia.unsqueeze(-2)
    k_1ja = k_ja.unsqueeze(-3)
    s_ij1 = F.sum(q_i1a * k_1ja, axis=-1)
    return s_ij1.squeeze(-1)


def boltzmann(s_ij: Tensor) -> Tensor:
    """P_ij = exp(S_ij) / Z_i, measured from the highest level so that exp stays finite."""
    top_i = F.max(s_ij, axis=-1)
    e_ij = F.exp(s_ij - top_i)
    z_i = F.sum(e_ij, axis=-1)
    return e_ij / z_i


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Mixture of the values and the weights P_ij."""
    d = int(query.shape[-1])
    beta = 1.0 / math.sqrt(d)  # inverse temperature

    s_ij = contract_last(query, key) * beta
    if mask is not None:
        s_ij = s_ij + mask  # a wall: no probability behind it

    p_ij = boltzmann(s_ij)
    o_ib = F.matmul(p_ij, value)
    return o_ib, p_ij

"""Step 11, the full model as a time evolution.

    |psi_mu(0)> = |e_{t_mu}> + |p_mu>             t_mu = token at position mu
    |psi(l+1)>  = U_l |psi(l)>,  l = 0 ... L-1    U_l = block l
    |phi_mu>    = N |psi_mu(L)>                   N = last normalization
    z_{mu tau}  = <e_tau|phi_mu>                  tau runs over the vocabulary
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike

import numpy as np
import numpy.typing as npt
from max.dtype import DType

from max.experimental import functional as F
from max.experimental.nn import Embedding, Module, ModuleList
from max.experimental.tensor import Tensor
from solutions.solution_01 import GPT2Config
from solutions.solution_08 import LayerNorm
from solutions.solution_09 import GPT2Block

Arrays = Mapping[str, npt.NDArray[np.generic]]

TRANSPOSED = ("attn.c_attn.weight", "attn.c_proj.weight", "mlp.c_fc.weight", "mlp.c_proj.weight")
BUFFERS = (".attn.bias", ".attn.masked_bias")
HEAD = "lm_head.weight"
TABLE = "transformer.wte.weight"
PREFIX = "transformer."
MU_ORIGIN = 0  # positions are counted from here


class CheckpointError(ValueError):
    """A checkpoint does not fit the model."""


class GPT2Model(Module):
    """Prepares |psi(0)>, applies U_{L-1} ... U_1 U_0 and normalizes."""

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        D = config.n_embd  # dimension of the Hilbert space
        epsilon = config.layer_norm_epsilon
        self.wte = Embedding(config.vocab_size, dim=D)
        self.wpe = Embedding(config.n_positions, dim=D)
        evolution = []
        for _ in range(config.n_layer):
            U_l = GPT2Block(config)
            evolution.append(U_l)
        self.h = ModuleList(evolution)
        self.ln_f = LayerNorm(D, epsilon)

    def _initial_state(self, t_mu: Tensor) -> Tensor:
        """|psi_mu(0)> = |e_{t_mu}> + |p_mu>; superposition, hence a sum."""
        n_mu = int(t_mu.shape[1])
        mu = Tensor.arange(MU_ORIGIN, MU_ORIGIN + n_mu, dtype=DType.int64, device=t_mu.device)
        e_mu = self.wte(t_mu)
        p_mu = self.wpe(mu)
        return F.add(e_mu, p_mu)

    def forward(self, input_ids: Tensor) -> Tensor:
        psi = self._initial_state(input_ids)
        L = len(self.h)
        for l in range(L):
            psi = self.h[l](psi)  # time-ordered
        phi = self.ln_f(psi)
        return phi


class GPT2LMHeadModel(Module):
    """Measures |phi_mu> in the (non-orthogonal) basis of the tokens."""

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.config = config
        self.transformer = GPT2Model(config)

    def lm_head(self, hidden_states: Tensor) -> Tensor:
        """z_{mu tau} = sum_i phi_{mu i} e_{tau i}."""
        e_tau_i = self.transformer.wte.weight
        e_i_tau = e_tau_i.transpose(0, 1)
        z = F.matmul(hidden_states, e_i_tau)
        return z

    def forward(self, input_ids: Tensor) -> Tensor:
        phi = self.transformer(input_ids)
        return self.lm_head(phi)


def is_gauge(key: str) -> bool:
    """Arrays without physical content: stored masks, and the second copy of the table."""
    return key == HEAD or any(key.endswith(ending) for ending in BUFFERS)


def convert_checkpoint(
    model: GPT2LMHeadModel, checkpoint: Arrays
) -> dict[str, npt.NDArray[np.generic]]:
    """Change of basis from Hugging Face's conventions to ours: W^{ours}_{ij} = W^{HF}_{ji}."""
    shape_of = {}
    for lambda_, theta in model.parameters:
        shape_of[lambda_] = tuple(int(n) for n in theta.shape)

    weights = {}
    unexpected, mismatched = [], []
    for key, W in checkpoint.items():
        if is_gauge(key):
            continue
        lambda_ = PREFIX + key.removeprefix(PREFIX)  # idempotent
        if any(lambda_.endswith(ending) for ending in TRANSPOSED):
            W = np.transpose(W)  # W_{ij} -> W_{ji}
        weights[lambda_] = np.ascontiguousarray(W, dtype=np.float32)
        try:
            expected_shape = shape_of[lambda_]
        except KeyError:
            unexpected.append(lambda_)
            continue
        if W.shape != expected_shape:
            mismatched.append(f"{lambda_}: {W.shape} instead of {expected_shape}")

    missing = [lambda_ for lambda_ in shape_of if lambda_ not in weights]

    report = []
    report += [f"unexpected {u}" for u in unexpected]
    report += [f"missing {m}" for m in missing]
    report += mismatched
    if HEAD in checkpoint and not np.array_equal(checkpoint[HEAD], weights.get(TABLE, [])):
        report.append(f"{HEAD} is not the table of tokens")
    if len(report) > 0:
        raise CheckpointError("; ".join(report))
    return weights


def load_gpt2(path: str | PathLike[str]) -> GPT2LMHeadModel:
    """Read a GPT-2 from a folder or a file."""
    from gpt2.checkpoint import read_checkpoint

    fields, checkpoint = read_checkpoint(path)
    model = GPT2LMHeadModel(GPT2Config(**fields))
    model.load_state_dict(convert_checkpoint(model, checkpoint))
    return model

"""Pas 11: tot el model, i els pesos d'un GPT-2 de veritat."""

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


class CheckpointError(ValueError):
    """Els pesos no encaixen amb el model."""


class GPT2Model(Module):
    """Dels números de les paraules als vectors."""

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        amplada = config.n_embd
        self.wte = Embedding(config.vocab_size, dim=amplada)
        self.wpe = Embedding(config.n_positions, dim=amplada)
        self.h = ModuleList()
        for _ in range(config.n_layer):
            self.h.append(GPT2Block(config))
        self.ln_f = LayerNorm(amplada, eps=config.layer_norm_epsilon)

    def _posicions(self, paraules: Tensor) -> Tensor:
        llargada = paraules.shape[1]
        return F.range(0, llargada, 1, dtype=DType.int64, device=paraules.device)

    def __call__(self, input_ids: Tensor) -> Tensor:
        vectors = self.wte(input_ids)
        vectors = vectors + self.wpe(self._posicions(input_ids))
        for i in range(len(self.h)):
            vectors = self.h[i](vectors)
        sortida = self.ln_f(vectors)
        return sortida


class GPT2LMHeadModel(Module):
    """De les paraules a una puntuació per a cada paraula següent."""

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.config = config
        self.transformer = GPT2Model(config)

    def lm_head(self, hidden_states: Tensor) -> Tensor:
        taula = self.transformer.wte.weight
        return F.matmul(hidden_states, taula.T)

    def __call__(self, input_ids: Tensor) -> Tensor:
        return self.lm_head(self.transformer(input_ids))


def convert_checkpoint(
    model: GPT2LMHeadModel, checkpoint: Arrays
) -> dict[str, npt.NDArray[np.generic]]:
    """Tradueix els noms, gira les matrius i comprova que tot hi sigui."""
    formes = {nom: tuple(int(n) for n in p.shape) for nom, p in model.parameters}
    falten = set(formes)
    weights: dict[str, npt.NDArray[np.generic]] = {}
    errors: list[str] = []

    for clau, matriu in checkpoint.items():
        if clau.endswith(BUFFERS) or clau == HEAD:
            continue
        nom = "transformer." + clau.removeprefix("transformer.")
        if any(nom.endswith(final) for final in TRANSPOSED):
            matriu = np.transpose(matriu)
        if nom not in formes:
            errors.append(f"unexpected: {nom}")
        else:
            falten.discard(nom)
            if list(matriu.shape) != list(formes[nom]):
                errors.append(f"{nom}: forma {matriu.shape}, i ha de ser {formes[nom]}")
        weights[nom] = np.ascontiguousarray(matriu, dtype=np.float32)

    errors.extend("missing: " + nom for nom in sorted(falten))

    if HEAD in checkpoint and not np.array_equal(checkpoint[HEAD], weights.get(TABLE, [])):
        errors.append(f"{HEAD} is not the table of tokens: this model has no other head")

    if len(errors) > 0:
        raise CheckpointError("; ".join(errors))
    return weights


def load_gpt2(path: str | PathLike[str]) -> GPT2LMHeadModel:
    from gpt2.checkpoint import read_checkpoint

    fields, checkpoint = read_checkpoint(path)
    model = GPT2LMHeadModel(GPT2Config(**fields))
    model.load_state_dict(convert_checkpoint(model, checkpoint))
    return model

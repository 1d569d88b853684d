"""Steg 11: hela modellen och vikterna."""

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


class CheckpointError(ValueError):
    """A checkpoint does not fit the model."""


class GPT2Model(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        bredd = config.n_embd
        self.wte = Embedding(config.vocab_size, dim=bredd)
        self.wpe = Embedding(config.n_positions, dim=bredd)
        lager = []
        for _ in range(config.n_layer):
            lager.append(GPT2Block(config))
        self.h = ModuleList(lager)
        self.ln_f = LayerNorm(bredd, config.layer_norm_epsilon)

    def _platser(self, input_ids: Tensor) -> Tensor:
        """0, 1, 2, ... for the tokens of a text."""
        antal = input_ids.shape[1]
        return F.arange(0, antal, dtype=DType.int64, device=input_ids.device)

    def __call__(self, input_ids: Tensor) -> Tensor:
        ord_vektorer = self.wte(input_ids)
        plats_vektorer = self.wpe(self._platser(input_ids))
        ström = ord_vektorer + plats_vektorer
        for ett_lager in self.h:
            ström = ett_lager(ström)
        return self.ln_f(ström)


class GPT2LMHeadModel(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.config = config
        self.transformer = GPT2Model(config)

    def lm_head(self, hidden_states: Tensor) -> Tensor:
        tabell = self.transformer.wte.weight
        return F.matmul(hidden_states, tabell.transpose(0, 1))

    def __call__(self, input_ids: Tensor) -> Tensor:
        vektorer = self.transformer(input_ids)
        poäng = self.lm_head(vektorer)
        return poäng


def _modellnamn(nyckel: str) -> str:
    """Full name, as the model has it."""
    return PREFIX + nyckel.removeprefix(PREFIX)


def _rättvänd(namn: str, matris: npt.NDArray[np.generic]) -> npt.NDArray[np.generic]:
    """[out, in], as a Linear wants it."""
    if any(namn.endswith(slut) for slut in TRANSPOSED):
        return np.transpose(matris)
    return matris


def convert_checkpoint(
    model: GPT2LMHeadModel, checkpoint: Arrays
) -> dict[str, npt.NDArray[np.generic]]:
    """Rename, turn, check; one error for everything."""
    expected = {name: tuple(int(dim) for dim in p.shape) for name, p in model.parameters}
    weights: dict[str, npt.NDArray[np.generic]] = {}
    fel: list[str] = []

    for key, stored in checkpoint.items():
        if key.endswith(BUFFERS) or key == HEAD:
            continue
        namn = _modellnamn(key)
        matris = _rättvänd(namn, stored)
        väntad = expected.get(namn)
        if väntad is None:
            fel.append(f"unexpected: {namn}")
        elif väntad != matris.shape:
            fel.append(f"{namn} has shape {matris.shape}, expected {väntad}")
        weights[namn] = np.ascontiguousarray(matris, dtype=np.float32)

    saknas = sorted(set(expected) - set(weights))
    fel.extend(f"missing: {namn}" for namn in saknas)

    if HEAD in checkpoint and not np.array_equal(checkpoint[HEAD], weights.get(TABLE, [])):
        fel.append(f"{HEAD} is not the table of tokens: this model has no other head")

    if len(fel) > 0:
        raise CheckpointError("; ".join(fel))
    return weights


def load_gpt2(path: str | PathLike[str]) -> GPT2LMHeadModel:
    """Read a GPT-2 from a folder or a safetensors file."""
    from gpt2.checkpoint import read_checkpoint

    fields, checkpoint = read_checkpoint(path)
    model = GPT2LMHeadModel(GPT2Config(**fields))
    model.load_state_dict(convert_checkpoint(model, checkpoint))
    return model

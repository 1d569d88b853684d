"""Schritt 11 auf Deutsch, mit einer kleinen Klasse für die Mängel eines Checkpoints."""

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
VORSILBE = "transformer."

class CheckpointError(ValueError):
    """A checkpoint does not fit the model."""

class Maengel:
    def __init__(self) -> None:
        self.zeilen: list[str] = []

    def __bool__(self) -> bool:
        return len(self.zeilen) > 0

    def melde(self, art: str, name: str) -> None:
        self.zeilen.append(f"{art}: {name}")

    def text(self) -> str:
        return "\n".join(["The checkpoint does not fit the model:", *self.zeilen])

class GPT2Model(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        breite = config.n_embd
        self.ln_f = LayerNorm(breite, config.layer_norm_epsilon)
        self.h = ModuleList(GPT2Block(config) for _ in range(config.n_layer))
        self.wpe = Embedding(config.n_positions, dim=breite)
        self.wte = Embedding(config.vocab_size, dim=breite)

    def _einbetten(self, ids: Tensor) -> Tensor:
        orte = F.range(0, ids.shape[1], dtype=DType.int64, device=ids.device)
        return self.wpe(orte) + self.wte(ids)

    def __call__(self, input_ids: Tensor) -> Tensor:
        strom = self._einbetten(input_ids)
        for nummer in range(len(self.h)):
            strom = self.h[nummer](strom)
        return self.ln_f(strom)

class GPT2LMHeadModel(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.config = config
        self.transformer = GPT2Model(config)

    def lm_head(self, hidden_states: Tensor) -> Tensor:
        tabelle = self.transformer.wte.weight
        return hidden_states @ tabelle.transpose(0, 1)

    def __call__(self, input_ids: Tensor) -> Tensor:
        vektoren = self.transformer(input_ids)
        return self.lm_head(vektoren)

def convert_checkpoint(
    model: GPT2LMHeadModel, checkpoint: Arrays
) -> dict[str, npt.NDArray[np.generic]]:
    expected = {name: tuple(int(dim) for dim in p.shape) for name, p in model.parameters}
    weights: dict[str, npt.NDArray[np.generic]] = {}
    maengel = Maengel()

    for key, stored in checkpoint.items():
        if key.endswith(BUFFERS) or key == HEAD:
            continue
        name = VORSILBE + key.removeprefix(VORSILBE)
        array = stored
        if name.endswith(TRANSPOSED):
            array = stored.T
        soll = expected.get(name)
        ist = array.shape
        if soll is None:
            maengel.melde("unexpected", name)
        elif soll != ist:
            maengel.melde(f"shape {ist} instead of {soll}", name)
        weights[name] = np.ascontiguousarray(array, dtype=np.float32)

    for name in expected:
        if name in weights:
            continue
        maengel.melde("missing", name)

    if HEAD in checkpoint and not np.array_equal(checkpoint[HEAD], weights.get(TABLE, [])):
        maengel.melde("not the table of tokens", HEAD)

    if maengel:
        raise CheckpointError(maengel.text())
    return weights

def load_gpt2(path: str | PathLike[str]) -> GPT2LMHeadModel:
    from gpt2.checkpoint import read_checkpoint

    fields, checkpoint = read_checkpoint(path)
    model = GPT2LMHeadModel(GPT2Config(**fields))
    model.load_state_dict(convert_checkpoint(model, checkpoint))
    return model

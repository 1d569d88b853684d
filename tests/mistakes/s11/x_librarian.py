"""Step 11: the whole model, and a catalogue that checks every delivery of weights."""

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
    """Two card indexes, a shelf of blocks, a last normalization."""

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        width = config.n_embd
        self.wte = Embedding(config.vocab_size, dim=width)
        self.wpe = Embedding(config.n_positions, dim=width)
        shelf = []
        while len(shelf) < config.n_layer:
            shelf.append(GPT2Block(config))
        self.h = ModuleList(shelf)
        self.ln_f = LayerNorm(width, config.layer_norm_epsilon)

    def _look_up(self, input_ids: Tensor) -> Tensor:
        """What it is, plus where it stands."""
        batch, length = input_ids.shape
        places = F.range(0, length, dtype=DType.int64, device=input_ids.device)
        meaning = self.wte(input_ids)
        place = self.wpe(places)
        return meaning + place

    def __call__(self, input_ids: Tensor) -> Tensor:
        vectors = self._look_up(input_ids)
        for block in self.h:
            vectors = block(vectors)
        return self.ln_f(vectors)


class GPT2LMHeadModel(Module):
    """The model, and the same index read backwards."""

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.config = config
        self.transformer = GPT2Model(config)

    def lm_head(self, hidden_states: Tensor) -> Tensor:
        index_cards = self.transformer.wte.weight
        return F.matmul(hidden_states, F.transpose(index_cards, 0, 1))

    def __call__(self, input_ids: Tensor) -> Tensor:
        vectors = self.transformer(input_ids)
        return self.lm_head(vectors)


def shelf_mark(key: str) -> str:
    """The model's name for a name in the delivery."""
    if key.startswith(PREFIX):
        return key
    return PREFIX + key


def turn(name: str, stored: npt.NDArray[np.generic]) -> npt.NDArray[np.generic]:
    """Some volumes are bound the other way round."""
    for ending in TRANSPOSED:
        if name.endswith(ending):
            return np.transpose(stored)
    return stored


def convert_checkpoint(
    model: GPT2LMHeadModel, checkpoint: Arrays
) -> dict[str, npt.NDArray[np.generic]]:
    """Check a delivery against the catalogue, and give it the catalogue's names."""
    catalogue = {}
    for name, parameter in model.parameters:
        catalogue[name] = tuple(int(dim) for dim in parameter.shape)

    weights: dict[str, npt.NDArray[np.generic]] = {}
    complaints: list[str] = []

    for key, stored in checkpoint.items():
        if key == HEAD or key.endswith(BUFFERS):
            continue
        name = shelf_mark(key)
        array = turn(name, stored)
        wanted = catalogue.get(name)
        if wanted is None:
            complaints.append(f"unexpected: {name}")
        elif array.shape != wanted:
            complaints.append(f"{name}: shape {array.shape}, the catalogue says {wanted}")
        weights[name] = np.ascontiguousarray(array, dtype=np.float32)

    for name in catalogue:
        if name not in weights:
            complaints.append(f"missing: {name}")

    if HEAD in checkpoint and not np.array_equal(checkpoint[HEAD], weights.get(TABLE, [])):
        complaints.append(f"{HEAD} is not the table of tokens")

    if len(complaints) > 0:
        raise CheckpointError("Delivery refused:\n" + "\n".join(complaints))
    return weights


def load_gpt2(path: str | PathLike[str]) -> GPT2LMHeadModel:
    """Read a GPT-2 from a folder."""
    from gpt2.checkpoint import read_checkpoint

    fields, checkpoint = read_checkpoint(path)
    model = GPT2LMHeadModel(GPT2Config(**fields))
    model.load_state_dict(convert_checkpoint(model, checkpoint))
    return model

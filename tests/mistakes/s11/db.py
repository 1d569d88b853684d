"""GPT-2. The checkpoint import is a full outer join of two tables, with constraints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
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
SCHEMA = "transformer."


class CheckpointError(ValueError):
    """A checkpoint does not fit the model."""


class GPT2Model(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        width = config.n_embd
        self.wte = Embedding(config.vocab_size, dim=width)
        self.wpe = Embedding(config.n_positions, dim=width)
        stages = []
        for _ in range(config.n_layer):
            stages.append(GPT2Block(config))
        self.h = ModuleList(stages)
        self.ln_f = LayerNorm(width, config.layer_norm_epsilon)

    def __call__(self, input_ids: Tensor) -> Tensor:
        _, row_count = input_ids.shape
        rownum = F.range(0, row_count, dtype=DType.int64, device=input_ids.device)
        tokens = self.wte(input_ids)
        places = self.wpe(rownum)
        record = tokens + places
        for stage in self.h:
            record = stage(record)
        return self.ln_f(record)


class GPT2LMHeadModel(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.config = config
        self.transformer = GPT2Model(config)

    def lm_head(self, hidden_states: Tensor) -> Tensor:
        table = self.transformer.wte.weight
        return hidden_states @ table.transpose(0, 1)

    def __call__(self, input_ids: Tensor) -> Tensor:
        vectors = self.transformer(input_ids)
        return self.lm_head(vectors)


@dataclass(frozen=True)
class Row:
    """One row to insert: the primary key and the payload."""

    name: str
    array: npt.NDArray[np.generic]

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape


def qualified(key: str) -> str:
    if key.startswith(SCHEMA):
        return key
    return SCHEMA + key


def scan(checkpoint: Arrays) -> Iterator[Row]:
    for key, stored in checkpoint.items():
        if key == HEAD:
            continue
        if key.endswith(BUFFERS):
            continue
        name = qualified(key)
        if name.endswith(TRANSPOSED):
            stored = stored.T
        yield Row(name, stored)


def convert_checkpoint(
    model: GPT2LMHeadModel, checkpoint: Arrays
) -> dict[str, npt.NDArray[np.generic]]:
    columns = {name: tuple(int(n) for n in p.shape) for name, p in model.parameters}
    weights: dict[str, npt.NDArray[np.generic]] = {}
    errors: list[str] = []

    for row in scan(checkpoint):
        wanted = columns.get(row.name)
        if wanted is None:
            errors.append(f"unexpected: {row.name}")
        elif wanted != row.shape:
            errors.append(f"{row.name} has shape {row.shape}, expected {wanted}")
        weights[row.name] = np.ascontiguousarray(row.array, dtype=np.float32)

    for orphan in columns.keys() - weights.keys():
        errors.append(f"missing: {orphan}")

    if HEAD in checkpoint and not np.array_equal(checkpoint[HEAD], weights.get(TABLE, [])):
        errors.append(f"{HEAD} is not the table of tokens: this model has no other head")

    if errors:
        raise CheckpointError("rollback:\n" + "\n".join(errors))
    return weights


def load_gpt2(path: str | PathLike[str]) -> GPT2LMHeadModel:
    from gpt2.checkpoint import read_checkpoint

    fields, checkpoint = read_checkpoint(path)
    model = GPT2LMHeadModel(GPT2Config(**fields))
    model.load_state_dict(convert_checkpoint(model, checkpoint))
    return model

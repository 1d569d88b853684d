"""GPT-2, and a reader of checkpoints that reports every problem at once."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Embedding, Module, ModuleList
from max.experimental.tensor import Tensor
from solutions.solution_01 import GPT2Config
from solutions.solution_08 import LayerNorm
from solutions.solution_09 import GPT2Block

PREFIX = "transformer."
HEAD = "lm_head.weight"
TABLE = PREFIX + "wte.weight"
MASKS = (".attn.bias", ".attn.masked_bias")
CONV1D = frozenset({"attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj"})


class CheckpointError(ValueError):
    """Raised with the full list of problems of a checkpoint."""


@dataclass(frozen=True)
class Entry:
    """One array of a checkpoint, under the model's name and the model's way round."""

    name: str
    array: np.ndarray

    @classmethod
    def from_hugging_face(cls, key: str, stored: np.ndarray) -> Entry:
        name = PREFIX + key.removeprefix(PREFIX)
        return cls(name, stored.T if is_conv1d(name) else stored)

    def contiguous(self) -> np.ndarray:
        return np.ascontiguousarray(self.array, dtype=np.float32)


@dataclass
class Report:
    """Collects problems."""

    lines: list[str] = field(default_factory=list)

    def add(self, line: str) -> None:
        self.lines.append(line)

    def raise_if_any(self) -> None:
        if not self.lines:
            return
        raise CheckpointError("\n  ".join(["This checkpoint is not for this model:", *self.lines]))


def is_conv1d(name: str) -> bool:
    """Whether Hugging Face keeps this one as ``[in, out]``."""
    *_, parent, layer, kind = name.split(".")
    return kind == "weight" and f"{parent}.{layer}" in CONV1D


def entries(checkpoint: Mapping[str, np.ndarray]) -> Iterator[Entry]:
    """Yield all weights, without masks and without the copy of the table."""
    for key, stored in checkpoint.items():
        if key == HEAD or key.endswith(MASKS):
            continue
        yield Entry.from_hugging_face(key, stored)


class GPT2Model(Module):
    """Ids to vectors."""

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        width = config.n_embd
        self.wte = Embedding(config.vocab_size, dim=width)
        self.wpe = Embedding(config.n_positions, dim=width)
        self.h = ModuleList(list(self._blocks(config)))
        self.ln_f = LayerNorm(width, eps=config.layer_norm_epsilon)

    @staticmethod
    def _blocks(config: GPT2Config) -> Iterator[GPT2Block]:
        for _ in range(config.n_layer):
            yield GPT2Block(config)

    def embed(self, input_ids: Tensor) -> Tensor:
        """Vectors of tokens plus vectors of places."""
        _, length = input_ids.shape
        places = F.range(0, length, 1, dtype=DType.int64, device=input_ids.device)
        return self.wte(input_ids) + self.wpe(places)

    def __call__(self, input_ids: Tensor) -> Tensor:
        stream = self.embed(input_ids)
        for layer in self.h:
            stream = layer(stream)
        return self.ln_f(stream)


class GPT2LMHeadModel(Module):
    """Ids to logits, with the head tied to the table of tokens."""

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


def shapes_of(model: Module) -> dict[str, tuple[int, ...]]:
    return {name: tuple(map(int, tensor.shape)) for name, tensor in model.parameters}


def convert_checkpoint(
    model: GPT2LMHeadModel, checkpoint: Mapping[str, np.ndarray]
) -> dict[str, np.ndarray]:
    """Arrays for ``model.load_state_dict``."""
    wanted = shapes_of(model)
    report = Report()
    weights: dict[str, np.ndarray] = {}

    for entry in entries(checkpoint):
        if entry.name not in wanted:
            report.add(f"unexpected tensor {entry.name}")
        elif entry.array.shape != wanted[entry.name]:
            report.add(f"{entry.name}: shape {entry.array.shape}, not {wanted[entry.name]}")
        weights[entry.name] = entry.contiguous()

    for name in sorted(wanted.keys() - weights.keys()):
        report.add(f"missing tensor {name}")

    if HEAD in checkpoint and not np.array_equal(checkpoint[HEAD], weights.get(TABLE, [])):
        report.add(f"{HEAD} differs from the table of tokens")
    report.raise_if_any()
    return weights


def load_gpt2(path: str | os.PathLike[str]) -> GPT2LMHeadModel:
    from gpt2.checkpoint import read_checkpoint

    fields, checkpoint = read_checkpoint(path)
    model = GPT2LMHeadModel(GPT2Config(**fields))
    model.load_state_dict(convert_checkpoint(model, checkpoint))
    return model
